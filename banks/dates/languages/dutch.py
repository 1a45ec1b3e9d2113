from banks.dates.languages.vocabulary import Vocabulary, grouped, numbered, phrases

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
    ),
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
    until=phrases("tot|tot en met"),
    year_word=phrases("jaar|het jaar"),
)  # fmt: skip
