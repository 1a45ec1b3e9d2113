"""Today, yesterday and their kin."""

import re

from banks.dates.chart import Rule, word
from banks.dates.expressions.bounds import Range
from banks.dates.expressions.steps import Ago, Amount, CalendarUnit, Now, Shifted
from banks.dates.expressions.when import Value

_STEPS = {
    "today": 0, "yesterday": -1, "tomorrow": 1, "tmrw": 1, "tmr": 1, "2day": 0, "2morrow": 1,
    "the day before yesterday": -2, "the day after tomorrow": 2, "day before yesterday": -2, "day after tomorrow": 2,
}  # fmt: skip
_TWO_WEEKS = Amount(((2, "week"),))
_SPOKEN = "|".join(sorted(_STEPS, key=len, reverse=True))


def _day(match: re.Match[str]) -> Value:
    return CalendarUnit("day", _STEPS[match[1]])


def _around_today(match: re.Match[str]) -> Value:
    """As in "this time last year": nobody means the very day."""
    day = Ago(Amount(((1, "year"),)), -1 if match[1] == "last" else 1)
    return Range(Shifted(_TWO_WEEKS, -1, day), Shifted(_TWO_WEEKS, 1, day))


def _now(_: re.Match[str]) -> Value:
    return Now()


RULES = (
    Rule((word(rf"({_SPOKEN})"),), _day),
    Rule((word("(?:(?:around|about|at) )?this time (last|next) year"),), _around_today),
    Rule((word("right now|just now|at present|at the moment|at this (?:moment|time)|as of now"),), _now),
    Rule((word("now|present"),), _now, is_latent=True),
)
