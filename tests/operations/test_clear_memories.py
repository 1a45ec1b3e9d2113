"""Deleting many memories in one operation of a worker."""

import pytest

from banks.models import Bank, MemoryUnit
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.kinds import delete_memories as deletion
from memoryplatform.operations.kinds.delete_memories import clear_memories
from memoryplatform.operations.memories.memory_filter import MemoryFilter
from memoryplatform.operations.models import Operation
from memoryplatform.operations.running.perform import perform
from tenants.models import AuditEvent, Tenant
from tenants.transactions import tenant_transaction
from tests.factories import make_bank
from tests.operations.conftest import reload
from tests.stored_facts import store_fact


@pytest.fixture
def bank(tenant: Tenant, monkeypatch: pytest.MonkeyPatch) -> Bank:
    monkeypatch.setattr(deletion, "BATCH", 2)
    bank = make_bank(tenant, bank_id="support")
    for number in range(5):
        store_fact(bank, f"fact {number}", "Alice")
    return bank


def texts_of(bank: Bank) -> list[str]:
    with tenant_transaction(bank.tenant_id):
        return list(MemoryUnit.objects.of_bank(bank).order_by("id").values_list("text", flat=True))


def clear(bank: Bank, wanted: MemoryFilter) -> Operation:
    operation = clear_memories(BankAccess(bank.tenant_id), bank.bank_id, wanted).operation
    assert operation is not None
    return operation


def test_many_memories_are_deleted_by_a_worker_with_a_receipt(bank: Bank) -> None:
    operation = clear(bank, MemoryFilter())
    assert len(texts_of(bank)) == 5
    perform(bank.tenant_id, operation.id)
    done = reload(operation)
    assert (done.status, done.processed, done.total) == ("completed", 5, 5)
    assert (done.result or {})["deleted"] == {"units": 5, "relationships": 0, "entities": 1}
    assert texts_of(bank) == []


def test_memories_that_are_retained_after_the_call_stay(bank: Bank) -> None:
    operation = clear(bank, MemoryFilter())
    store_fact(bank, "a later fact")
    perform(bank.tenant_id, operation.id)
    assert texts_of(bank) == ["a later fact"]


def test_the_worker_deletes_only_matches_of_the_filter(bank: Bank) -> None:
    store_fact(bank, "Bob paints.", "Bob")
    operation = clear(bank, MemoryFilter(words="fact"))
    perform(bank.tenant_id, operation.id)
    assert texts_of(bank) == ["Bob paints."]


def test_a_few_are_deleted_at_once(bank: Bank) -> None:
    store_fact(bank, "Bob paints.", "Bob")
    cleared = clear_memories(BankAccess(bank.tenant_id), bank.bank_id, MemoryFilter(words="paints"))
    assert (cleared.removed.units, cleared.operation) == (1, None)
    assert len(texts_of(bank)) == 5


def test_an_attempt_continues_the_count_of_an_interrupted_one(bank: Bank) -> None:
    operation = clear(bank, MemoryFilter())
    with tenant_transaction(bank.tenant_id):
        gone = {"units": 7, "relationships": 0, "entities": 0}
        rows = Operation.objects.for_tenant(bank.tenant_id).filter(id=operation.id)
        rows.update(payload=operation.payload | {"gone": gone})
    perform(bank.tenant_id, operation.id)
    assert (reload(operation).result or {})["deleted"]["units"] == 12


def test_the_deletion_is_in_the_audit_log(bank: Bank) -> None:
    operation = clear(bank, MemoryFilter())
    with tenant_transaction(bank.tenant_id):
        event = AuditEvent.objects.for_tenant(bank.tenant_id).latest("id")
    assert (event.action, event.detail) == ("memories.deleted", {"operation_id": str(operation.id)})
