"""Sending a retain, and waiting until its memories are stored."""

from dataclasses import dataclass
from typing import Any

from memoryplatform_client.cli.batches import Batch
from memoryplatform_client.cli.session import Session
from memoryplatform_client.client import DEFAULT_RETRY
from memoryplatform_client.models.operations import FINISHED
from memoryplatform_client.models.retain import Retained
from memoryplatform_client.plans import perform
from memoryplatform_client.resources.verbs import retain_items


@dataclass(frozen=True)
class Settled:
    """`errors`: passages from which no facts could be extracted. Their text is stored."""

    memory_ids: list[str]
    errors: list[str]


def submit(session: Session, batch: Batch, *, wait: bool = True, idempotency_key: str | None = None) -> Retained:
    """Send a batch without waiting for a large one. `settle` does that and shows its progress."""
    call = retain_items(batch.bank_id, batch.items, wait=wait, idempotency_key=idempotency_key)
    return session.client.run(perform(call, DEFAULT_RETRY))


def settle(session: Session, retained: Retained) -> Settled:
    """Wait for the memories. A replayed response may name an operation that failed earlier; it is retried."""
    if retained.status == "completed":
        return read_result(retained.model_dump(mode="json"))
    if retained.status in FINISHED:
        session.client.operations.retry(retained.operation_id)
    done = session.wait_for(retained.operation_id, f"Operation {retained.operation_id}")
    return read_result(done.result if isinstance(done.result, dict) else {})


def read_result(result: dict[str, Any]) -> Settled:
    return Settled(*([str(one) for one in result.get(name) or ()] for name in ("unit_ids", "errors")))
