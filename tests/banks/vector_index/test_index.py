"""A large bank's own vector index: built, used, repaired and dropped while the service runs."""

from collections.abc import Iterator

import numpy as np
import pytest
from django.db import connection, connections
from django.test import override_settings
from django.utils import timezone
from psycopg import sql

from banks.models import Bank, Corpus, MemoryUnit
from banks.vector_index.index import (
    IndexState,
    Need,
    VectorIndex,
    build_create,
    count_rows,
    create_index,
    drop_index,
    find_dimension,
    find_needs,
    read_state,
)
from banks.vector_index.nearest import build_search, search_index
from banks.vectors import write_vector
from tenants.identifiers import uuid7
from tenants.transactions import tenant_transaction
from tests.factories import make_bank, make_tenant
from tests.memory_factories import make_unit

DIMENSION = 8
MISSING, VALID, HUSK = IndexState(False, False), IndexState(True, True), IndexState(True, False)


@pytest.fixture
def bank(committed_db: None) -> Iterator[Bank]:
    tenant = make_tenant("acme")
    bank = make_bank(tenant)
    bank.tenant = tenant  # avoids a query
    yield bank
    drop_index(VectorIndex(bank.id))


def fill(bank: Bank, count: int) -> None:
    vectors = np.random.default_rng(1).normal(size=(count, DIMENSION)).astype(np.float32)
    now = timezone.now()
    rows = [
        MemoryUnit(
            bank=bank,
            network="world",
            text=f"fact {number}",
            content_hash=uuid7().bytes,
            embedding=vector,
            mentioned_at=now,
            recorded_at=now,
        )
        for number, vector in enumerate(vectors)
    ]
    with tenant_transaction(bank.tenant_id):
        MemoryUnit.objects.for_tenant(bank.tenant_id).bulk_create(rows)


def explain(bank: Bank) -> str:
    """The plan that Postgres chooses for the service's role under row-level security."""
    vector = np.ones(DIMENSION, dtype=np.float32)
    with tenant_transaction(bank.tenant_id), connection.cursor() as cursor:
        cursor.execute(sql.SQL("EXPLAIN ") + build_search(bank, DIMENSION), [[write_vector(vector)], 5])
        return "\n".join(row[0] for row in cursor.fetchall())


def gather_statistics() -> None:
    with connections["owner"].cursor() as cursor:
        cursor.execute("ANALYZE banks_memoryunit")


def test_the_search_of_the_service_goes_through_the_index(bank: Bank) -> None:
    fill(bank, 2_000)
    gather_statistics()  # without statistics the planner takes the bank for small
    assert VectorIndex(bank.id).name not in explain(bank)
    assert create_index(VectorIndex(bank.id), DIMENSION)
    assert f"Index Scan using {VectorIndex(bank.id).name}" in explain(bank)


def test_the_search_of_another_bank_does_not(bank: Bank) -> None:
    fill(bank, 5)
    create_index(VectorIndex(bank.id), DIMENSION)
    assert "unit_vectors_" not in explain(make_bank(bank.tenant))


def test_superseded_units_are_passed_over_until_enough_live_ones_are_found(bank: Bank) -> None:
    near, far = np.zeros(DIMENSION, np.float32), np.zeros(DIMENSION, np.float32)
    near[0], far[0], far[1] = 1.0, 1.0, 1.0
    closed = {"expired_at": "2026-01-01T00:00:00Z", "close_reason": "update"}
    for number in range(120):
        make_unit(bank.tenant, bank=bank, text=f"old {number}", embedding=near, **closed)
    live = [make_unit(bank.tenant, bank=bank, text=f"new {number}", embedding=far).id for number in range(3)]
    create_index(VectorIndex(bank.id), DIMENSION)
    with tenant_transaction(bank.tenant_id):
        (found,) = search_index(bank, [near], nearest=3)
    assert sorted(one.unit_id for one in found) == sorted(live)


def test_it_is_made_once(bank: Bank) -> None:
    fill(bank, 3)
    assert read_state(VectorIndex(bank.id)) == MISSING
    assert create_index(VectorIndex(bank.id), DIMENSION)
    assert read_state(VectorIndex(bank.id)) == VALID
    assert not create_index(VectorIndex(bank.id), DIMENSION)


def test_the_husk_of_a_build_that_was_cut_off_is_replaced(bank: Bank) -> None:
    fill(bank, 3)
    make_husk(bank)
    assert read_state(VectorIndex(bank.id)) == HUSK
    assert create_index(VectorIndex(bank.id), DIMENSION)
    assert read_state(VectorIndex(bank.id)) == VALID


def make_husk(bank: Bank) -> None:
    """Leave an invalid index, as a crash does: a build over vectors of another dimension fails at the first one."""
    with connections["owner"].cursor() as cursor, pytest.raises(Exception, match="dimensions"):
        cursor.execute(build_create(VectorIndex(bank.id), DIMENSION + 1))


def test_dropping_says_whether_there_was_one(bank: Bank) -> None:
    fill(bank, 1)
    create_index(VectorIndex(bank.id), DIMENSION)
    assert drop_index(VectorIndex(bank.id))
    assert not drop_index(VectorIndex(bank.id))
    assert read_state(VectorIndex(bank.id)) == MISSING


def test_a_bank_gets_one_when_it_is_large_and_loses_it_when_it_is_much_smaller(bank: Bank) -> None:
    fill(bank, 6)
    assert need(bank, at=7) is None
    assert need(bank, at=6) is Need.BUILD
    create_index(VectorIndex(bank.id), DIMENSION)
    assert need(bank, at=6) is None
    assert need(bank, at=12) is None
    assert need(bank, at=13) is Need.DROP


def test_an_invalid_index_is_dropped_without_harm(bank: Bank) -> None:
    fill(bank, 6)
    make_husk(bank)
    assert need(bank, at=6) is Need.BUILD
    assert need(bank, at=7) is Need.DROP


def need(bank: Bank, *, at: int) -> Need | None:
    with override_settings(VECTOR_INDEX_UNITS=at), tenant_transaction(bank.tenant_id):
        return find_needs(bank).get(Corpus.UNIT)


def test_counting_stops_where_more_is_not_asked_for(bank: Bank) -> None:
    fill(bank, 4)
    with tenant_transaction(bank.tenant_id):
        assert [count_rows(bank, at_most=most)[Corpus.UNIT] for most in (3, 9)] == [3, 4]
        assert find_dimension(bank) == DIMENSION
