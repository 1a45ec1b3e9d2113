"""Observations follow when a person corrects, edits or restores a fact."""

from collections.abc import Callable

import pytest

from banks.lifecycle.closing_by_hand import Invalidation
from banks.lifecycle.editing import UnitEdit
from banks.models import MemoryUnit, Mention
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.memories.single import edit_memory, invalidate_memory, restore_memory
from memoryplatform.operations.models import Operation
from reflection.models import ObservedEntity
from tenants.models import Tenant
from tenants.transactions import tenant_transaction
from tests.factories import make_bank
from tests.memory_factories import make_entity, make_row, make_unit


def edit(access: BankAccess, fact: MemoryUnit) -> None:
    edit_memory(access, "support", fact.id, UnitEdit(text="Lea sails."), expected=None)


def correct(access: BankAccess, fact: MemoryUnit) -> None:
    invalidate_memory(access, "support", fact.id, Invalidation("correction"))


def restore(access: BankAccess, fact: MemoryUnit) -> None:
    invalidate_memory(access, "support", fact.id, Invalidation("update"))
    with tenant_transaction(access.tenant_id):
        ObservedEntity.objects.for_tenant(access.tenant_id).delete()
        Operation.objects.for_tenant(access.tenant_id).delete()
    restore_memory(access, "support", fact.id, reason="")


def retag(access: BankAccess, fact: MemoryUnit) -> None:
    edit_memory(access, "support", fact.id, UnitEdit(tags=("user:lea",)), expected=None)


def make_fact(tenant: Tenant, **fields: object) -> MemoryUnit:
    bank = make_bank(tenant, bank_id="support")
    fact = make_unit(tenant, bank=bank, text="Lea lives in Oslo.", **fields)
    make_row(Mention, tenant, unit=fact, entity=make_entity(tenant, bank=bank, name="Lea"), name="Lea")
    return fact


def list_marked(tenant: Tenant) -> list[bool]:
    """For each stale entity, whether facts that were already read have changed."""
    with tenant_transaction(tenant.id):
        rows = ObservedEntity.objects.for_tenant(tenant.id).stale()
        assert rows.exists() == Operation.objects.for_tenant(tenant.id).filter(kind="refresh_observations").exists()
        return [row.altered_at is not None for row in rows]


@pytest.mark.usefixtures("llm")
@pytest.mark.parametrize("change", [edit, correct, restore, retag])
def test_the_observations_of_its_entities_become_stale(
    tenant: Tenant, change: Callable[[BankAccess, MemoryUnit], None]
) -> None:
    change(BankAccess(tenant.id), make_fact(tenant))
    assert list_marked(tenant) == [True]


def test_a_fact_that_reads_as_before_leaves_them_alone(tenant: Tenant) -> None:
    fact = make_fact(tenant)
    edit_memory(BankAccess(tenant.id), "support", fact.id, UnitEdit(context="home", importance=0.9), expected=None)
    assert list_marked(tenant) == []


def test_an_observation_that_a_person_edits_is_not_written_over(tenant: Tenant) -> None:
    edit(BankAccess(tenant.id), make_fact(tenant, network="observation"))
    assert list_marked(tenant) == []


@pytest.mark.parametrize("change", [edit, correct, restore, retag])
def test_without_a_model_nothing_is_marked(tenant: Tenant, change: Callable[[BankAccess, MemoryUnit], None]) -> None:
    change(BankAccess(tenant.id), make_fact(tenant))
    assert list_marked(tenant) == []
