from dataclasses import replace
from datetime import date, datetime, time, timedelta

from banks.dates.find import search
from banks.dates.fold import fold
from banks.dates.languages.choose import list_languages
from banks.dates.languages.dateparser_languages import find_foreign_language, foreign_words
from banks.dates.time_words import words_of
from banks.dates.types import FoundDate, TimeWindow

_JOINED = frozenset(
    {"and", "or", "und", "oder", "et", "ou", "y", "o", "e", "en", "и", "или", "和", "或", "と", ",", "&", "vs", "vs."}
)
_PREPOSITIONS = frozenset(
    {"in", "on", "at", "the", "during", "im", "am", "an", "den", "der", "en", "au", "le", "el", "nel", "em", "op", "в"}
)
MAX_CHARACTERS = 4_000  # a question comes to its point before that


def find_window(query: str, *, asked_at: datetime) -> TimeWindow | None:
    """The time a query asks about, in whole days in the zone of `asked_at`; None where it names none.

    Times that are joined ("in March and May", "after 2010 and before 2018") make one window; of several others the
    first counts, as a query's later times tend to belong to what it asks about.
    """
    found = search(query[:MAX_CHARACTERS], asked_at, is_question=True)
    if not found:
        return None
    window = _window(found[0])
    for later in found[1:]:
        if not _joins(query[window.span[1] : later.span[0]]):
            break
        window = _join(query, window, _window(later))
    return window


def _joins(between: str) -> bool:
    """As in "in May and in July": one word that joins, and what leads to the next time."""
    first, *others = between.lower().split() or [""]
    return first in _JOINED and _PREPOSITIONS.issuperset(others)


def _window(found: FoundDate) -> TimeWindow:
    start, end = _day_start(found.start), _day_end(found.end)
    return TimeWindow(start, end, found.grain, found.span, found.text, _languages(found.text))


def _languages(text: str) -> tuple[str, ...]:
    """Our own tables know better than the library's, which many languages share."""
    folded = fold(text).text
    known = list_languages(folded)
    if known or (text.isascii() and words_of(folded).isdisjoint(foreign_words())):
        return known
    foreign = find_foreign_language(text)
    return (foreign,) if foreign else ()


def _day_start(moment: datetime | None) -> datetime | None:
    return None if moment is None else datetime.combine(moment.date(), time.min, moment.tzinfo)


def _day_end(moment: datetime | None) -> datetime | None:
    """The midnight at or after `moment`; the last day of the calendar has none and keeps its last moment."""
    if moment is None or moment.time() == time.min:
        return moment
    if moment.date() == date.max:
        return datetime.combine(date.max, time.max, moment.tzinfo)
    return datetime.combine(moment.date() + timedelta(days=1), time.min, moment.tzinfo)


def _join(query: str, first: TimeWindow, second: TimeWindow) -> TimeWindow:
    """Open to different sides they bound each other, otherwise the window reaches over both."""
    span = (first.span[0], second.span[1])
    whole = replace(first, span=span, text=query[span[0] : span[1]], grain="range")
    after, before = (first, second) if first.end is None else (second, first)
    if after.end is None and before.start is None and after.start and before.end and after.start < before.end:
        return replace(whole, start=after.start, end=before.end)
    starts, ends = (first.start, second.start), (first.end, second.end)
    hull = replace(
        whole,
        start=None if starts[0] is None or starts[1] is None else min(starts[0], starts[1]),
        end=None if ends[0] is None or ends[1] is None else max(ends[0], ends[1]),
    )
    return first if hull.start is None and hull.end is None else hull
