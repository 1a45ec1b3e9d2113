"""Closed word lists for names, in the spelling of `banks.entities.names.spelling.fold`."""


def _words(text: str) -> list[str]:
    return text.split()


MALE_HONORIFICS = frozenset(_words("mr mister sir herr monsieur senor signor don"))
FEMALE_HONORIFICS = frozenset(_words("mrs ms miss madam madame mme mlle dame frau senora senorita signora"))
HONORIFICS = (
    MALE_HONORIFICS
    | FEMALE_HONORIFICS
    | frozenset(_words("mx dr doctor prof professor rev reverend hon capt captain lt sgt gen general col colonel"))
)
HONORIFIC_SPELLINGS = {
    "mister": "mr",
    "doctor": "dr",
    "professor": "prof",
    "reverend": "rev",
    "captain": "capt",
    "general": "gen",
    "colonel": "col",
    "madame": "mme",
}

GENERATIONS = {"jr": "jr", "junior": "jr", "sr": "sr", "senior": "sr"}

# Surname particles belong to the word after them: "van der Berg" is one surname.
PARTICLES = frozenset(_words("van von der den de la le du da di del della dos das el al bin ibn ben mac st ter ten"))

# The form of each spelling. Forms of different countries contradict each other.
LEGAL_FORMS = {
    "inc": "inc",
    "incorporated": "inc",
    "corp": "corp",
    "corporation": "corp",
    "ltd": "ltd",
    "limited": "ltd",
    "llc": "llc",
    "llp": "llp",
    "lp": "lp",
    "plc": "plc",
    "co": "co",
    "company": "co",
    "gmbh": "gmbh",
    "ag": "ag",
    "kg": "kg",
    "sa": "sa",
    "sas": "sas",
    "sarl": "sarl",
    "srl": "srl",
    "bv": "bv",
    "nv": "nv",
    "oy": "oy",
    "aps": "aps",
    "pty": "pty",
    "pvt": "pvt",
}
# "Inc", "Corp" and "Co" are used for one another in speech; a German GmbH is another firm than its American parent.
INTERCHANGEABLE_FORMS = frozenset({"inc", "corp", "co", "llc", "ltd", "plc", "pvt", "pty"})

ABBREVIATIONS = {
    "mt": "mount",
    "ft": "fort",
    "st": "saint",
    "ste": "sainte",
    "univ": "university",
    "intl": "international",
    "natl": "national",
    "dept": "department",
    "assn": "association",
    "assoc": "association",
    "inst": "institute",
    "bros": "brothers",
    "mfg": "manufacturing",
    "govt": "government",
    "hosp": "hospital",
    "ave": "avenue",
    "blvd": "boulevard",
    "rd": "road",
}

# An acronym may contain them or not: FBI leaves "of" out, DOJ keeps it.
LINKING_WORDS = frozenset(_words("of and the for in on at de la du des der die das und et y e al"))

# Words for the kind of a thing: "Stanford" mostly means "Stanford University".
DESCRIPTORS = frozenset(
    _words(
        "university college group foundation institute studios bank airlines airport hotel restaurant cafe museum "
        "city town state lake mount saint republic kingdom national park app game series magazine"
    )
)

NUMBER_WORDS = {
    word: str(value)
    for value, word in enumerate(_words("zero one two three four five six seven eight nine ten eleven twelve"))
}
ROMAN_NUMERALS = {
    numeral: str(value)
    for value, numeral in enumerate(
        _words("i ii iii iv v vi vii viii ix x xi xii xiii xiv xv xvi xvii xviii xix xx"),
        start=1,
    )
}
