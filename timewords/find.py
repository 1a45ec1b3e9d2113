"""Finds the dates of a statement and the time window of a question.

A text is read in five steps:

1. `fold` takes off case and accents, and `may_hold_time` drops a text without any time word.
2. `parse` applies the rules of English and of the languages whose words occur.
3. Times inside names ("Mr. Friday") are dropped.
4. Of the remaining times the longest win. `TenseReader` says where each points, and it is resolved or rejected.
5. dateparser reads the languages that have no rules here.
"""

import logging
import re
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta

from timewords.chart import MAX_NODES, Node, parse
from timewords.expressions import Context, Value, When
from timewords.expressions.composed import Open, Range
from timewords.expressions.counted import Ago, Amount, At, During, Within
from timewords.expressions.recurring import DayOfMonth, MonthDay, Weekday, Yearly
from timewords.folding import Folded, fold, listed
from timewords.intervals import Interval
from timewords.languages import TRIGGERS, choose_grammar, list_languages
from timewords.languages.other_languages import find_foreign_dates, find_foreign_language, foreign_words
from timewords.names import Span, find_names
from timewords.tense import TenseReader, Wording
from timewords.types import END_OF_TIME, START_OF_TIME, FoundDate, TimeWindow

logger = logging.getLogger(__name__)

MAX_CHARACTERS = 20_000  # the rest of a longer statement is not read
MAX_QUESTION_CHARACTERS = 4_000
MAX_QUESTION_WORDS = 200  # time words and numbers of a question that are read

_HINTS = frozenset(
    listed(
        "today tonight tonite yesterday tomorrow tmrw tmr now ago present moment time since until till date century "
        "second seconds minute minutes min mins hour hours day days daytime night nights week weeks weekend weekends "
        "fortnight month months quarter quarters year years yr yrs decade decades noon midnight morning afternoon "
        "evening spring summer autumn fall winter easter christmas xmas thanksgiving halloween juneteenth pentecost "
        "epiphany patrick mardi cinco valentine twenties thirties forties fifties sixties seventies eighties nineties "
        "eod eoy eom january february march april may june july august september october november december jan feb "
        "mar apr jun jul aug sep sept oct nov dec monday tuesday wednesday thursday friday saturday sunday mon tue "
        "tues wed weds thu thur thurs fri sat sun nineteen eighteen twenty thousand new"
    )
)
_VAGUE_HINTS = frozenset(
    listed(
        "recently lately nowadays earlier later previously formerly semester season holidays era period currently soon"
    )
)
_AMBIGUOUS_HINTS = frozenset(listed("may march second new time date min fall spring present sat sun mar now moment"))
_WORD = re.compile(r"[^\W\d_]+")
_DIGIT_OR_OTHER_SCRIPT = re.compile(r"\d|[^\x00-\u024f]")
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_ASKS_LENGTH = re.compile(r"how (?:many|long|often|much)\b")
_JOINS = frozenset(
    {"and", "or", "und", "oder", "et", "ou", "y", "o", "e", "en", "и", "или", "和", "或", "と", ",", "&", "vs", "vs."}
)
_PREPOSITIONS = frozenset(
    {"in", "on", "at", "the", "during", "im", "am", "an", "den", "der", "en", "au", "le", "el", "nel", "em", "op", "в"}
)


def find_dates(text: str, *, said_at: datetime) -> list[FoundDate]:
    """The dates of a statement, in order, in the zone of `said_at`, which must have one.

    A text that a faulty rule fails on has no dates. The failure is logged without the text.
    """
    return _search(text, said_at, is_question=False)


def find_window(query: str, *, asked_at: datetime) -> TimeWindow | None:
    """The time a query asks about, in whole days in the zone of `asked_at`; None where it names none.

    Joined times make one window: "in March and May", "after 2010 and before 2018". Otherwise the first time counts.
    """
    found = _search(query[:MAX_QUESTION_CHARACTERS], asked_at, is_question=True)
    if not found:
        return None
    window = _build_window(found[0])
    for later in found[1:]:
        if not _joins(query[window.span[1] : later.span[0]]):
            break
        window = _join(query, window, _build_window(later))
    return window


def has_time_word(text: str) -> bool:
    """Whether a query may name a time that the rules do not know, so that a model may be asked for it."""
    folded = fold(text).text
    if _ASKS_LENGTH.search(folded):
        return False
    words = _words_of(folded)
    if words & (_HINTS - _AMBIGUOUS_HINTS) or words & _VAGUE_HINTS or words & TRIGGERS or words & foreign_words():
        return True
    return bool(_YEAR.search(folded))


def _search(text: str, moment: datetime, *, is_question: bool) -> list[FoundDate]:
    if moment.tzinfo is None:
        raise ValueError("the moment of speaking needs a time zone")
    try:
        return read_dates(text, moment, is_question=is_question)
    except Exception:
        logger.exception("The dates of a text of %d characters could not be read", len(text))
        return []


def read_dates(text: str, moment: datetime, *, is_question: bool) -> list[FoundDate]:
    folded = fold(text[:MAX_CHARACTERS])
    words = _words_of(folded.text)
    if not _may_hold_time(folded.text, words):
        return []
    ctx = Context.at(moment, today_counts=is_question)
    most_words = MAX_QUESTION_WORDS if is_question else MAX_NODES
    nodes = parse(folded.text, choose_grammar(folded.text), most_words=most_words)
    times = [node for node in nodes if not node.is_latent]
    names = find_names(text[:MAX_CHARACTERS], folded) if times else []
    found = _Selection(folded, ctx).choose(_drop_names(names, times, folded))
    if not (found or names) or not words.isdisjoint(foreign_words()):
        found = _add_foreign(found, text, ctx)
    return [_build_date(text, reading, moment) for reading in found]


def _words_of(folded: str) -> frozenset[str]:
    return frozenset(_WORD.findall(folded))


def _may_hold_time(folded: str, words: frozenset[str]) -> bool:
    """False only if no rule can find anything."""
    if _DIGIT_OR_OTHER_SCRIPT.search(folded):
        return True
    return any(not words.isdisjoint(known) for known in (_HINTS, TRIGGERS, foreign_words()))


def _drop_names(names: list[Span], nodes: list[Node], folded: Folded) -> list[Node]:
    if not names:
        return nodes
    named = bytearray(max(end for _, end in names))
    for start, end in names:
        named[start:end] = b"\1" * (end - start)
    return [node for node in nodes if 1 not in named[slice(*folded.span(node.start, node.end))]]


@dataclass(frozen=True, slots=True)
class _Reading:
    """A time with its place in the original text."""

    span: tuple[int, int]
    interval: Interval
    is_relative: bool


class _Selection:
    """Chooses among overlapping times and resolves them."""

    def __init__(self, folded: Folded, ctx: Context) -> None:
        self.folded = folded
        self.ctx = ctx
        self.tenses = TenseReader(folded.text, is_question=ctx.today_counts)

    def choose(self, nodes: list[Node]) -> list[_Reading]:
        """The longest times that do not overlap, in the order of the text.

        A rejected time still occupies its words, so that no part of it is read: "every Friday", "30 February 2020".
        """
        taken: list[tuple[Node, When, Interval]] = []
        free = bytearray(b"\1" * len(self.folded.text))
        for node in sorted(nodes, key=lambda node: (node.start - node.end, node.start)):
            if not isinstance(node.value, When) or 0 in free[node.start : node.end]:
                continue
            wording = self.tenses.read(node.start, node.end)
            interval = self._resolve(node.value, wording)
            if _recurs(node.value, wording) or (not self.ctx.today_counts and _is_no_date(node.value, wording)):
                pass
            elif interval is not None and _is_sound(interval):
                taken.append((node, node.value, interval))
            elif not _is_impossible(node.value, interval):
                continue
            free[node.start : node.end] = bytes(node.end - node.start)
        return self._build_readings(sorted(taken, key=lambda found: found[0].start))

    def _resolve(self, value: When, wording: Wording) -> Interval | None:
        """A countdown ("how many days until Friday") asks about the day itself, which is not today."""
        ctx = self.ctx.pointing(wording.direction, has_verb=wording.has_verb)
        if not wording.is_countdown:
            return value.resolve(ctx)
        return (value.anchor if isinstance(value, Open) else value).resolve(replace(ctx, today_counts=False))

    def _build_readings(self, taken: list[tuple[Node, When, Interval]]) -> list[_Reading]:
        """A day of a month follows the date before it in the sentence: "from 14 July, back on the 28th"."""
        readings: list[_Reading] = []
        previous: tuple[int, datetime] | None = None
        for node, value, interval in taken:
            sentence = self.tenses.sentence_number(node.start)
            if previous and previous[0] == sentence and isinstance(value, DayOfMonth):
                interval = value.resolve(self.ctx.seen_from(previous[1], "future")) or interval  # noqa: PLW2901
            if interval.start:
                previous = (sentence, interval.start)
            readings.append(_Reading(self.folded.span(node.start, node.end), interval, value.is_relative))
        return readings


def _recurs(value: When, wording: Wording) -> bool:
    """Whether the time is no single day: "my birthday is on May 20", "we always meet on Friday"."""
    if isinstance(value, Range):
        return _recurs(value.first, wording) and _recurs(value.second, wording)
    if isinstance(value, At | During):
        return _recurs(value.date, wording)
    if isinstance(value, Yearly):
        return value.year is None and (wording.is_habit or wording.is_yearly)
    return isinstance(value, Weekday) and wording.is_habit


def _is_no_date(value: When, wording: Wording) -> bool:
    """Whether a statement gives a duration ("I drove there in three hours") or a vague amount ("a few years ago")."""
    is_length = isinstance(value, Within) or (isinstance(value, Ago) and value.sign > 0)
    return (is_length and wording.is_duration) or _is_vague(value)


def _is_vague(value: Value) -> bool:
    return value.is_vague if isinstance(value, Amount) else any(_is_vague(part) for part in value.children())


def _is_impossible(value: When, interval: Interval | None) -> bool:
    """Whether no part of the time may stand for it: 30 February, a weekday that never fits, a reversed range."""
    if interval is not None:
        return isinstance(value, Open)
    if isinstance(value, At | During):
        return _is_impossible(value.date, None)
    return isinstance(value, MonthDay) or (isinstance(value, Range) and not value.is_relative)


def _is_sound(interval: Interval) -> bool:
    if interval.start is None and interval.end is None:
        return False
    return (interval.start or START_OF_TIME) < (interval.end or END_OF_TIME)


def _add_foreign(ours: list[_Reading], text: str, ctx: Context) -> list[_Reading]:
    """Dateparser's reading wins where it explains more of the text."""
    found = find_foreign_dates(text, ctx)
    foreign = [_Reading((date.start, date.end), date.period.as_interval(), is_relative=True) for date in found]
    kept: list[_Reading] = []
    for reading in sorted([*ours, *foreign], key=lambda reading: reading.span[0] - reading.span[1]):
        if all(reading.span[1] <= other.span[0] or other.span[1] <= reading.span[0] for other in kept):
            kept.append(reading)
    return sorted(kept, key=lambda reading: reading.span)


def _build_date(text: str, reading: _Reading, moment: datetime) -> FoundDate:
    """Adds the zone. When summer time starts, a short interval may lie in the missing hour and keeps its length."""
    interval, span = reading.interval, reading.span
    start = interval.start.replace(tzinfo=moment.tzinfo) if interval.start else None
    end = interval.end.replace(tzinfo=moment.tzinfo) if interval.end else None
    if start and end and _offset(end) - _offset(start) >= end - start:
        end = (start.astimezone(UTC) + (end - start)).astimezone(moment.tzinfo)
    return FoundDate(span, text[span[0] : span[1]], start, end, interval.grain, reading.is_relative)


def _offset(moment: datetime) -> timedelta:
    return moment.utcoffset() or timedelta(0)


def _joins(between: str) -> bool:
    """Whether the words between two times join them: "in May and in July"."""
    first, *others = between.lower().split() or [""]
    return first in _JOINS and _PREPOSITIONS.issuperset(others)


def _build_window(found: FoundDate) -> TimeWindow:
    start = None if found.start is None else datetime.combine(found.start.date(), time.min, found.start.tzinfo)
    return TimeWindow(start, _end_of_day(found.end), found.grain, found.span, found.text, _languages_of(found.text))


def _languages_of(text: str) -> tuple[str, ...]:
    folded = fold(text).text
    known = list_languages(folded)
    if known or (text.isascii() and _words_of(folded).isdisjoint(foreign_words())):
        return known
    foreign = find_foreign_language(text)
    return (foreign,) if foreign else ()


def _end_of_day(moment: datetime | None) -> datetime | None:
    """The midnight at or after `moment`. The last day of the calendar has none and keeps its last moment."""
    if moment is None or moment.time() == time.min:
        return moment
    if moment.date() == date.max:
        return datetime.combine(date.max, time.max, moment.tzinfo)
    return datetime.combine(moment.date() + timedelta(days=1), time.min, moment.tzinfo)


def _join(query: str, first: TimeWindow, second: TimeWindow) -> TimeWindow:
    """Windows that are open to different sides bound each other. Otherwise the joined window covers both."""
    span = (first.span[0], second.span[1])
    whole = replace(first, span=span, text=query[span[0] : span[1]], grain="range")
    after, before = (first, second) if first.end is None else (second, first)
    if after.end is None and before.start is None and after.start and before.end and after.start < before.end:
        return replace(whole, start=after.start, end=before.end)
    start = None if first.start is None or second.start is None else min(first.start, second.start)
    end = None if first.end is None or second.end is None else max(first.end, second.end)
    return first if start is None and end is None else replace(whole, start=start, end=end)
