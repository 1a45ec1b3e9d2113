"""Japanese words and particles. Numbers and calendar dates are read with the Chinese rules.

The tables are folded like the text: without the voicing marks of kana.
"""

import re

from timewords.chart import Rule
from timewords.expressions import Value, When
from timewords.expressions.composed import DayIn, Nth, Open, Range, Side
from timewords.expressions.counted import Ago, Amount, CalendarUnit, Exact, Run
from timewords.expressions.recurring import Holiday, InYearOf, Stretch, Weekday, Yearly
from timewords.folding import fold_word
from timewords.languages.chinese import NUMBER, parse_numeral

IS_JAPANESE = re.compile(r"[\u3040-\u30ff]|[先来]々?[週月年]|[今先来]週|週間|曜日|一昨|昨年|再来|以降")
_WEEKDAYS = "月火水木金土日"
_SEASONS = {"春": 3, "夏": 6, "秋": 9, "冬": 12}
_TURNS = {"先々": -2, "先先": -2, "先": -1, "今": 0, "来": 1, "再来": 2}
_YEARS = {"一昨年": -2, "去年": -1, "昨年": -1, "今年": 0, "本年": 0, "来年": 1, "再来年": 2, "おととし": -2}
_DAYS = {
    "一昨々日": -3, "一昨日": -2, "昨日": -1, "昨夜": -1, "今日": 0, "本日": 0, "今夜": 0, "今朝": 0, "明日": 1,
    "明後日": 2,
}  # fmt: skip
_SPELLED_DAYS = {
    "さきおととい": -3, "おととい": -2, "おとつい": -2, "きのう": -1, "きょう": 0, "あした": 1, "あさって": 2,
    "しあさって": 3,
}  # fmt: skip
_UNITS = {
    "秒": "second", "秒間": "second", "分": "minute", "分間": "minute", "時間": "hour", "日": "day", "日間": "day",
    "週": "week", "週間": "week", "か月": "month", "ヶ月": "month", "カ月": "month", "ヵ月": "month", "ケ月": "month",
    "箇月": "month", "か月間": "month", "ヶ月間": "month", "年": "year", "年間": "year",
}  # fmt: skip
_FEASTS = {
    fold_word(name): rule
    for name, rule in {
        "クリスマスイブ": "christmas eve", "クリスマス": "christmas", "元日": "new year", "元旦": "new year",
        "大晦日": "new year's eve", "バレンタインデー": "valentine", "ハロウィン": "halloween",
    }.items()
}  # fmt: skip
_SIDES: tuple[tuple[str, Side], ...] = (
    ("から|以降|以来", "since"), ("まで", "until"), ("より前|の前|以前", "before"), ("の後|より後", "after"),
)  # fmt: skip
_TURN = "|".join(sorted(_TURNS, key=len, reverse=True))
_AMOUNT = rf"{NUMBER}\s*(?P<unit>{'|'.join(sorted(_UNITS, key=len, reverse=True))})"
_ABOUT = "(?:ほと|くらい|はかり)?"
_STANDS_ALONE = r"(?=[はのもにを、。?!\s]|$)"  # a word in kana may be the beginning of another one


def _amount(match: re.Match[str]) -> Amount:
    return Amount(((parse_numeral(match["n"]), _UNITS[match["unit"]]),))


def _turned(match: re.Match[str]) -> Value:
    unit = {"週末": "weekend", "週": "week", "月": "month"}[match[2]]
    return CalendarUnit(unit, _TURNS[match[1]])


def _weekday(match: re.Match[str]) -> Weekday:
    return Weekday(_WEEKDAYS.index(match[1]))


def _weekday_in(week: CalendarUnit, match: re.Match[str]) -> Value | None:
    return DayIn(_weekday(match), week) if week.unit == "week" else None


def _in_year(year: Exact | CalendarUnit, date: Yearly) -> Value | None:
    if date.year is not None:
        return None
    if isinstance(year, CalendarUnit):
        return InYearOf(date, year) if year.unit == "year" else None
    return date.with_year(year.period_.start.year) if year.period_.grain == "year" else None


def _season(year: Exact | CalendarUnit, match: re.Match[str]) -> Value | None:
    return _in_year(year, Stretch(first_month=_SEASONS[match[1]], months=3))


def _nth_weekday(whole: When, match: re.Match[str]) -> Value | None:
    if isinstance(whole, Open | Range | Weekday):
        return None
    number = -1 if match["last"] else parse_numeral(match["n"])
    return Nth(number, "day", whole, weekday=_WEEKDAYS.index(match["day"]))


def _range(first: When, second: When) -> Value | None:
    return None if isinstance(first, Open | Range) or isinstance(second, Open | Range) else Range(first, second)


def _open(side: Side, anchor: When) -> Value | None:
    return None if isinstance(anchor, Open | Range) else Open(side, anchor)


def _open_rule(particles: str, side: Side) -> Rule:
    return Rule((When, re.compile(fold_word(particles))), lambda when, _: _open(side, when))


RULES = (
    Rule((re.compile("|".join(sorted(_DAYS, key=len, reverse=True))),), lambda m: CalendarUnit("day", _DAYS[m[0]])),
    Rule(
        (re.compile(rf"({'|'.join(sorted(_SPELLED_DAYS, key=len, reverse=True))}){_STANDS_ALONE}"),),
        lambda m: CalendarUnit("day", _SPELLED_DAYS[m[1]]),
    ),
    Rule((re.compile("|".join(sorted(_YEARS, key=len, reverse=True))),), lambda m: CalendarUnit("year", _YEARS[m[0]])),
    Rule((re.compile(rf"({_TURN})(週末|週(?!間)|月(?!曜))"),), _turned),
    Rule((re.compile(rf"{_AMOUNT}{_ABOUT}前"),), lambda m: Ago(_amount(m), -1)),
    Rule((re.compile(rf"{_AMOUNT}{_ABOUT}後"),), lambda m: Ago(_amount(m), 1)),
    Rule((re.compile(rf"(?:ここ|この|過去|最近の?){_AMOUNT}"),), lambda m: Run(_amount(m), -1)),
    Rule((re.compile(rf"(?<!第)(?<!\d)([{_WEEKDAYS}])曜日?"),), _weekday),
    Rule((CalendarUnit, re.compile(rf"の?([{_WEEKDAYS}])曜日?")), _weekday_in),
    Rule((When, re.compile(rf"の?(?:第{NUMBER}|(?P<last>最後の))(?P<day>[{_WEEKDAYS}])曜日?")), _nth_weekday),
    Rule(((Exact, CalendarUnit), re.compile("の"), Yearly), lambda year, _, date: _in_year(year, date)),
    Rule(((Exact, CalendarUnit), re.compile("の?([春夏秋冬])")), _season),
    Rule((re.compile("|".join(_FEASTS)),), lambda m: Holiday(rule=_FEASTS[m[0]])),
    Rule((When, re.compile("から"), When), lambda first, _, second: _range(first, second)),
    Rule((When, re.compile("と"), When, re.compile("の間")), lambda first, _, second, __: _range(first, second)),
    Rule((Range, re.compile(fold_word("まで|の間"))), lambda whole, _: whole),
    *(_open_rule(particles, side) for particles, side in _SIDES),
)
