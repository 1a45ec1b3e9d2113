"""`/v3/memories/add/` and `/v1/memories/`, POST: facts are taken in the background, and an event tells of it."""

from collections.abc import Iterable, Mapping
from typing import Any
from uuid import UUID

from banks.models import MemoryUnit
from memoryplatform.api.compat.mem0.add_input import Addition, read_addition
from memoryplatform.api.compat.mem0.homes import make_home
from memoryplatform.api.compat.mem0.metadata import EXPIRATION, IMMUTABLE
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.memories.newest_metadata import MetadataRule
from memoryplatform.operations.models import Operation
from memoryplatform.operations.retain import retain
from tenants.transactions import tenant_transaction

RULE = MetadataRule(passing=EXPIRATION, fixing=IMMUTABLE)
QUEUED = "Memory processing has been queued for background execution"
STATUS = {
    Operation.Status.PENDING: "PENDING",
    Operation.Status.PROCESSING: "RUNNING",
    Operation.Status.COMPLETED: "SUCCEEDED",
    Operation.Status.FAILED: "FAILED",
    Operation.Status.CANCELLED: "FAILED",
}


def add_memories(access: BankAccess, given: Any, *, key: str | None) -> dict[str, Any]:
    return perform(access, read_addition(as_object(given)), key=key)


def add_memories_as_before(access: BankAccess, given: Any, *, key: str | None) -> Any:
    """Version 1 answers with a list: of what is to be done, or of what was done where the caller waited for it."""
    addition = read_addition(as_object(given))
    answer = perform(access, addition, key=key)
    results = answer["results"] if answer["status"] == "SUCCEEDED" else [answer]
    return {"results": results, "relations": []} if addition.is_wrapped else results


def as_object(given: Any) -> Mapping[str, Any]:
    return given if isinstance(given, Mapping) else {}


def perform(access: BankAccess, addition: Addition, *, key: str | None) -> dict[str, Any]:
    bank_id = make_home(access, addition.owners)
    operation = retain(access, bank_id, addition.items, wait=addition.waits, idempotency_key=key, metadata_rule=RULE)
    status = STATUS[Operation.Status(operation.status)]
    answer = {"message": operation.error_detail or QUEUED, "status": status, "event_id": operation.id}
    if status == "SUCCEEDED":
        results = list_added(access.tenant_id, [operation])[operation.id]
        answer |= {"message": "Memories added successfully", "results": results}
    return answer


def list_added(tenant_id: UUID, operations: Iterable[Operation]) -> dict[UUID, list[dict[str, Any]]]:
    """By the ids of the operations, the new memories that are still there, read in one statement.

    What was known already is proven once more, and no new memory.
    """
    added: dict[UUID, list[str]] = {one.id: sorted((one.result or {}).get("unit_ids", [])) for one in operations}
    wanted = [memory_id for ids in added.values() for memory_id in ids]
    with tenant_transaction(tenant_id):
        rows = MemoryUnit.objects.for_tenant(tenant_id).filter(id__in=wanted).values_list("id", "text")
        texts = {str(memory_id): text for memory_id, text in rows}
    return {
        operation: [describe_added(one, texts[one]) for one in ids if one in texts] for operation, ids in added.items()
    }


def describe_added(memory_id: str, text: str) -> dict[str, Any]:
    return {"id": memory_id, "memory": text, "data": {"memory": text}, "event": "ADD"}
