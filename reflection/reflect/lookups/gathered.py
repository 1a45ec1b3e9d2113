from collections.abc import Iterable
from uuid import UUID

from reflection.reflect.types import Labelled
from retrieval.types import RecallItem


class Gathered:
    """The memories that were found for one answer, each once, under the numbers 1, 2, 3 in the order they came.

    A model can name only what it was shown: the bound on tokens may have left some out of its prompt.
    """

    def __init__(self) -> None:
        self._by_label: dict[int, Labelled] = {}
        self._by_id: dict[UUID, Labelled] = {}
        self._shown: set[int] = set()
        self._read: set[UUID] = set()

    def __len__(self) -> int:
        return len(self._by_label)

    def add(self, items: Iterable[RecallItem]) -> list[Labelled]:
        """Those that are new."""
        new: list[Labelled] = []
        for item in items:
            if item.candidate.id not in self._by_id:
                labelled = Labelled(len(self._by_label) + 1, item)
                self._by_label[labelled.label] = self._by_id[item.candidate.id] = labelled
                new.append(labelled)
        return new

    def show(self, memories: Iterable[Labelled]) -> None:
        """They stand in a prompt from now on."""
        self._shown.update(memory.label for memory in memories)

    def note_read(self, ids: Iterable[UUID]) -> None:
        """What else stands in a prompt: relationships, and the words that a memory was taken from."""
        self._read.update(ids)

    @property
    def shown(self) -> dict[UUID, str | None]:
        """All that a model has read, whether it can name it or not, with the texts of memories as it read them."""
        memories = (self._by_label[label] for label in self._shown)
        return dict.fromkeys(self._read) | {memory.id: find_own_text(memory) for memory in memories}

    def knows(self, memory_id: UUID) -> bool:
        return memory_id in self._by_id

    def find(self, label: int) -> Labelled | None:
        """Among those that were shown."""
        return self._by_label.get(label) if label in self._shown else None

    def find_by_id(self, memory_id: UUID) -> Labelled | None:
        """Among those that were shown."""
        memory = self._by_id.get(memory_id)
        return memory if memory and memory.label in self._shown else None

    @property
    def told(self) -> tuple[Labelled, ...]:
        """Those that were shown."""
        return tuple(self._by_label[label] for label in sorted(self._shown))

    @property
    def memories(self) -> tuple[Labelled, ...]:
        return tuple(self._by_label.values())


def find_own_text(memory: Labelled) -> str | None:
    """None of a raw passage, whose words nobody can change."""
    candidate = memory.item.candidate
    return candidate.text if candidate.kind == "unit" else None
