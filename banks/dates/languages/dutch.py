from banks.dates.languages.vocabulary import Vocabulary, feasts, folded, grouped, numbered, phrases

DUTCH = Vocabulary(
    months=numbered(
        "januari", "februari", "maart", "april", "mei", "juni", "juli", "augustus", "september", "oktober",
        "november", "december",
    ),
    weekdays=numbered("maandag", "dinsdag", "woensdag", "donderdag", "vrijdag", "zaterdag", "zondag", first=0),
    days={"vandaag": 0, "gisteren": -1, "eergisteren": -2, "morgen": 1, "overmorgen": 2},
    units=grouped(
        second="seconde seconden", minute="minuut minuten", hour="uur uren", day="dag dagen", week="week weken",
        weekend="weekend weekeinde", month="maand maanden", quarter="kwartaal", year="jaar jaren",
    ),
    seasons={"lente": 3, "voorjaar": 3, "zomer": 6, "herfst": 9, "najaar": 9, "winter": 12},
    numbers=numbered(
        "een één", "twee", "drie", "vier", "vijf", "zes", "zeven", "acht", "negen", "tien", "elf", "twaalf",
        "dertien", "veertien", "vijftien", "zestien", "zeventien", "achttien", "negentien", "twintig",
    ) | folded({"dertig": 30, "veertig": 40, "vijftig": 50, "honderd": 100}),
    last=phrases("vorige|vorig|afgelopen|laatste"),
    this=phrases("deze|dit"),
    next=phrases("volgende|volgend|komende|komend"),
    ago_after=phrases("geleden"),
    ahead_before=phrases("over"),
    in_month=phrases("in|begin|eind|medio"),
    between=phrases("tussen|van"),
    to=phrases("en|tot|tot en met|t/m"),
    since=phrases("sinds|vanaf"),
    before=phrases("voor|vóór"),
    after=phrases("na"),
    until=phrases("tot|tot en met|t/m"),
    articles=phrases("de|het"),
    links=phrases("van"),
    of=phrases("van"),
    day_suffixes=phrases("e"),
    year_word=phrases("jaar|het jaar"),
    before_last=phrases("voorlaatste|eervorige|eervorig|voorvorige"),
    after_next=phrases("overvolgende"),
    ordinals=numbered("eerste", "tweede", "derde", "vierde", "vijfde") | {"laatste": -1},
    feasts=feasts(
        christmas="Kerst|Kerstmis|eerste Kerstdag", christmas_eve="Kerstavond", boxing="tweede Kerstdag",
        easter="Pasen", easter_monday="tweede Paasdag", good_friday="Goede Vrijdag", pentecost="Pinksteren",
        new_year="Nieuwjaar|Nieuwjaarsdag",
    ) | {"oudejaarsavond": "new year's eve"},
)  # fmt: skip
