"""From one time to another."""

import re

from banks.dates.chart import Rule, glue, word
from banks.dates.english.months import MONTH, day_number
from banks.dates.english.numbers import ORDINAL
from banks.dates.english.years import Year, find_year
from banks.dates.expressions.bounds import Open, Range
from banks.dates.expressions.clock import At, During
from banks.dates.expressions.steps import CalendarUnit, Now
from banks.dates.expressions.weekly import DayOfMonth
from banks.dates.expressions.when import Value, When
from banks.dates.expressions.yearly import Month, MonthDay, Yearly
from banks.dates.interval import MONTHS_IN_YEAR

_TO = r"(?:to|till|until|til|through|thru|up to|-|~)"
_AND = r"(?:and|to|till|until|through|-|~)"
_YEAR = r"(?:1[5-9]|20)\d\d"
_SHORT_YEAR, _CENTURY, _SHORT_RUN = 2, 100, 10
# Two years tell no language, and none of its own words may stand beside them: one rule serves all.
_FROM = "from|de|von|da|dal|van|desde|du|del|\u0441"
_UP_TO = "to|through|until|till|bis|a|al|au|jusqu'en|jusqu'a|hasta|tot|tot en met|t/m|ate|fino al|по|до"
_BETWEEN = "between|zwischen|entre|tra|fra|tussen|между"
_BOTH = "and|und|et|y|e|en|и"


def _range(first: When, second: When) -> Value | None:
    ends = (first, second)
    if any(isinstance(end, Open | Range | During) for end in ends):
        return None
    if isinstance(first, At) != isinstance(second, At):
        return None
    if isinstance(first, DayOfMonth) and isinstance(second, MonthDay):
        return None
    return Range(_whole_day(first), _whole_day(second))


def _range_in_year(dates: Range, _: re.Match[str], year: Year) -> Value | None:
    first = dates.first
    return (
        Range(first.with_year(year.number), dates.second) if isinstance(first, Yearly) and first.year is None else None
    )


def _years(match: re.Match[str]) -> Value | None:
    """As in "2019-2021" and "2019/21"; what could be a month ("2008-09") or a mistake ("2015-32") is none."""
    first, last = int(match[1]), int(match[2])
    if len(match[2]) == _SHORT_YEAR:
        is_month = last <= MONTHS_IN_YEAR
        last += first - first % _CENTURY
        if is_month or last - first > _SHORT_RUN:
            return None
    ends = find_year(first), find_year(last)
    return Range(ends[0], ends[1]) if ends[0] and ends[1] and first < last else None


def _whole_day(end: When) -> When:
    return CalendarUnit("day", 0) if isinstance(end, Now) else end


def _days_before(match: re.Match[str], last: MonthDay) -> Value | None:
    day = day_number(match["day"])
    return Range(MonthDay(last.year, month=last.month, day=day), last) if day and day < last.day else None


def _days_after(first: MonthDay, match: re.Match[str]) -> Value | None:
    day = day_number(match["day"])
    if day is None:
        return None
    return Range(first, DayOfMonth(day))


_NUMBERED = rf"(?:the )?(?P<day>{ORDINAL}|\d{{1,2}})"

RULES = (
    Rule(
        (
            word(
                rf"(?<![$€£#.:/,@+-])(?<!\d )({_YEAR})(?: (?:{_UP_TO}) (?={_YEAR})|\s*[-~/]\s*)({_YEAR}|\d\d)"
                r"(?!\s*[-/.:]\s*\d)"
            ),
        ),
        _years,
    ),
    Rule((word(rf"(?:{_BETWEEN}) (?:il |el )?({_YEAR}) (?:{_BOTH}) (?:il |el )?({_YEAR})"),), _years),
    Rule((When, glue(_TO), When), lambda a, _, b: _range(a, b)),
    Rule((word("from|in|on|since"), When, glue(_TO), When), lambda _, a, __, b: _range(a, b)),
    Rule((word("between"), When, glue(_AND), When), lambda _, a, __, b: _range(a, b)),
    Rule(
        (
            re.compile(rf"(?<![\w$/.:-])(?:between |from )?{_NUMBERED}\s*(?:(?:to|till|until|through|and)\b|-|~)"),
            MonthDay,
        ),
        _days_before,
    ),
    Rule(
        (MonthDay, glue(rf"\s*(?:to|till|until|through|-|~)\s*{_NUMBERED}(?![\d:/]| ?(?:am|pm|{MONTH})\b)")),
        _days_after,
    ),
    Rule(
        (
            word("from|between"),
            MonthDay,
            glue(rf"\s*(?:to|till|until|through|and|-)\s*{_NUMBERED}(?![\d:/]| ?(?:am|pm|{MONTH})\b)"),
        ),
        lambda _, a, m: _days_after(a, m),
    ),
    Rule((word("in|during"), Month, glue(r"and\b|or\b|,"), Month), lambda _, a, __, b: _range(a, b)),
    Rule((Range, glue(r",?\s*(?:of |in )?"), Year), _range_in_year),
    Rule((word(rf"{_FROM}|between|years|the years|calendar years|the calendar years"), Range), lambda _, r: r),
)
