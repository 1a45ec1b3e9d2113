"""A large deletion stores its filter in the operation, not the ids."""

from typing import Any

import pytest
from django.http import QueryDict
from rest_framework.serializers import ValidationError

from banks.models import MemoryUnit
from memoryplatform.api.compat.mem0.deletion import delete_all
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.kinds import delete_memories as deletion
from memoryplatform.operations.models import Operation
from memoryplatform.operations.running.perform import perform
from tenants.models import AuditEvent
from tenants.transactions import tenant_transaction
from tests.factories import make_bank
from tests.retrieval.memory import Memory


@pytest.fixture
def by_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deletion, "BATCH", 2)


def ask(memory: Memory, query: str, **access: Any) -> Operation:
    event_id = delete_all(BankAccess(memory.tenant.id, **access), QueryDict(query))["event_id"]
    with tenant_transaction(memory.tenant.id):
        return Operation.objects.for_tenant(memory.tenant.id).get(id=event_id)


def texts(memory: Memory) -> set[str]:
    with tenant_transaction(memory.tenant.id):
        return set(MemoryUnit.objects.for_tenant(memory.tenant.id).values_list("text", flat=True))


def test_the_operation_stores_the_filter_and_not_the_ids(memory: Memory, by_worker: None) -> None:
    units = [memory.unit(f"Bob has {place} boats", tags=["user:bob"]) for place in range(5)]
    memory.unit("Carol has a boat", tags=["user:carol"])
    operation = ask(memory, 'filters={"user_id": "bob"}')
    assert set(operation.payload) == {"finder", "asked", "banks", "until", "asked_by"}
    assert str(units[0].id) not in str(operation.payload)
    with tenant_transaction(memory.tenant.id):
        noted = AuditEvent.objects.for_tenant(memory.tenant.id).get(action="memories.deleted")
    assert (noted.detail["memories"], noted.detail["memory_ids"]) == (5, [str(unit.id) for unit in units])
    memory.unit("Bob has a plane", tags=["user:bob"], recorded_at=operation.created_at)  # after the call
    perform(memory.tenant.id, operation.id)
    with tenant_transaction(memory.tenant.id):
        done = Operation.objects.for_tenant(memory.tenant.id).get(id=operation.id)
    assert (done.status, done.processed, done.total) == ("completed", 5, 5)
    assert (done.payload, (done.result or {})["deleted"]["units"]) == ({"asked_by": ""}, 5)
    assert texts(memory) == {"Carol has a boat", "Bob has a plane"}


def test_a_worker_reaches_no_more_than_the_key_did(memory: Memory, by_worker: None) -> None:
    other = Memory(make_bank(memory.tenant, bank_id="mem0:user:dora"))
    other.unit("Dora sails with Bob", tags=["user:dora", "agent:nora"])
    for place in range(3):
        memory.unit(f"Bob has {place} boats", tags=["user:bob", "agent:nora"])
    operation = ask(memory, "agent_id=nora", banks=frozenset({memory.bank.bank_id}))
    perform(memory.tenant.id, operation.id)
    assert texts(memory) == {"Dora sails with Bob"}


def test_filters_that_are_no_json_delete_nothing(memory: Memory) -> None:
    memory.unit("Bob has a boat", tags=["user:bob"])
    with pytest.raises(ValidationError):
        ask(memory, "filters={'user_id': {'in': {'bob'}}}")
    assert texts(memory) == {"Bob has a boat"}


@pytest.mark.parametrize(
    "query",
    [
        'filters={"OR": [{"user_id": "nobody"}, {}]}',
        'filters={"user_id": "bob", "AND": []}',
        'filters={"user_id": "bob", "NOT": []}',
        'filters={"user_id": "bob", "metadata": {}}',
        'filters={"AND": [{"user_id": "bob"}, {"OR": [{"run_id": "r1"}, {"metadata": {}}]}]}',
        'filters={"user_id": "bob", "NOT": {"run_id": {"in": []}}}',
        'filters={"user_id": "bob", "NOT": {"memory_ids": []}}',
        "filters={}&user_id=bob",
        "metadata={}&user_id=bob",
        "user_id=bob&user_id=carol",
    ],
)
def test_a_condition_without_a_value_or_with_two_deletes_nothing(memory: Memory, query: str) -> None:
    memory.unit("Bob has a boat", tags=["user:bob"])
    memory.unit("Carol has a boat", tags=["user:carol"])
    with pytest.raises(ValidationError):
        ask(memory, query)
    assert texts(memory) == {"Bob has a boat", "Carol has a boat"}
