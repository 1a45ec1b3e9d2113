"""Ranges with two ends ("from March to May") and with one ("since March", "before 2020")."""

import re

from timewords.chart import Rule, glue, word
from timewords.english.amounts import OF_WHAT
from timewords.english.dates import MONTH, Year, day_number, find_year
from timewords.english.numbers import ORDINAL
from timewords.expressions import Value, When
from timewords.expressions.composed import Edge, Open, Range, Side
from timewords.expressions.counted import At, CalendarUnit, During, Now
from timewords.expressions.recurring import DayOfMonth, Month, MonthDay, Yearly
from timewords.intervals import MONTHS_IN_YEAR

_TO = r"(?:to|till|until|til|through|thru|up to|-|~)"
_AND = r"(?:and|to|till|until|through|-|~)"
_YEAR = r"(?:1[5-9]|20)\d\d"
_SHORT_YEAR, _CENTURY, _MOST_YEARS = 2, 100, 10
# Two bare years do not show the language of a text, so this rule knows the words of all of them.
_FROM = "from|de|von|da|dal|van|desde|du|del|\u0441"
_UP_TO = "to|through|until|till|bis|a|al|au|jusqu'en|jusqu'a|hasta|tot|tot en met|t/m|ate|fino al|по|до"
_YEARS = (
    rf"(?<![$€£#.:/,@+-])(?<!\d )({_YEAR})(?: (?:{_UP_TO}) (?={_YEAR})|\s*[-~/]\s*)({_YEAR}|\d\d)(?!\s*[-/.:]\s*\d)"
)
_MOVED_FROM = "(?:" + "|".join(f"(?<={verb} )" for verb in ("moved", "postponed", "rescheduled", "shifted")) + ")from"
_NUMBERED = rf"(?:the )?(?P<day>{ORDINAL}|\d{{1,2}})"
_LAST_NUMBERED = rf"\s*(?:to|till|until|through|-|~)\s*{_NUMBERED}(?![\d:/]| ?(?:am|pm|{MONTH})\b)"


def _years(match: re.Match[str]) -> Value | None:
    """Reads "2019-2021" and "2019/21", but neither a month ("2008-09") nor a run that is too long ("2015-32")."""
    first, last = int(match[1]), int(match[2])
    if len(match[2]) == _SHORT_YEAR:
        is_month = last <= MONTHS_IN_YEAR
        last += first - first % _CENTURY
        if is_month or last - first > _MOST_YEARS:
            return None
    ends = find_year(first), find_year(last)
    return Range(ends[0], ends[1]) if ends[0] and ends[1] and first < last else None


def _range(first: When, second: When) -> Value | None:
    if isinstance(first, Open | Range | During) or isinstance(second, Open | Range | During):
        return None
    if isinstance(first, At) != isinstance(second, At):
        return None
    if isinstance(first, DayOfMonth) and isinstance(second, MonthDay):
        return None
    return Range(_whole_day(first), _whole_day(second))


def _whole_day(end: When) -> When:
    return CalendarUnit("day", 0) if isinstance(end, Now) else end


def _range_in_year(dates: Range, _: re.Match[str], year: Year) -> Value | None:
    first = dates.first
    is_open = isinstance(first, Yearly) and first.year is None
    return Range(first.with_year(year.number), dates.second) if is_open and isinstance(first, Yearly) else None


def _day_to_date(match: re.Match[str], last: MonthDay) -> Value | None:
    day = day_number(match["day"])
    return Range(MonthDay(last.year, month=last.month, day=day), last) if day and day < last.day else None


def _date_to_day(first: MonthDay, match: re.Match[str]) -> Value | None:
    day = day_number(match["day"])
    return Range(first, DayOfMonth(day)) if day else None


_RANGE_RULES = (
    Rule((word(_YEARS),), _years),
    Rule((When, glue(_TO), When), lambda first, _, second: _range(first, second)),
    Rule((word("between"), When, glue(_AND), When), lambda _, first, __, second: _range(first, second)),
    Rule(
        (
            re.compile(rf"(?<![\w$/.:-])(?:between |from )?{_NUMBERED}\s*(?:(?:to|till|until|through|and)\b|-|~)"),
            MonthDay,
        ),
        _day_to_date,
    ),
    Rule((MonthDay, glue(_LAST_NUMBERED)), _date_to_day),
    Rule((word("in|during"), Month, glue(r"and\b|or\b|,"), Month), lambda _, first, __, second: _range(first, second)),
    Rule((Range, glue(r",?\s*(?:of |in )?"), Year), _range_in_year),
    Rule((word(_MOVED_FROM), Range), lambda _, dates: dates.second),
    Rule((word(rf"{_FROM}|between|years|the years|calendar years|the calendar years"), Range), lambda _, dates: dates),
)


_SIDES: dict[str, Side] = {
    "before": "before", "not before": "since", "not after": "until", "prior to": "before", "earlier than": "before",
    "sooner than": "before", "until": "until", "till": "until", "up to": "until", "no later than": "until",
    "as late as": "until", "by": "until", "up to and including": "until", "until and including": "until",
    "to and including": "until", "up through": "until", "on or before": "until", "on or after": "since",
    "up until": "until", "not later than": "until", "since": "since", "starting": "since", "starting on": "since",
    "starting in": "since", "starting from": "since", "ever since": "since", "beginning in": "since",
    "as early as": "since", "no earlier than": "since", "not earlier than": "since", "after": "after",
    "later than": "after",
}  # fmt: skip
_SIGNS: dict[str, Side] = {"<=": "until", "< =": "until", "<": "before", ">=": "since", "> =": "since", ">": "after"}
_ONWARDS = r"(?:and|or) (?:later|after|greater|onwards?|above|since)(?! \w)|onwards?|and on(?! \w)"


def _open(side: Side, anchor: When) -> Value | None:
    if isinstance(anchor, Open | Range):
        return None
    if isinstance(anchor, Edge):
        return _open_at_edge(side, anchor)
    return Open("before" if side == "until" and isinstance(anchor, At) else side, anchor)


def _open_at_edge(side: Side, anchor: Edge) -> Value:
    """June is included in "until the end of June" and in "since the beginning of June"."""
    if anchor.part == "late" and side in ("before", "until"):
        return Open("until", anchor.whole)
    if anchor.part == "early" and side in ("after", "since"):
        return Open("since", anchor.whole)
    return Open(side, anchor)


_OPEN_RULES = (
    Rule(
        (word(rf"({'|'.join(sorted(_SIDES, key=len, reverse=True))})"), glue(OF_WHAT), When),
        lambda match, _, anchor: _open(_SIDES[match[1]], anchor),
    ),
    Rule(
        (re.compile(rf"({'|'.join(sorted(_SIGNS, key=len, reverse=True))})"), When),
        lambda match, anchor: _open(_SIGNS[match[1]], anchor),
    ),
    Rule((When, word(_ONWARDS)), lambda when, _: None if isinstance(when, Open | Range) else Open("since", when)),
    Rule((word("(?<!up )to date|so far this year"),), lambda _: Open("before", CalendarUnit("day", 0))),
)

RULES = (*_OPEN_RULES, *_RANGE_RULES)
