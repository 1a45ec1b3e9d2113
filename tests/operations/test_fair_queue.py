"""Workers take the operations of a queue by turns of tenants."""

from datetime import timedelta

import pytest
from django.utils import timezone

from memoryplatform.operations.models import Dispatch, Operation
from memoryplatform.operations.running import fair_queue
from memoryplatform.operations.running.fair_queue import Turns, find_waiting
from memoryplatform.operations.running.perform import perform_next
from memoryplatform.operations.running.run import claim
from memoryplatform.operations.running.submit import submit
from tenants.models import Tenant
from tenants.transactions import tenant_transaction
from tests.factories import make_tenant
from tests.operations.conftest import reload, submit_one
from tests.operations.probe_kinds import CALLS

QUEUE = "ingest"


@pytest.fixture(autouse=True)
def done(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The operations in the order in which they were performed."""
    performed: list[str] = []
    monkeypatch.setattr(fair_queue, "TURNS", {QUEUE: Turns()})
    monkeypatch.setattr("memoryplatform.operations.running.perform.TURNS", fair_queue.TURNS)
    monkeypatch.setitem(CALLS, "note", lambda run: performed.append(run.payload["name"]))
    return performed


def push(tenant: Tenant, name: str, number: int) -> list[Operation]:
    return [submit_one(tenant, "probe.calls", call="note", name=f"{name}{place}") for place in range(1, number + 1)]


def test_one_operation_of_bob_does_not_wait_for_fifty_of_alice(tenant: Tenant, done: list[str]) -> None:
    push(tenant, "alice", 50)
    push(make_tenant("bob"), "bob", 1)
    for _ in range(51):
        perform_next(QUEUE)
    assert done[:3] == ["alice1", "bob1", "alice2"]
    assert len(done) == 51


def test_tenants_alternate_and_each_keeps_its_own_order(tenant: Tenant, done: list[str]) -> None:
    push(tenant, "alice", 3)
    push(make_tenant("bob"), "bob", 3)
    push(make_tenant("charlie"), "charlie", 2)
    for _ in range(8):
        perform_next(QUEUE)
    assert done == ["alice1", "bob1", "charlie1", "alice2", "bob2", "charlie2", "alice3", "bob3"]


def test_a_tenant_with_work_under_way_in_another_process_comes_later(tenant: Tenant, done: list[str]) -> None:
    first, *_ = push(tenant, "alice", 3)
    push(make_tenant("bob"), "bob", 2)
    claim(tenant.id, first.id)
    for _ in range(4):
        perform_next(QUEUE)
    assert done == ["bob1", "bob2", "alice2", "alice3"]


def test_an_operation_that_another_worker_claims_meanwhile_is_passed_over(tenant: Tenant, done: list[str]) -> None:
    first, second = push(tenant, "alice", 2)
    offered = find_waiting(QUEUE)
    assert next(offered) == (tenant.id, first.id)
    claim(tenant.id, second.id)
    perform_next(QUEUE)
    perform_next(QUEUE)
    assert done == ["alice1"]


def test_operations_that_can_not_be_claimed_do_not_block_the_queue(tenant: Tenant, done: list[str]) -> None:
    gone = push(tenant, "alice", fair_queue.BATCH + 1)
    with tenant_transaction(tenant.id):
        Operation.objects.for_tenant(tenant.id).filter(id__in=[one.id for one in gone]).delete()
    push(tenant, "later", 1)
    perform_next(QUEUE)
    assert done == ["later1"]


def test_an_operation_that_its_request_performs_is_left_to_it(tenant: Tenant, done: list[str]) -> None:
    payload = {"call": "note", "name": "waited for"}
    with tenant_transaction(tenant.id):
        operation = submit(tenant.id, "probe.calls", payload=payload, wake=False)
    perform_next(QUEUE)
    assert reload(operation).status == Operation.Status.PENDING
    Dispatch.objects.update(due_at=timezone.now() - timedelta(seconds=1))  # the request has died
    perform_next(QUEUE)
    assert done == ["waited for"]


def test_an_operation_of_another_queue_is_not_taken(tenant: Tenant) -> None:
    operation = submit_one(tenant, "probe.steps", steps=1)
    perform_next(QUEUE)
    assert reload(operation).status == Operation.Status.PENDING
