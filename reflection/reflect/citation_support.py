"""Support of a citation: the cited memory has the names, numbers and dates of the sentence.

The cited memory is compared with the other memories that the model was shown. A name that none of them has decides
nothing, because the answer may be in another language. Nor does a number that none has beside a shared name: a count or
a duration is computed.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from typing import Self

from banks.text_index.lexemes import extract_lexemes
from reflection.reflect.found_memories import FoundMemories
from reflection.reflect.types import LabelledMemory
from timewords import find_dates
from timewords.rendering import write_day_of_week

YEARS = range(1900, 2100)
WORD = re.compile(r"\w+")
ENOUGH_WORDS = 3  # of a sentence without names, numbers and dates


class MemoryWords:
    """The words of a memory, by what they support."""

    def __init__(self, memory: LabelledMemory) -> None:
        candidate = memory.item.candidate
        moments = [candidate.mentioned_at, candidate.occurred_start, candidate.occurred_end]
        self._text = memory.item.text
        self._moments = " ".join(f"{write_day_of_week(one)} {one:%H:%M}" for one in moments if one)
        self._context = candidate.context
        self.entities = frozenset(
            WORD.findall(" ".join([*candidate.entities, *(voice.name for voice in candidate.voices)]))
        )

    @cached_property
    def names(self) -> frozenset[str]:
        return frozenset(word.casefold() for word in (*WORD.findall(f"{self._text} {self._context}"), *self.entities))

    @cached_property
    def topics(self) -> frozenset[str]:
        return frozenset(extract_lexemes(" ".join([self._text, *self.entities])))

    @cached_property
    def numbers(self) -> frozenset[str]:
        return list_numbers(split_dates(self._text)[0])

    @cached_property
    def dates(self) -> frozenset[str]:
        return list_date_words(f"{self._text} {self._moments}")


@dataclass(frozen=True)
class Claim:
    """The words of a sentence. `names` are those that a shown memory has, `dates` the most exact of these: days, else
    months, else years.
    """

    names: frozenset[str]
    numbers: frozenset[str]
    dates: frozenset[str]
    topics: frozenset[str]
    has_values: bool

    @classmethod
    def read(cls, sentence: str, shown: Sequence[MemoryWords]) -> Self:
        """The first word is a name only if an entity is called so: its capital may come from its place."""
        rest, written_dates = split_dates(sentence)
        first, *others = WORD.findall(rest) or [""]
        named = [word for word in others if word[0].isupper() and len(word) > 1]
        if any(first in one.entities for one in shown):
            named.append(first)
        numbers, dates = list_numbers(rest), list_date_words(written_dates)
        return cls(
            names=frozenset(word.casefold() for word in named) & unite(one.names for one in shown),
            numbers=numbers,
            dates=choose_most_exact(dates & unite(one.dates for one in shown)) if dates else dates,
            topics=frozenset(one for one in extract_lexemes(rest) if not has_digit(one)),
            has_values=bool(numbers or dates),
        )

    def has_value_of(self, memory: MemoryWords) -> bool:
        return bool(self.dates & memory.dates or self.numbers & memory.numbers)

    def count_topics(self, memory: MemoryWords) -> int:
        return len(self.topics & memory.topics)


class CitationCheck:
    """The check of the citations of one answer."""

    def __init__(self, found: FoundMemories) -> None:
        self._found = found
        self._words: dict[int, MemoryWords] = {}

    def supports(self, memory: LabelledMemory, sentence: str) -> bool:
        """Names first: one that a shown memory has must stand in the cited one. Then one number or date: it may be
        missing only if no memory has it that is as close to the sentence. A sentence without all of these keeps its
        citation, unless the cited memory shares no word with it and another one shares several.
        """
        own, shown = self._read(memory), [self._read(one) for one in self._found.shown]
        claim = Claim.read(sentence, shown)
        if claim.names and not claim.names & own.names:
            return False
        if claim.has_values:
            closeness = claim.count_topics(own)
            as_close = (one for one in shown if claim.count_topics(one) >= closeness)
            return claim.has_value_of(own) or (bool(claim.names) and not any(map(claim.has_value_of, as_close)))
        is_near = bool(claim.names) or claim.count_topics(own) > 0
        return is_near or all(claim.count_topics(one) < ENOUGH_WORDS for one in shown)

    def _read(self, memory: LabelledMemory) -> MemoryWords:
        if memory.label not in self._words:
            self._words[memory.label] = MemoryWords(memory)
        return self._words[memory.label]


def split_dates(text: str) -> tuple[str, str]:
    """The text without its dates, and the dates."""
    rest, dates, end = [], [], 0
    for found in find_dates(text, said_at=datetime.now(UTC)):
        start, stop = found.span
        rest.append(text[end:start])
        dates.append(text[start:stop])
        end = max(end, stop)
    return " ".join([*rest, text[end:]]), " ".join(dates)


def list_numbers(text: str) -> frozenset[str]:
    return frozenset(word.lstrip("0") or "0" for word in extract_lexemes(text) if has_digit(word))


def list_date_words(text: str) -> frozenset[str]:
    """The numbers and the capitalised words, such as months."""
    capitalised = (word.casefold() for word in WORD.findall(text) if word[0].isupper())
    return list_numbers(text) | frozenset(capitalised)


def choose_most_exact(dates: frozenset[str]) -> frozenset[str]:
    days = frozenset(word for word in dates if has_digit(word) and not is_year(word))
    months = frozenset(word for word in dates if not has_digit(word))
    return days or months or dates


def unite(sets: Iterable[frozenset[str]]) -> frozenset[str]:
    return frozenset[str]().union(*sets)


def is_year(word: str) -> bool:
    return word.isdigit() and int(word) in YEARS


def has_digit(word: str) -> bool:
    return any(map(str.isdigit, word))
