"""The named functions that bypass row-level security give no more access than documented."""

import pytest
from django.db import ProgrammingError, connections

from tenants.models import ApiKey, Tenant
from tenants.transactions import tenant_transaction
from tests.factories import make_bank, make_key_with_text, make_tenant

pytestmark = pytest.mark.usefixtures("committed_db")


def test_the_lookup_functions_answer_the_service_only() -> None:
    key, _ = make_key_with_text(make_tenant("door"))
    with connections["platform"].cursor() as cursor, pytest.raises(ProgrammingError, match="permission denied"):
        cursor.execute("SELECT * FROM api_key_by_prefix(%s)", [key.prefix])


def test_the_platform_connection_sees_every_tenant() -> None:
    make_key_with_text(make_tenant("one"))
    make_key_with_text(make_tenant("two"))
    rows = ApiKey.objects.using("platform")
    assert rows.count() == 2


def test_row_level_security_applies_to_the_owner_too() -> None:
    make_bank(make_tenant("one"))
    with connections["owner"].cursor() as cursor:
        cursor.execute("SELECT count(*) FROM banks_bank")
        assert cursor.fetchone() == (0,)


def test_the_tenant_does_not_outlive_its_transaction_on_a_pooled_connection() -> None:
    tenant = make_tenant()
    with tenant_transaction(tenant.id):
        assert Tenant.objects.count() == 1
    assert Tenant.objects.count() == 0
