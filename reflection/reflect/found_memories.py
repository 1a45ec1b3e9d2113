"""The memories found for one answer, their numbers, and the references by which a model names them."""

import re
from collections.abc import Iterable, Sequence
from itertools import accumulate, chain
from uuid import UUID

from reflection.reflect.types import LabelledMemory
from retrieval.fusion import Key, add_reciprocal_ranks
from retrieval.types import RecallItem

NUMBER = re.compile(r"[mM#]?(\d{1,9})")
ID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
BETWEEN = re.compile(r"[\s,;\u3001\uff0c\uff1b]+(?:and\s+|&\s*)?")
# No leading zeros: "05-08" is a day. No further hyphens around it: those are dates and ids.
RANGE = re.compile(
    r"(?<![\w.-])[mM#]?([1-9]\d{0,8})\s*(?:[-\u2010-\u2015\u2212\u301c\uff5e~]|\.{2,3}|\bto\b)\s*[mM#]?([1-9]\d{0,8})(?![\w.-])"
)
WIDEST = 40  # numbers of a range; a wider one gives pages of a book


class FoundMemories:
    """Each memory once, numbered 1, 2, 3 in the order of arrival.

    A model can name only the memories that it was shown. The bound on tokens may leave some out of its prompt.
    """

    def __init__(self) -> None:
        self._by_label: dict[int, LabelledMemory] = {}
        self._by_id: dict[UUID, LabelledMemory] = {}
        self._shown: set[int] = set()
        self._read: set[UUID] = set()

    def __len__(self) -> int:
        return len(self._by_label)

    def __contains__(self, memory_id: UUID) -> bool:
        return memory_id in self._by_id

    @property
    def memories(self) -> tuple[LabelledMemory, ...]:
        return tuple(self._by_label.values())

    def add(self, items: Iterable[RecallItem]) -> list[LabelledMemory]:
        """Returns the new ones."""
        new: list[LabelledMemory] = []
        for item in items:
            if item.candidate.id not in self._by_id:
                labelled = LabelledMemory(len(self._by_label) + 1, item)
                self._by_label[labelled.label] = self._by_id[item.candidate.id] = labelled
                new.append(labelled)
        return new

    def note_shown(self, memories: Iterable[LabelledMemory]) -> None:
        """The prompt holds these memories from now on."""
        self._shown.update(memory.label for memory in memories)

    def note_read(self, ids: Iterable[UUID]) -> None:
        """The prompt also holds these relationships, messages and chunks."""
        self._read.update(ids)

    @property
    def shown(self) -> tuple[LabelledMemory, ...]:
        return tuple(self._by_label[label] for label in sorted(self._shown))

    @property
    def read_texts(self) -> dict[UUID, str | None]:
        """Every id that a model has read, with the text of a unit as it was read. A chunk never changes: None."""
        return dict.fromkeys(self._read) | {memory.id: find_unit_text(memory) for memory in self.shown}

    def find_shown(self, reference: str) -> LabelledMemory | None:
        """The shown memory that a number ("3", "m3", "#3") or an id names."""
        if number := NUMBER.fullmatch(reference):
            memory = self._by_label.get(int(number[1]))
        else:
            memory = self._by_id.get(UUID(reference)) if ID.fullmatch(reference) else None
        return memory if memory and memory.label in self._shown else None


def find_unit_text(memory: LabelledMemory) -> str | None:
    candidate = memory.item.candidate
    return candidate.text if candidate.kind == "unit" else None


def list_references(text: str) -> list[str]:
    """All references in a text, ranges spelled out. Empty if the text holds anything else."""
    names = [name for name in BETWEEN.split(RANGE.sub(spell_out_range, text).strip()) if name]
    return names if all(NUMBER.fullmatch(name) or ID.fullmatch(name) for name in names) else []


def spell_out_range(found: re.Match[str]) -> str:
    """A descending range is a score, or the short form of a year."""
    first, last = int(found[1]), int(found[2])
    return ", ".join(map(str, range(first, last + 1))) if first < last < first + WIDEST else found[0]


def merge_results(lists: Sequence[Sequence[RecallItem]], *, max_tokens: int) -> list[RecallItem]:
    """Several recalls as one, in the order of RRF over their ranks, up to the first item that does not fit."""
    items: dict[Key, RecallItem] = {}
    for item in chain.from_iterable(lists):
        items.setdefault(get_key(item), item)
    sums = add_reciprocal_ranks([map(get_key, one) for one in lists])
    ranked = [items[key] for key in sorted(sums, key=lambda key: -sums[key])]
    spent = accumulate(item.tokens for item in ranked)
    return [item for item, tokens in zip(ranked, spent, strict=True) if tokens <= max_tokens]


def get_key(item: RecallItem) -> Key:
    return item.candidate.kind, item.candidate.id
