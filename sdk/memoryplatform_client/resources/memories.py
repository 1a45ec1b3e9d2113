from typing import Unpack

from memoryplatform_client.calls import Call, change, fetch, reader, remove, submit, tagged_reader
from memoryplatform_client.identifiers import Id
from memoryplatform_client.models.graphs import MemoryGraph
from memoryplatform_client.models.memories import (
    MemoriesCleared,
    MemoriesDeleted,
    MemoryDetail,
    MemoryHistory,
    MemoryItem,
)
from memoryplatform_client.options.edits import Invalidation, MemoryEdit
from memoryplatform_client.options.lists import CursorOptions, GraphFilter, MemoryFilter, MemoryListOptions
from memoryplatform_client.pages import Listing, list_of
from memoryplatform_client.routes import Resource, S_co, listed, route
from memoryplatform_client.wire import check_filters, path_of


class Memories(Resource[S_co]):
    @listed
    def list(self, bank_id: str, **wanted: Unpack[MemoryListOptions]) -> Listing[MemoryItem]:
        return list_of(path_of("banks", bank_id, "memories"), MemoryItem, wanted)

    @route
    def graph(self, bank_id: str, **wanted: Unpack[GraphFilter]) -> Call[MemoryGraph]:
        """Memories and the stored links between them, for drawing."""
        return fetch(path_of("banks", bank_id, "graph"), reader(MemoryGraph), wanted)

    @route
    def get(self, bank_id: str, memory_id: Id) -> Call[MemoryDetail]:
        return fetch(path_of("banks", bank_id, "memories", memory_id), tagged_reader(MemoryDetail))

    @route
    def edit(self, bank_id: str, memory_id: Id, **fields: Unpack[MemoryEdit]) -> Call[MemoryDetail]:
        return change(path_of("banks", bank_id, "memories", memory_id), tagged_reader(MemoryDetail), fields)

    @route
    def invalidate(self, bank_id: str, memory_id: Id, **fields: Unpack[Invalidation]) -> Call[MemoryDetail]:
        """Close the memory. It stays visible in queries about the past."""
        path = path_of("banks", bank_id, "memories", memory_id, "invalidate")
        return submit(path, tagged_reader(MemoryDetail), fields)

    @route
    def restore(
        self,
        bank_id: str,
        memory_id: Id,
        *,
        explanation: str = "",
        if_match: str | None = None,
        idempotency_key: str | None = None,
    ) -> Call[MemoryDetail]:
        path = path_of("banks", bank_id, "memories", memory_id, "restore")
        fields = {"explanation": explanation, "if_match": if_match, "idempotency_key": idempotency_key}
        return submit(path, tagged_reader(MemoryDetail), fields)

    @route
    def history(self, bank_id: str, memory_id: Id, **wanted: Unpack[CursorOptions]) -> Call[MemoryHistory]:
        """All changes, or a page of them."""
        return fetch(path_of("banks", bank_id, "memories", memory_id, "history"), reader(MemoryHistory), wanted)

    @route
    def delete(
        self, bank_id: str, memory_id: Id, *, sources: bool = False, if_match: str | None = None
    ) -> Call[MemoriesDeleted]:
        """Delete the memory for good, with everything that rests on it alone. `if_match`: the `etag` that was read.

        The messages and documents that it was taken from stay readable, unless `sources` is true.
        """
        path = path_of("banks", bank_id, "memories", memory_id)
        return remove(path, reader(MemoriesDeleted), {"sources": True} if sources else None, if_match=if_match)

    @route
    def clear(self, bank_id: str, **wanted: Unpack[MemoryFilter]) -> Call[MemoriesCleared]:
        """Delete the memories that match the filter; without a filter, every current memory of the bank.

        Raises UnusableFilter for an empty filter before anything is sent, since that would delete everything.
        """
        check_filters(wanted)
        return remove(path_of("banks", bank_id, "memories"), reader(MemoriesCleared), wanted)
