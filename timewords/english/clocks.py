"""Times of day, alone and on a date: "half past six", "yesterday at 5pm", "last night"."""

import re

from timewords.chart import Rule, glue, word
from timewords.english.numbers import BELOW_HUNDRED, parse_number
from timewords.english.periods import is_final
from timewords.expressions import Value, When
from timewords.expressions.composed import Open
from timewords.expressions.counted import (
    DAWN,
    HOURS_IN_DAY,
    NIGHTFALL,
    NOON,
    At,
    BareHour,
    CalendarUnit,
    Clock,
    ClockRange,
    During,
)
from timewords.types import Grain

_MINUTES = 60
_HALF = r"(?P<half>a\s?\.?\s?m\b\.?|p\s?\.?\s?m\b\.?|a\b|p\b)"
_SPELLED_HOUR = "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
_HOUR = rf"(?P<hour>\d{{1,2}}|{_SPELLED_HOUR})"
_MINUTE, _SECOND = r"(?P<minute>[0-5]\d)", r"(?::(?P<second>[0-5]\d))?"
_PAST_OR_TO = (
    rf"(?P<count>half|a quarter|quarter|\d{{1,2}}|{BELOW_HUNDRED})(?: minutes)? "
    rf"(?P<side>past|to|till|after|before) (?P<hour>\d{{1,2}}|{_SPELLED_HOUR})(?: o'?clock)?"
)
_HOURS = {
    "morning": (8, 12), "afternoon": (12, 16), "evening": (16, 20), "night": (20, 24), "daytime": (8, 18),
    "lunchtime": (11, 13), "lunch": (11, 13), "dinnertime": (16, 20), "breakfast": (8, 12),
}  # fmt: skip
_PARTS = "|".join(sorted(_HOURS, key=len, reverse=True))
_POINTS = {"noon": 12, "midday": 12, "mid-day": 12, "noonish": 12, "midnight": 0, "mid night": 0, "mid-night": 0}


def _hours_of(part: str) -> ClockRange:
    first, last = _HOURS[part]
    return ClockRange(Clock(first), Clock(last))


def _clock(match: re.Match[str]) -> Value | None:
    groups = match.groupdict()
    hour = int(parse_number(groups["hour"]))
    minute, second = int(groups.get("minute") or 0), int(groups.get("second") or 0)
    if hour > HOURS_IN_DAY or minute >= _MINUTES or second >= _MINUTES:
        return None
    half = groups.get("half")
    is_sure = bool(half) or hour > NOON or hour == 0 or groups["hour"].startswith("0")
    grain: Grain = "second" if groups.get("second") else "minute" if groups.get("minute") else "hour"
    clock = Clock(hour, minute, second, is_sure=is_sure, grain=grain)
    if half and not 0 < hour <= NOON:
        return clock if hour > NOON and half.startswith("p") else None
    return clock.in_half(pm=half.startswith("p")) if half else clock


def _bare_hour(match: re.Match[str]) -> Value | None:
    hour = int(parse_number(match["hour"]))
    return BareHour(hour, is_sure=hour > NOON, grain="hour") if hour <= HOURS_IN_DAY else None


def _spelled_minutes(match: re.Match[str]) -> Value | None:
    minute = int(parse_number(match["minutes"]))
    return Clock(int(parse_number(match["hour"])), minute, is_sure=False) if minute < _MINUTES else None


def _past_or_to(match: re.Match[str]) -> Value | None:
    minutes = {"half": 30, "quarter": 15, "a quarter": 15}.get(match["count"]) or int(parse_number(match["count"]))
    hour = int(parse_number(match["hour"]))
    if match["side"] in ("to", "till", "before"):
        hour, minutes = hour - 1 or NOON, _MINUTES - minutes
    return Clock(hour, minutes, is_sure=False) if 0 <= minutes < _MINUTES and hour <= NOON else None


def _in_part(clock: Clock, match: re.Match[str]) -> Value:
    """The part of the day decides between am and pm: "8 in the evening"."""
    part = match[1]
    is_pm = part in ("afternoon", "evening") or (part == "night" and clock.hour > DAWN)
    return clock if clock.is_sure else clock.in_half(pm=is_pm)


_CLOCK_RULES = (
    Rule((word(rf"{_HOUR}[:.]{_MINUTE}{_SECOND}\s?{_HALF}"),), _clock, is_latent=True),
    Rule((word(rf"(?<![\d.:/-]){_HOUR}:{_MINUTE}{_SECOND}(?![\d:])"),), _clock, is_latent=True),
    Rule((word(rf"{_HOUR}\.?\s?{_HALF}"),), _clock, is_latent=True),
    Rule((word(rf"{_HOUR}(?:ish| ?o'?\s?clock)"),), _clock, is_latent=True),
    Rule(
        (word(rf"(?<![$€£#\d.:/])(?<!\d,)(?<!\d{{4}}-)(?<!\d-\d\d-){_HOUR}(?!-\d+[-/]|[:\d/%]|[.,]\d)"),),
        _bare_hour,
        is_latent=True,
    ),
    Rule((word(rf"(?<=at ){_HOUR}[.]{_MINUTE}"),), _clock, is_latent=True),
    Rule(
        (word(rf"(?P<hour>{_SPELLED_HOUR}) (?P<minutes>(?:oh )?{BELOW_HUNDRED})(?: minutes)?"),),
        _spelled_minutes,
        is_latent=True,
    ),
    Rule((word(_PAST_OR_TO),), _past_or_to, is_latent=True),
    Rule(
        (Clock, word(r"(?:,? ?(?:early )?in the|at|this)? ?(morning|afternoon|evening|night)")),
        _in_part,
        is_latent=True,
    ),
    Rule((word("|".join(_POINTS)),), lambda match: Clock(_POINTS[match[0]]), is_latent=True),
    Rule((word(rf"(?:in the |at |the )?({_PARTS})"),), lambda match: _hours_of(match[1]), is_latent=True),
    Rule(
        (Clock, glue(r"(?:to|till|until|through|and)\b|-|~"), Clock),
        lambda first, _, second: ClockRange(first, second),
        is_latent=True,
    ),
)


_TURNS = {"this": 0, "last": -1, "yesterday": -1, "next": 1, "tomorrow": 1, "the next": 1, "the following": 1}
_HOUR_LEAD = re.compile(r"\bat\b|\baround\b|\babout\b|@")
# After a comma a number may count the noun that follows: "on Friday, five of us", "yesterday, two people".
_COUNTS_NOTHING = re.compile(r"\s*\w+\s*(?:$|[^\w\s]|(?:in|at|on|sharp|or|to|till|until|then|please)\b)")
_PART = "morning|afternoon|evening|night"
_TIMED = (At, During, Open)


class PartOfDay(During):
    """A date and some hours of it: "this morning", "last night"."""

    __slots__ = ()


def _turned_part(match: re.Match[str]) -> Value | None:
    if is_final(match, match["turn"]):
        return None
    return PartOfDay(CalendarUnit("day", _TURNS[match["turn"]]), _hours_of(match["part"]))


def _is_hour(clock: Clock, between: re.Match[str]) -> bool:
    """Whether a number after a date is an hour: "on Friday at 5", "on Friday, 5"."""
    if not isinstance(clock, BareHour) or _HOUR_LEAD.search(between[0]):
        return True
    return "," in between[0] and _COUNTS_NOTHING.match(between.string, between.end()) is not None


def _at(date: When, between: re.Match[str], clock: Clock) -> Value | None:
    return None if isinstance(date, _TIMED) or not _is_hour(clock, between) else At(date, clock)


def _at_reversed(clock: Clock, between: re.Match[str], date: When) -> Value | None:
    is_number = isinstance(clock, BareHour) and "," not in between[0]
    return None if isinstance(date, _TIMED) or is_number else At(date, clock)


def _at_in_part(date: PartOfDay, between: re.Match[str], clock: Clock) -> Value | None:
    return _set_in_part(date, clock) if _is_hour(clock, between) else None


def _at_in_part_reversed(clock: Clock, between: re.Match[str], date: PartOfDay) -> Value | None:
    return None if isinstance(clock, BareHour) and "," not in between[0] else _set_in_part(date, clock)


def _set_in_part(date: PartOfDay, clock: Clock) -> Value:
    if clock.is_sure:
        return At(date.date, clock)
    is_before_dawn = date.hours.first.hour >= NIGHTFALL and clock.hour < DAWN
    return At(date.date, clock.in_half(pm=date.hours.first.hour >= NOON and not is_before_dawn))


def _during(date: When, _: re.Match[str], hours: ClockRange) -> Value | None:
    return None if isinstance(date, _TIMED) else During(date, hours)


def _during_part(date: PartOfDay, _: re.Match[str], hours: ClockRange) -> Value:
    if hours.first.is_sure or hours.second.is_sure:
        return During(date.date, hours)
    pm = date.hours.first.hour >= NOON
    return During(date.date, ClockRange(hours.first.in_half(pm=pm), hours.second.in_half(pm=pm)))


def _bounded(date: When, match: re.Match[str], clock: Clock) -> Value | None:
    if isinstance(date, _TIMED):
        return None
    return Open("since" if match[1] == "after" else "before", At(date, clock))


def _after_comma(pattern: str) -> re.Pattern[str]:
    return glue(rf",?\s*(?:{pattern})?")


_DATED_RULES = (
    Rule(
        (word(rf"(?:in |during )?(?P<turn>{'|'.join(sorted(_TURNS, key=len, reverse=True))}) (?P<part>{_PART})"),),
        _turned_part,
    ),
    Rule((word("tonight|tonite"),), lambda _: PartOfDay(CalendarUnit("day", 0), _hours_of("night"))),
    Rule((word(rf"(?:the )?({_PART}) before last"),), lambda m: PartOfDay(CalendarUnit("day", -2), _hours_of(m[1]))),
    Rule(
        (CalendarUnit, word("(am|pm)")),
        lambda day, match: PartOfDay(day, _hours_of("morning" if match[1] == "am" else "afternoon")),
    ),
    Rule((When, _after_comma("at around|at about|around|about|at|@|for|from"), Clock), _at),
    Rule((Clock, _after_comma("on|of"), When), _at_reversed),
    Rule((PartOfDay, _after_comma("at around|at about|around|about|at"), Clock), _at_in_part),
    Rule((Clock, _after_comma("on"), PartOfDay), _at_in_part_reversed),
    Rule((When, _after_comma("in|on|from|between"), ClockRange), _during),
    Rule((ClockRange, _after_comma("on|of"), When), lambda hours, between, date: _during(date, between, hours)),
    Rule((PartOfDay, _after_comma("from|between"), ClockRange), _during_part),
    Rule((ClockRange, _after_comma("on"), PartOfDay), lambda hours, between, date: _during_part(date, between, hours)),
    Rule((When, word("(before|after|by)"), Clock), _bounded),
)

RULES = (*_CLOCK_RULES, *_DATED_RULES)
