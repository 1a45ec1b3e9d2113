import re

from banks.dates.chart import Rule, led_by, word
from banks.dates.english.numbers import ORDINAL, parse_ordinal
from banks.dates.expressions.steps import Exact
from banks.dates.expressions.when import Value
from banks.dates.interval import build_year, span_of

_SPELLED = {
    "twenties": 20,
    "thirties": 30,
    "forties": 40,
    "fifties": 50,
    "sixties": 60,
    "seventies": 70,
    "eighties": 80,
    "nineties": 90,
}
_NAMES = "|".join(_SPELLED)
_LEAD = f"(?:{led_by('in', 'the', 'early', 'late', 'mid')}|(?<=mid-))"
_CENTURY = 100
_THIS_CENTURY = 20  # decades up to the twenties are of the 2000s, later ones of the 1900s


def _exact(first_year: int, unit: str) -> Value | None:
    first = build_year(first_year)
    return Exact(span_of(first.start, unit)) if first else None


def _short(decade: int) -> Value | None:
    return _exact((2000 if decade <= _THIS_CENTURY else 1900) + decade, "decade")


def _century(match: re.Match[str]) -> Value | None:
    return _exact((parse_ordinal(match[1]) - 1) * _CENTURY, "century")


RULES = (
    Rule((word(r"(?:the )?(1[0-9]|20)(\d0) ?'?s"),), lambda m: _exact(int(m[1]) * _CENTURY + int(m[2]), "decade")),
    Rule((word(rf"{_LEAD}'?([1-9]0) ?'?s"),), lambda m: _short(int(m[1]))),
    Rule((word(rf"{_LEAD}({_NAMES})"),), lambda m: _short(_SPELLED[m[1]])),
    Rule((word(rf"(?:the )?({ORDINAL}) century"),), _century),
)
