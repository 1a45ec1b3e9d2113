from banks.dates.languages.vocabulary import Vocabulary, feasts, folded, grouped, numbered, phrases

ITALIAN = Vocabulary(
    months=numbered(
        "gennaio", "febbraio", "marzo", "aprile", "maggio", "giugno", "luglio", "agosto", "settembre", "ottobre",
        "novembre", "dicembre",
    ),
    weekdays=numbered("lunedì", "martedì", "mercoledì", "giovedì", "venerdì", "sabato", "domenica", first=0),
    days={
        "oggi": 0, "ieri": -1, "l'altro ieri": -2, "altro ieri": -2, "avantieri": -2, "domani": 1, "dopodomani": 2,
    },
    units=grouped(
        second="secondo secondi", minute="minuto minuti", hour="ora ore", day="giorno giorni",
        week="settimana settimane",
        weekend="weekend week-end", month="mese mesi", quarter="trimestre", year="anno anni", decade="decennio",
    ) | {"fine settimana": "weekend"},
    seasons={"primavera": 3, "estate": 6, "autunno": 9, "inverno": 12},
    numbers=numbered(
        "un una uno", "due", "tre", "quattro", "cinque", "sei", "sette", "otto", "nove", "dieci", "undici",
        "dodici", "tredici", "quattordici", "quindici", "sedici", "diciassette", "diciotto", "diciannove",
        "venti",
    ) | folded({"trenta": 30, "quaranta": 40, "cinquanta": 50, "cento": 100}),
    last=phrases("scorso|scorsa|scorsi|scorse|passato|passata|ultimo|ultima|ultimi|ultime|precedente"),
    this=phrases("questo|questa|questi|queste|in corso|quest'"),
    next=phrases("prossimo|prossima|prossimi|prossime|che viene|successivo"),
    ago_after=phrases("fa|or sono"),
    ahead_before=phrases("tra|fra|in"),
    in_month=phrases("in|a|ad|di|nel|durante|mese di"),
    early=phrases("inizio|a inizio|all'inizio"),
    mid=phrases("metà|a metà"),
    late=phrases("fine|a fine|alla fine"),
    between=phrases("tra|fra|da|dal"),
    to=phrases("e|a|al|ad|fino a|fino al"),
    since=phrases("da|dal|a partire da|a partire dal"),
    before=phrases("prima di|prima del"),
    after=phrases("dopo|dopo il"),
    until=phrases("fino a|fino al"),
    date_glue=phrases("a|al|ad"),
    articles=phrases("il|lo|la|gli|i|le|l'"),
    links=phrases("d'|dell'|della|dello"),
    of=phrases("di|del"),
    day_suffixes=phrases("º"),
    feast_leads=phrases("a|per|durante|quel|questo"),
    year_word=phrases("anno|l'anno|nel"),
    before_last=phrases("penultimo|penultima"),
    ordinals=numbered("primo prima", "secondo seconda", "terzo terza", "quarto quarta", "quinto quinta")
    | {"ultimo": -1, "ultima": -1},
    feasts=feasts(
        christmas="Natale", christmas_eve="vigilia di Natale", easter="Pasqua", easter_monday="Pasquetta",
        new_year="Capodanno", epiphany="Epifania|Befana", all_saints="Ognissanti", pentecost="Pentecoste",
    ),
    ambiguous=frozenset({"natale"}),
)  # fmt: skip
