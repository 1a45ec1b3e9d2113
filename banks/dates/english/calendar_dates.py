"""Two names of one day side by side: "tomorrow, 13/04/21", "this Friday, May 12"."""

import re

from banks.dates.chart import Rule, glue
from banks.dates.expressions.steps import CalendarUnit, Exact
from banks.dates.expressions.weekly import TurnedWeekday, Weekday
from banks.dates.expressions.when import Value
from banks.dates.expressions.yearly import MonthDay
from banks.dates.interval import Period


def _is_day(period: Period) -> bool:
    return period.grain == "day"


def _explicit(unit: CalendarUnit, _: re.Match[str], date: Exact | MonthDay) -> Value | None:
    if unit.unit != "day" or (isinstance(date, Exact) and not _is_day(date.period_)):
        return None
    return date


def _after_weekday(_: Weekday, __: re.Match[str], date: Exact) -> Value | None:
    return date if _is_day(date.period_) else None


_COMMA = r",?\s*(?:the )?"

RULES = (
    Rule((CalendarUnit, glue(_COMMA), (Exact, MonthDay)), _explicit),
    Rule(((Weekday, TurnedWeekday), glue(_COMMA), Exact), _after_weekday),
)
