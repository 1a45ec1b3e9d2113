"""The day of a message is the day in the speaker's zone."""

from datetime import date, datetime
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
    assert unit.text == (item.get("content") or item["messages"][0]["content"])
    assert unit.occurred_start == datetime.fromisoformat("2024-12-31T00:00:00-08:00")


def test_appended_text_has_its_own_date_and_leaves_the_first_alone(tenant: Tenant) -> None:
    call = Caller(make_key_with_text(tenant)[1])
    first = {"content": "Alice broke her arm yesterday.", "timestamp": "2024-01-10T12:00:00Z", "tags": ["health"]}
    second = {"content": "Bob visited Alice yesterday.", "timestamp": "2024-06-10T12:00:00Z", "update_mode": "append"}
    for item in (first, second):
        body = {"items": [item | {"document_id": "diary"}]}
        assert call("POST", "/v1/banks/zone/memories", body).json()["status"] == "completed"
    with tenant_transaction(tenant.id):
        dates = MemoryUnit.objects.for_tenant(tenant.id).order_by("id").values_list("occurred_start__date", flat=True)
        assert list(dates) == [date(2024, 1, 9), date(2024, 6, 9)]
    document = call("GET", "/v1/banks/zone/documents/diary").json()
    assert document["tags"] == ["health"]


def test_a_text_without_inference_is_not_read_by_a_later_append(tenant: Tenant) -> None:
    call = Caller(make_key_with_text(tenant)[1])
    for item in (
        {"content": "Zorro lives in Madrid.", "infer": False},
        {"content": "Ana lives in Porto.", "update_mode": "append"},
    ):
        call("POST", "/v1/banks/zone/memories", {"items": [item | {"document_id": "notes"}]})
    with tenant_transaction(tenant.id):
        texts = list(MemoryUnit.objects.for_tenant(tenant.id).values_list("text", flat=True))
    assert len(texts) == 1
    assert "Porto" in texts[0]
