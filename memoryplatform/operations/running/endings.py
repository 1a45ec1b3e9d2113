"""How an operation ended, told to whoever wants to know."""

from typing import Any

from memoryplatform.operations.models import Operation
from memoryplatform.operations.notify.undelivered import give_up_delivery
from memoryplatform.operations.running.kind_names import CONSOLIDATE, DELIVER_WEBHOOK, RETAIN
from tenants.webhooks.announce import Event, announce

MOST_IDS = 1_000  # in one event; the operation itself has them all


def tell_end(operation: Operation) -> None:
    """Call inside the transaction that finishes it, with the row as it is then.

    Of a delivery nothing is told: that would never end.
    """
    if operation.kind == DELIVER_WEBHOOK:
        if operation.status != Operation.Status.COMPLETED:
            give_up_delivery(operation)
        return
    told = describe(operation)
    announce(operation.tenant_id, Event(f"operation.{operation.status}", operation.bank_key, told))
    if operation.status != Operation.Status.COMPLETED:
        return
    if operation.kind == RETAIN:
        told = {"operation_id": told["operation_id"], **count_memories(operation.result or {})}
        announce(operation.tenant_id, Event("memories.retained", operation.bank_key, told))
    elif operation.kind == CONSOLIDATE:
        announce(operation.tenant_id, Event("memories.consolidated", operation.bank_key, told))


def describe(operation: Operation) -> dict[str, Any]:
    """The code of an error, not its words: those may quote what was said."""
    told: dict[str, Any] = {
        "operation_id": str(operation.id),
        "kind": operation.kind,
        "status": str(operation.status),
    }
    return told | ({"error_code": operation.error_code} if operation.error_code else {})


def count_memories(result: dict[str, Any]) -> dict[str, Any]:
    ids = result.get("unit_ids", [])
    return {"memory_ids": ids[:MOST_IDS], "memory_count": len(ids), "proven_again": result.get("proven_again", 0)}
