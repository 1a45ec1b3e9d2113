"""Chinese, simplified and traditional. It has no spaces, and numbers in characters."""

import re

from timewords.chart import Rule, glue
from timewords.expressions import Value, When
from timewords.expressions.composed import DayIn, Nth, Open, Range
from timewords.expressions.counted import Ago, Amount, CalendarUnit, Exact, Run
from timewords.expressions.recurring import Holiday, InYearOf, Month, MonthDay, Stretch, Weekday, Yearly
from timewords.intervals import build_year

_ZERO = "\u3007"
_DIGITS = {character: value for value, character in enumerate("零一二三四五六七八九")} | {
    "两": 2,
    "兩": 2,
    _ZERO: 0,
    "日": 7,
    "天": 7,
}
_POWERS = {"十": 10, "百": 100, "千": 1000, "万": 10_000, "萬": 10_000, "亿": 10**8, "億": 10**8}
_MAX_NUMERAL = 20  # characters: no number in a date is longer
_NUMERAL = f"零{_ZERO}一二两兩三四五六七八九十百千万萬亿億"
NUMBER = rf"(?<![{_NUMERAL}\d])(?P<n>\d{{1,12}}|[{_NUMERAL}]{{1,{_MAX_NUMERAL}}}(?![{_NUMERAL}]))"
_DAYS = {
    "大前天": -3, "前天": -2, "昨天": -1, "昨日": -1, "昨晚": -1, "今天": 0, "今日": 0, "今晚": 0, "明天": 1, "明日": 1,
    "后天": 2, "後天": 2, "大后天": 3, "大後天": 3,
}  # fmt: skip
_UNITS = {
    "秒": "second", "秒钟": "second", "分钟": "minute", "分鐘": "minute", "小时": "hour", "小時": "hour",
    "个小时": "hour", "個小時": "hour", "天": "day", "日": "day", "周": "week", "週": "week", "星期": "week",
    "礼拜": "week", "禮拜": "week", "个星期": "week", "个礼拜": "week", "個星期": "week", "周末": "weekend",
    "个月": "month", "個月": "month", "个季度": "quarter", "年": "year",
}  # fmt: skip
_TURNS = {"上上": -2, "上": -1, "这": 0, "這": 0, "本": 0, "下": 1, "下下": 2}
_YEARS = {"大前年": -3, "前年": -2, "去年": -1, "今年": 0, "本年": 0, "明年": 1, "后年": 2, "後年": 2}
_FEASTS = {
    "平安夜": "christmas eve", "圣诞节": "christmas", "聖誕節": "christmas", "圣诞": "christmas", "聖誕": "christmas",
    "元旦": "new year", "跨年夜": "new year's eve", "情人节": "valentine", "情人節": "valentine", "万圣节": "halloween",
    "萬聖節": "halloween", "感恩节": "thanksgiving", "感恩節": "thanksgiving", "复活节": "easter", "復活節": "easter",
}  # fmt: skip
_SEASONS = {"春": 3, "夏": 6, "秋": 9, "冬": 12}
_UNIT = "|".join(sorted(_UNITS, key=len, reverse=True))
_TURN = "|".join(sorted(_TURNS, key=len, reverse=True))
_WEEK = "周|週|星期|礼拜|禮拜"
_LAST_MONTH, _LAST_DAY, _FOUR = 12, 31, 4


def parse_numeral(text: str) -> int:
    """十二 is 12, 一百万 is a million, 二〇二四 is read digit by digit. Folded digits are ASCII."""
    if text.isascii():
        return int(text)
    if not any(character in _POWERS for character in text):
        return int("".join(str(_DIGITS[character]) for character in text))
    total = section = digit = 0
    for character in text:
        power = _POWERS.get(character)
        if power is None:
            digit = _DIGITS[character]
        elif power >= _POWERS["万"]:
            total, section, digit = (total + section + digit) * power, 0, 0
        else:
            section, digit = section + (digit or 1) * power, 0
    return total + section + digit


def _year(match: re.Match[str]) -> Value | None:
    number = parse_numeral(match[1])
    period = build_year(number) if len(match[1]) == _FOUR else None
    return Exact(period) if period else None


def _month(match: re.Match[str]) -> Value | None:
    number = parse_numeral(match["n"])
    return Month(month=number) if 1 <= number <= _LAST_MONTH else None


def _month_day(month: Month, match: re.Match[str]) -> Value | None:
    number = parse_numeral(match["n"])
    return MonthDay(month.year, month=month.month, day=number) if 1 <= number <= _LAST_DAY else None


def _in_year(year: Exact, date: Yearly) -> Value | None:
    return date.with_year(year.period_.start.year) if year.period_.grain == "year" and date.year is None else None


def _in_turned_year(unit: CalendarUnit, date: Yearly) -> Value | None:
    return InYearOf(date, unit) if unit.unit == "year" and date.year is None else None


def _weekday(match: re.Match[str]) -> Value:
    return Weekday(_DIGITS[match[1]] - 1)


def _weekday_of(match: re.Match[str]) -> Value:
    return DayIn(Weekday(_DIGITS[match[2]] - 1), CalendarUnit("week", _TURNS[match[1]]))


def _turned(match: re.Match[str]) -> Value:
    unit = {"月": "month", "季度": "quarter", "周末": "weekend", "週末": "weekend"}.get(match[2], "week")
    return CalendarUnit(unit, _TURNS[match[1]])


def _half_year(match: re.Match[str]) -> Stretch:
    return Stretch(first_month=1 if match[1] == "上" else 7, months=6)


def _amount(match: re.Match[str]) -> Amount:
    half = 0.5 if match["n"] == "半" else None
    return Amount(((half or parse_numeral(match["n"]), _UNITS[match["unit"]]),))


def _season(match: re.Match[str]) -> Value:
    return Stretch(first_month=_SEASONS[match[1]], months=3)


def _nth_weekday(whole: When, match: re.Match[str]) -> Value | None:
    if isinstance(whole, Open | Range | Weekday):
        return None
    number = -1 if match["last"] else parse_numeral(match["n"])
    return Nth(number, "day", whole, weekday=_DIGITS[match["day"]] - 1)


_AMOUNT = rf"{NUMBER}\s*(?P<unit>{_UNIT})"

RULES = (
    Rule((re.compile(rf"(?<![{_NUMERAL}\d])(\d{{4}}|[零{_ZERO}一二三四五六七八九]{{4}})\s*年(?![前后後代])"),), _year),
    Rule(
        (
            When,
            re.compile(rf"的?(?:第{NUMBER}|(?P<last>最后一|最後一))(?:个|個)?(?:{_WEEK})(?P<day>[一二三四五六日天])"),
        ),
        _nth_weekday,
    ),
    Rule((re.compile("|".join(_FEASTS)),), lambda m: Holiday(rule=_FEASTS[m[0]])),
    Rule((re.compile("半年(?:之前|以前|前)"),), lambda _: Ago(Amount(((6, "month"),)), -1)),
    Rule((re.compile(rf"{NUMBER}\s*月(?:份)?"),), _month),
    Rule((Month, re.compile(rf"{NUMBER}\s*(?:日|号|號)")), _month_day),
    Rule((Exact, glue("的?"), Yearly), lambda year, _, date: _in_year(year, date)),
    Rule((CalendarUnit, glue("的?"), Yearly), lambda unit, _, date: _in_turned_year(unit, date)),
    Rule((re.compile("|".join(sorted(_DAYS, key=len, reverse=True))),), lambda m: CalendarUnit("day", _DAYS[m[0]])),
    Rule((re.compile("|".join(_YEARS)),), lambda m: CalendarUnit("year", _YEARS[m[0]])),
    Rule((re.compile(rf"(?<![上下这這本个個])(?:{_WEEK})([一二三四五六日天])"),), _weekday),
    Rule((re.compile(rf"({_TURN})(?:个|個)?(?:{_WEEK})([一二三四五六日天])"),), _weekday_of),
    Rule((re.compile(rf"({_TURN})(?:个|個)?(周末|週末|{_WEEK}|月|季度)"),), _turned),
    Rule((re.compile(r"(?<![上下])(?:周末|週末)"),), lambda _: CalendarUnit("weekend", 0)),
    Rule((re.compile("([上下])半年"),), lambda m: InYearOf(_half_year(m), CalendarUnit("year", 0))),
    Rule((Exact, re.compile("([上下])半年")), lambda year, m: _in_year(year, _half_year(m))),
    Rule((CalendarUnit, re.compile("([上下])半年")), lambda unit, m: _in_turned_year(unit, _half_year(m))),
    Rule((re.compile(rf"(?!(?:1[5-9]|20)\d\d\s*年[之以]){_AMOUNT}(?:之前|以前|前)"),), lambda m: Ago(_amount(m), -1)),
    Rule(
        (re.compile(rf"(?!(?:1[5-9]|20)\d\d\s*年[之以]){_AMOUNT}(?:之后|之後|以后|以後|后|後)"),),
        lambda m: Ago(_amount(m), 1),
    ),
    Rule((re.compile(rf"(?:最近|过去|過去|近){_AMOUNT}"),), lambda m: Run(_amount(m), -1)),
    Rule((re.compile(rf"(?:未来|未來|接下来|接下來){_AMOUNT}"),), lambda m: Run(_amount(m), 1)),
    Rule((re.compile("([春夏秋冬])(?:天|季)"),), _season, is_latent=True),
    Rule((re.compile("(?<=[年在])([春夏秋冬])(?:天|季)"),), _season),
    Rule((When, glue("到|至|和|与|-|~"), When), lambda a, _, b: _range(a, b)),
    Rule((re.compile("从|從|在|自"), Range), lambda _, r: r),
    Rule((When, re.compile("之间|之間")), lambda r, _: r if isinstance(r, Range) else None),
    Rule((When, re.compile("之前|以前")), lambda w, _: Open("before", w)),
    Rule((When, re.compile("之后|之後|以后|以後")), lambda w, _: Open("after", w)),
    Rule((When, re.compile("以来|以來|至今|起")), lambda w, _: Open("since", w)),
    Rule((re.compile("自从|自從|自"), When), lambda _, w: Open("since", w)),
)


def _range(first: When, second: When) -> Value | None:
    return None if isinstance(first, Open | Range) or isinstance(second, Open | Range) else Range(first, second)
