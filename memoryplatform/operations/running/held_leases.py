"""The leases of this process, and its requests under an `Idempotency-Key`, as empty files in a folder of its own
(`OPERATION_LEASE_FOLDER`).

A killed process leaves its files behind. The process that is started in its place ends those leases at once, so that
another worker takes the operations without waiting for the leases to end, and releases the keys, so that the clients
can repeat their requests. Without a folder they wait.
"""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from datetime import datetime
from pathlib import Path
from uuid import UUID

import structlog
from django.conf import settings
from django.db.models.functions import Now

from memoryplatform.operations.idempotency import Claim, release_claim
from memoryplatform.operations.models import Dispatch, Operation
from memoryplatform.operations.running.run import Lease
from tenants.transactions import tenant_transaction

log = structlog.get_logger(__name__)
REQUEST = "request"


def keep_lease_file(lease: Lease) -> AbstractContextManager[None]:
    """Keep a file for the lease while its operation is performed."""
    return keep_file(f"{lease.tenant_id} {lease.operation_id} {lease.token}")


def keep_claim_file(claim: Claim) -> AbstractContextManager[None]:
    """Keep a file for the claim of an `Idempotency-Key` while its request is served."""
    return keep_file(f"{REQUEST} {claim.tenant_id} {claim.record_id} {claim.claimed_at.isoformat()}")


@contextmanager
def keep_file(name: str) -> Iterator[None]:
    if settings.OPERATION_LEASE_FOLDER is None:
        yield
        return
    file = settings.OPERATION_LEASE_FOLDER / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.touch()
    try:
        yield
    finally:
        file.unlink(missing_ok=True)


def end_leases_left_behind() -> None:
    """End the leases and release the keys of the process that had this folder before.

    Call at the start: that process must be dead.
    """
    folder: Path | None = settings.OPERATION_LEASE_FOLDER
    if folder is None or not folder.exists():
        return
    for file in folder.iterdir():
        kind, *request = file.name.split()
        if kind == REQUEST:
            tenant_id, record_id, claimed_at = request
            release_claim(UUID(tenant_id), UUID(record_id), datetime.fromisoformat(claimed_at))
        else:
            operation_id, token = request
            end_lease(Lease(UUID(kind), UUID(operation_id), int(token)))
        file.unlink(missing_ok=True)


def end_lease(lease: Lease) -> None:
    """Let any worker claim the operation now, unless another worker holds it or it is finished."""
    with tenant_transaction(lease.tenant_id):
        rows = Operation.objects.for_tenant(lease.tenant_id).held(lease.operation_id, lease.token)
        if rows.update(lease_until=Now()):
            Dispatch.objects.filter(operation_id=lease.operation_id).update(due_at=Now(), wakes=0)
            log.info("lease.ended", operation_id=str(lease.operation_id))
