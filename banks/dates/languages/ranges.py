"""Ranges, and times with one end: "zwischen dem 3. März und dem 5. Mai", "depuis lundi"."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

from banks.dates.chart import Rule, glue, word
from banks.dates.expressions.bounds import Open, Range, Side
from banks.dates.expressions.weekly import Weekday
from banks.dates.expressions.when import Value, When
from banks.dates.expressions.yearly import Month, MonthDay
from banks.dates.languages.patterns import any_of, day_number, led_by_any
from banks.dates.languages.vocabulary import Vocabulary


@dataclass(frozen=True, slots=True)
class WithArticle(Value):
    """The end of a range with the article that it may have there; anywhere else the article is not of the time."""

    when: When


_END = (When, WithArticle)


def ends_of_ranges(language: Vocabulary) -> Iterator[Rule]:
    """As in "zwischen dem 3. März und dem 5. Mai"."""
    if language.articles:
        yield Rule((word(any_of(language.articles)), When), lambda _, when: WithArticle(when))


def bounds(language: Vocabulary) -> Iterator[Rule]:
    sides: tuple[tuple[tuple[str, ...], Side], ...] = (
        (language.since, "since"), (language.before, "before"), (language.after, "after"), (language.until, "until"),
    )  # fmt: skip
    for names, side in sides:
        yield Rule((word(any_of(names)), _END), partial(_open, side))


def _open(side: Side, _: re.Match[str], end: When | WithArticle) -> Value | None:
    anchor = _bare(end)
    return None if isinstance(anchor, Open | Range) else Open(side, anchor)


def _bare(end: When | WithArticle) -> When:
    return end.when if isinstance(end, WithArticle) else end


def ranges(language: Vocabulary) -> Iterator[Rule]:
    between, to, articles = any_of(language.between), any_of(language.to), led_by_any(language.articles)
    joints = any_of((*language.range_glue, *language.date_glue))
    yield Rule((word(between), _END, word(to), _END), lambda _, a, __, b: _range(_bare(a), _bare(b)))
    yield Rule((When, glue(rf"-|(?:{any_of(language.range_glue)})\b"), _END), lambda a, _, b: _range(a, _bare(b)))
    yield Rule((When, word(any_of(language.date_glue)), _END), lambda a, _, b: _range_of_dates(a, _bare(b)))
    day = day_number(language)
    led = rf"(?<![^\W_])(?:{between})\s+{articles}{day}\s*(?:-|(?:{to})\s)\s*{articles}"
    yield Rule((re.compile(led), MonthDay), _days_of_month)
    yield Rule((re.compile(rf"(?<!\w){day}\s*(?:-|(?:{joints})\s)\s*{articles}"), MonthDay), _days_of_month)


def _range(first: When, second: When) -> Value | None:
    return None if isinstance(first, Open | Range) or isinstance(second, Open | Range) else Range(first, second)


def _range_of_dates(first: When, second: When) -> Value | None:
    """Where the joint also means "at", two of a kind are needed: "l'an dernier au printemps" is no range."""
    is_date = isinstance(first, Month | MonthDay | Weekday)
    return _range(first, second) if is_date and type(first) is type(second) else None


def _days_of_month(match: re.Match[str], last: MonthDay) -> Value | None:
    first = int(match["day"])
    return Range(MonthDay(last.year, month=last.month, day=first), last) if 1 <= first < last.day else None
