"""Performing one operation: claim it, run its handler under a heartbeat, store its end."""

import random
import re
from datetime import timedelta
from typing import Any
from uuid import UUID

import structlog
from django.conf import settings
from django.db.models.functions import Now
from dramatiq.middleware import Shutdown, TimeLimitExceeded

from banks.errors import BankError
from memoryplatform.observability.metrics import count_operation
from memoryplatform.operations.errors import LeaseLost, NotYet, OperationError, PermanentFailure, UnknownKind
from memoryplatform.operations.logged_llm import Origin, asking_for
from memoryplatform.operations.models import Dispatch, Operation
from memoryplatform.operations.read_replica import REPLICA
from memoryplatform.operations.running.fair_queue import TURNS, find_waiting
from memoryplatform.operations.running.held_leases import keep_lease_file
from memoryplatform.operations.running.registry import get_kind
from memoryplatform.operations.running.run import Lease, OperationFault, Run, claim, finish, heartbeat
from providers.errors import ProviderError
from providers.tracing import traced
from tenants.models import Quota
from tenants.quotas import note_refusal, warn_of_quotas
from tenants.transactions import QuotaExceeded

log = structlog.get_logger(__name__)
LONGEST_WAIT_SECONDS = 600.0
WORD_START = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")  # LLMUnavailable -> llm_unavailable


def perform(tenant_id: UUID, operation_id: UUID) -> None:
    """Work on the operation if it can be claimed. Any number of calls perform it once."""
    taken = claim(tenant_id, operation_id)
    if taken is not None:
        perform_claimed(*taken)


def perform_next(queue: str) -> None:
    """Work on the operation of the queue whose turn it is. Without a waiting one nothing happens."""
    for tenant_id, operation_id in find_waiting(queue):
        taken = claim(tenant_id, operation_id)
        if taken is not None:
            TURNS[queue].note(tenant_id)
            perform_claimed(*taken)
            return


def perform_claimed(lease: Lease, operation: Operation) -> None:
    with (
        structlog.contextvars.bound_contextvars(tenant_id=str(lease.tenant_id), operation_id=str(operation.id)),
        asking_for(Origin(operation.bank_key, operation.id)),
        traced(f"operation {operation.kind}", carrier=operation.payload, operation_id=str(operation.id)),
        keep_lease_file(lease),
    ):
        log.info("operation.started", kind=operation.kind, attempt=operation.attempts)
        status = attempt(lease, operation)
        count_operation(operation.kind, status)
        log.info("operation.ended", kind=operation.kind, status=status)


def attempt(lease: Lease, operation: Operation) -> str:
    """One attempt. Returns the final status, or the reason why there is none."""
    run = Run(lease, operation.payload, operation.attempts, operation.bank_id)
    try:
        with heartbeat.keep(lease):
            result = get_kind(operation.kind).handler(run)
        if not run.is_complete:
            complete(run, result)
    except LeaseLost:
        return "lease_lost"
    except (PermanentFailure, UnknownKind, QuotaExceeded) as error:
        return fail_for_good(lease, error)
    except NotYet as error:
        return return_to_queue(lease, "put_off", error.wait, OperationFault(error.code, str(error)), counts=False)
    except Shutdown:
        return return_to_queue(lease, "put_back", None, counts=False)
    except (Exception, TimeLimitExceeded) as error:
        log.exception("operation.attempt_failed", kind=operation.kind, attempt=operation.attempts)
        return fail_or_retry(lease, operation, error)
    finally:
        run.record_lost_usage(operation)
    REPLICA.note_write(lease.tenant_id, operation.api_key_prefix)
    warn_of_quotas(lease.tenant_id, Quota.MEMORIES, Quota.STORED_BYTES, Quota.LLM_TOKENS)
    return Operation.Status.COMPLETED


def complete(run: Run, result: dict[str, Any]) -> None:
    with run.transaction() as operation:
        run.complete(operation, result)


def fail_or_retry(lease: Lease, operation: Operation, error: BaseException) -> str:
    fault = explain(error)
    if operation.attempts >= operation.max_attempts:
        return fail(lease, fault)
    wait = timedelta(seconds=wait_before(operation.attempts + 1))
    return return_to_queue(lease, "retrying", wait, fault, counts=True)


def explain(error: BaseException) -> OperationFault:
    """The text of our own errors. Of any other error only the class: its text may hold anything."""
    if isinstance(error, OperationError | BankError):
        return OperationFault(error.code, str(error))
    if isinstance(error, ProviderError):
        return OperationFault(WORD_START.sub("_", type(error).__name__).lower(), str(error))
    return OperationFault("internal_error", f"Unexpected {type(error).__name__}.")


def fail_for_good(lease: Lease, error: PermanentFailure | UnknownKind | QuotaExceeded) -> str:
    """The result of an operation that a quota refused has the quota, its limit and its use."""
    if isinstance(error, QuotaExceeded):
        note_refusal(error)
    return fail(lease, OperationFault(error.code, str(error)), getattr(error, "details", None))


def fail(lease: Lease, fault: OperationFault, result: dict[str, Any] | None = None) -> str:
    try:
        with lease.transaction() as operation:
            operation.result = result or operation.result
            finish(operation, Operation.Status.FAILED, fault)
    except LeaseLost:
        return "lease_lost"
    return Operation.Status.FAILED


def return_to_queue(
    lease: Lease, outcome: str, wait: timedelta | None, fault: OperationFault | None = None, *, counts: bool
) -> str:
    """Make the operation pending again, for any worker, at once or after a wait.

    `counts`: this attempt is one of the limited number. Returns `outcome`.
    """
    due = Now() + (wait or timedelta())
    try:
        with lease.transaction() as operation:
            operation.status, operation.lease_until = Operation.Status.PENDING, None
            operation.attempts -= 0 if counts else 1
            if wait is not None:
                operation.next_attempt_at = due
            if fault is not None:
                operation.error_code, operation.error_detail = fault.code, fault.detail
            operation.save()
            Dispatch.objects.filter(operation_id=operation.id).update(due_at=due, wakes=0)
    except LeaseLost:
        return "lease_lost"
    return outcome


def wait_before(attempt_number: int) -> float:
    """Seconds that double from the second attempt on. Half of them is random, so that retries do not coincide."""
    ceiling = min(settings.OPERATION_RETRY_SECONDS * 2.0 ** (attempt_number - 2), LONGEST_WAIT_SECONDS)
    return ceiling * random.uniform(0.5, 1.0)  # noqa: S311  # jitter, not a secret
