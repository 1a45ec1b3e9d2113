"""Numbers in digits and words."""

from timewords.folding import listed

_ONES = listed(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen"
)
_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_ORDINAL_ONES = listed(
    "zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth "
    "fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth"
)
_HUNDRED = 100

VALUES = (
    {word: value for value, word in enumerate(_ONES)}
    | {word: 10 * (index + 2) for index, word in enumerate(_TENS)}
    | {"a": 1, "an": 1, "hundred": _HUNDRED, "thousand": 1000}
)
ORDINAL_VALUES = {word: value for value, word in enumerate(_ORDINAL_ONES)} | {"twentieth": 20, "thirtieth": 30}

_SMALL = "|".join(_ONES[1:])
_TEN = "|".join(_TENS)
_UNIT = "|".join(_ONES[1:10])
BELOW_HUNDRED = rf"(?:(?:{_TEN})(?:[- ](?:and )?(?:{_UNIT}))?|{_SMALL})"
SPELLED = rf"(?:{BELOW_HUNDRED}(?: hundred(?: (?:and )?{BELOW_HUNDRED})?)?)"
NUMBER = rf"(?:\d{{1,9}}(?:\.\d{{1,3}})?|{SPELLED}|an?)"
_ORDINAL_UNIT = "|".join(_ORDINAL_ONES[1:10])
ORDINAL_WORD = rf"(?:(?:twenty|thirty)[- ](?:{_ORDINAL_UNIT})|{'|'.join(_ORDINAL_ONES[1:])}|twentieth|thirtieth)"
ORDINAL = rf"(?:\d{{1,2}}(?:st|nd|rd|th)|{ORDINAL_WORD})"


def parse_number(text: str) -> float:
    """The value of what NUMBER matched."""
    if text[0].isdigit():
        return float(text)
    total = 0
    for word in text.replace("-", " ").split():
        value = VALUES.get(word, 0)
        total = max(total, 1) * value if value >= _HUNDRED else total + value
    return float(total)


def parse_ordinal(text: str) -> int:
    """The value of what ORDINAL matched."""
    if text[0].isdigit():
        return int(text[:-2])
    return sum(ORDINAL_VALUES.get(word, 0) or VALUES.get(word, 0) for word in text.replace("-", " ").split())


def parse_spelled_year(text: str) -> int:
    """As in "nineteen ninety six", "seventeen hundred thirty three", "two thousand and five"."""
    words = [word for word in text.replace("-", " ").split() if word != "and"]
    if "thousand" in words or "hundred" in words:
        return int(parse_number(" ".join(words)))
    century = VALUES[words[0]]
    return century * _HUNDRED + sum(VALUES[word] for word in words[1:])
