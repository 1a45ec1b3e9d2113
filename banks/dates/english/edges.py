"""The beginning, middle and end of a time, and the end of the day."""

import re

from banks.dates.chart import Rule, glue, word
from banks.dates.expressions.bounds import Range
from banks.dates.expressions.clock import At, Clock
from banks.dates.expressions.inside import Edge, Part, Rest
from banks.dates.expressions.steps import CalendarUnit
from banks.dates.expressions.when import Value, When
from banks.dates.expressions.yearly import Stretch

_PARTS: dict[str, Part] = {
    "early": "early", "beginning of": "early", "start of": "early", "mid": "mid", "mid-": "mid", "middle of": "mid",
    "mid of": "mid", "late": "late", "end of": "late", "late in": "late", "early in": "early", "at the end of": "late",
}  # fmt: skip
_NAMES = "|".join(sorted(_PARTS, key=len, reverse=True))
_END_OF_DAY = Clock(23, 59, 59, grain="second")


def _edge(match: re.Match[str], whole: When) -> Value | None:
    part = _PARTS[match[1]]
    return None if isinstance(whole, Edge | At) else Edge(part, whole)


def _edge_of_unit(match: re.Match[str]) -> Value:
    return Edge(_PARTS[f"{match[1]} of"], CalendarUnit(match[2], 0))


def _end_of_unit(match: re.Match[str]) -> Value:
    return Edge("late", CalendarUnit("year" if match[1] == "y" else "month", 0))


def _rest(_: re.Match[str], whole: When) -> Value:
    return Rest(whole)


def _to_date(match: re.Match[str]) -> Value:
    unit = match[1] or {"y": "year", "m": "month", "w": "week"}[match[2]]
    return Range(CalendarUnit(unit, 0), CalendarUnit("day", 0))


def _end_of_day(match: re.Match[str]) -> Value | None:
    """Who says "at the end of the day, what matters is" means no day."""
    if match.string.endswith("at ", 0, match.start()) and match.string.startswith(",", match.end()):
        return None
    return At(CalendarUnit("day", 0), _END_OF_DAY)


def _end_of(_: re.Match[str], day: When) -> Value:
    return At(day, _END_OF_DAY)


RULES = (
    Rule((word("(?:the )?end of"), When), _end_of),
    Rule((re.compile(rf"(?<![^\W_])(?:the )?({_NAMES})(?![^\W_])"), When), _edge),
    Rule((re.compile(r"(?<![^\W_])(mid-)"), When), _edge),
    Rule((word("(?:the )?(beginning|start|middle|end) of (?:the )?(week|month|quarter|year)"),), _edge_of_unit),
    Rule((word("(?:the )?eo([ym])"),), _end_of_unit),
    Rule((word("(?:the )?(?:rest|remainder) of"), When), _rest),
    Rule(
        (word("(?:the )?(?:rest|remainder) of the (day|week|month|quarter|year)"),),
        lambda m: Rest(CalendarUnit(m[1], 0)),
    ),
    Rule((word("(week|month|quarter|year) to date|([ymw])td"),), _to_date),
    Rule((word("(?:the )?(?:end of (?:the )?day|eod)"),), _end_of_day),
    Rule((word("(early|mid|late)"), Stretch), lambda m, s: Edge(_PARTS[m[1]], s), is_latent=True),
    Rule((glue(r"(?<!\w)(?:all|the whole|the entire|throughout)(?: of)?"), When), lambda _, w: w),
)
