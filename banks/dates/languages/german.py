from banks.dates.languages.vocabulary import Vocabulary, feasts, folded, grouped, numbered, phrases

GERMAN = Vocabulary(
    months=numbered(
        "januar jänner jan", "februar feber feb", "märz maerz mrz", "april", "mai", "juni", "juli", "august aug",
        "september sept", "oktober okt", "november nov", "dezember dez",
    ),
    weekdays=numbered(
        "montag montags", "dienstag", "mittwoch", "donnerstag", "freitag", "samstag sonnabend", "sonntag", first=0
    ),
    days={"heute": 0, "gestern": -1, "vorgestern": -2, "morgen": 1, "ubermorgen": 2},
    morning="morgen",
    morning_leads=frozenset(
        phrases("am|heute|gestern|vorgestern|jeden|diesen|guten|eines|jenem|nächsten|selben|frühen|ganzen")
    ),
    units=grouped(
        second="Sekunde Sekunden", minute="Minute Minuten", hour="Stunde Stunden", day="Tag Tage Tagen",
        week="Woche Wochen", weekend="Wochenende", month="Monat Monate Monaten Monats", quarter="Quartal",
        year="Jahr Jahre Jahren Jahres", decade="Jahrzehnt",
    ),
    seasons={"fruhling": 3, "fruhjahr": 3, "sommer": 6, "herbst": 9, "winter": 12},
    numbers=numbered(
        "ein eine einem einer einen", "zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun", "zehn", "elf",
        "zwölf", "dreizehn", "vierzehn", "fünfzehn", "sechzehn", "siebzehn", "achtzehn", "neunzehn", "zwanzig",
    ) | folded({"dreißig": 30, "vierzig": 40, "fünfzig": 50, "hundert": 100}),
    last=phrases("letzte|letzten|letzter|letztes|letztem|vergangene|vergangenen|vergangener|vergangenes|vorige|voriges|vorigen|voriger"),
    this=phrases("diese|diesen|dieser|dieses|diesem"),
    next=phrases("nächste|nächsten|nächster|nächstes|kommende|kommenden|kommendes|kommender"),
    ago_before=phrases("vor"),
    ahead_before=phrases("in"),
    in_month=phrases("im"),
    early=phrases("anfang|zu anfang|am anfang|beginn|zu beginn"),
    mid=phrases("mitte"),
    late=phrases("ende|am ende|gegen ende"),
    coming=phrases("kommende|kommenden|kommendes|kommender"),
    telling=phrases("im|anfang|mitte"),
    between=phrases("zwischen|von|vom"),
    to=phrases("und|bis|bis zum|bis einschließlich"),
    since=phrases("seit|ab|seit dem"),
    before=phrases("vor|vor dem"),
    after=phrases("nach|nach dem"),
    until=phrases("bis|bis zum|bis einschließlich|bis inklusive|bis und mit"),
    articles=phrases("der|die|das|dem|den|des|am"),
    links=phrases("von|vom|im|in|des"),
    of=phrases("des jahres"),
    feast_leads=phrases("an|zu|über"),
    feast_subjects=phrases("ich|wir|du|ihr"),
    year_word=phrases("jahr|im jahr|jahre"),
    before_last=phrases("vorletzte|vorletzten|vorletzter|vorletztes|vorletztem|vorvorige|vorvorigen|vorvoriges|vorvergangene|vorvergangenen"),
    after_next=phrases("übernächste|übernächsten|übernächster|übernächstes|übernächstem"),
    ordinals=numbered(
        "erste ersten erster erstes erstem", "zweite zweiten zweiter zweites zweitem",
        "dritte dritten dritter drittes drittem", "vierte vierten vierter viertes viertem",
        "fünfte fünften fünfter fünftes fünftem",
    ) | dict.fromkeys(("letzte", "letzten", "letzter", "letztes", "letztem"), -1),
    feasts=feasts(
        christmas="Weihnachten|Weihnachtstag", christmas_eve="Heiligabend|Heiligen Abend", easter="Ostern|Ostersonntag",
        easter_monday="Ostermontag", good_friday="Karfreitag", pentecost="Pfingsten", new_year="Neujahr|Neujahrstag",
        epiphany="Dreikönigstag", all_saints="Allerheiligen",
    ) | {"silvester": "new year's eve"},
    ambiguous=frozenset({"silvester", "morgen"}),
    foreign=frozenset(phrases("ik|wij|het|een|deze|elke|goede|gisteren|niet|heb|heeft")),
)  # fmt: skip
