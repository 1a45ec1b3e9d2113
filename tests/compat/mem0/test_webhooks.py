"""Webhooks through mem0's client, and their deliveries."""

from typing import Any

import pytest
from mem0.exceptions import AuthenticationError, MemoryNotFoundError, ValidationError

from memoryplatform.operations.notify.shapes import build_mem0_messages
from tenants.models import Delivery, Tenant
from tenants.transactions import tenant_transaction
from tests.compat.mem0.conftest import MakeClient
from tests.compat.mem0.quiet_client import MemoryClient
from tests.factories import make_webhook

URL = "https://example.com/told"


@pytest.fixture
def admin(alice: Tenant, make_client: MakeClient) -> MemoryClient:
    return make_client(alice, scopes=["admin"])


def read_told(tenant: Tenant) -> list[Any]:
    with tenant_transaction(tenant.id):
        rows = list(Delivery.objects.for_tenant(tenant.id).select_related("webhook").order_by("id"))
    return [message.body["event_details"] for row in rows for message in build_mem0_messages(row.webhook, row)]


def test_a_webhook_is_made_listed_changed_and_deleted(admin: MemoryClient) -> None:
    events = ["memory_add", "memory_categorize"]
    made = admin.create_webhook(url=URL, name="chat", project_id=admin.project_id, event_types=events)
    assert (made["url"], made["name"], made["event_types"], made["is_active"]) == (URL, "chat", events, True)
    assert "secret" not in made
    assert admin.get_webhooks(project_id=admin.project_id) == [made]
    changed = admin.update_webhook(webhook_id=made["webhook_id"], name="talk", event_types=["memory_delete"])
    assert (changed["name"], changed["url"], changed["event_types"]) == ("talk", URL, ["memory_delete"])
    assert changed["message"] == "Webhook updated successfully"
    assert admin.delete_webhook(webhook_id=made["webhook_id"]) == {"message": "Webhook deleted successfully"}
    assert admin.get_webhooks(project_id=admin.project_id) == []


def test_changes_of_memories_are_delivered_in_mem0s_shape(admin: MemoryClient, alice: Tenant) -> None:
    events = ["memory_add", "memory_update", "memory_delete"]
    admin.create_webhook(url=URL, name="chat", project_id=admin.project_id, event_types=events)
    memory_id = admin.add("I keep bees.", user_id="bob", infer=False)["results"][0]["id"]
    assert read_told(alice) == [{"id": memory_id, "data": {"memory": "I keep bees."}, "event": "ADD"}]
    admin.update(memory_id, text="I keep wasps.")
    assert read_told(alice)[1:] == [{"id": memory_id, "data": {"memory": "I keep wasps."}, "event": "UPDATE"}]
    admin.delete_all(user_id="bob")
    assert read_told(alice)[2:] == [{"id": memory_id, "data": {"memory": None}, "event": "DELETE"}]


def test_other_banks_are_not_delivered(admin: MemoryClient, alice: Tenant) -> None:
    admin.create_webhook(url=URL, name="chat", project_id=admin.project_id, event_types=["memory_add"])
    facts = {"items": [{"facts": [{"text": "Bob has a boat"}]}]}
    assert admin.client.post("/v1/banks/support/memories", json=facts, headers=bearer(admin)).status_code == 200
    assert read_told(alice) == []


def bearer(client: MemoryClient) -> dict[str, str]:
    return {"Authorization": f"Bearer {client.api_key}"}


WRONG: list[dict[str, Any]] = [
    {"event_types": ["memory_categorize"]},
    {"event_types": ["no_such"]},
    {"event_types": []},
    {"url": "ftp://example.com/"},
    {"url": "http://127.0.0.1/"},
]


def test_events_that_never_occur_are_refused(admin: MemoryClient, client: MemoryClient, alice: Tenant) -> None:
    wanted = {"url": URL, "name": "chat", "project_id": admin.project_id, "event_types": ["memory_add"]}
    for wrong in WRONG:
        with pytest.raises(ValidationError):
            admin.create_webhook(**wanted | wrong)
    with pytest.raises(AuthenticationError, match="lacks the scope"):
        client.create_webhook(**wanted)
    with pytest.raises(MemoryNotFoundError):
        admin.create_webhook(**wanted | {"project_id": "other"})
    other = make_webhook(alice)
    with pytest.raises(MemoryNotFoundError):
        admin.delete_webhook(webhook_id=str(other.id))
