"""A retain that the service took on, until its memories are there."""

from dataclasses import dataclass
from typing import Any

from memoryplatform_client.cli.session import Session
from memoryplatform_client.models.operations import FINISHED
from memoryplatform_client.models.retain import Retained


@dataclass(frozen=True)
class Settled:
    """`errors`: passages whose facts could not be read. Their text is kept."""

    memory_ids: list[str]
    errors: list[str]


def settle(session: Session, retained: Retained) -> Settled:
    """One that failed before, as an answer that is replayed may tell, is tried again."""
    if retained.status == "completed":
        return read_result(retained.model_dump(mode="json"))
    if retained.status in FINISHED:
        session.client.operations.retry(retained.operation_id)
    done = session.wait_for(retained.operation_id, f"Operation {retained.operation_id}")
    return read_result(done.result if isinstance(done.result, dict) else {})


def read_result(result: dict[str, Any]) -> Settled:
    return Settled(*([str(one) for one in result.get(name) or ()] for name in ("unit_ids", "errors")))
