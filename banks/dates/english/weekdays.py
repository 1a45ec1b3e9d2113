import re

from banks.dates.chart import Rule, glue, led_by, word
from banks.dates.english.numbers import ORDINAL, parse_number, parse_ordinal
from banks.dates.expressions.bounds import Range
from banks.dates.expressions.inside import DayIn, FirstFrom
from banks.dates.expressions.steps import Ago, Amount, CalendarUnit, Shifted
from banks.dates.expressions.weekly import DayOfMonth, TurnedWeekday, Weekday
from banks.dates.expressions.when import Value
from banks.dates.expressions.yearly import MonthDay, Turned
from banks.dates.word_lists import listed

_FULL = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
_SHORT = {
    "mon": 0,
    "tue": 1,
    "tues": 1,
    "wed": 2,
    "weds": 2,
    "thu": 3,
    "thur": 3,
    "thurs": 3,
    "fri": 4,
    "sat": 5,
    "sun": 6,
}
_NAMES = {name: index for index, name in enumerate(_FULL)} | _SHORT
WEEKDAY = rf"(?:{'|'.join(sorted(_NAMES, key=len, reverse=True))})"
_DAY = rf"(?:{'|'.join(_FULL)})"
# Alone it is a date unless it names a thing: "Sunday school", "Friday prayers".
_FOLLOWERS = (
    "and|or|but|at|in|on|for|from|to|till|until|through|with|after|before|when|because|so|then|as|that|which|night|morning"
    "|afternoon|evening|of|the|my|our|his|her|their|i|we|he|she|they|it|you|was|were|is|are|will|would|did|do|does|have"
    "|has|had|who|what|where|about|between|around|by|next|last|this|please|works|since|during"
)
_STANDS_ALONE = rf"(?=\s*(?:[.,;:!?)]|$)|\s+(?:{_FOLLOWERS})\b|\s+\d)"
# "The first Monday" is one of a time that is told elsewhere.
_NUMBERS = tuple(f"{nth} " for nth in listed("first second third fourth fifth 1st 2nd 3rd 4th 5th"))
_TURNS = {
    "last": (-1, False), "past": (-1, False), "previous": (-1, True), "this": (0, True), "this past": (-1, False),
    "this last": (-1, False), "next": (1, True), "coming": (1, False), "upcoming": (1, False),
    "this coming": (1, False), "this upcoming": (1, False), "following": (1, True), "the following": (1, True),
}  # fmt: skip
_TURN = "|".join(sorted(_TURNS, key=len, reverse=True))


def weekday_number(name: str) -> int:
    return _NAMES[name]


def _weekday(match: re.Match[str]) -> Value:
    return Weekday(_NAMES[match[1]])


def _unnumbered(match: re.Match[str]) -> Value | None:
    return None if match.string.endswith(_NUMBERS, 0, match.start()) else _weekday(match)


def _either(match: re.Match[str]) -> Value | None:
    """As in "Sat or Sun": beside another one a short name is no other word."""
    first, second = _NAMES[match[1]], _NAMES[match[2]]
    return Range(Weekday(first), Weekday(second)) if first < second else None


def _turned(match: re.Match[str]) -> Value:
    turn, by_week = _TURNS[match[1]]
    return TurnedWeekday(_NAMES[match[2]], turn, by_week)


def _weekdays_ago(name: str, count: int) -> Value:
    nearest = TurnedWeekday(_NAMES[name], -1, by_week=False)
    return Shifted(Amount(((count - 1, "week"),)), -1, nearest)


def _weekdays_ahead(match: re.Match[str]) -> Value:
    nearest = TurnedWeekday(_NAMES[match[2]], 1, by_week=False)
    return Shifted(Amount(((int(parse_number(match[1])) - 1, "week"),)), 1, nearest)


def _beside_date(day: Weekday, _: re.Match[str], date: MonthDay) -> Value | None:
    if date.weekday is not None:
        return None
    return MonthDay(year=date.year, month=date.month, day=date.day, weekday=day.weekday)


def _turned_beside_date(day: TurnedWeekday, _: re.Match[str], date: MonthDay) -> Value:
    """While "this Friday, May 12" is of this year, the other turns say no more than the date."""
    return Turned(date, 0) if day.turn == 0 and date.year is None else date


def _with_number(day: Weekday, match: re.Match[str]) -> Value:
    return DayOfMonth(parse_ordinal(match[1]), weekday=day.weekday)


def _in_week(day: Weekday, _: re.Match[str], week: CalendarUnit) -> Value | None:
    return DayIn(day, week) if week.unit == "week" else None


def _week_first(week: CalendarUnit, _: re.Match[str], day: Weekday) -> Value | None:
    return DayIn(day, week) if week.unit == "week" else None


RULES = (
    Rule((word(rf"({WEEKDAY})\.?"),), _weekday, is_latent=True),
    Rule((word(rf"(?<!every )(?<!each )(?<!other )({_DAY}){_STANDS_ALONE}"),), _unnumbered),
    Rule(
        (word(rf"{led_by('on', 'on a', 'by', 'since', 'until', 'till')}({WEEKDAY})(?!s\b|'s\b)"),),
        _weekday,
    ),
    Rule((word(rf"({'|'.join(_SHORT)})(?: or |/)({'|'.join(_SHORT)})"),), _either),
    Rule((word(rf"({_TURN})\s+({WEEKDAY})"),), _turned),
    Rule((Weekday, glue(r",?\s*(?:the )?"), MonthDay), _beside_date),
    Rule((TurnedWeekday, glue(r",?\s*(?:the )?"), MonthDay), _turned_beside_date),
    Rule((Weekday, glue(rf",?\s*(?:the )?({ORDINAL})\b")), _with_number),
    Rule((Weekday, glue("(?:of |in )?"), CalendarUnit), _in_week),
    Rule((CalendarUnit, glue(r"(?:'s)?,?\s*(?:on )?"), Weekday), _week_first),
    Rule(
        (word(rf"(?P<count>two|three|four|\d) (?P<day>{_DAY})s ago"),),
        lambda m: _weekdays_ago(m["day"], int(parse_number(m["count"]))),
    ),
    Rule((word(rf"(two|three|four|\d) ({_DAY})s from now"),), _weekdays_ahead),
    Rule((word(rf"(?:the )?({_DAY}) before last"),), lambda m: _weekdays_ago(m[1], 2)),
    Rule((word(rf"(?:the )?({_DAY}) after next"),), lambda m: TurnedWeekday(_NAMES[m[1]], 2, by_week=True)),
    Rule((Weekday, glue(r",?\s*"), (Ago, Shifted)), lambda day, _, date: FirstFrom(date, day)),
    Rule(((Ago, Shifted), glue(r",?\s*(?:on )?(?:a )?"), Weekday), lambda date, _, day: FirstFrom(date, day)),
)
