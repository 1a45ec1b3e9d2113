"""Real worker processes that die, freeze and come back."""

import signal
import time
from collections.abc import Callable
from pathlib import Path

from memoryplatform.operations.models import Operation
from tenants.models import AuditEvent, Tenant
from tenants.transactions import tenant_transaction
from tests.operations.conftest import StartWorker, reload, submit_one

STEPS = 15


def wait_until(condition: Callable[[], bool], *, seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.05)


def steps_taken(tenant: Tenant) -> list[int]:
    with tenant_transaction(tenant.id):
        events = AuditEvent.objects.for_tenant(tenant.id).filter(action="probe.step")
        return [int(event.target) for event in events.order_by("id")]


def is_under_way(operation: Operation) -> bool:
    return reload(operation).processed >= 3


def is_done(operation: Operation) -> bool:
    return reload(operation).status == Operation.Status.COMPLETED


def test_a_killed_worker_loses_nothing_and_doubles_nothing(tenant: Tenant, start_worker: StartWorker) -> None:
    operation = submit_one(tenant, "probe.steps", steps=STEPS, pause=0.1)
    first = start_worker()
    wait_until(lambda: is_under_way(operation))
    first.send_signal(signal.SIGKILL)
    first.wait(timeout=10)
    assert reload(operation).status == Operation.Status.PROCESSING
    start_worker()
    wait_until(lambda: is_done(operation))
    assert steps_taken(tenant) == list(range(1, STEPS + 1))
    assert reload(operation).attempts == 2
    assert reload(operation).result == {"steps": STEPS}


def test_the_successor_of_a_killed_worker_does_not_wait_for_its_leases(
    tenant: Tenant, start_worker: StartWorker, tmp_path: Path
) -> None:
    variables = {"OPERATION_LEASE_SECONDS": "3600", "OPERATION_LEASE_FOLDER": str(tmp_path / "leases")}
    operation = submit_one(tenant, "probe.steps", steps=STEPS, pause=0.1)
    first = start_worker(**variables)
    wait_until(lambda: is_under_way(operation))
    assert len(list((tmp_path / "leases").iterdir())) == 1
    first.send_signal(signal.SIGKILL)
    first.wait(timeout=10)
    start_worker(**variables)
    wait_until(lambda: is_done(operation))
    assert steps_taken(tenant) == list(range(1, STEPS + 1))
    assert reload(operation).attempts == 2
    wait_until(lambda: not list((tmp_path / "leases").iterdir()))


def attempts_of_steps(tenant: Tenant) -> list[int]:
    with tenant_transaction(tenant.id):
        events = AuditEvent.objects.for_tenant(tenant.id).filter(action="probe.step")
        return [event.detail["attempt"] for event in events.order_by("id")]


def test_a_worker_that_wakes_up_after_losing_its_lease_can_not_write(tenant: Tenant, start_worker: StartWorker) -> None:
    """The first worker resumes while the second works. Without the fence both would take steps."""
    operation = submit_one(tenant, "probe.steps", steps=40, pause=0.1)
    frozen = start_worker()
    wait_until(lambda: is_under_way(operation))
    frozen.send_signal(signal.SIGSTOP)
    start_worker()
    wait_until(lambda: 2 in attempts_of_steps(tenant))
    frozen.send_signal(signal.SIGCONT)
    wait_until(lambda: is_done(operation))
    assert steps_taken(tenant) == list(range(1, 41))
    attempts = attempts_of_steps(tenant)
    assert attempts == sorted(attempts)
    assert reload(operation).fencing_token == 2


def test_a_worker_that_is_asked_to_stop_puts_its_work_back(tenant: Tenant, start_worker: StartWorker) -> None:
    operation = submit_one(tenant, "probe.steps", steps=STEPS, pause=0.1)
    first = start_worker()
    wait_until(lambda: is_under_way(operation))
    first.send_signal(signal.SIGTERM)
    assert first.wait(timeout=20) == 0
    assert reload(operation).status == Operation.Status.PENDING
    assert reload(operation).attempts == 0
    start_worker()
    wait_until(lambda: is_done(operation))
    assert steps_taken(tenant) == list(range(1, STEPS + 1))


def test_two_workers_share_the_work_without_doing_any_of_it_twice(tenant: Tenant, start_worker: StartWorker) -> None:
    operations = [submit_one(tenant, "probe.steps", steps=2) for _ in range(20)]
    start_worker()
    start_worker()
    wait_until(lambda: all(is_done(operation) for operation in operations))
    assert len(steps_taken(tenant)) == 40
    assert {reload(operation).attempts for operation in operations} == {1}
