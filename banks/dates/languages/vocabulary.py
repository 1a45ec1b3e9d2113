from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from banks.dates.fold import fold_word
from banks.dates.word_lists import listed

_SHORTEST, _LONGER_THAN_IN_NAMES = 3, 5
_ENGLISH = frozenset(
    listed(
        "april august september november december jan feb aug nov dec sept minute minutes second week weekend winter "
        "des dit last next over die ore saint"
    )
)  # spelled alike: they do not tell the language, and English has rules for them


def numbered(*rows: str, first: int = 1) -> dict[str, int]:
    """Rows of words to their numbers: all words of a row mean the same."""
    return {fold_word(word): number for number, row in enumerate(rows, first) for word in row.split()}


def folded(words: Mapping[str, int]) -> dict[str, int]:
    return {fold_word(word): number for word, number in words.items()}


def feasts(**rows: str) -> dict[str, str]:
    """`new_year="Neujahr|Neujahrstag"` to {"neujahr": "new year", ...}: phrases to the name of a rule."""
    return {phrase: rule.replace("_", " ") for rule, row in rows.items() for phrase in phrases(row)}


def grouped(**rows: str) -> dict[str, str]:
    """`week="Woche Wochen"` to {"woche": "week", "wochen": "week"}."""
    return {fold_word(word): name for name, row in rows.items() for word in row.split()}


def phrases(text: str) -> tuple[str, ...]:
    """Phrases that are separated by bars."""
    return tuple(fold_word(phrase.strip()) for phrase in text.split("|") if phrase.strip())


@dataclass(frozen=True)
class Vocabulary:
    """`in_month` are the words that make a bare month a time ("im Mai"); `foreign` those that say that an
    ambiguous word ("hier") belongs to another language. A feast that is ambiguous is also a name ("Noel").
    Those of `next` that are the nearest one to come are `coming` as well ("kommendes Wochenende"), and `telling` are
    those before a month that is spelled as in English which tell the language ("im August").
    One of `days` may be a `morning` as well, and is behind `morning_leads` and weekdays ("am Morgen", "la mañana").
    Pronouns in `feast_subjects` are followed by a feast that nothing leads to ("wo war ich Silvester").
    `ordinals` lead to their numbers, the last one to -1, `feasts` to their rules in banks.dates.feasts.

    `between` and `to` stand around the ends of a range ("from ... to", "between ... and"); `range_glue`, which is
    `until` where not told, stands alone between them, and `date_glue`, which also means "at", only between two months,
    dates or weekdays. `links` lead from a part to its whole ("the first Monday of May"), `of` from a day to its month
    and from a month to its year; `after_year` follows the number of a year and `day_suffixes` that of a day.
    `feast_leads` make a feast of a word that is a name as well, and lead from a year to a day of it ("vorig jaar op 3
    mei"). What ends with an apostrophe needs no space behind it.
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
    year_word: tuple[str, ...] = ()
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
        """The words of which a text must hold one to be read with this table."""
        times = [*self.months, *self.weekdays, *self.days, *self.units, *self.seasons, *self.feasts]
        bounds = [*self.since, *self.before, *self.after, *self.until]
        turns = [*self.before_last, *self.last, *self.this, *self.next, *self.after_next]
        words = _words_of([*times, *bounds, *turns])
        return frozenset(word for word in words - _ENGLISH if len(word) >= _SHORTEST)

    @cached_property
    def cues(self) -> frozenset[str]:
        """The triggers, and the words that tell the language of months that are spelled as in English.

        They say nothing of time by themselves. Short ones stand in names ("van", "del").
        """
        longer = {word for word in _words_of(self.between) if len(word) >= _LONGER_THAN_IN_NAMES}
        return self.triggers | longer | _words_of(self.telling)


def _words_of(phrases_: Iterable[str]) -> frozenset[str]:
    return frozenset(word for phrase in phrases_ for word in phrase.replace("'", " ").replace("-", " ").split())
