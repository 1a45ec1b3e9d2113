from typing import Any

import numpy as np
import pytest
from django.db import connection

from banks.links import link_by_meaning
from banks.models import Bank, Link, MemoryUnit
from tenants.transactions import tenant_transaction
from tests.banks.vector_index.test_nearest import angle
from tests.factories import make_bank, make_tenant
from tests.memory_factories import make_unit


@pytest.fixture
def bank(db: None) -> Bank:
    tenant = make_tenant("acme")
    bank = make_bank(tenant)
    bank.tenant = tenant  # at hand without a query
    return bank


def make_units(bank: Bank, *degrees: float) -> list[MemoryUnit]:
    return [make_unit(bank.tenant, bank=bank, embedding=angle(one)) for one in degrees]


def link(bank: Bank, units: list[MemoryUnit]) -> int:
    with tenant_transaction(bank.tenant_id):
        return link_by_meaning(bank, [unit.id for unit in units])


def links_of(bank: Bank) -> dict[tuple[Any, Any], float]:
    with tenant_transaction(bank.tenant_id):
        return {(row.source_id, row.target_id): row.weight for row in Link.objects.for_tenant(bank.tenant_id)}


def test_new_units_are_linked_to_old_ones_and_to_each_other(bank: Bank) -> None:
    (old,) = make_units(bank, 0)
    one, other = make_units(bank, 10, 20)
    link(bank, [one, other])
    pairs = {(one.id, old.id), (one.id, other.id), (other.id, old.id), (other.id, one.id)}
    assert set(links_of(bank)) == pairs
    assert links_of(bank)[one.id, old.id] == pytest.approx(np.cos(np.radians(10)), abs=1e-5)


def test_what_is_not_near_is_not_linked(bank: Bank) -> None:
    units = make_units(bank, 0, 44, 90)
    link(bank, [units[0]])
    assert set(links_of(bank)) == {(units[0].id, units[1].id)}


def test_a_unit_begins_at_most_five(bank: Bank) -> None:
    units = make_units(bank, *range(10))
    assert link(bank, units[:1]) == 5
    assert {target for _, target in links_of(bank)} == {unit.id for unit in units[1:6]}


def test_to_link_again_changes_nothing(bank: Bank) -> None:
    units = make_units(bank, 0, 10)
    link(bank, units)
    before = links_of(bank)
    link(bank, units)
    assert links_of(bank) == before


def test_a_batch_costs_the_same_number_of_statements_whatever_its_size(bank: Bank) -> None:
    def count(units: list[MemoryUnit]) -> int:
        seen: list[str] = []

        def note(execute: Any, statement: str, *rest: Any) -> Any:
            seen.append(statement)
            return execute(statement, *rest)

        with tenant_transaction(bank.tenant_id), connection.execute_wrapper(note):
            link_by_meaning(bank, [unit.id for unit in units])
        return len(seen)

    units = make_units(bank, *range(12))
    assert count(units[:2]) == count(units) <= 3
