"""Grouping items into requests that are small enough for the service to wait for their memories."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from memoryplatform_client.options.retain import Item
from memoryplatform_client.wire import encode_body

MOST_ITEMS = 20  # the service waits for up to 100; smaller requests move the progress bar more often
MOST_BYTES = 90_000  # the service waits for up to 100,000 characters


@dataclass(frozen=True)
class Entry:
    """`name` identifies the item in messages."""

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
    """Deterministic: the same entries always give the same batches. An entry above the limit is a batch of its own."""
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
