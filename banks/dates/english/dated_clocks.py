"""A time of day on a date, either way round: yesterday at 5pm, 8am this morning, last night."""

import re

from banks.dates.chart import Rule, glue, word
from banks.dates.english.clocks import day_part
from banks.dates.english.final import is_final
from banks.dates.expressions.bounds import Open
from banks.dates.expressions.clock import DAWN, NIGHTFALL, NOON, At, BareHour, Clock, ClockRange, During
from banks.dates.expressions.steps import CalendarUnit
from banks.dates.expressions.when import Value, When

_TURNS = {"this": 0, "last": -1, "yesterday": -1, "next": 1, "tomorrow": 1, "the next": 1, "the following": 1}
_INTRODUCES_HOUR = re.compile(r"\bat\b|\baround\b|\babout\b|@")
# Behind a comma a number may count what follows it: "on Friday, five of us", "yesterday, two people".
_NOTHING_COUNTED = re.compile(r"\s*\w+\s*(?:$|[^\w\s]|(?:in|at|on|sharp|or|to|till|until|then|please)\b)")
_PART = "morning|afternoon|evening|night"


class PartOfDay(During):
    """As in "this morning", "last night": a date and the hours of it that were named."""

    __slots__ = ()


def _part_of_day(match: re.Match[str]) -> Value | None:
    if is_final(match, match["turn"]):
        return None
    return PartOfDay(CalendarUnit("day", _TURNS[match["turn"]]), day_part(match["part"]))


def _tonight(_: re.Match[str]) -> Value:
    return PartOfDay(CalendarUnit("day", 0), day_part("night"))


def _edge_of_part(match: re.Match[str], when: PartOfDay) -> Value:
    first, last = when.hours.first, when.hours.second
    middle = Clock((first.hour + last.hour) // 2)
    return During(when.date, ClockRange(first, middle) if match[1] == "early" else ClockRange(middle, last))


def _at(date: When, between: re.Match[str], clock: Clock) -> Value | None:
    if isinstance(date, At | During | Open):
        return None
    return None if isinstance(clock, BareHour) and not _may_be_hour(between) else At(date, clock)


def _may_be_hour(between: re.Match[str]) -> bool:
    """Whether the number behind what stands between it and the date is one."""
    if _INTRODUCES_HOUR.search(between[0]):
        return True
    return "," in between[0] and _NOTHING_COUNTED.match(between.string, between.end()) is not None


def _at_reversed(clock: Clock, between: re.Match[str], date: When) -> Value | None:
    if isinstance(date, At | During | Open) or (isinstance(clock, BareHour) and "," not in between[0]):
        return None
    return At(date, clock)


def _in_part(date: PartOfDay, between: re.Match[str], clock: Clock) -> Value | None:
    return None if isinstance(clock, BareHour) and not _may_be_hour(between) else _set_in_part(date, clock)


def _in_part_reversed(clock: Clock, between: re.Match[str], date: PartOfDay) -> Value | None:
    return None if isinstance(clock, BareHour) and "," not in between[0] else _set_in_part(date, clock)


def _set_in_part(date: PartOfDay, clock: Clock) -> Value:
    """The part of the day says which half of it the clock means."""
    if clock.is_sure:
        return At(date.date, clock)
    is_before_dawn = date.hours.first.hour >= NIGHTFALL and clock.hour < DAWN
    pm = date.hours.first.hour >= NOON and not is_before_dawn
    return At(date.date, clock.in_half(pm=pm))


def _during(date: When, _: re.Match[str], hours: ClockRange) -> Value | None:
    return None if isinstance(date, At | During | Open) else During(date, hours)


def _range_in_part(date: PartOfDay, _: re.Match[str], hours: ClockRange) -> Value:
    if hours.first.is_sure or hours.second.is_sure:
        return During(date.date, hours)
    pm = date.hours.first.hour >= NOON
    return During(date.date, ClockRange(hours.first.in_half(pm=pm), hours.second.in_half(pm=pm)))


def _bounded(date: When, match: re.Match[str], clock: Clock) -> Value | None:
    if isinstance(date, At | During | Open):
        return None
    return Open("since" if match[1] == "after" else "before", At(date, clock))


def _of_glue(pattern: str) -> re.Pattern[str]:
    return glue(rf",?\s*(?:{pattern})?")


RULES = (
    Rule(
        (
            word(
                rf"(?:in |during )?(?P<turn>this|last|yesterday|next|tomorrow|the next|the following) (?P<part>{_PART})"
            ),
        ),
        _part_of_day,
    ),
    Rule((word("tonight|tonite"),), _tonight),
    Rule((word(rf"(?:the )?({_PART}) before last"),), lambda m: PartOfDay(CalendarUnit("day", -2), day_part(m[1]))),
    Rule(
        (CalendarUnit, word("(am|pm)")),
        lambda day, m: PartOfDay(day, day_part("morning" if m[1] == "am" else "afternoon")),
    ),
    Rule((word("(early|late)(?: in| on)?"), PartOfDay), _edge_of_part),
    Rule((When, _of_glue("at around|at about|around|about|at|@|for|from"), Clock), _at),
    Rule((word("around|about"), At), lambda _, at: at),
    Rule((Clock, _of_glue("on|of"), When), _at_reversed),
    Rule((PartOfDay, _of_glue("at around|at about|around|about|at"), Clock), _in_part),
    Rule((Clock, _of_glue("on"), PartOfDay), _in_part_reversed),
    Rule((When, _of_glue("in|on|from|between"), ClockRange), _during),
    Rule((ClockRange, _of_glue("on|of"), When), lambda r, g, d: _during(d, g, r)),
    Rule((PartOfDay, _of_glue("from|between"), ClockRange), _range_in_part),
    Rule((ClockRange, _of_glue("on"), PartOfDay), lambda r, g, d: _range_in_part(d, g, r)),
    Rule((During, glue("(?:in the )?(?:morning|afternoon|evening)")), lambda d, _: d),
    Rule((When, word("(before|after|by)"), Clock), _bounded),
    Rule(
        (When, word("by"), Clock),
        lambda d, _, c: Open("before", At(d, c)) if not isinstance(d, At | During | Open) else None,
    ),
)
