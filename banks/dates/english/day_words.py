"""Today, yesterday and their kin."""

import re

from banks.dates.chart import Rule, word
from banks.dates.expressions.steps import CalendarUnit, Now
from banks.dates.expressions.when import Value

_STEPS = {
    "today": 0, "yesterday": -1, "tomorrow": 1, "tmrw": 1, "tmr": 1, "2day": 0, "2morrow": 1,
    "the day before yesterday": -2, "the day after tomorrow": 2, "day before yesterday": -2, "day after tomorrow": 2,
}  # fmt: skip
_SPOKEN = "|".join(sorted(_STEPS, key=len, reverse=True))


def _day(match: re.Match[str]) -> Value:
    return CalendarUnit("day", _STEPS[match[1]])


def _now(_: re.Match[str]) -> Value:
    return Now()


RULES = (
    Rule((word(rf"({_SPOKEN})"),), _day),
    Rule((word("right now|just now|at present|at the moment|at this (?:moment|time)|as of now"),), _now),
    Rule((word("now|present"),), _now, is_latent=True),
)
