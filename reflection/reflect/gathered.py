from collections.abc import Iterable
from uuid import UUID

from reflection.reflect.types import Labelled
from retrieval.types import RecallItem


class Gathered:
    """The memories that were found for one answer, each once, under the numbers 1, 2, 3 in the order they came."""

    def __init__(self) -> None:
        self._by_label: dict[int, Labelled] = {}
        self._by_id: dict[UUID, Labelled] = {}

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

    def find(self, label: int) -> Labelled | None:
        return self._by_label.get(label)

    def find_by_id(self, memory_id: UUID) -> Labelled | None:
        return self._by_id.get(memory_id)

    @property
    def memories(self) -> tuple[Labelled, ...]:
        return tuple(self._by_label.values())
