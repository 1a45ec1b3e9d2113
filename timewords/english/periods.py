"""Last, this and next: "last week", "this quarter", "next summer", "the weekend", "the week of the 18th"."""

import re

from timewords.chart import Rule, glue, word
from timewords.english.amounts import OF_WHAT
from timewords.english.dates import Year
from timewords.english.weekdays import WEEKDAY, weekday_number
from timewords.expressions import Value, When
from timewords.expressions.composed import Beside, Range, SoFar
from timewords.expressions.counted import Amount, CalendarUnit, ComingWeekend, NearestWeekend, Run
from timewords.expressions.recurring import Holiday, Turned, Yearly

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

# "Last" may mean final: "my last day at work", "the last year of school". "Her" and a name need a preposition before
# them: "I met her last week". A request for a summary means the last week that is over: "summarize my last week".
_OWNER_BEFORE = re.compile(
    r"(?<!how was )(?<!how were )(?<!recap )(?<!review )(?<!summarize )(?<!summarise )(?<!of )"
    r"\b(?:my|our|your|his|their|its|whose|(?:is|was|in|on|during|until|before|after) (?:her|\w+'s)) $"
)
_THE_BEFORE = re.compile(r"\bthe $")
_SPAN_BEFORE = re.compile(r"\b(?:in|over|during|within|for|from|since) the $")  # "in the last year I smoked a lot"
_OF_AFTER = re.compile(r" (?:of|before)\b")
_CLAUSE_AFTER = re.compile(r" (?:at\b|(?:that |when |where )?(?:i|you|we|he|she|they|it) (?!have\b|has\b))")
_OR_TWO_AFTER = re.compile(r" or (?:two|so)\b")
_SEASONAL_THING = re.compile(
    r"\s+(?:spring|summer|autumn|fall|winter) (?!(?:and|or|in|at|on|of|with|to|for|when|i|we|he|she|they|was|were|is"
    r"|holidays?|vacations?|break|trip)\b)[a-z]"
)
_AROUND = 40  # characters before "last" that are looked at


def is_final(match: re.Match[str], turn: str, unit: str = "") -> bool:
    """Whether "last" in the match means the final one. "Last day" alone is never yesterday."""
    if not turn.endswith("last"):
        return False
    before = _text_before(match.string, match.string.index("last", match.start()))
    if _OWNER_BEFORE.search(before):
        return True
    is_span = _SPAN_BEFORE.search(before) is not None
    after = match.string, match.end()
    if _THE_BEFORE.search(before) and (_OF_AFTER.match(*after) or (_CLAUSE_AFTER.match(*after) and not is_span)):
        return True
    return unit == "day" and turn == "last" and not is_span and not _OR_TWO_AFTER.match(*after)


def _is_last_thing(match: re.Match[str]) -> bool:
    """Whether "last" belongs to the noun after the season: "my last summer job"."""
    is_owned = match[1] == "last" and _OWNER_BEFORE.search(_text_before(match.string, match.start())) is not None
    return is_owned and _SEASONAL_THING.match(match.string, match.end()) is not None


def _text_before(text: str, place: int) -> str:
    return text[max(0, place - _AROUND) : place]


def _turned_unit(match: re.Match[str]) -> Value | None:
    if is_final(match, match[1], match[2]):
        return None
    if match[2] in ("weekend", "week-end") and match[1].endswith("coming"):
        return ComingWeekend()
    if match[2] == "fortnight" and match[1] in ("past", "last", "this past", "this last"):
        return Run(Amount(((1, "fortnight"),)), -1)
    return CalendarUnit(_UNITS[match[2]], _TURNS[match[1]])


def _turned_date(match: re.Match[str], date: Yearly) -> Value | None:
    return Turned(date, _TURNS[match[1]]) if date.year is None and not _is_last_thing(match) else None


def _two_away(date: Yearly, match: re.Match[str]) -> Value | None:
    return Turned(date, -2 if match[0] == "before last" else 2) if date.year is None else None


def _this(unit: str) -> Value:
    return NearestWeekend() if unit == "weekend" else CalendarUnit(_UNITS[unit], 0)


def _beside(match: re.Match[str], _: re.Match[str], anchor: When) -> Value:
    unit, turn = match["unit"], -1 if match["side"] in ("before", "preceding", "prior to") else 1
    if unit in _UNITS:
        return Beside(_UNITS[unit], turn, anchor)
    if unit in ("night", "evening", "morning"):
        return Beside("day", turn, anchor)
    return Beside("day", turn, anchor, weekday=weekday_number(unit))


def _with_previous(last: CalendarUnit, match: re.Match[str]) -> Value | None:
    return Range(CalendarUnit(last.unit, last.steps - 1), last) if last.unit == _UNITS[match[1]] else None


def _so_far(match: re.Match[str], when: CalendarUnit) -> Value | None:
    return None if when.unit == "day" else SoFar(when, -1 if match[1] == "earlier" else 1)


def _weekend_of(when: When) -> Value | None:
    return None if isinstance(when, CalendarUnit) else Beside("weekend", 0, when)


_THIS_WHOLE = (
    rf"(?<!of )(?:over |on |during |for |in )the ({_WHOLE})"
    r"(?! (?:of|before|after|starting|beginning|ending|commencing)| \d)"
)
_BESIDE = (
    rf"(?:the )?(?P<unit>{_UNIT}|night|evening|morning|{WEEKDAY}) "
    r"(?P<side>before|after|preceding|following|prior to)(?! (?:yesterday|tomorrow|last|next))"
)

RULES = (
    Rule((word(rf"(?:the )?({_TURN}) (?:calendar )?({_UNIT})"),), _turned_unit),
    Rule((word("(last|past|previous|this|next|coming|upcoming|following)"), Yearly), _turned_date),
    Rule((Yearly, word("before last|after next")), _two_away),
    Rule((word(_THIS_WHOLE),), lambda match: _this(match[1])),
    Rule((word(r"the (weekend|fortnight)(?=\s*(?:[.,!?]|$))"),), lambda match: _this(match[1])),
    Rule((Holiday, glue("weekend"), Year), lambda day, _, year: Beside("weekend", 0, day.with_year(year.number))),
    Rule((word(rf"(?:the )?({_UNIT}) after next"),), lambda match: CalendarUnit(_UNITS[match[1]], 2)),
    Rule((word(rf"(?:the )?({_UNIT}) before last"),), lambda match: CalendarUnit(_UNITS[match[1]], -2)),
    Rule((CalendarUnit, word(rf"and the ({_UNIT}) before(?: that)?(?!\s+\w)")), _with_previous),
    Rule((word("(earlier|later)(?: in)?"), CalendarUnit), _so_far),
    Rule((word(_WEEK_OF), When), lambda _, when: Beside("week", 0, when)),
    Rule((word("(?:the )?weekend of"), When), lambda _, when: Beside("weekend", 0, when)),
    Rule((When, word("weekend")), lambda when, _: _weekend_of(when)),
    Rule((word(_BESIDE), glue(OF_WHAT), When), _beside),
)
