"""Times of day: 5pm, half past six, noon, the afternoon."""

import re

from banks.dates.chart import Rule, glue, word
from banks.dates.english.numbers import BELOW_HUNDRED, parse_number
from banks.dates.expressions.clock import DAWN, HOURS_IN_DAY, NOON, BareHour, Clock, ClockRange
from banks.dates.expressions.when import Value
from banks.dates.types import Grain

_MINUTES = 60
_HALF = r"(?P<half>a\s?\.?\s?m\b\.?|p\s?\.?\s?m\b\.?|a\b|p\b)"
_SPELLED_HOUR = "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
_HOUR = rf"(?P<hour>\d{{1,2}}|{_SPELLED_HOUR})"
_PARTS = {
    "morning": (8, 12), "afternoon": (12, 16), "evening": (16, 20), "night": (20, 24), "daytime": (8, 18),
    "lunchtime": (11, 13), "lunch": (11, 13), "dinnertime": (16, 20), "breakfast": (8, 12),
}  # fmt: skip
PART = "|".join(sorted(_PARTS, key=len, reverse=True))
_POINTS = {"noon": 12, "midday": 12, "mid-day": 12, "noonish": 12, "midnight": 0, "mid night": 0, "mid-night": 0}


def day_part(name: str) -> ClockRange:
    first, last = _PARTS[name]
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


def _past_the_hour(match: re.Match[str]) -> Value | None:
    minutes = {"half": 30, "quarter": 15, "a quarter": 15}.get(match["count"]) or int(parse_number(match["count"]))
    hour = int(parse_number(match["hour"]))
    if match["side"] in ("to", "till", "before"):
        hour, minutes = hour - 1 or NOON, _MINUTES - minutes
    return Clock(hour, minutes, is_sure=False) if 0 <= minutes < _MINUTES and hour <= NOON else None


def _in_part(clock: Clock, match: re.Match[str]) -> Value | None:
    if clock.is_sure:
        return clock
    part = match[1]
    return clock.in_half(pm=part in ("afternoon", "evening") or (part == "night" and clock.hour > DAWN))


def _halved(clock: Clock, match: re.Match[str]) -> Value | None:
    return None if clock.is_sure or not 0 < clock.hour <= NOON else clock.in_half(pm=match["half"].startswith("p"))


def _half_part(match: re.Match[str]) -> Value:
    first, last = _PARTS[match[2]]
    middle = (first + last) // 2
    return ClockRange(Clock(first), Clock(middle)) if match[1] == "early" else ClockRange(Clock(middle), Clock(last))


RULES = (
    Rule((word(rf"{_HOUR}[:.](?P<minute>[0-5]\d)(?::(?P<second>[0-5]\d))?\s?{_HALF}"),), _clock, is_latent=True),
    Rule(
        (word(rf"(?<![\d.:/-]){_HOUR}:(?P<minute>[0-5]\d)(?::(?P<second>[0-5]\d))?(?![\d:])"),), _clock, is_latent=True
    ),
    Rule((word(rf"{_HOUR}\.?\s?{_HALF}"),), _clock, is_latent=True),
    Rule((word(rf"{_HOUR}(?:ish| ?o'?\s?clock)"),), _clock, is_latent=True),
    Rule(
        (word(rf"(?<![$€£#\d.:/])(?<!\d{{4}}-)(?<!\d-\d\d-){_HOUR}(?!-\d+[-/]|[:\d/%]|\.\d)"),),
        _bare_hour,
        is_latent=True,
    ),
    Rule((word(rf"(?<=at ){_HOUR}[.](?P<minute>[0-5]\d)"),), _clock, is_latent=True),
    Rule(
        (word(rf"(?P<hour>{_SPELLED_HOUR}) (?P<minutes>(?:oh )?{BELOW_HUNDRED})(?: minutes)?"),),
        _spelled_minutes,
        is_latent=True,
    ),
    Rule(
        (
            word(
                rf"(?P<count>half|a quarter|quarter|\d{{1,2}}|{BELOW_HUNDRED})(?: minutes)? "
                rf"(?P<side>past|to|till|after|before) (?P<hour>\d{{1,2}}|{_SPELLED_HOUR})(?: o'?clock)?"
            ),
        ),
        _past_the_hour,
        is_latent=True,
    ),
    Rule(
        (Clock, word(r"(?:,? ?(?:early )?in the|at|this)? ?(morning|afternoon|evening|night)")),
        _in_part,
        is_latent=True,
    ),
    Rule((Clock, glue(rf"{_HALF}")), _halved, is_latent=True),
    Rule((word("|".join(_POINTS)),), lambda m: Clock(_POINTS[m[0]]), is_latent=True),
    Rule((word(rf"(?:in the |at |the )?({PART})"),), lambda m: day_part(m[1]), is_latent=True),
    Rule((word(r"(early|late)(?:r)? (?:in the )?(morning|afternoon|evening)"),), _half_part, is_latent=True),
    Rule(
        (Clock, glue(r"(?:to|till|until|through|and)\b|-|~"), Clock), lambda a, _, b: ClockRange(a, b), is_latent=True
    ),
    Rule((word("from|between"), ClockRange), lambda _, r: r, is_latent=True),
)
