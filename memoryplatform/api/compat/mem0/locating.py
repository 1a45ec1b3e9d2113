"""From a memory's id to its bank: mem0's routes name no bank."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from banks.errors import MemoryNotFound
from memoryplatform.api.compat.mem0.filters.fields import read_uuid
from memoryplatform.api.compat.mem0.reach import find_banks, of_banks
from memoryplatform.operations.access import BankAccess
from tenants.transactions import tenant_transaction


@dataclass(frozen=True)
class Located:
    memory_id: UUID
    bank_id: str
    bank_pk: UUID


def locate(access: BankAccess, given: Any) -> Located:
    (located,) = locate_all(access, [read_uuid("memory_id", given)])
    return located


def locate_all(access: BankAccess, memory_ids: Iterable[UUID]) -> list[Located]:
    """All or none. Not there, not yours, out of the key's reach and not mem0's are the same."""
    wanted = list(dict.fromkeys(memory_ids))
    with tenant_transaction(access.tenant_id):
        units = of_banks(access.tenant_id, find_banks(access).values("id")).filter(id__in=wanted)
        found = {row[0]: Located(*row) for row in units.values_list("id", "bank__bank_id", "bank_id")}
    missing = [memory_id for memory_id in wanted if memory_id not in found]
    if missing:
        raise MemoryNotFound(missing[0])
    return [found[memory_id] for memory_id in wanted]
