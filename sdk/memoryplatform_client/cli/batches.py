"""Items in calls that the service answers with their memories."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from memoryplatform_client.options.retain import Item
from memoryplatform_client.wire import encode_body

MOST_ITEMS = 20  # of the 100 that are waited for: a bar moves with each call
MOST_BYTES = 90_000  # of the 100,000 characters that are waited for


@dataclass(frozen=True)
class Entry:
    """`name` tells it from the others where something is to be said about it."""

    bank_id: str
    name: str
    item: Item


@dataclass(frozen=True)
class Batch:
    bank_id: str
    entries: Sequence[Entry]

    @property
    def items(self) -> list[Item]:
        return [one.item for one in self.entries]


def cut_batches(entries: Iterable[Entry]) -> Iterator[Batch]:
    """The same entries are always cut the same way. One that is too large goes alone."""
    held: list[Entry] = []
    size = 0
    for entry in entries:
        weight = len(encode_body({"item": entry.item}))
        is_full = len(held) == MOST_ITEMS or size + weight > MOST_BYTES
        if held and (is_full or held[0].bank_id != entry.bank_id):
            yield Batch(held[0].bank_id, tuple(held))
            held, size = [], 0
        held.append(entry)
        size += weight
    if held:
        yield Batch(held[0].bank_id, tuple(held))
