"""British and American spellings of a word as one, so that "favourite colour" and "favorite color" are the same thing.

Rules rather than a dictionary: what they write need not be a word, it only has to differ for words that differ.
"""

import re

VOWELS = re.compile(r"[aeiouy]+")
# Each asks for enough letters before the ending that no two words fall together: "tour" and "tor", "prise" and "prize".
RULES = (
    (re.compile(r"^(\w{3,})our(s|ed|ing|ite|ites|ful|able|hood|hoods|y|er|ers|less)?$"), r"\1or\2"),
    (re.compile(r"^(\w{4,})is(e|ed|es|ing|er|ers|ation|ations)$"), r"\1iz\2"),
    (re.compile(r"^(\w{3,})ys(e|ed|es|ing|er|ers)$"), r"\1yz\2"),
    (re.compile(r"^(\w{2,}[bt])re(s)?$"), r"\1er\2"),
    (re.compile(r"^(\w{2,}log)ue(s)?$"), r"\1\2"),
    (re.compile(r"^(def|off|lic|pret)ence(s)?$"), r"\1ense\2"),
)
DOUBLED = re.compile(r"^(\w+[ae])ll(ed|ing|er|ers|ery)$")
SYLLABLES = 2  # "travelled" is "traveled", while "stalled" is not "staled"
APART = {"timbre"}  # not "timber"
ONE_BY_ONE = {
    "aeroplane": "airplane",
    "aluminium": "aluminum",
    "cosy": "cozy",
    "doughnut": "donut",
    "grey": "gray",
    "jewellery": "jewelry",
    "moustache": "mustache",
    "mum": "mom",
    "practise": "practice",
    "programme": "program",
    "programmes": "programs",
    "pyjamas": "pajamas",
}


def spell_one_way(word: str) -> str:
    """Of a word in lower case."""
    if word in ONE_BY_ONE or word in APART:
        return ONE_BY_ONE.get(word, word)
    for pattern, replacement in RULES:
        if pattern.match(word):
            return pattern.sub(replacement, word)
    doubled = DOUBLED.match(word)
    if doubled and len(VOWELS.findall(doubled[1])) >= SYLLABLES:
        return f"{doubled[1]}l{doubled[2]}"
    return word
