"""The first Monday of, the third week of, the 15th day of, and days of the month."""

import re

from banks.dates.chart import Rule, glue, word
from banks.dates.english.amounts import UNIT, UNITS
from banks.dates.english.numbers import BELOW_HUNDRED, ORDINAL, parse_number, parse_ordinal
from banks.dates.english.weekdays import WEEKDAY, weekday_number
from banks.dates.english.years import Year
from banks.dates.expressions.bounds import Open, Range
from banks.dates.expressions.clock import ClockRange, During
from banks.dates.expressions.inside import Beside, DayIn, Nth
from banks.dates.expressions.steps import Amount, CalendarUnit, Shifted
from banks.dates.expressions.weekly import DayOfMonth, Weekday
from banks.dates.expressions.when import Value, When

_NTH = rf"(?P<nth>{ORDINAL}|last)"
_LAST_DAY = 31


def _position(text: str) -> int:
    return -1 if text == "last" else parse_ordinal(text)


def _nth(match: re.Match[str], whole: When) -> Nth:
    if match["unit"] in UNITS:
        return Nth(_position(match["nth"]), UNITS[match["unit"]], whole)
    return Nth(_position(match["nth"]), "day", whole, weekday=weekday_number(match["unit"]))


def _nth_of_or_beside(match: re.Match[str], anchor: When) -> Value | None:
    """The second Monday of May, and the second Monday after Easter."""
    if match["link"] in ("of", "in"):
        return _nth(match, anchor)
    if match["unit"] in UNITS or isinstance(anchor, Open | Range):
        return None
    turn = -1 if match["link"] == "before" else 1
    nearest = Beside("day", turn, anchor, weekday=weekday_number(match["unit"]))
    return Shifted(Amount(((abs(_position(match["nth"])) - 1, "week"),)), turn, nearest)


def _last_few(match: re.Match[str], whole: When) -> Value:
    count = int(parse_number(match[2]))
    return Nth(-count if match[1] == "last" else 1, UNITS[match[3]], whole, count=count)


def _week_number(match: re.Match[str]) -> Value:
    return Nth(int(match[1]), "week", CalendarUnit("year", 0))


def _day_of_month(match: re.Match[str]) -> Value | None:
    day = parse_ordinal(match[1])
    return DayOfMonth(day) if 1 <= day <= _LAST_DAY else None


def _day_in_month(day: DayOfMonth, _: re.Match[str], month: CalendarUnit) -> Value | None:
    return DayIn(day, month) if month.unit == "month" else None


def _weekday_in(when: Nth, _: re.Match[str], day: Weekday) -> Value | None:
    return DayIn(day, when) if when.unit == "week" else None


RULES = (
    Rule((word(rf"(?:the )?{_NTH} (?P<unit>{UNIT}|{WEEKDAY}) (?P<link>of|in|before|after)"), When), _nth_of_or_beside),
    Rule(
        (word(rf"(?:the )?{_NTH} (?P<unit>{UNIT}|{WEEKDAY}) of the (?P<whole>month|year|week|quarter)"),),
        lambda m: _nth(m, CalendarUnit(UNITS[m["whole"]], 0)),
    ),
    Rule((word(rf"(?:the )?(last|first) (\d{{1,9}}|{BELOW_HUNDRED}) ({UNIT})s (?:of|in)"), When), _last_few),
    Rule((word(r"week (\d{1,2})"),), _week_number),
    Rule((word(r"week (\d{1,2}),?(?: of| in)?"), Year), lambda match, year: Nth(int(match[1]), "week", year)),
    Rule((word(rf"(?:the )?({ORDINAL})"),), _day_of_month, is_latent=True),
    Rule(
        (word(r"the (\d{1,2})(?= (?:between|from|at)\b)"),),
        lambda m: DayOfMonth(int(m[1])) if 0 < int(m[1]) <= _LAST_DAY else None,
        is_latent=True,
    ),
    Rule(
        (word(r"(?<=on )(?:the )?(\d{1,2}(?:st|nd|rd|th))(?=\s*(?:[.,;!?-]|$)|\s+(?:and|i|we|he|she|they)\b)"),),
        _day_of_month,
    ),
    Rule((DayOfMonth, glue("(?:day )?(?:of )(?:the )?"), CalendarUnit), _day_in_month),
    Rule((DayOfMonth, glue("(?:day )?of the month")), lambda d, _: DayIn(d, CalendarUnit("month", 0))),
    Rule(
        (word(rf"(?:the )?{_NTH} (?P<unit>{WEEKDAY})"), ClockRange, glue("of|in"), When),
        lambda m, hours, _, whole: During(_nth(m, whole), hours),
    ),
    Rule((Nth, glue(r",?\s*(?:on )?"), Weekday), _weekday_in),
)
