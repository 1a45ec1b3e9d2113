"""An endpoint that fails for three days is disabled once, its owners are told, and it can be enabled again."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from django.core import mail
from django.db import IntegrityError, connections
from django.utils import timezone

from memoryplatform.embedded.redis import EmbeddedRedis
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.kinds.deliver_webhook import FAILS_AT_MOST, note_health
from memoryplatform.operations.models import Operation
from memoryplatform.operations.running.kind_names import DELIVER_WEBHOOK
from memoryplatform.operations.running.perform import perform
from memoryplatform.operations.webhooks import WebhookFields, change_webhook, create_webhook, get_webhook, ping_webhook
from tenants.models import AuditEvent, Tenant, Webhook
from tenants.transactions import tenant_transaction
from tenants.webhook_outbox import Event, announce
from tests.api.conftest import Caller
from tests.factories import make_key_with_text, make_member, make_tenant, perform_mails
from tests.webhook_receiver import Receiver, Reply


@pytest.fixture
def tenant(committed_db: None, redis_server: EmbeddedRedis) -> Tenant:
    return make_tenant("acme")


@pytest.fixture
def receiver(settings: Any) -> Iterator[Receiver]:
    settings.WEBHOOK_PRIVATE_ADDRESSES = True
    settings.WEBHOOK_MAX_ATTEMPTS = 1
    with Receiver() as receiver:
        yield receiver


@pytest.fixture
def webhook(tenant: Tenant, receiver: Receiver) -> Webhook:
    return create_webhook(BankAccess(tenant.id), WebhookFields(receiver.url, ("bank.created",)))


def reload(webhook: Webhook) -> Webhook:
    with tenant_transaction(webhook.tenant_id):
        return get_webhook(BankAccess(webhook.tenant_id), webhook.id)


def fail_since(webhook: Webhook, days: float) -> None:
    with tenant_transaction(webhook.tenant_id):
        since = timezone.now() - timedelta(days=days)
        Webhook.objects.for_tenant(webhook.tenant_id).filter(id=webhook.id).update(failing_since=since)


def deliver(webhook: Webhook, receiver: Receiver, status: int) -> None:
    """One event, which the receiver answers so."""
    receiver.replies.append(Reply(status))
    with tenant_transaction(webhook.tenant_id):
        announce(webhook.tenant_id, Event("bank.created", "support"))
        waiting = Operation.objects.for_tenant(webhook.tenant_id).filter(kind=DELIVER_WEBHOOK, status="pending")
        ids = list(waiting.values_list("id", flat=True))
    for one in ids:
        perform(webhook.tenant_id, one)
    receiver.replies.clear()


def list_disabled(tenant: Tenant) -> list[AuditEvent]:
    with tenant_transaction(tenant.id):
        return list(AuditEvent.objects.for_tenant(tenant.id).filter(action="webhook.disabled"))


def test_a_success_ends_the_failures(webhook: Webhook, receiver: Receiver) -> None:
    deliver(webhook, receiver, 500)
    first = reload(webhook).failing_since
    assert first is not None
    deliver(webhook, receiver, 500)
    assert reload(webhook).failing_since == first
    deliver(webhook, receiver, 200)
    assert (reload(webhook).failing_since, reload(webhook).enabled) == (None, True)


def test_after_three_days_of_failures_it_is_disabled_and_the_owners_are_told(
    tenant: Tenant, webhook: Webhook, receiver: Receiver
) -> None:
    make_member(tenant)
    fail_since(webhook, days=2.9)
    deliver(webhook, receiver, 500)
    assert reload(webhook).enabled
    fail_since(webhook, days=3.1)
    deliver(webhook, receiver, 500)
    shown = Caller(make_key_with_text(tenant, scopes=["admin"])[1])("GET", f"/v1/webhooks/{webhook.id}").json()
    assert (shown["enabled"], shown["disabled_at"] is not None, shown["failing_since"] is not None) == (
        False,
        True,
        True,
    )
    [event] = list_disabled(tenant)
    assert (event.target, event.detail, event.api_key_prefix) == (f"webhook:{webhook.id}", {"url": receiver.url}, "")
    perform_mails(tenant)
    [letter] = mail.outbox
    assert letter.subject == "A webhook was disabled: Acme"
    assert receiver.url in letter.body
    received = len(receiver.received)
    deliver(webhook, receiver, 200)
    assert len(receiver.received) == received


def test_enabling_it_again_forgets_the_failures(tenant: Tenant, webhook: Webhook, receiver: Receiver) -> None:
    fail_since(webhook, days=4)
    deliver(webhook, receiver, 500)
    change_webhook(BankAccess(tenant.id), webhook.id, WebhookFields(enabled=True))
    enabled = reload(webhook)
    assert (enabled.enabled, enabled.failing_since, enabled.disabled_at) == (True, None, None)
    deliver(webhook, receiver, 500)
    assert reload(webhook).enabled
    assert len(list_disabled(tenant)) == 1


def test_a_ping_reaches_a_disabled_webhook_and_does_not_enable_it(
    tenant: Tenant, webhook: Webhook, receiver: Receiver
) -> None:
    fail_since(webhook, days=4)
    deliver(webhook, receiver, 500)
    ping_webhook(BankAccess(tenant.id), webhook.id)
    deliver(webhook, receiver, 200)
    assert [one.json["type"] for one in receiver.received] == ["bank.created", "ping"]
    assert not reload(webhook).enabled


def test_of_two_workers_one_disables_it(tenant: Tenant, webhook: Webhook) -> None:
    fail_since(webhook, days=4)

    def note() -> None:
        try:
            with tenant_transaction(tenant.id):
                note_health(webhook, is_failure=True, now=timezone.now())
        finally:
            connections.close_all()

    with ThreadPoolExecutor(4) as workers:
        for done in [workers.submit(note) for _ in range(4)]:
            done.result()
    assert len(list_disabled(tenant)) == 1
    perform_mails(tenant)
    assert len(mail.outbox) == 1


def test_a_failure_just_before_the_limit_counts_from_its_beginning(tenant: Tenant, webhook: Webhook) -> None:
    now = timezone.now()
    for moment, enabled in [
        (now, True),
        (now + FAILS_AT_MOST - timedelta(seconds=1), True),
        (now + FAILS_AT_MOST, False),
    ]:
        with tenant_transaction(tenant.id):
            note_health(webhook, is_failure=True, now=moment)
        assert reload(webhook).enabled is enabled


def test_the_database_refuses_an_enabled_webhook_that_is_marked_as_disabled(tenant: Tenant, webhook: Webhook) -> None:
    with pytest.raises(IntegrityError, match="webhook_disabled_is_not_enabled"), tenant_transaction(tenant.id):
        Webhook.objects.for_tenant(tenant.id).update(disabled_at=timezone.now())
