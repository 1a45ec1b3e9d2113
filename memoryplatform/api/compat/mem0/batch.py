"""`/v1/batch/`: many memories at once. They are all looked for before the first is touched."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from memoryplatform.api.compat.mem0.errors import naming
from memoryplatform.api.compat.mem0.filters.fields import read_uuid
from memoryplatform.api.compat.mem0.locating import Located, locate_all
from memoryplatform.api.compat.mem0.mem0_view import Mem0View
from memoryplatform.api.compat.mem0.memory import read_update, update_memory
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.memories.deleting import delete_memories

MOST_MEMORIES = 1_000


@dataclass(frozen=True)
class Named:
    """A memory with what else was said of it."""

    located: Located
    given: Mapping[str, Any]


class BatchView(Mem0View):
    def put(self, request: Request) -> Response:
        named = read_batch(self.access, request.data, "updated")
        for place, one in enumerate(named):
            with naming(f"memories.{place}"):
                read_update(one.given)
        for one in named:
            update_memory(self.access, one.located, one.given)
        return Response({"message": f"Successfully updated {len(named)} memories"})

    def delete(self, request: Request) -> Response:
        named = read_batch(self.access, request.data, "deleted")
        found = {(one.located.bank_pk, one.located.memory_id) for one in named}
        delete_memories(self.access, found)
        return Response({"message": f"Successfully deleted {len(found)} memories"})


def read_batch(access: BankAccess, given: Any, done: str) -> list[Named]:
    memories = given.get("memories") if isinstance(given, Mapping) else None
    if not isinstance(memories, list) or not memories or not all(isinstance(one, Mapping) for one in memories):
        raise serializers.ValidationError("memories must be a list of objects with a memory_id.")
    if len(memories) > MOST_MEMORIES:
        raise serializers.ValidationError(f"Maximum of {MOST_MEMORIES} memories can be {done} in a single request")
    ids = [read_uuid("memory_id", one.get("memory_id")) for one in memories]
    located = {one.memory_id: one for one in locate_all(access, ids)}
    return [Named(located[memory_id], one) for memory_id, one in zip(ids, memories, strict=True)]
