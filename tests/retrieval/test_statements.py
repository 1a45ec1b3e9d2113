"""Statements with their own transaction, tested on committed rows, since they would join a test's transaction."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from uuid import UUID

import pytest
from django.db import OperationalError, connection
from psycopg.pq import TransactionStatus
from pytest_django.fixtures import Settings

from retrieval.statements import read_rows
from tests.clock import holds_to_a_time
from tests.factories import make_bank, make_tenant
from tests.retrieval.memory import Memory

UNITS = "SELECT unit.id FROM banks_memoryunit AS unit"
SETTINGS = """
SELECT coalesce(current_setting('memoryplatform.tenant_id', true), ''), current_setting('statement_timeout'),
    current_setting('work_mem'), current_setting('plan_cache_mode')
"""
PREPARED = "SELECT count(*) FROM pg_prepared_statements WHERE statement = $1"


@pytest.fixture
def memories(committed_db: None) -> Iterator[tuple[Memory, Memory]]:
    yield Memory(make_bank(make_tenant("acme"))), Memory(make_bank(make_tenant("rival")))
    connection.close()


def read_alone(statement: str) -> object:
    """Run on the same connection without a tenant."""
    with connection.cursor() as cursor:
        cursor.execute(statement)
        return cursor.fetchone()


def count_prepared(tenant_id: UUID, statement: str) -> int:
    [(count,)] = read_rows(tenant_id, PREPARED, [statement], within_seconds=None)
    return int(count)


def test_each_tenant_sees_its_own_rows_on_one_connection(memories: tuple[Memory, Memory]) -> None:
    mine, others = memories
    units = [mine.unit("Alice moved to Lisbon"), others.unit("Bob moved to Porto")]
    for _ in range(3):
        for memory, unit in zip(memories, units, strict=True):
            rows = read_rows(memory.bank.tenant_id, UNITS, within_seconds=10, keeps_plan=True)
            assert rows == [(unit.id,)]


def test_nothing_that_was_set_outlives_the_statement(memories: tuple[Memory, Memory]) -> None:
    tenant_id = memories[0].bank.tenant_id
    before = read_alone(SETTINGS)
    rows = read_rows(tenant_id, SETTINGS, within_seconds=7, settings={"work_mem": "7MB"}, keeps_plan=True)
    assert rows == [(str(tenant_id), "7s", "7MB", "force_generic_plan")]
    assert before == ("", "0", "4MB", "auto")
    assert read_alone(SETTINGS) == before
    assert read_alone("SELECT count(*) FROM banks_memoryunit") == (0,)
    assert connection.connection.info.transaction_status == TransactionStatus.IDLE


@holds_to_a_time
def test_after_one_that_took_too_long_the_connection_serves_on(memories: tuple[Memory, Memory]) -> None:
    tenant_id = memories[0].bank.tenant_id
    with pytest.raises(OperationalError):
        read_rows(tenant_id, "SELECT pg_sleep(5)::text", within_seconds=0.01)
    assert read_rows(tenant_id, "SELECT $1::int", [7], within_seconds=None) == [(7,)]
    assert connection.connection.info.transaction_status == TransactionStatus.IDLE


def test_only_statements_with_a_stable_plan_are_prepared_from_their_second_use(memories: tuple[Memory, Memory]) -> None:
    tenant_id = memories[0].bank.tenant_id
    kept, other = "SELECT $1::int + 1", "SELECT $1::int + 2"
    counts = []
    for number in range(3):
        assert read_rows(tenant_id, kept, [number], within_seconds=None, keeps_plan=True) == [(number + 1,)]
        assert read_rows(tenant_id, other, [number], within_seconds=None) == [(number + 2,)]
        counts.append((count_prepared(tenant_id, kept), count_prepared(tenant_id, other)))
    assert counts == [(0, 0), (1, 0), (1, 0)]


def test_prepared_statements_can_be_switched_off(memories: tuple[Memory, Memory], settings: Settings) -> None:
    tenant_id = memories[0].bank.tenant_id
    settings.DATABASE_PREPARED_STATEMENTS = False
    for number in range(3):
        rows = read_rows(tenant_id, "SELECT $1::int + 3", [number], within_seconds=None, keeps_plan=True)
        assert rows == [(number + 3,)]
    assert count_prepared(tenant_id, "SELECT $1::int + 3") == 0


def test_many_threads_of_two_tenants_never_see_each_other(memories: tuple[Memory, Memory]) -> None:
    units = {memory.bank.tenant_id: memory.unit("Alice moved to Lisbon").id for memory in memories}

    def ask(tenant_id: UUID) -> bool:
        try:
            return read_rows(tenant_id, UNITS, within_seconds=None, keeps_plan=True) == [(units[tenant_id],)]
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as threads:
        assert all(threads.map(ask, [*units] * 20))
