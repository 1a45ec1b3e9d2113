"""Weekdays ("next Friday", "Tuesday June 9", "two Fridays ago"), and today, yesterday and tomorrow."""

import re
from dataclasses import replace

from timewords.chart import Rule, glue, led_by, word
from timewords.english.numbers import ORDINAL, parse_number, parse_ordinal
from timewords.expressions import Value
from timewords.expressions.composed import DayIn, FirstFrom, Range
from timewords.expressions.counted import Ago, Amount, CalendarUnit, Now, Shifted
from timewords.expressions.recurring import DayOfMonth, MonthDay, Turned, TurnedWeekday, Weekday
from timewords.folding import listed

_DAYS = {
    "today": 0, "yesterday": -1, "tomorrow": 1, "tmrw": 1, "tmr": 1, "2day": 0, "2morrow": 1,
    "the day before yesterday": -2, "the day after tomorrow": 2, "day before yesterday": -2, "day after tomorrow": 2,
}  # fmt: skip
_FULL_NAMES = listed("monday tuesday wednesday thursday friday saturday sunday")
_SHORT_NAMES = {
    "mon": 0, "tue": 1, "tues": 1, "wed": 2, "weds": 2, "thu": 3, "thur": 3, "thurs": 3, "fri": 4, "sat": 5, "sun": 6,
}  # fmt: skip
_NUMBERS = {name: number for number, name in enumerate(_FULL_NAMES)} | _SHORT_NAMES
WEEKDAY = rf"(?:{'|'.join(sorted(_NUMBERS, key=len, reverse=True))})"
_FULL, _SHORT = "|".join(_FULL_NAMES), "|".join(_SHORT_NAMES)
# Alone, a weekday is a date unless it names a thing: "Sunday school", "Friday prayers".
_FOLLOWERS = (
    "and|or|but|at|in|on|for|from|to|till|until|through|with|after|before|when|because|so|then|as|that|which|night|morning"
    "|afternoon|evening|of|the|my|our|his|her|their|i|we|he|she|they|it|you|was|were|is|are|will|would|did|do|does|have"
    "|has|had|who|what|where|about|between|around|by|next|last|this|please|works|since|during"
)
_STANDS_ALONE = rf"(?=\s*(?:[.,;:!?)]|$)|\s+(?:{_FOLLOWERS})\b|\s+\d)"
_ORDINALS = tuple(f"{nth} " for nth in listed("first second third fourth fifth 1st 2nd 3rd 4th 5th"))
_TURNS = {  # weeks, and whether they are calendar weeks
    "last": (-1, False), "past": (-1, False), "previous": (-1, True), "this": (0, True), "this past": (-1, False),
    "this last": (-1, False), "next": (1, True), "coming": (1, False), "upcoming": (1, False),
    "this coming": (1, False), "this upcoming": (1, False), "following": (1, True), "the following": (1, True),
}  # fmt: skip
_TURN = "|".join(sorted(_TURNS, key=len, reverse=True))


def weekday_number(name: str) -> int:
    return _NUMBERS[name]


def _around_today(match: re.Match[str]) -> Value:
    """Two weeks to either side: "this time last year"."""
    day = Ago(Amount(((1, "year"),)), -1 if match[1] == "last" else 1)
    two_weeks = Amount(((2, "week"),))
    return Range(Shifted(two_weeks, -1, day), Shifted(two_weeks, 1, day))


def _weekday(match: re.Match[str]) -> Value:
    return Weekday(_NUMBERS[match[1]])


def _without_ordinal(match: re.Match[str]) -> Value | None:
    """A bare "the first Monday" belongs to a month that is named elsewhere."""
    return None if match.string.endswith(_ORDINALS, 0, match.start()) else _weekday(match)


def _either(match: re.Match[str]) -> Value | None:
    """In "Sat or Sun" a short name is no other word."""
    first, second = _NUMBERS[match[1]], _NUMBERS[match[2]]
    return Range(Weekday(first), Weekday(second)) if first < second else None


def _turned(match: re.Match[str]) -> Value:
    turn, by_week = _TURNS[match[1]]
    return TurnedWeekday(_NUMBERS[match[2]], turn, by_week)


def _weeks_ago(name: str, count: int) -> Value:
    nearest = TurnedWeekday(_NUMBERS[name], -1, by_week=False)
    return Shifted(Amount(((count - 1, "week"),)), -1, nearest)


def _with_date(day: Weekday, _: re.Match[str], date: MonthDay) -> Value | None:
    return replace(date, weekday=day.weekday) if date.weekday is None else None


def _turned_with_date(day: TurnedWeekday, _: re.Match[str], date: MonthDay) -> Value:
    """The word "this" decides the year: "this Friday, May 12"."""
    return Turned(date, 0) if day.turn == 0 and date.year is None else date


def _with_ordinal(day: Weekday, match: re.Match[str]) -> Value:
    return DayOfMonth(parse_ordinal(match[1]), weekday=day.weekday)


def _in_week(day: Weekday, _: re.Match[str], week: CalendarUnit) -> Value | None:
    return DayIn(day, week) if week.unit == "week" else None


RULES = (
    Rule((word(rf"({'|'.join(sorted(_DAYS, key=len, reverse=True))})"),), lambda m: CalendarUnit("day", _DAYS[m[1]])),
    Rule((word("(?:(?:around|about|at) )?this time (last|next) year"),), _around_today),
    Rule((word("right now|just now|at present|at the moment|at this (?:moment|time)|as of now"),), lambda _: Now()),
    Rule((word("now|present"),), lambda _: Now(), is_latent=True),
    Rule((word(rf"({WEEKDAY})\.?"),), _weekday, is_latent=True),
    Rule((word(rf"(?<!every )(?<!each )(?<!other )({_FULL}){_STANDS_ALONE}"),), _without_ordinal),
    Rule((word(rf"{led_by('on', 'on a', 'by', 'since', 'until', 'till')}({WEEKDAY})(?!s\b|'s\b)"),), _weekday),
    Rule((word(rf"({_SHORT})(?: or |/)({_SHORT})"),), _either),
    Rule((word(rf"({_TURN})\s+({WEEKDAY})"),), _turned),
    Rule((Weekday, glue(r",?\s*(?:(?:the|den|dem|le|el|il) )?"), MonthDay), _with_date),
    Rule((TurnedWeekday, glue(r",?\s*(?:(?:the|den|dem|le|el|il) )?"), MonthDay), _turned_with_date),
    Rule((Weekday, glue(rf",?\s*(?:the )?({ORDINAL})\b")), _with_ordinal),
    Rule((Weekday, glue("(?:of |in )?"), CalendarUnit), _in_week),
    Rule(
        (CalendarUnit, glue(r"(?:'s)?,?\s*(?:on )?"), Weekday), lambda week, between, day: _in_week(day, between, week)
    ),
    Rule((word(rf"(two|three|four|\d) ({_FULL})s ago"),), lambda m: _weeks_ago(m[2], int(parse_number(m[1])))),
    Rule((word(rf"(?:the )?({_FULL}) before last"),), lambda m: _weeks_ago(m[1], 2)),
    Rule((word(rf"(?:the )?({_FULL}) after next"),), lambda m: TurnedWeekday(_NUMBERS[m[1]], 2, by_week=True)),
    Rule((Weekday, glue(r",?\s*"), (Ago, Shifted)), lambda day, _, date: FirstFrom(date, day)),
    Rule(((Ago, Shifted), glue(r",?\s*(?:on )?(?:a )?"), Weekday), lambda date, _, day: FirstFrom(date, day)),
)
