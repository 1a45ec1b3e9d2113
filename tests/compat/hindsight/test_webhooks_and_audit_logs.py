"""Webhooks and the audit log through Hindsight's client; deliveries have Hindsight's shape."""

import hashlib
import hmac
from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import pytest
from hindsight_client_api.exceptions import ApiException
from hindsight_client_api.models.create_webhook_request import CreateWebhookRequest
from hindsight_client_api.models.update_webhook_request import UpdateWebhookRequest

from memoryplatform.operations.idempotency import build_key
from memoryplatform.operations.models import Operation
from memoryplatform.operations.running.perform import perform
from tenants.models import Tenant
from tenants.transactions import tenant_transaction
from tenants.webhook_outbox import Event, announce
from tests.compat.hindsight.conftest import MakeClient, Run
from tests.factories import make_bank, make_operation
from tests.webhook_receiver import Receiver


@pytest.fixture
def receiver(settings: Any) -> Iterator[Receiver]:
    settings.WEBHOOK_PRIVATE_ADDRESSES = True
    with Receiver() as receiver:
        yield receiver


def work(tenant: Tenant) -> None:
    with tenant_transaction(tenant.id):
        rows = Operation.objects.for_tenant(tenant.id).filter(kind="deliver_webhook", status="pending")
        ids = list(rows.values_list("id", flat=True))
    for operation_id in ids:
        perform(tenant.id, operation_id)


def test_deliveries_have_the_clients_shape_and_signature(
    make_client: MakeClient, run: Run, alice: Tenant, receiver: Receiver
) -> None:
    make_bank(alice, bank_id="support")
    hooks = make_client(alice, scopes=["admin"]).webhooks
    config = {"headers": {"X-Mine": "yes"}, "params": {"from": "us"}}
    wanted = CreateWebhookRequest.model_validate(
        {"url": receiver.url, "secret": "s3cret", "event_types": ["retain.completed"], "http_config": config}
    )
    made = run(hooks.create_webhook("support", wanted))
    assert (made.bank_id, made.event_types, made.enabled, made.secret) == ("support", ["retain.completed"], True, "***")
    own = uuid4()
    operation = make_operation(alice, idempotency_key=build_key(own))
    told = {"operation_id": str(operation.id), "memory_ids": ["m"], "memory_count": 1, "proven_again": 0}
    with tenant_transaction(alice.id):
        announce(alice.id, Event("memories.retained", "support", told))
    work(alice)
    (received,) = receiver.received
    assert (received.path, received.headers["x-mine"]) == ("/told?from=us", "yes")
    assert received.headers["x-hindsight-event"] == received.json["event"] == "retain.completed"
    digest = hmac.new(b"s3cret", received.body, hashlib.sha256).hexdigest()
    assert received.headers["x-hindsight-signature"] == f"sha256={digest}"
    assert (received.json["operation_id"], received.json["data"]["memory_unit_count"]) == (str(own), 1)
    (delivery,) = run(hooks.list_webhook_deliveries("support", made.id)).items
    assert (delivery.status, delivery.last_response_status, delivery.event_type) == (
        "completed",
        200,
        "retain.completed",
    )


def test_webhooks_are_listed_changed_and_deleted(make_client: MakeClient, run: Run, alice: Tenant) -> None:
    make_bank(alice, bank_id="support")
    hooks = make_client(alice, scopes=["admin"]).webhooks
    made = run(hooks.create_webhook("support", CreateWebhookRequest(url="https://example.com/")))
    assert made.event_types == ["consolidation.completed"]
    changed = run(hooks.update_webhook("support", made.id, UpdateWebhookRequest(enabled=False)))
    assert (changed.enabled, changed.url) == (False, "https://example.com/")
    page = run(hooks.list_webhooks("support"))
    assert (page.total, page.items[0].id) == (1, made.id)
    assert run(hooks.delete_webhook("support", made.id)).success
    with pytest.raises(ApiException) as refused:
        run(hooks.delete_webhook("support", made.id))
    assert refused.value.status == 404


@pytest.mark.parametrize("headers", [{"Host": "inside"}, {"X": "a\r\nb"}, {"webhook-id": "mine"}], ids=str)
def test_a_header_that_is_ours_to_say_is_refused(
    make_client: MakeClient, run: Run, alice: Tenant, headers: dict[str, str]
) -> None:
    make_bank(alice, bank_id="support")
    wanted = CreateWebhookRequest.model_validate({"url": "https://example.com/", "http_config": {"headers": headers}})
    with pytest.raises(ApiException) as refused:
        run(make_client(alice, scopes=["admin"]).webhooks.create_webhook("support", wanted))
    assert refused.value.status == 422


def test_the_audit_log_is_read(make_client: MakeClient, run: Run, alice: Tenant) -> None:
    client = make_client(alice, scopes=["admin"])
    run(client.acreate_bank("support", name="Support"))
    audit = client.audit
    page = run(audit.list_audit_logs("support", action="bank.created"))
    assert (page.total, page.items[0].action, page.items[0].transport) == (1, "bank.created", "http")
    entry = run(audit.get_audit_log("support", page.items[0].id))
    assert (entry.bank_id, entry.request) == ("support", None)
    stats = run(audit.audit_log_stats("support", period="1d"))
    assert (stats.trunc, stats.buckets[-1].actions["bank.created"]) == ("hour", 1)
    assert run(audit.list_audit_logs("support", transport="mcp")).total == 0
