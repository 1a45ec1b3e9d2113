"""Dates in digits: ISO, slashes, dots, and a month's name between digits. Month first unless that can't be."""

import re
from datetime import datetime

from banks.dates.chart import Rule, led_by, word
from banks.dates.english.months import MONTH, month_number
from banks.dates.expressions.steps import Exact, Instant
from banks.dates.expressions.when import Value
from banks.dates.expressions.yearly import MonthDay
from banks.dates.interval import Period, build_day, build_month, span_of

_LAST_MONTH, _FULL_YEAR = 12, 4
_BEFORE = r"(?<![\d.:$€£#+/])(?<!\d-)"
_AFTER = r"(?![\d/]|[.:,-]\d)"
_LEAD = led_by("on", "by", "before", "after", "since", "until", "from", "to", "-", "day", "back")
_CENTURY, _PIVOT = 1900, 40


def _exact(period: Period | None) -> Value | None:
    return Exact(period) if period else None


def _ymd(match: re.Match[str]) -> Value | None:
    return _exact(build_day(int(match["y"]), int(match["m"]), int(match["d"])))


def _year(text: str) -> int:
    number = int(text)
    if len(text) == _FULL_YEAR:
        return number
    return number + (_CENTURY if number >= _PIVOT else _CENTURY + 100)


def _month_and_day(first: int, second: int) -> tuple[int, int]:
    return (second, first) if first > _LAST_MONTH else (first, second)


def _mdy(match: re.Match[str]) -> Value | None:
    month, day = _month_and_day(int(match["a"]), int(match["b"]))
    return _exact(build_day(_year(match["y"]), month, day))


def _dotted(match: re.Match[str]) -> Value | None:
    """Dots are how the day comes first: 3.5.2024 is in May."""
    day, month = int(match["a"]), int(match["b"])
    if month > _LAST_MONTH:
        day, month = month, day
    return _exact(build_day(_year(match["y"]), month, day))


def _md(match: re.Match[str]) -> Value | None:
    month, day = _month_and_day(int(match["a"]), int(match["b"]))
    leap = 2000
    return MonthDay(month=month, day=day) if build_day(leap, month, day) else None


def _named(match: re.Match[str]) -> Value | None:
    return _exact(build_day(int(match["y"]), month_number(match["m"]), int(match["d"])))


def _month(match: re.Match[str]) -> Value | None:
    return _exact(build_month(int(match["y"]), int(match["m"])))


def _timestamp(match: re.Match[str]) -> Value | None:
    try:
        moment = datetime.fromisoformat(match[0].upper())
    except ValueError:
        return None
    unit = "second" if match["second"] else "minute"
    return Instant(moment, unit) if moment.tzinfo else Exact(span_of(moment, unit))


_Y, _M, _D = r"(?P<y>\d{4})", rf"(?P<m>{MONTH})", r"(?P<d>\d{1,2})"
_A, _B = r"(?P<a>\d{1,2})", r"(?P<b>\d{1,2})"

RULES = (
    Rule((word(r"\d{4}-\d\d-\d\dt\d\d:\d\d(?P<second>:\d\d(?:\.\d{1,6})?)?(?:z|[+-]\d\d:?\d\d)?"),), _timestamp),
    Rule((re.compile(rf"(?<![\d.:/])(?<!\d-){_Y}(?P<s>[-/.])(?P<m>\d{{1,2}})(?P=s){_D}(?!\d)(?=t\d|\D|$)"),), _ymd),
    Rule((word(rf"{_BEFORE}(?P<y>(?:19|20)\d\d)(?P<m>\d\d)(?P<d>\d\d)"),), _ymd),
    Rule((word(rf"{_BEFORE}{_A}/{_B}/(?P<y>\d{{4}}|\d\d)(?![\d/])"),), _mdy),
    Rule((word(rf"{_BEFORE}{_A}-{_B}-(?P<y>\d{{4}})(?!\d)"),), _mdy),
    Rule((word(rf"(?<=-){_A}-{_B}-(?P<y>\d{{4}})(?!\d)"),), _mdy),
    Rule((word(rf"{_BEFORE}{_A}\.{_B}\.(?P<y>\d{{4}})(?!\d)"),), _dotted),
    Rule((word(rf"(?<=-){_A}/{_B}/(?P<y>\d{{4}}|\d\d)(?![\d/])"),), _mdy),
    Rule((word(rf"(?<![\d.:$/]){_A}/{_B}(?![\d/:.]\d)(?!/)"),), _md, is_latent=True),
    Rule((word(rf"{_LEAD}{_A}/{_B}{_AFTER}"),), _md),
    Rule((re.compile(rf"^\s*{_A}/{_B}\s*$"),), _md),
    Rule((word(rf"(?:(?<=on )|(?<=day )){_A}\.{_B}{_AFTER}"),), _md),
    Rule((word(rf"(?:(?<=day )|(?<=on )){_A}-{_B}{_AFTER}"),), _md),
    Rule((word(rf"{_D}[-/ ]{_M}[-/ ,]+{_Y}"),), _named),
    Rule((word(rf"{_M}[-/]{_D}[-/]{_Y}"),), _named),
    Rule((word(rf"{_M}[-/]{_Y}[-/]{_D}"),), _named),
    Rule((word(rf"{_Y}[-/](?:{_M}[-/]{_D})"),), _named),
    Rule((word(rf"{_Y}[-/]{_D}[-/]{_M}"),), _named),
    Rule((word(rf"{_D}[-/]{_Y}[-/]{_M}"),), _named),
    Rule((word(r"(?<![\d.:$/+-])(?P<m>0?[1-9]|1[0-2])[-/](?P<y>(?:19|20)\d\d)(?![\d/-])"),), _month),
    Rule((word(r"(?<![\d.:$/+-])(?P<y>(?:19|20)\d\d)-(?P<m>0?[1-9]|1[0-2])(?![\d/-])"),), _month),
)
