import logging
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from banks.dates.chart import MAX_NODES, Node, parse
from banks.dates.context import Context
from banks.dates.expressions.bounds import Open, Range
from banks.dates.expressions.clock import At, During
from banks.dates.expressions.steps import Ago
from banks.dates.expressions.weekly import Weekday
from banks.dates.expressions.when import When
from banks.dates.expressions.yearly import MonthDay, Yearly
from banks.dates.fold import Folded, fold
from banks.dates.interval import Interval
from banks.dates.languages.choose import choose_grammar
from banks.dates.languages.dateparser_languages import ForeignDate, find_foreign_dates, foreign_words
from banks.dates.names import Span, find_names
from banks.dates.tense import Pointing, Tenses
from banks.dates.time_words import may_hold_time, words_of
from banks.dates.types import END_OF_TIME, START_OF_TIME, FoundDate

logger = logging.getLogger(__name__)

MAX_CHARACTERS = 20_000  # a longer text is a document, whose pieces are read one by one
MOST_IN_QUESTION = 200  # words and numbers that may be of a time; a timetable of 2,000 characters has fewer


def find_dates(text: str, *, said_at: datetime) -> list[FoundDate]:
    """The time expressions of a statement, in order, in the zone of `said_at`, which must have one.

    What could be of several years or weeks is the next one in a clause of the present or the future, and otherwise the
    nearest one in the past. What comes again and again ("every Friday", "my birthday is on May 20") is no date.
    """
    return search(text, said_at)


def search(text: str, moment: datetime, *, is_question: bool = False) -> list[FoundDate]:
    """A text whose reading fails has no dates: a rule's mistake costs neither the question nor the memory."""
    if moment.tzinfo is None:
        raise ValueError("the moment of speaking needs a time zone")
    try:
        return read_dates(text, moment, is_question=is_question)
    except Exception:
        logger.exception("The dates of a text of %d characters could not be read", len(text))
        return []


def read_dates(text: str, moment: datetime, *, is_question: bool) -> list[FoundDate]:
    """To a question today counts as well, and of its times the first ones are enough."""
    folded = fold(text[:MAX_CHARACTERS])
    words = words_of(folded.text)
    if not may_hold_time(folded.text, words):
        return []
    ctx = Context.at(moment, today_counts=is_question)
    most_words = MOST_IN_QUESTION if is_question else MAX_NODES
    nodes = parse(folded.text, choose_grammar(folded.text), most_words=most_words)
    times = [node for node in nodes if not node.is_latent]
    names = find_names(text[:MAX_CHARACTERS], folded) if times else []
    found = _longest(_outside(names, times, folded), folded, ctx)
    if not (found or names) or not words.isdisjoint(foreign_words()):
        foreign = find_foreign_dates(text, ctx)
        found = _with_foreign(found, foreign) if foreign else found
    return [_found_date(text, span, interval, moment, is_relative=relative) for span, interval, relative in found]


Reading = tuple[tuple[int, int], Interval, bool]


def _outside(names: list[Span], nodes: list[Node], folded: Folded) -> list[Node]:
    """Those that hold no part of a name: "Mr. Friday" is no day."""
    if not names:
        return nodes
    named = bytearray(max(end for _, end in names))
    for start, end in names:
        named[start:end] = b"\1" * (end - start)
    return [node for node in nodes if 1 not in named[slice(*folded.span(node.start, node.end))]]


def _longest(nodes: list[Node], folded: Folded, ctx: Context) -> list[Reading]:
    """Longer readings first, none over another."""
    taken: list[Reading] = []
    tenses = Tenses(folded.text, is_question=ctx.today_counts)
    free = bytearray(b"\1" * len(folded.text))
    for node in sorted(nodes, key=lambda node: (node.start - node.end, node.start)):
        if not isinstance(node.value, When) or 0 in free[node.start : node.end]:
            continue
        pointing = tenses.at(node.start, node.end)
        interval = _resolve(node.value, pointing, ctx)
        if _comes_again(node.value, pointing) or (not ctx.today_counts and _is_length(node.value, pointing)):
            pass  # its words are taken, so that no part of them is a date
        elif interval is not None and _is_sound(interval):
            taken.append((folded.span(node.start, node.end), interval, node.value.is_relative))
        elif not _is_impossible(node.value, interval):
            continue
        free[node.start : node.end] = bytes(node.end - node.start)
    return sorted(taken, key=lambda reading: reading[0])


def _resolve(value: When, pointing: Pointing, ctx: Context) -> Interval | None:
    """Of "how many days until Friday" the answer is in what is said of that day, and today is not it."""
    here = ctx.pointing(pointing.direction, has_verb=pointing.has_verb)
    if not pointing.is_counted_to:
        return value.resolve(here)
    return (value.anchor if isinstance(value, Open) else value).resolve(replace(here, today_counts=False))


def _with_foreign(ours: list[Reading], theirs: list[ForeignDate]) -> list[Reading]:
    """The library's reading where it explains more of the text: "3 de mar\u00e7o de 2025" against "2025"."""
    added: list[Reading] = [((date.start, date.end), date.period.as_interval(), True) for date in theirs]
    pool = sorted([*ours, *added], key=lambda reading: reading[0][0] - reading[0][1])
    kept: list[Reading] = []
    for reading in pool:
        if all(reading[0][1] <= other[0][0] or other[0][1] <= reading[0][0] for other in kept):
            kept.append(reading)
    return sorted(kept, key=lambda reading: reading[0])


def _comes_again(value: When, pointing: Pointing) -> bool:
    """Whether it is no single day: "my birthday is on May 20", "we always meet on Friday"."""
    if isinstance(value, Range):
        return _comes_again(value.first, pointing) and _comes_again(value.second, pointing)
    if isinstance(value, At | During):
        return _comes_again(value.date, pointing)
    if isinstance(value, Yearly):
        return value.year is None and (pointing.is_habit or pointing.is_of_any_year)
    return isinstance(value, Weekday) and pointing.is_habit


def _is_length(value: When, pointing: Pointing) -> bool:
    """Whether it tells how long something took: "I drove there in three hours"."""
    return isinstance(value, Ago) and value.sign > 0 and pointing.is_of_deed


def _is_impossible(value: When, interval: Interval | None) -> bool:
    """What no part may stand for: 30 February is not February, and "before the year 1" not that year.

    Nor is a range of known dates that ends before it starts: one of them is a mistake, and nobody knows which.
    """
    if interval is not None:
        return isinstance(value, Open)
    return isinstance(value, MonthDay) or (isinstance(value, Range) and not value.is_relative)


def _is_sound(interval: Interval) -> bool:
    """Whether any moment is inside: none is before the first year or after the last."""
    if interval.start is None and interval.end is None:
        return False
    return (interval.start or START_OF_TIME) < (interval.end or END_OF_TIME)


def _found_date(
    text: str, span: tuple[int, int], interval: Interval, moment: datetime, *, is_relative: bool
) -> FoundDate:
    start = interval.start.replace(tzinfo=moment.tzinfo) if interval.start else None
    end = interval.end.replace(tzinfo=moment.tzinfo) if interval.end else None
    if start and end and _offset(end) - _offset(start) >= end - start:
        end = (start.astimezone(UTC) + (end - start)).astimezone(moment.tzinfo)
    return FoundDate(span, text[span[0] : span[1]], start, end, interval.grain, is_relative, moment)


def _offset(moment: datetime) -> timedelta:
    """A gap in the clock's hours (summer time starts) can swallow a short interval: then its length counts."""
    return moment.utcoffset() or timedelta(0)
