import re

from banks.dates.chart import Rule, glue, word
from banks.dates.english.numbers import BELOW_HUNDRED, parse_spelled_year
from banks.dates.expressions.steps import Exact
from banks.dates.expressions.when import Value
from banks.dates.interval import build_year
from banks.dates.word_lists import listed

_LIKELY = r"(?:1[5-9]\d\d|20\d\d)"
# A number is a year by itself if nothing countable follows it: "in 2019, we", not "2000 tokens".
_FOLLOWERS = (
    "and|or|to|till|until|through|but|was|were|is|are|i|we|he|she|they|it|you|when|with|at|in|on|for|from|by|the|my|our"
    "|because|so|then|as|that|which|who|did|do|does|have|has|had|will|would|vs|about|after|before|during|since|if"
)
_ENDS = rf"(?=\s*(?:[.,;:!?)\]~]|-\s*\d{{4}}\b|$)(?!\d)|\s+(?:{_FOLLOWERS})\b)"
_LAST_CENTURY, _PIVOT = 1900, 40  # two digits: 40 to 99 are of the last century
_NUMBERED_THING = re.compile(r"(?<!\bmid)(?<!\bpre)(?<!\bpost)(?<!\bfy)(?<!\bcy)(?<=[a-z])-$")  # "ticket ABC-2024"
_LAST_WORD = re.compile(r"([^\W\d_]+)\s*$")
_LONGEST_WORD = 40  # characters, with the spaces behind it; of a longer one the end is enough
_INTRODUCTIONS = frozenset(
    listed(
        "in since until till before after during from by of for between to through around circa about than and or but "
        "not the early late mid on vs year years spring summer autumn fall winter back ago en im seit vor nach bis ab "
        "depuis avant apres desde hasta antes despues nel dal del dopo prima fino"
    )
)
# Behind the quote, which few texts hold: a pattern that starts with a look behind is tried at every character.
_QUOTE_LED = "(?:" + "|".join(f"(?<={lead} ')" for lead in listed("in of since summer winter spring fall")) + ")"
_SPELLED = rf"(?:nineteen|eighteen|seventeen|sixteen|twenty) (?:hundred (?:and )?)?{BELOW_HUNDRED}"
_THOUSANDS = rf"two thousand(?: (?:and )?{BELOW_HUNDRED})?"


class Year(Exact):
    """A calendar year by its number."""

    __slots__ = ()

    @property
    def number(self) -> int:
        return self.period_.start.year


def find_year(number: int) -> Year | None:
    period = build_year(number)
    return Year(period) if period else None


def _stands_alone(match: re.Match[str]) -> Value | None:
    """A noun before the number names a thing ("Room 2019"), any other word or none a time."""
    first = max(0, match.start() - _LONGEST_WORD)
    before = _LAST_WORD.search(match.string, first, match.start())
    if (before and before[1] not in _INTRODUCTIONS) or _NUMBERED_THING.search(match.string, first, match.start()):
        return None
    return find_year(int(match[1]))


def _digits(match: re.Match[str]) -> Value | None:
    return find_year(int(match[1]))


def _short(match: re.Match[str]) -> Value | None:
    return find_year(int(match[1]) + (_LAST_CENTURY if int(match[1]) >= _PIVOT else _LAST_CENTURY + 100))


def _spelled(match: re.Match[str]) -> Value | None:
    return find_year(parse_spelled_year(match[1]))


RULES = (
    Rule((re.compile(rf"'{_QUOTE_LED}(\d\d)(?![\w'])"),), _short),
    Rule((word(r"(?<![$€£#.:/,@+-])(?:the )?(?:calendar |cal )?(?:years?|cy)(?: of)? (\d{4})"),), _digits),
    Rule((word(rf"(?<![$€£#.:/,@+])(?<!\d-)(?<!\d - )({_LIKELY}){_ENDS}"),), _stands_alone),
    Rule((word(rf"(?<![$€£#.:/,@+])(?<!\d-)({_LIKELY})"),), _digits, is_latent=True),
    Rule((word(r"(?<![$€£#.:@+\d])(?<!\d-)(\d{4})"),), _digits, is_latent=True),
    Rule((word(rf"({_SPELLED}|{_THOUSANDS})"),), _spelled, is_latent=True),
    Rule(
        (word("in|since|until|before|after|from|by|of"), glue(rf"({_SPELLED}|{_THOUSANDS}){_ENDS}")),
        lambda _, m: _spelled(m),
    ),
    Rule((re.compile(rf"^\s*({_LIKELY})\s*$"),), _digits),
)
