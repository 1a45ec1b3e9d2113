"""Last week, this month, next quarter, the weekend, and the week of a date."""

import re

from banks.dates.chart import Rule, glue, word
from banks.dates.english.anchors import OF_WHAT
from banks.dates.english.final import is_final
from banks.dates.english.weekdays import WEEKDAY, weekday_number
from banks.dates.english.years import Year
from banks.dates.expressions.bounds import Range
from banks.dates.expressions.inside import Beside, SoFar
from banks.dates.expressions.steps import Amount, CalendarUnit, ComingWeekend, NearestWeekend, Run
from banks.dates.expressions.when import Value, When
from banks.dates.expressions.yearly import Holiday

_UNITS = {
    "week": "week", "wk": "week", "weekend": "weekend", "week-end": "weekend", "fortnight": "fortnight",
    "month": "month", "quarter": "quarter", "year": "year", "yr": "year", "decade": "decade", "century": "century",
    "day": "day",
}  # fmt: skip
_UNIT = "|".join(sorted(_UNITS, key=len, reverse=True))
_TURNS = {
    "last": -1, "past": -1, "this past": -1, "previous": -1, "preceding": -1, "this last": -1, "this": 0, "current": 0,
    "same": 0, "next": 1, "coming": 1, "this coming": 1, "upcoming": 1, "following": 1,
}  # fmt: skip
_TURN = "|".join(sorted(_TURNS, key=len, reverse=True))
_WHOLE = "week|month|year|quarter|weekend|fortnight"
_WEEK_OF = r"(?:the )?(?:week|wk) (?:of|starting(?: on)?|commencing|beginning(?: on)?)|w/c|week ending"


def _turned(match: re.Match[str]) -> Value | None:
    if is_final(match, match[1], match[2]):
        return None
    if match[2] in ("weekend", "week-end") and match[1].endswith("coming"):
        return ComingWeekend()
    if match[2] == "fortnight" and match[1] in ("past", "last", "this past", "this last"):
        return Run(Amount(((1, "fortnight"),)), -1)
    return CalendarUnit(_UNITS[match[2]], _TURNS[match[1]])


def _this(unit: str) -> Value:
    return NearestWeekend() if unit == "weekend" else CalendarUnit(_UNITS[unit], 0)


def _beside(match: re.Match[str], anchor: When) -> Value:
    unit, turn = match["unit"], -1 if match["side"] in ("before", "preceding", "prior to") else 1
    if unit in _UNITS:
        return Beside(_UNITS[unit], turn, anchor)
    if unit in ("night", "evening", "morning"):
        return Beside("day", turn, anchor)
    return Beside("day", turn, anchor, weekday=weekday_number(unit))


def _and_the_one_before(last: CalendarUnit, match: re.Match[str]) -> Value | None:
    return Range(CalendarUnit(last.unit, last.steps - 1), last) if last.unit == _UNITS[match[1]] else None


def _so_far(match: re.Match[str], when: CalendarUnit) -> Value | None:
    if when.unit == "day":
        return None
    return SoFar(when, -1 if match[1] == "earlier" else 1)


RULES = (
    Rule((word(rf"(?:the )?({_TURN}) (?:calendar )?({_UNIT})"),), _turned),
    Rule(
        (
            word(
                rf"(?<!of )(?:over |on |during |for |in )the ({_WHOLE})"
                r"(?! (?:of|before|after|starting|beginning|ending|commencing)| \d)"
            ),
        ),
        lambda m: _this(m[1]),
    ),
    Rule((word(r"the (weekend|fortnight)(?=\s*(?:[.,!?]|$))"),), lambda m: _this(m[1])),
    Rule((Holiday, word("week")), lambda feast, _: Beside("week", 0, feast)),
    Rule((Holiday, glue("weekend"), Year), lambda feast, _, year: Beside("weekend", 0, feast.with_year(year.number))),
    Rule((word(rf"(?:the )?({_UNIT}) after next"),), lambda m: CalendarUnit(_UNITS[m[1]], 2)),
    Rule((word(rf"(?:the )?({_UNIT}) before last"),), lambda m: CalendarUnit(_UNITS[m[1]], -2)),
    Rule((CalendarUnit, word(rf"and the ({_UNIT}) before(?: that)?(?!\s+\w)")), _and_the_one_before),
    Rule((word("(earlier|later)(?: in)?"), CalendarUnit), _so_far),
    Rule(
        (word("(earlier|later) in the (week|month|year)"),),
        lambda m: SoFar(CalendarUnit(m[2], 0), -1 if m[1] == "earlier" else 1),
    ),
    Rule((word(_WEEK_OF), When), lambda _, when: Beside("week", 0, when)),
    Rule((word("(?:the )?weekend of"), When), lambda _, when: Beside("weekend", 0, when)),
    Rule(
        (When, word("weekend")),
        lambda when, _: Beside("weekend", 0, when) if not isinstance(when, CalendarUnit) else None,
    ),
    Rule(
        (
            word(
                rf"(?:the )?(?P<unit>{_UNIT}|night|evening|morning|{WEEKDAY}) "
                r"(?P<side>before|after|preceding|following|prior to)(?! (?:yesterday|tomorrow|last|next))"
            ),
            glue(OF_WHAT),
            When,
        ),
        lambda m, _, when: _beside(m, when),
    ),
)
