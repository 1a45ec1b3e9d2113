"""Webhook deliveries: sent after the commit, signed, and retried until they are accepted or given up."""

import base64
import hashlib
import hmac
import time
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from banks.models import Bank
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.banks.profile import BankChange, create_bank, delete_bank_for_good
from memoryplatform.operations.documents import delete_document
from memoryplatform.operations.errors import OperationFinished, WebhookInvalid, WebhookNotFound
from memoryplatform.operations.kinds.deliver_webhook import forget_old
from memoryplatform.operations.models import Dispatch, Operation
from memoryplatform.operations.notify.shapes import HINDSIGHT as PEER
from memoryplatform.operations.notify.shapes import HttpConfig, write_options
from memoryplatform.operations.running.kind_names import DELIVER_WEBHOOK
from memoryplatform.operations.running.perform import perform
from memoryplatform.operations.running.submit import cancel
from memoryplatform.operations.webhooks import (
    WebhookFields,
    change_webhook,
    create_webhook,
    delete_webhook,
    get_webhook,
    ping_webhook,
    redeliver,
    renew_secret,
)
from reflection.opinions.revisions import write_formed
from tenants.audit import SYSTEM
from tenants.models import AuditEvent, Delivery, Tenant, Webhook
from tenants.transactions import tenant_transaction
from tenants.webhook_outbox import Event, announce
from tests.clock import holds_to_a_time
from tests.factories import make_bank
from tests.memory_factories import make_document, make_unit
from tests.operations.conftest import submit_one
from tests.webhook_receiver import Receiver, Reply

ALL_ENDS = ("operation.completed", "operation.failed", "operation.cancelled")


@pytest.fixture
def receiver(settings: Any) -> Iterator[Receiver]:
    settings.WEBHOOK_PRIVATE_ADDRESSES = True
    settings.WEBHOOK_RETRY_SECONDS = 0.001
    settings.WEBHOOK_TIMEOUT_SECONDS = 2.0
    with Receiver() as receiver:
        yield receiver


@pytest.fixture
def access(tenant: Tenant) -> BankAccess:
    return BankAccess(tenant.id)


def make(access: BankAccess, receiver: Receiver, *events: str, **fields: Any) -> Webhook:
    return create_webhook(access, WebhookFields(receiver.url, events, **fields))


def work(tenant: Tenant) -> None:
    """Perform the queued operations attempt by attempt, like the workers."""
    for _ in range(20):
        with tenant_transaction(tenant.id):
            waiting = Operation.objects.for_tenant(tenant.id).filter(kind=DELIVER_WEBHOOK, status="pending")
            ids = list(waiting.order_by("id").values_list("id", flat=True))
            waiting.update(next_attempt_at=None)
        if not ids:
            return
        for operation_id in ids:
            perform(tenant.id, operation_id)


def deliveries(tenant: Tenant) -> list[Delivery]:
    with tenant_transaction(tenant.id):
        return list(Delivery.objects.for_tenant(tenant.id).order_by("id"))


def test_a_deleted_bank_is_an_event_with_a_valid_signature(
    tenant: Tenant, access: BankAccess, receiver: Receiver
) -> None:
    webhook = make(access, receiver, "bank.created", "bank.deleted")
    create_bank(access, "support", BankChange())
    delete_bank_for_good(access, "support")
    work(tenant)
    created, deleted = receiver.received
    assert [created.json["type"], deleted.json["type"]] == ["bank.created", "bank.deleted"]
    assert deleted.json["bank_id"] == "support"
    headers = deleted.headers
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + deleted.body
    digest = hmac.digest(base64.b64decode(webhook.secret.removeprefix("whsec_")), signed, hashlib.sha256)
    assert headers["webhook-signature"] == f"v1,{base64.b64encode(digest).decode()}"
    assert abs(int(headers["webhook-timestamp"]) - timezone.now().timestamp()) < 60
    assert [(one.status, one.answer_code, one.attempts) for one in deliveries(tenant)] == [("delivered", 200, 1)] * 2


def test_a_rolled_back_change_sends_no_event(tenant: Tenant, access: BankAccess, receiver: Receiver) -> None:
    make(access, receiver, "bank.created")
    with pytest.raises(RuntimeError), tenant_transaction(tenant.id):
        announce(tenant.id, Event("bank.created", "support"))
        raise RuntimeError
    assert deliveries(tenant) == []


def test_only_the_requested_events_and_bank_are_delivered(
    tenant: Tenant, access: BankAccess, receiver: Receiver
) -> None:
    make_bank(tenant, bank_id="mine")
    make(access, receiver, "bank.changed", bank_id="mine")
    make(access, receiver, "bank.changed", enabled=False)
    with tenant_transaction(tenant.id):
        announce(tenant.id, Event("bank.changed", "other"))
        announce(tenant.id, Event("bank.deleted", "mine"))
        announce(tenant.id, Event("bank.changed", "mine"))
    assert [(one.event, one.bank_id) for one in deliveries(tenant)] == [("bank.changed", "mine")]


def test_the_end_of_an_operation_is_an_event(tenant: Tenant, access: BankAccess, receiver: Receiver) -> None:
    make(access, receiver, *ALL_ENDS)
    perform(tenant.id, submit_one(tenant, "probe.steps", steps=0).id)
    perform(tenant.id, submit_one(tenant, "probe.hopeless").id)
    cancel(tenant.id, submit_one(tenant, "probe.steps", steps=0).id, actor=SYSTEM)
    work(tenant)
    told = [(one.json["type"], one.json["data"].get("error_code")) for one in receiver.received]
    assert told == [("operation.completed", None), ("operation.failed", "unreadable"), ("operation.cancelled", None)]


def test_a_changed_opinion_is_an_event(tenant: Tenant, access: BankAccess, receiver: Receiver) -> None:
    bank: Bank = make_bank(tenant, bank_id="support")
    make(access, receiver, "opinion.changed")
    opinion = make_unit(tenant, bank=bank, network="opinion", confidence=0.7)
    with tenant_transaction(tenant.id):
        write_formed(bank, [opinion])
    work(tenant)
    (change,) = receiver.received[0].json["data"]["changes"]
    assert change == {"opinion_id": str(opinion.id), "revision": 1, "cause": "formed", "confidence": opinion.confidence}


def test_an_address_that_is_away_is_tried_again_under_the_same_id(
    tenant: Tenant, access: BankAccess, receiver: Receiver
) -> None:
    webhook = make(access, receiver, "bank.created")
    receiver.replies.extend([Reply(503), Reply(500)])
    ping_webhook(access, webhook.id)
    work(tenant)
    assert len({one.headers["webhook-id"] for one in receiver.received}) == 1
    assert len(receiver.received) == 3
    (delivery,) = deliveries(tenant)
    assert (delivery.status, delivery.attempts, delivery.answer_code, delivery.error) == ("delivered", 3, 200, "")


def test_the_waits_grow_and_the_sweeper_comes_when_they_are_over(
    tenant: Tenant, access: BankAccess, receiver: Receiver, settings: Any
) -> None:
    settings.WEBHOOK_RETRY_SECONDS = 100.0
    receiver.replies.extend([Reply(500), Reply(500)])
    ping_webhook(access, make(access, receiver, "bank.created").id)
    waits = []
    for _ in range(2):
        with tenant_transaction(tenant.id):
            operation = Operation.objects.for_tenant(tenant.id).get(kind=DELIVER_WEBHOOK)
            Operation.objects.for_tenant(tenant.id).update(next_attempt_at=None)
        perform(tenant.id, operation.id)
        (delivery,) = deliveries(tenant)
        assert delivery.next_attempt_at is not None
        waits.append((delivery.next_attempt_at - timezone.now()).total_seconds())
        due = Dispatch.objects.get(operation_id=operation.id).due_at
        assert abs((due - delivery.next_attempt_at).total_seconds()) < 5
    assert 45 < waits[0] <= 100 < waits[1] + 5 <= 205


def test_after_the_last_attempt_it_is_given_up_and_can_be_sent_again_by_hand(
    tenant: Tenant, access: BankAccess, receiver: Receiver, settings: Any
) -> None:
    settings.WEBHOOK_MAX_ATTEMPTS = 3
    webhook = make(access, receiver, "bank.created")
    receiver.replies.extend([Reply(404)] * 3)
    ping_webhook(access, webhook.id)
    work(tenant)
    (delivery,) = deliveries(tenant)
    assert (delivery.status, delivery.attempts, delivery.error) == ("failed", 3, "The answer was 404.")
    redeliver(access, webhook.id, delivery.id)
    work(tenant)
    (delivery,) = deliveries(tenant)
    assert (delivery.status, delivery.attempts, len(receiver.received)) == ("delivered", 1, 4)


def get_operation(tenant: Tenant) -> Operation:
    with tenant_transaction(tenant.id):
        return Operation.objects.for_tenant(tenant.id).get(kind=DELIVER_WEBHOOK)


def test_a_delivery_is_not_cancelled(tenant: Tenant, access: BankAccess, receiver: Receiver) -> None:
    ping_webhook(access, make(access, receiver, "bank.created").id)
    with pytest.raises(OperationFinished):
        cancel(tenant.id, get_operation(tenant).id, actor=SYSTEM)


def test_a_delivery_whose_operation_fails_has_failed_and_can_be_sent_again(
    tenant: Tenant, access: BankAccess, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    webhook = make(access, receiver, "bank.created")
    ping_webhook(access, webhook.id)
    with monkeypatch.context() as broken:
        broken.setattr("memoryplatform.operations.kinds.deliver_webhook.attempt_delivery", lambda *_: 1 / 0)
        work(tenant)
    (delivery,) = deliveries(tenant)
    assert (get_operation(tenant).status, delivery.status) == ("failed", "failed")
    assert delivery.error == "Unexpected ZeroDivisionError."
    redeliver(access, webhook.id, delivery.id)
    work(tenant)
    assert deliveries(tenant)[0].status == "delivered"


def test_a_delivery_under_way_is_not_sent_twice_and_an_abandoned_one_is_sent(
    tenant: Tenant, access: BankAccess, receiver: Receiver
) -> None:
    webhook = make(access, receiver, "bank.created")
    delivery = ping_webhook(access, webhook.id)
    redeliver(access, webhook.id, delivery.id)
    with tenant_transaction(tenant.id):
        operations = Operation.objects.for_tenant(tenant.id).filter(kind=DELIVER_WEBHOOK)
        assert operations.count() == 1
        operations.update(status="cancelled")  # an earlier version allowed this
    redeliver(access, webhook.id, delivery.id)
    work(tenant)
    assert (deliveries(tenant)[0].status, len(receiver.received)) == ("delivered", 1)


def test_old_deliveries_are_deleted_and_also_abandoned_pending_ones(
    tenant: Tenant, access: BankAccess, receiver: Receiver
) -> None:
    webhook = make(access, receiver, "bank.created")
    carried, abandoned, over = (ping_webhook(access, webhook.id) for _ in range(3))
    with tenant_transaction(tenant.id):
        rows = Delivery.objects.for_tenant(tenant.id)
        rows.update(created_at=timezone.now() - timedelta(days=31))
        rows.filter(id=over.id).update(status="delivered")
        operations = Operation.objects.for_tenant(tenant.id)
        operations.filter(payload__delivery_id=str(abandoned.id)).update(status="cancelled")
        forget_old(tenant.id, timezone.now())
    assert [one.id for one in deliveries(tenant)] == [carried.id]


def test_a_redirect_is_not_followed(tenant: Tenant, access: BankAccess, receiver: Receiver) -> None:
    receiver.replies.append(Reply(302, location=f"http://127.0.0.1:{receiver.port}/inside"))
    ping_webhook(access, make(access, receiver, "bank.created").id)
    with tenant_transaction(tenant.id):
        operation = Operation.objects.for_tenant(tenant.id).get(kind=DELIVER_WEBHOOK)
    perform(tenant.id, operation.id)
    assert [one.path for one in receiver.received] == ["/told"]
    assert deliveries(tenant)[0].answer_code == 302


@holds_to_a_time
@pytest.mark.parametrize("reply", [Reply(trickle=0.2), Reply(endless=True)], ids=["trickles", "is endless"])
def test_an_answer_that_would_hold_a_worker_for_ever_does_not(
    tenant: Tenant, access: BankAccess, receiver: Receiver, settings: Any, reply: Reply
) -> None:
    settings.WEBHOOK_TIMEOUT_SECONDS = 0.5
    settings.WEBHOOK_MAX_ATTEMPTS = 1
    receiver.replies.append(reply)
    ping_webhook(access, make(access, receiver, "bank.created").id)
    begun = time.monotonic()
    work(tenant)
    assert time.monotonic() - begun < 2.5
    assert deliveries(tenant)[0].status == ("delivered" if reply.endless else "failed")


def test_a_disabled_webhook_gets_only_pings(
    tenant: Tenant, access: BankAccess, receiver: Receiver, settings: Any
) -> None:
    settings.WEBHOOK_MAX_ATTEMPTS = 1
    webhook = make(access, receiver, "bank.created")
    with tenant_transaction(tenant.id):
        announce(tenant.id, Event("bank.created", "support"))
    change_webhook(access, webhook.id, WebhookFields(enabled=False))
    ping_webhook(access, webhook.id)
    work(tenant)
    assert [one.json["type"] for one in receiver.received] == ["ping"]
    assert deliveries(tenant)[0].error == "The webhook is not enabled."


def test_a_webhook_that_is_gone_takes_its_deliveries_along(
    tenant: Tenant, access: BankAccess, receiver: Receiver
) -> None:
    webhook = make(access, receiver, "bank.created")
    ping_webhook(access, webhook.id)
    delete_webhook(access, webhook.id)
    work(tenant)
    assert (receiver.received, deliveries(tenant)) == ([], [])


def test_a_key_of_some_banks_has_webhooks_of_those_alone(
    tenant: Tenant, access: BankAccess, receiver: Receiver
) -> None:
    make_bank(tenant, bank_id="mine")
    limited = BankAccess(tenant.id, banks=frozenset({"mine"}))
    of_all = make(access, receiver, "bank.deleted")
    with pytest.raises(WebhookInvalid, match="limited"):
        make(limited, receiver, "bank.deleted")
    of_mine = make(limited, receiver, "bank.deleted", bank_id="mine")
    with tenant_transaction(tenant.id):
        assert get_webhook(limited, of_mine.id) == of_mine
        with pytest.raises(WebhookNotFound):
            get_webhook(limited, of_all.id)


def test_a_change_is_checked_like_a_new_one(tenant: Tenant, access: BankAccess, receiver: Receiver) -> None:
    webhook = make(access, receiver, "bank.deleted")
    with pytest.raises(WebhookInvalid, match="http"):
        change_webhook(access, webhook.id, WebhookFields(url="ftp://example.com"))
    with pytest.raises(WebhookInvalid, match=r"bank\.eaten"):
        change_webhook(access, webhook.id, WebhookFields(events=("bank.eaten",)))


def test_a_deleted_document_is_named(tenant: Tenant, access: BankAccess, receiver: Receiver) -> None:
    document = make_document(tenant, bank=make_bank(tenant, bank_id="support"), document_id="notes")
    make(access, receiver, "document.deleted")
    delete_document(access, "support", "notes")
    work(tenant)
    assert receiver.received[0].json["data"]["document_id"] == str(document.id)
    with tenant_transaction(tenant.id):
        event = AuditEvent.objects.for_tenant(tenant.id).get(action="document.deleted")
    assert event.target == f"document:{document.id}"


def test_an_undecryptable_secret_fails_the_delivery_and_can_be_renewed(
    tenant: Tenant, access: BankAccess, receiver: Receiver, settings: Any
) -> None:
    settings.WEBHOOK_MAX_ATTEMPTS = 1
    webhook = make(access, receiver, "bank.created")
    settings.SECRET_KEY = "another-key-" * 5
    ping_webhook(access, webhook.id)
    work(tenant)
    assert (deliveries(tenant)[0].status, receiver.received) == ("failed", [])
    assert "SECRET_KEY was changed: renew the secret" in deliveries(tenant)[0].error
    renew_secret(access, webhook.id)
    ping_webhook(access, webhook.id)
    work(tenant)
    assert deliveries(tenant)[1].status == "delivered"


def test_undecryptable_headers_fail_the_delivery(
    tenant: Tenant, access: BankAccess, receiver: Receiver, settings: Any
) -> None:
    settings.WEBHOOK_MAX_ATTEMPTS = 1
    options = write_options(HttpConfig(headers={"Authorization": "Bearer x"}), has_secret=False)
    webhook = make(access, receiver, "bank.created", shape=PEER, options=options)
    settings.SECRET_KEY = "another-key-" * 5
    renew_secret(access, webhook.id)
    ping_webhook(access, webhook.id)
    work(tenant)
    assert (receiver.received, deliveries(tenant)[0].error[-21:]) == ([], "set http_config anew.")


def test_a_number_of_webhooks_is_enough(tenant: Tenant, access: BankAccess, receiver: Receiver) -> None:
    for _ in range(50):
        make(access, receiver, "bank.deleted")
    with pytest.raises(WebhookInvalid, match="50"):
        make(access, receiver, "bank.deleted")
