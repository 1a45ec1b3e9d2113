"""The table of a language's time words, read from a file, and helpers to use it in patterns."""

import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property, partial
from importlib.resources import files
from typing import Any

from timewords.folding import fold_word, listed

_SHORTEST, _LONGER_THAN_IN_NAMES = 3, 5
_ENGLISH = frozenset(
    listed(
        "april august september november december jan feb aug nov dec sept minute minutes second week weekend winter "
        "des dit last next over die ore saint"
    )
)  # spelled as in English, so they do not show the language


@dataclass(frozen=True)
class Vocabulary:
    """The time words of a language, folded.

    - `days`: "gestern" to -1. One of them may also be a `morning`: after a weekday or a word of `morning_leads`.
    - `last`, `this`, `next`, `before_last`, `after_next`: before or after a unit. Words of `coming` mean the nearest
      one ahead ("kommendes Wochenende").
    - `ago_before`, `ago_after`, `ahead_before`, `ahead_after`: around a length ("vor drei Tagen", "hace dos meses").
    - `in_month`, `in_season`: they make a bare month or season a time ("im Mai").
    - `between`, `to`: around the ends of a range ("zwischen ... und"). `range_glue`, by default `until`, stands between
      them alone. `date_glue` also means "at", and joins only two months, dates or weekdays.
    - `links`: from a part to its whole ("the first Monday of May"). `of`: from a day to its month, and from a month to
      its year. `after_year` and `day_suffixes` follow the numbers of years and days.
    - `ordinals`: "erste" to 1, the last one to -1. `feasts`: to the rules of timewords.expressions.recurring.
    - `feast_leads` make a feast of an ambiguous word ("an Silvester"), and lead from a year to a day in it.
      `feast_subjects` are pronouns that a feast follows directly ("wo war ich Silvester").
    - `telling`: words before a month that is spelled as in English, which show the language ("im August").
    - `ambiguous`: days and feasts that are also another word. `foreign`: words that show that they are.

    A word that ends with an apostrophe needs no space after it.
    """

    months: Mapping[str, int]
    weekdays: Mapping[str, int]
    days: Mapping[str, int]
    units: Mapping[str, str]
    seasons: Mapping[str, int]
    numbers: Mapping[str, int]
    last: tuple[str, ...]
    this: tuple[str, ...]
    next: tuple[str, ...]
    ago_before: tuple[str, ...] = ()
    ago_after: tuple[str, ...] = ()
    ahead_before: tuple[str, ...] = ()
    ahead_after: tuple[str, ...] = ()
    in_month: tuple[str, ...] = ()
    early: tuple[str, ...] = ()
    mid: tuple[str, ...] = ()
    late: tuple[str, ...] = ()
    coming: tuple[str, ...] = ()
    telling: tuple[str, ...] = ()
    between: tuple[str, ...] = ()
    to: tuple[str, ...] = ()
    since: tuple[str, ...] = ()
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    until: tuple[str, ...] = ()
    range_glue: tuple[str, ...] = ()
    date_glue: tuple[str, ...] = ()
    articles: tuple[str, ...] = ()
    links: tuple[str, ...] = ()
    of: tuple[str, ...] = ()
    after_year: tuple[str, ...] = ()
    day_suffixes: tuple[str, ...] = ()
    in_season: tuple[str, ...] = ()
    feast_leads: tuple[str, ...] = ()
    feast_subjects: tuple[str, ...] = ()
    morning: str = ""
    morning_leads: frozenset[str] = field(default_factory=frozenset)
    before_last: tuple[str, ...] = ()
    after_next: tuple[str, ...] = ()
    ordinals: Mapping[str, int] = field(default_factory=dict)
    feasts: Mapping[str, str] = field(default_factory=dict)
    ambiguous: frozenset[str] = field(default_factory=frozenset)
    foreign: frozenset[str] = field(default_factory=frozenset)

    def __post_init__(self) -> None:
        if not self.range_glue:
            object.__setattr__(self, "range_glue", self.until)

    @cached_property
    def triggers(self) -> frozenset[str]:
        """A text is read with this table if it holds one of these words."""
        times = [*self.months, *self.weekdays, *self.days, *self.units, *self.seasons, *self.feasts]
        bounds = [*self.since, *self.before, *self.after, *self.until]
        turns = [*self.before_last, *self.last, *self.this, *self.next, *self.after_next]
        words = _words_of([*times, *bounds, *turns])
        return frozenset(word for word in words - _ENGLISH if len(word) >= _SHORTEST)

    @cached_property
    def cues(self) -> frozenset[str]:
        """The triggers, and words that show the language of months that are spelled as in English.

        Short words are left out, as they stand in names ("van", "del").
        """
        longer = {word for word in _words_of(self.between) if len(word) >= _LONGER_THAN_IN_NAMES}
        return self.triggers | longer | _words_of(self.telling)


@cache
def load_vocabulary(code: str) -> Vocabulary:
    """The table of a language, from `words/<code>.toml`. Phrases are separated by bars there."""
    text = files("timewords.languages").joinpath("words", f"{code}.toml").read_text("utf-8")
    return Vocabulary(**{name: _READERS.get(name, _phrases)(value) for name, value in tomllib.loads(text).items()})


def _phrases(text: str) -> tuple[str, ...]:
    return tuple(fold_word(phrase.strip()) for phrase in text.split("|") if phrase.strip())


def _numbered(rows: list[str], first: int = 1) -> dict[str, int]:
    """Words to the number of their row."""
    return {fold_word(word): number for number, row in enumerate(rows, first) for word in row.split()}


def _folded(words: Mapping[str, int]) -> dict[str, int]:
    return {fold_word(word): number for word, number in words.items()}


def _named(rows: Mapping[str, str]) -> dict[str, str]:
    """`week = "Woche|Wochen"` to {"woche": "week", "wochen": "week"}."""
    return {phrase: name for name, row in rows.items() for phrase in _phrases(row)}


def _phrase_set(text: str) -> frozenset[str]:
    return frozenset(_phrases(text))


_READERS: Mapping[str, Callable[[Any], Any]] = {
    "months": _numbered,
    "weekdays": partial(_numbered, first=0),
    **dict.fromkeys(("days", "seasons", "numbers", "ordinals"), _folded),
    **dict.fromkeys(("units", "feasts"), _named),
    **dict.fromkeys(("morning_leads", "ambiguous", "foreign"), _phrase_set),
    "morning": str,
}


def _words_of(phrases_: Iterable[str]) -> frozenset[str]:
    return frozenset(word for phrase in phrases_ for word in phrase.replace("'", " ").replace("-", " ").split())


def any_of(names: Iterable[str]) -> str:
    return "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True)) or "(?!)"


def led_by_any(names: Iterable[str]) -> str:
    """One of these words with the space after it, or nothing."""
    return rf"(?:(?:{any_of(names)})(?:(?<=')|\s+))?"


def day_number(language: Vocabulary) -> str:
    return rf"(?<![\d.,:/$€])(?P<day>\d{{1,2}})(?:\.|°|{any_of(language.day_suffixes)})?"
