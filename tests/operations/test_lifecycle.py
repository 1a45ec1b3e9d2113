"""The lifecycle of an operation in one process: claims, fences, retries, cancellation."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any
from unittest import mock

import pytest
from django.db import connections, transaction
from django.utils import timezone
from dramatiq.brokers.redis import RedisBroker

from banks.errors import BankNotFound
from memoryplatform.operations.errors import LeaseLost, OperationFinished, OperationNotFound, UnknownKind
from memoryplatform.operations.models import Dispatch, Operation
from memoryplatform.operations.running import kind_names, registry
from memoryplatform.operations.running.perform import perform, return_to_queue, wait_before
from memoryplatform.operations.running.run import Run, claim
from memoryplatform.operations.running.submit import ACTORS, cancel, retry, submit
from memoryplatform.operations.running.worker import sweep
from providers.llm.errors import LLMRefused, LLMUnavailable
from tenants.audit import SYSTEM
from tenants.models import AuditEvent, Tenant
from tenants.transactions import tenant_transaction
from tests.factories import make_tenant
from tests.operations.conftest import reload, submit_one
from tests.operations.probe_kinds import CALLS


def test_every_kind_has_its_name_in_the_list_and_every_name_a_kind() -> None:
    names = {value for name, value in vars(kind_names).items() if name.isupper()} - {kind_names.EXPORT_REQUEST}
    registry.load_kinds()
    assert names == {name for name in registry._kinds if not name.startswith("probe.")}


def broker_client() -> Any:
    broker = ACTORS["background"].broker
    assert isinstance(broker, RedisBroker)
    return broker.client


def queue_length(queue: str) -> int:
    return int(broker_client().llen(f"memoryplatform:{queue}"))


@pytest.fixture(autouse=True)
def empty_queues(tenant: Tenant) -> None:
    broker_client().flushdb()


def expire_lease(operation: Operation) -> None:
    with tenant_transaction(operation.tenant_id):
        Operation.objects.for_tenant(operation.tenant_id).update(lease_until=timezone.now() - timedelta(seconds=1))


def skip_the_wait(operation: Operation) -> None:
    with tenant_transaction(operation.tenant_id):
        Operation.objects.for_tenant(operation.tenant_id).update(next_attempt_at=timezone.now())


def make_due() -> None:
    Dispatch.objects.update(due_at=timezone.now())


def take(operation: Operation) -> Run:
    taken = claim(operation.tenant_id, operation.id)
    assert taken is not None
    lease, claimed = taken
    return Run(lease, claimed.payload, claimed.attempts, claimed.bank_id)


def test_a_submitted_operation_is_performed_once_however_often_it_is_asked_for(tenant: Tenant) -> None:
    operation = submit_one(tenant, "probe.steps", steps=3)
    for _ in range(3):
        perform(tenant.id, operation.id)
    ended = reload(operation)
    assert (ended.status, ended.result, ended.attempts) == ("completed", {"steps": 3}, 1)
    assert ended.finished_at is not None
    assert not Dispatch.objects.exists()


def test_a_submission_wakes_a_worker_only_after_the_commit(tenant: Tenant) -> None:
    with tenant_transaction(tenant.id):
        submit(tenant.id, "probe.steps", payload={"steps": 1})
        assert queue_length("background") == 0
    assert queue_length("background") == 1


def test_a_submission_that_is_rolled_back_leaves_nothing(tenant: Tenant) -> None:
    with pytest.raises(ZeroDivisionError), tenant_transaction(tenant.id):
        submit(tenant.id, "probe.steps", payload={"steps": 1})
        raise ZeroDivisionError
    assert queue_length("background") == 0
    assert not Dispatch.objects.exists()


def test_an_unknown_kind_is_refused_at_submission(tenant: Tenant) -> None:
    with pytest.raises(UnknownKind):
        submit_one(tenant, "no.such.kind")


def test_work_is_accepted_while_the_broker_is_away_and_found_later(tenant: Tenant) -> None:
    broken = mock.patch.object(ACTORS["background"], "send", side_effect=ConnectionError)
    with broken:
        operation = submit_one(tenant, "probe.steps", steps=1)
    assert queue_length("background") == 0
    assert sweep() == 0  # too early: the message could still be in the queue
    make_due()
    assert sweep() == 1
    assert queue_length("background") == 1
    assert reload(operation).status == "pending"


def test_the_sweeper_does_not_flood_a_backlog(tenant: Tenant) -> None:
    submit_one(tenant, "probe.steps", steps=1)
    waits = []
    for _ in range(4):
        make_due()
        assert sweep() == 1
        assert sweep() == 0
        waits.append(round((Dispatch.objects.get().due_at - timezone.now()).total_seconds()))
    assert waits == [15, 30, 60, 120]


def test_a_wrong_clock_of_the_process_moves_no_lease_and_no_wait(
    tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    true_now = timezone.now
    monkeypatch.setattr(timezone, "now", lambda: true_now() + timedelta(days=2))
    operation = submit_one(tenant, "probe.steps", steps=1)
    soon = true_now() + timedelta(minutes=10)
    assert Dispatch.objects.get().due_at < soon
    claimed = claim(tenant.id, operation.id)
    assert claimed is not None
    lease, _ = claimed
    assert Dispatch.objects.get().due_at < soon
    lease.renew()
    assert Dispatch.objects.get().due_at < soon
    return_to_queue(lease, "retrying", timedelta(seconds=5), counts=True)
    assert Dispatch.objects.get().due_at < soon
    waiting = reload(operation).next_attempt_at
    assert waiting is not None
    assert waiting < soon
    Dispatch.objects.update(due_at=true_now())
    assert sweep() == 1
    assert Dispatch.objects.get().due_at < soon


def test_a_lease_keeps_others_away_until_it_ends(tenant: Tenant) -> None:
    operation = submit_one(tenant, "probe.steps", steps=1)
    take(operation)
    assert claim(tenant.id, operation.id) is None
    expire_lease(operation)
    assert claim(tenant.id, operation.id) is not None


def test_the_former_holder_can_not_write_any_more(tenant: Tenant) -> None:
    operation = submit_one(tenant, "probe.steps", steps=1)
    former = take(operation)
    expire_lease(operation)
    take(operation)
    with pytest.raises(LeaseLost), former.transaction():
        pytest.fail("the former holder was let in")
    with pytest.raises(LeaseLost):
        former.report("late", processed=1, total=1)
    with pytest.raises(LeaseLost):
        former.lease.renew()


def test_a_renewed_lease_holds_on(tenant: Tenant) -> None:
    operation = submit_one(tenant, "probe.steps", steps=1)
    run = take(operation)
    expire_lease(operation)
    run.lease.renew()
    assert claim(tenant.id, operation.id) is None
    assert Dispatch.objects.get().due_at > timezone.now() + timedelta(seconds=50)


def test_an_operation_that_is_being_written_is_not_taken_even_after_its_lease(tenant: Tenant) -> None:
    operation = submit_one(tenant, "probe.steps", steps=1)
    run = take(operation)
    expire_lease(operation)
    with run.transaction():
        taken_meanwhile = claim_in_another_connection(operation)
    assert taken_meanwhile is None


def claim_in_another_connection(operation: Operation) -> Any:
    def attempt() -> Any:
        try:
            return claim(operation.tenant_id, operation.id)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(1) as pool:
        return pool.submit(attempt).result(timeout=10)


def test_an_attempt_that_fails_is_tried_again_later(tenant: Tenant) -> None:
    operation = submit_one(tenant, "probe.fails", times=1)
    perform(tenant.id, operation.id)
    waiting = reload(operation)
    assert (waiting.status, waiting.attempts, waiting.error_code) == ("pending", 1, "internal_error")
    assert waiting.error_detail == "Unexpected ValueError."
    skip_the_wait(operation)
    perform(tenant.id, operation.id)
    assert (reload(operation).status, reload(operation).error_code) == ("completed", "")


def test_an_attempt_does_not_begin_before_its_time(tenant: Tenant) -> None:
    operation = submit_one(tenant, "probe.fails", times=1)
    perform(tenant.id, operation.id)
    with tenant_transaction(tenant.id):
        later = timezone.now() + timedelta(minutes=1)
        Operation.objects.for_tenant(tenant.id).update(next_attempt_at=later)
    perform(tenant.id, operation.id)
    assert reload(operation).attempts == 1


def test_after_the_last_attempt_it_is_failed_with_its_reason_and_payload(tenant: Tenant) -> None:
    operation = submit_one(tenant, "probe.fails", times=99)
    for _ in range(operation.max_attempts):
        skip_the_wait(operation)
        perform(tenant.id, operation.id)
    ended = reload(operation)
    assert (ended.status, ended.attempts) == ("failed", operation.max_attempts)
    assert ended.payload == {"times": 99}
    assert not Dispatch.objects.exists()


def test_a_worker_that_dies_in_the_last_attempt_leaves_a_failed_operation(tenant: Tenant) -> None:
    operation = submit_one(tenant, "probe.steps", steps=1)
    for _ in range(operation.max_attempts):
        take(operation)
        expire_lease(operation)
    assert claim(tenant.id, operation.id) is None
    assert (reload(operation).status, reload(operation).error_code) == ("failed", "worker_lost")


def test_a_permanent_failure_is_not_tried_again(tenant: Tenant) -> None:
    operation = submit_one(tenant, "probe.hopeless")
    perform(tenant.id, operation.id)
    ended = reload(operation)
    assert (ended.status, ended.attempts, ended.error_code) == ("failed", 1, "unreadable")
    assert ended.error_detail == "The input can't be read."


def test_the_last_write_and_the_completion_are_one(tenant: Tenant) -> None:
    def write_and_break(run: Run) -> None:
        with run.transaction() as operation, transaction.atomic():
            run.complete(operation, {"done": True})
            raise ZeroDivisionError

    CALLS["write_and_break"] = write_and_break
    operation = submit_one(tenant, "probe.calls", call="write_and_break")
    perform(tenant.id, operation.id)
    assert (reload(operation).status, reload(operation).result) == ("pending", None)


def test_the_wait_doubles_and_has_an_end() -> None:
    waits = [wait_before(attempt) for attempt in (2, 3, 4, 60)]
    for wait, ceiling in zip(waits, (0.05, 0.1, 0.2, 600.0), strict=True):
        assert ceiling / 2 <= wait <= ceiling


def test_a_pending_operation_can_be_cancelled(tenant: Tenant) -> None:
    operation = submit_one(tenant, "probe.steps", steps=1)
    cancel(tenant.id, operation.id, actor=SYSTEM)
    perform(tenant.id, operation.id)
    assert reload(operation).status == "cancelled"
    assert not Dispatch.objects.exists()


def test_a_running_operation_stops_writing_when_it_is_cancelled(tenant: Tenant) -> None:
    operation = submit_one(tenant, "probe.steps", steps=1)
    run = take(operation)
    cancel(tenant.id, operation.id, actor=SYSTEM)
    with pytest.raises(LeaseLost), run.transaction():
        pytest.fail("a cancelled operation was written")


def test_a_finished_operation_can_not_be_cancelled(tenant: Tenant) -> None:
    operation = submit_one(tenant, "probe.steps", steps=1)
    perform(tenant.id, operation.id)
    with pytest.raises(OperationFinished):
        cancel(tenant.id, operation.id, actor=SYSTEM)


def test_a_failed_operation_can_be_retried_and_gets_all_its_attempts(tenant: Tenant) -> None:
    operation = submit_one(tenant, "probe.hopeless")
    perform(tenant.id, operation.id)
    retry(tenant.id, operation.id, actor=SYSTEM)
    again = reload(operation)
    assert (again.status, again.attempts, again.error_code) == ("pending", 0, "")
    assert Dispatch.objects.count() == 1


@pytest.mark.parametrize("status", ["pending", "processing", "completed"])
def test_only_a_failed_operation_can_be_retried(tenant: Tenant, status: str) -> None:
    operation = submit_one(tenant, "probe.steps", steps=1)
    if status == "processing":
        take(operation)
    if status == "completed":
        perform(tenant.id, operation.id)
    with pytest.raises(OperationFinished, match=status):
        retry(tenant.id, operation.id, actor=SYSTEM)


def test_another_tenant_can_neither_cancel_nor_retry_it(tenant: Tenant) -> None:
    operation = submit_one(tenant, "probe.hopeless")
    charlie = make_tenant("charlie")
    for verb in (cancel, retry):
        with pytest.raises(OperationNotFound):
            verb(charlie.id, operation.id, actor=SYSTEM)


def test_cancelling_and_retrying_are_audited(tenant: Tenant) -> None:
    operation = submit_one(tenant, "probe.steps", steps=1)
    cancel(tenant.id, operation.id, actor=SYSTEM)
    retry(tenant.id, operation.id, actor=SYSTEM)
    with tenant_transaction(tenant.id):
        actions = AuditEvent.objects.for_tenant(tenant.id).filter(target=f"operation:{operation.id}")
        assert [event.action for event in actions.order_by("id")] == ["operation.cancelled", "operation.retried"]


def raise_error(error: Exception) -> None:
    raise error


@pytest.mark.parametrize(
    ("error", "code", "detail"),
    [
        (LLMRefused("The endpoint refused it.", status=400, code=None), "llm_refused", "The endpoint refused it."),
        (LLMUnavailable("No connection."), "llm_unavailable", "No connection."),
        (BankNotFound("x"), "bank_not_found", "Bank 'x' not found."),
        (SystemError("a secret"), "internal_error", "Unexpected SystemError."),
    ],
)
def test_the_reason_of_a_failure_is_written_down(tenant: Tenant, error: Exception, code: str, detail: str) -> None:
    CALLS["raise"] = lambda _run: raise_error(error)
    operation = submit_one(tenant, "probe.calls", call="raise")
    perform(tenant.id, operation.id)
    assert (reload(operation).error_code, reload(operation).error_detail) == (code, detail)


def test_a_broker_that_is_away_does_not_make_the_waits_longer(tenant: Tenant) -> None:
    submit_one(tenant, "probe.steps", steps=1)
    broken = mock.patch.object(ACTORS["background"], "send", side_effect=ConnectionError)
    for _ in range(5):
        make_due()
        with broken, pytest.raises(ConnectionError):
            sweep()
    assert sweep() == 1
    assert Dispatch.objects.get().wakes == 2  # the message of the submission, and the one of the sweep
