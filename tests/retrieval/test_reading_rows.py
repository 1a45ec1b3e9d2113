from uuid import UUID

import pytest
from django.db import OperationalError, connection
from django.test.utils import CaptureQueriesContext
from psycopg import sql

from retrieval.statements import read_rows, write_ids, write_numbers
from tests.clock import holds_to_a_time
from tests.retrieval.memory import Memory

IDS = [UUID(int=0), UUID("01a1ddf0-edec-749e-998e-8467daa724d8"), UUID(int=2**128 - 1)]


def test_rows_come_as_the_types_of_their_columns(memory: Memory) -> None:
    unit = memory.unit("Alice moved to Lisbon 100 %")
    statement = sql.SQL("SELECT id, text, mentioned_at, importance, occurred_end, proof_count FROM banks_memoryunit")
    (row,) = read_rows(memory.bank.tenant_id, statement, within_seconds=10)
    assert row == (unit.id, unit.text, unit.mentioned_at, unit.importance, unit.occurred_end, unit.proof_count)


@holds_to_a_time
def test_a_statement_that_takes_too_long_raises_an_error_of_djangos(memory: Memory) -> None:
    with pytest.raises(OperationalError):
        read_rows(memory.bank.tenant_id, sql.SQL("SELECT pg_sleep(5)::text"), within_seconds=0.01)


def test_tenant_and_time_are_set_with_one_statement(memory: Memory) -> None:
    statement = sql.SQL("SELECT current_setting('statement_timeout'), current_setting('hnsw.ef_search')")
    with CaptureQueriesContext(connection) as captured:
        rows = read_rows(memory.bank.tenant_id, statement, within_seconds=7, settings={"hnsw.ef_search": "77"})
    assert rows == [("7s", "77")]
    assert sum("set_config" in one["sql"] for one in captured.captured_queries[:3]) == 1


@pytest.mark.parametrize("ids", [[], IDS])
def test_ids_in_an_array_are_unchanged(memory: Memory, ids: list[UUID]) -> None:
    assert read_rows(memory.bank.tenant_id, "SELECT $1::uuid[]", [write_ids(ids)], within_seconds=None) == [(ids,)]


@pytest.mark.parametrize("numbers", [[], [0, -1, 2**31 - 1]])
def test_numbers_in_an_array_are_unchanged(memory: Memory, numbers: list[int]) -> None:
    rows = read_rows(memory.bank.tenant_id, "SELECT $1::int[]", [write_numbers(numbers)], within_seconds=None)
    assert rows == [(numbers,)]
