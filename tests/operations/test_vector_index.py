"""The vector index of a bank that grows, shrinks or is deleted."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from django.test import override_settings

from banks.models import Bank, Chunk, Corpus, MemoryUnit
from banks.vector_index.index import VectorIndex, drop_indexes, read_state
from memoryplatform.operations.kinds.vector_index import ask_for_vector_index
from memoryplatform.operations.models import Operation
from memoryplatform.operations.running.perform import perform
from tenants.models import Tenant
from tenants.transactions import tenant_transaction
from tests.factories import make_bank
from tests.memory_factories import make_chunk, make_episode, make_unit


@pytest.fixture
def bank(tenant: Tenant) -> Iterator[Bank]:
    bank = make_bank(tenant)
    for number in range(4):
        make_unit(tenant, bank=bank, text=f"fact {number}", embedding=np.full(8, number + 1, dtype=np.float32))
    yield bank
    drop_indexes(bank.id)


def ask(bank: Bank, *, at: int) -> Operation | None:
    with override_settings(VECTOR_INDEX_UNITS=at), tenant_transaction(bank.tenant_id):
        return ask_for_vector_index(bank)


def work(operation: Operation | None, *, at: int) -> Any:
    assert operation is not None
    with override_settings(VECTOR_INDEX_UNITS=at):
        perform(operation.tenant_id, operation.id)
    with tenant_transaction(operation.tenant_id):
        return Operation.objects.for_tenant(operation.tenant_id).get(id=operation.id)


def test_a_bank_that_has_grown_gets_its_index(bank: Bank) -> None:
    done = work(ask(bank, at=4), at=4)
    assert (done.status, done.result) == ("completed", {"built": ["unit"], "dropped": []})
    assert read_state(VectorIndex(bank.id)).is_valid


def test_each_corpus_has_an_index_of_its_own(bank: Bank, tenant: Tenant) -> None:
    for number in range(5):
        vector = np.full(8, number + 1, dtype=np.float32)
        make_chunk(tenant, bank=bank, embedding=vector)
        make_episode(tenant, bank=bank, embedding=vector)
    assert work(ask(bank, at=5), at=5).result == {"built": ["chunk", "episode"], "dropped": []}
    assert not read_state(VectorIndex(bank.id)).exists
    assert read_state(VectorIndex(bank.id, corpus=Corpus.EPISODE)).is_valid
    with tenant_transaction(tenant.id):
        Chunk.objects.of_bank(bank).delete()
    assert work(ask(bank, at=5), at=5).result == {"built": [], "dropped": ["chunk"]}


def test_a_small_bank_asks_for_nothing(bank: Bank) -> None:
    assert ask(bank, at=5) is None


def test_it_is_asked_for_once(bank: Bank) -> None:
    first = ask(bank, at=4)
    assert ask(bank, at=4) is None
    work(first, at=4)
    assert ask(bank, at=4) is None


def test_a_bank_that_has_shrunk_loses_it(bank: Bank) -> None:
    work(ask(bank, at=4), at=4)
    with tenant_transaction(bank.tenant_id):
        MemoryUnit.objects.of_bank(bank).delete()
    work(ask(bank, at=4), at=4)
    assert not read_state(VectorIndex(bank.id)).exists


def test_a_bank_that_was_deleted_meanwhile_leaves_none_behind(bank: Bank) -> None:
    work(ask(bank, at=4), at=4)
    again = ask(bank, at=100)
    with tenant_transaction(bank.tenant_id):
        Bank.objects.for_tenant(bank.tenant_id).filter(id=bank.id).update(deleted_at="2026-01-01T00:00:00Z")
    work(again, at=100)
    assert not read_state(VectorIndex(bank.id)).exists
