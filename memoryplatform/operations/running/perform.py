"""Performing one operation: claim it, run its handler under a heartbeat, write down how it ended."""

import random
import re
from datetime import timedelta
from typing import Any
from uuid import UUID

import structlog
from django.conf import settings
from django.utils import timezone
from dramatiq.middleware import Shutdown, TimeLimitExceeded

from banks.errors import BankError
from memoryplatform.observability.metrics import count_operation
from memoryplatform.operations.errors import LeaseLost, NotYet, OperationError, PermanentFailure, UnknownKind
from memoryplatform.operations.models import Dispatch, Operation
from memoryplatform.operations.running.endings import tell_end
from memoryplatform.operations.running.heartbeat import heartbeat
from memoryplatform.operations.running.lease import Lease, claim
from memoryplatform.operations.running.registry import get_kind
from memoryplatform.operations.running.run import Run
from providers.errors import ProviderError

log = structlog.get_logger(__name__)
LONGEST_WAIT_SECONDS = 600.0
WORD_START = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")  # LLMUnavailable -> llm_unavailable


def perform(tenant_id: UUID, operation_id: UUID) -> None:
    """Work on the operation if it is there to be taken. Any number of calls do it once."""
    taken = claim(tenant_id, operation_id)
    if taken is None:
        return
    lease, operation = taken
    with structlog.contextvars.bound_contextvars(tenant_id=str(tenant_id), operation_id=str(operation_id)):
        log.info("operation.started", kind=operation.kind, attempt=operation.attempts)
        status = attempt(lease, operation)
        count_operation(operation.kind, status)
        log.info("operation.ended", kind=operation.kind, status=status)


def attempt(lease: Lease, operation: Operation) -> str:
    """One try, and its end as a status or the reason why there is none."""
    run = Run(lease, operation.payload, operation.attempts, operation.bank_id)
    try:
        with heartbeat(lease):
            result = get_kind(operation.kind).handler(run)
        if not run.is_complete:
            complete(run, result)
    except LeaseLost:
        return "lease_lost"
    except (PermanentFailure, UnknownKind) as error:
        return fail(lease, code=error.code, detail=str(error))
    except NotYet as error:
        return put_off(lease, error)
    except Shutdown:
        return put_back(lease)
    except (Exception, TimeLimitExceeded) as error:
        log.exception("operation.attempt_failed", kind=operation.kind, attempt=operation.attempts)
        return fail_or_retry(lease, operation, error)
    return Operation.Status.COMPLETED


def complete(run: Run, result: dict[str, Any]) -> None:
    with run.transaction() as operation:
        run.complete(operation, result)


def fail_or_retry(lease: Lease, operation: Operation, error: BaseException) -> str:
    code, detail = describe(error)
    if operation.attempts >= operation.max_attempts:
        return fail(lease, code=code, detail=detail)
    return retry_later(lease, code=code, detail=detail)


def describe(error: BaseException) -> tuple[str, str]:
    """The tenant reads the words of our own errors; of others only the class, since the text may hold anything."""
    if isinstance(error, OperationError | BankError):
        return error.code, str(error)
    if isinstance(error, ProviderError):
        return WORD_START.sub("_", type(error).__name__).lower(), str(error)
    return "internal_error", f"Unexpected {type(error).__name__}."


def fail(lease: Lease, *, code: str, detail: str) -> str:
    try:
        with lease.transaction() as operation:
            operation.status = Operation.Status.FAILED
            operation.error_code, operation.error_detail = code, detail
            operation.finished_at, operation.lease_until = timezone.now(), None
            operation.save()
            Dispatch.objects.filter(operation_id=operation.id).delete()
            tell_end(operation)
    except LeaseLost:
        return "lease_lost"
    return Operation.Status.FAILED


def retry_later(lease: Lease, *, code: str, detail: str) -> str:
    try:
        with lease.transaction() as operation:
            due = timezone.now() + timedelta(seconds=wait_before(operation.attempts + 1))
            operation.status, operation.lease_until = Operation.Status.PENDING, None
            operation.error_code, operation.error_detail = code, detail
            operation.next_attempt_at = due
            operation.save()
            Dispatch.objects.filter(operation_id=operation.id).update(due_at=due, wakes=0)
    except LeaseLost:
        return "lease_lost"
    return "retrying"


def put_off(lease: Lease, error: NotYet) -> str:
    """The handler asked for a later time; this attempt does not count."""
    try:
        with lease.transaction() as operation:
            due = timezone.now() + error.wait
            operation.status, operation.lease_until = Operation.Status.PENDING, None
            operation.attempts -= 1
            operation.next_attempt_at = due
            operation.error_code, operation.error_detail = error.code, str(error)
            operation.save()
            Dispatch.objects.filter(operation_id=operation.id).update(due_at=due, wakes=0)
    except LeaseLost:
        return "lease_lost"
    return "put_off"


def put_back(lease: Lease) -> str:
    """The worker is asked to stop: another may take the operation at once, and this attempt does not count."""
    try:
        with lease.transaction() as operation:
            operation.status, operation.lease_until = Operation.Status.PENDING, None
            operation.attempts -= 1
            operation.save()
            Dispatch.objects.filter(operation_id=operation.id).update(due_at=timezone.now(), wakes=0)
    except LeaseLost:
        return "lease_lost"
    return "put_back"


def wait_before(attempt_number: int) -> float:
    """Doubling from the second attempt on, with half of it left to chance so that retries don't march in step."""
    ceiling = min(settings.OPERATION_RETRY_SECONDS * 2.0 ** (attempt_number - 2), LONGEST_WAIT_SECONDS)
    return ceiling * random.uniform(0.5, 1.0)  # noqa: S311  # jitter, not a secret
