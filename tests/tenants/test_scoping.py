"""Scoped managers: a query without a tenant is refused."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db.models import QuerySet

from banks.models import Bank
from tenants.models import Tenant
from tenants.scoping import ForeignRow, UnscopedQuery
from tenants.transactions import CrossTenantTransaction, tenant_transaction
from tests.factories import make_bank, make_tenant

pytestmark = pytest.mark.django_db

UNSCOPED: dict[str, Callable[[], Any]] = {
    "iterate": lambda: list(Bank.objects.all()),
    "filter": lambda: list(Bank.objects.filter(name="x")),
    "get": lambda: Bank.objects.get(name="x"),
    "first": lambda: Bank.objects.first(),
    "iterator": lambda: list(Bank.objects.iterator()),
    "count": lambda: Bank.objects.count(),
    "exists": lambda: Bank.objects.exists(),
    "aggregate": lambda: Bank.objects.aggregate(),
    "in_bulk": lambda: Bank.objects.in_bulk(),
    "values": lambda: list(Bank.objects.values("id")),
    "update": lambda: Bank.objects.update(name="x"),
    "delete": lambda: Bank.objects.filter(name="x").delete(),
    "create": lambda: Bank.objects.create(bank_id="x", name="x", embedding_model="x"),
    "bulk_create": lambda: Bank.objects.bulk_create([Bank(bank_id="x", name="x", embedding_model="x")]),
    "get_or_create": lambda: Bank.objects.get_or_create(bank_id="x"),
    "update_or_create": lambda: Bank.objects.update_or_create(bank_id="x"),
    "bulk_update": lambda: Bank.objects.bulk_update([Bank(name="x")], ["name"]),
    "raw": lambda: list(Bank.objects.raw("SELECT * FROM banks_bank")),
    "explain": lambda: Bank.objects.all().explain(),
}


@pytest.mark.parametrize("use", UNSCOPED.values(), ids=UNSCOPED.keys())
def test_an_unscoped_query_is_refused(use: Callable[[], Any]) -> None:
    with pytest.raises(UnscopedQuery, match=r"for_tenant\(tenant_id\)"):
        use()


def test_the_scope_survives_chaining() -> None:
    tenant, other = make_tenant(), make_tenant()
    bank = make_bank(tenant)
    make_bank(other)
    with tenant_transaction(tenant.id):
        rows = Bank.objects.for_tenant(tenant.id).live().exclude(name="x").order_by("-id")
        assert list(rows) == [bank]
        assert rows.count() == 1
        assert rows.update(name="changed") == 1


def test_create_gives_the_row_to_the_tenant() -> None:
    tenant = make_tenant()
    assert make_bank(tenant).tenant_id == tenant.id


@pytest.mark.parametrize("verb", ["create", "bulk_create"])
def test_a_row_of_another_tenant_is_refused(verb: str) -> None:
    mine, theirs = make_tenant(), make_tenant()
    fields = {"tenant_id": theirs.id, "bank_id": "x", "name": "x", "embedding_model": "x"}
    rows = Bank.objects.for_tenant(mine.id)
    with pytest.raises(ForeignRow):
        rows.create(**fields) if verb == "create" else rows.bulk_create([Bank(**fields)])


def test_row_level_security_applies_to_a_query_set_without_scoping() -> None:
    tenant = make_tenant()
    make_bank(tenant)
    everything: QuerySet[Bank] = QuerySet(Bank)
    assert list(everything) == []
    with tenant_transaction(tenant.id):
        assert everything.all().count() == 1


def test_a_transaction_serves_one_tenant_only() -> None:
    alice, charlie = make_tenant(), make_tenant()
    with tenant_transaction(alice.id), pytest.raises(CrossTenantTransaction), tenant_transaction(charlie.id):
        pytest.fail("two tenants shared a transaction")


def test_the_tenant_ends_with_its_block_even_inside_another_transaction() -> None:
    tenant = make_tenant()
    with tenant_transaction(tenant.id):
        assert Tenant.objects.filter(id=tenant.id).exists()
    assert not Tenant.objects.filter(id=tenant.id).exists()


def test_a_nested_block_keeps_the_tenant_of_the_outer_one() -> None:
    tenant = make_tenant()
    with tenant_transaction(tenant.id):
        with tenant_transaction(tenant.id):
            pass
        assert Tenant.objects.filter(id=tenant.id).exists()
