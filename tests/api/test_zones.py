"""The day of a message is the day where it was said."""

from datetime import datetime
from typing import Any

import pytest

from banks.models import MemoryUnit
from tenants.models import Tenant
from tenants.transactions import tenant_transaction
from tests.api.conftest import Caller
from tests.factories import make_key_with_text, make_tenant

IN_SEATTLE = "2024-12-31T20:00:00-08:00"
SAID: dict[str, Any] = {"messages": [{"role": "user", "name": "Ana", "content": "I ran a marathon today."}]}
WRITTEN: dict[str, Any] = {"content": "Dora ran a marathon today."}


@pytest.fixture
def tenant(committed_db: None, redis_server: object) -> Tenant:
    return make_tenant("acme")


@pytest.mark.parametrize("item", [SAID, WRITTEN])
def test_today_is_the_day_where_it_was_said(tenant: Tenant, item: dict[str, Any]) -> None:
    call = Caller(make_key_with_text(tenant)[1])
    assert call("POST", "/v1/banks/zone/memories", {"items": [item | {"timestamp": IN_SEATTLE}]}).status_code == 200
    with tenant_transaction(tenant.id):
        unit = MemoryUnit.objects.for_tenant(tenant.id).get()
    assert "December 31, 2024" in unit.text
    assert unit.occurred_start == datetime.fromisoformat("2024-12-31T00:00:00-08:00")
