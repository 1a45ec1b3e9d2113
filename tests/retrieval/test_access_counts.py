from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection, connections

from banks.models import MemoryUnit
from retrieval.access_counts import AccessCounts
from tenants.models import Tenant
from tenants.transactions import tenant_transaction
from tests.factories import make_tenant
from tests.memory_factories import make_unit


def read_count(unit: MemoryUnit) -> int:
    with tenant_transaction(unit.tenant_id):
        return MemoryUnit.objects.for_tenant(unit.tenant_id).get(id=unit.id).access_count


def test_counts_are_written_together_and_once(tenant: Tenant) -> None:
    counts = AccessCounts()
    first, second = make_unit(tenant), make_unit(tenant)
    other = make_unit(make_tenant())
    counts.note(tenant.id, [first.id, second.id])
    counts.note(tenant.id, [first.id])
    counts.note(other.tenant_id, [other.id])
    assert read_count(first) == 0
    counts.write()
    counts.write()
    assert [read_count(unit) for unit in (first, second, other)] == [2, 1, 1]


def test_a_unit_of_another_tenant_is_not_counted(tenant: Tenant) -> None:
    counts = AccessCounts()
    other = make_unit(make_tenant())
    counts.note(tenant.id, [other.id])
    counts.write()
    assert read_count(other) == 0


def test_counting_does_not_look_like_an_edit(tenant: Tenant) -> None:
    counts = AccessCounts()
    unit = make_unit(tenant)
    counts.note(tenant.id, [unit.id])
    counts.write()
    with tenant_transaction(tenant.id):
        assert MemoryUnit.objects.for_tenant(tenant.id).get(id=unit.id).updated_at == unit.updated_at


def test_a_full_buffer_takes_no_more_until_it_is_written(tenant: Tenant) -> None:
    counts = AccessCounts(most_units=1)
    first, second = make_unit(tenant), make_unit(tenant)
    counts.note(tenant.id, [first.id])
    counts.note(tenant.id, [second.id])
    counts.write()
    assert [read_count(unit) for unit in (first, second)] == [1, 0]
    counts.note(tenant.id, [second.id])
    counts.write()
    assert read_count(second) == 1


@pytest.fixture
def committed_tenant(committed_db: None) -> Tenant:
    return make_tenant("acme")


def test_a_row_that_a_writer_holds_is_skipped(committed_tenant: Tenant) -> None:
    counts = AccessCounts()
    held, free = make_unit(committed_tenant), make_unit(committed_tenant)

    def write() -> None:
        try:
            counts.write()
        finally:
            connections.close_all()

    counts.note(committed_tenant.id, [held.id, free.id])
    with ThreadPoolExecutor(1) as pool, tenant_transaction(committed_tenant.id):
        MemoryUnit.objects.for_tenant(committed_tenant.id).select_for_update().get(id=held.id)
        pool.submit(write).result(timeout=10)
    assert [read_count(unit) for unit in (held, free)] == [0, 1]


def test_the_thread_writes_periodically_and_flushes_when_it_stops(committed_tenant: Tenant) -> None:
    counts = AccessCounts(seconds_between=60)
    unit = make_unit(committed_tenant)
    counts.start()
    counts.note(committed_tenant.id, [unit.id])
    counts.stop()
    assert read_count(unit) == 1
    connection.close()
