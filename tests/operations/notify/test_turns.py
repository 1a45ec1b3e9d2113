"""Slow receivers of one tenant delay no other tenant, and a delivery of many messages does not occupy a worker."""

import time
from collections.abc import Iterator
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from django.conf import settings as django_settings
from django.utils import timezone

from memoryplatform.embedded.redis import EmbeddedRedis
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.models import Dispatch, Operation
from memoryplatform.operations.notify import turns
from memoryplatform.operations.notify.shapes import SHAPES, Message
from memoryplatform.operations.notify.turns import MAX_AT_ONCE, OthersFirst, take_turn
from memoryplatform.operations.running.kind_names import DELIVER_WEBHOOK
from memoryplatform.operations.running.perform import attempt, perform
from memoryplatform.operations.running.run import Run, claim
from memoryplatform.operations.webhooks import WebhookFields, create_webhook, ping_webhook, redeliver
from tenants.models import Delivery, Tenant
from tenants.transactions import tenant_transaction
from tests.clock import holds_to_a_time
from tests.factories import make_tenant
from tests.webhook_receiver import Receiver, Reply

MESSAGES = 5
SHAPES["several"] = lambda _webhook, _delivery: [Message({"number": number}) for number in range(MESSAGES)]


@pytest.fixture
def tenant(committed_db: None, redis_server: EmbeddedRedis) -> Tenant:
    return make_tenant("slow")


@pytest.fixture
def receiver(settings: Any) -> Iterator[Receiver]:
    settings.WEBHOOK_PRIVATE_ADDRESSES = True
    settings.WEBHOOK_RETRY_SECONDS = 0.001
    with Receiver() as receiver:
        yield receiver


def ping(tenant: Tenant, receiver: Receiver, times: int = 1, **fields: Any) -> list[UUID]:
    """The operations of the deliveries."""
    access = BankAccess(tenant.id)
    webhook = create_webhook(access, WebhookFields(receiver.url, ("bank.created",), **fields))
    for _ in range(times):
        ping_webhook(access, webhook.id)
    with tenant_transaction(tenant.id):
        return list(
            Operation.objects.for_tenant(tenant.id)
            .filter(kind=DELIVER_WEBHOOK)
            .order_by("id")
            .values_list("id", flat=True)
        )


def begin(tenant: Tenant, operation_id: UUID) -> Any:
    """Begin a delivery up to its request, which then takes long."""
    taken = claim(tenant.id, operation_id)
    assert taken is not None
    lease, operation = taken
    take_turn(Run(lease, operation.payload, operation.attempts, None))
    return taken


def look(tenant: Tenant, operation_id: UUID) -> Operation:
    with tenant_transaction(tenant.id):
        return Operation.objects.for_tenant(tenant.id).get(id=operation_id)


def find_delivery(tenant: Tenant) -> Delivery:
    with tenant_transaction(tenant.id):
        return Delivery.objects.for_tenant(tenant.id).get()


def try_again(tenant: Tenant, operation_id: UUID) -> None:
    with tenant_transaction(tenant.id):
        Operation.objects.for_tenant(tenant.id).filter(id=operation_id).update(next_attempt_at=None)
    perform(tenant.id, operation_id)


def test_one_too_many_steps_aside_and_the_next_that_ends_wakes_it(
    tenant: Tenant, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    woken: list[UUID] = []
    monkeypatch.setattr(turns, "wake_worker", lambda _queue, _tenant_id, operation_id: woken.append(operation_id))
    *first, waiting, last = ping(tenant, receiver, MAX_AT_ONCE + 2)
    under_way = [begin(tenant, operation_id) for operation_id in first]
    for operation_id in (waiting, last):
        perform(tenant.id, operation_id)
        row = look(tenant, operation_id)
        assert (row.status, row.error_code, row.attempts) == ("pending", OthersFirst.code, 0)
    assert receiver.received == []
    attempt(*under_way[0])
    assert woken == [waiting]
    assert look(tenant, waiting).next_attempt_at is None
    perform(tenant.id, waiting)
    assert woken == [waiting, last]
    assert [look(tenant, one).status for one in (first[0], waiting)] == ["completed", "completed"]


def test_other_tenants_do_not_wait(tenant: Tenant, receiver: Receiver) -> None:
    for operation_id in ping(tenant, receiver, MAX_AT_ONCE):
        begin(tenant, operation_id)
    other = make_tenant("other")
    (operation_id,) = ping(other, receiver)
    perform(other.id, operation_id)
    assert look(other, operation_id).status == "completed"


def test_a_worker_that_died_takes_no_turn_along(tenant: Tenant, receiver: Receiver) -> None:
    *first, waiting = ping(tenant, receiver, MAX_AT_ONCE + 1)
    for operation_id in first:
        begin(tenant, operation_id)
    with tenant_transaction(tenant.id):
        rows = Operation.objects.for_tenant(tenant.id).filter(id=first[0])
        rows.update(lease_until=timezone.now() - timedelta(seconds=1))
    perform(tenant.id, waiting)
    assert look(tenant, waiting).status == "completed"


def test_an_accepted_message_is_not_sent_again(tenant: Tenant, receiver: Receiver) -> None:
    receiver.replies.extend([Reply(), Reply(), Reply(500), Reply(503)])
    (operation_id,) = ping(tenant, receiver, shape="several")
    perform(tenant.id, operation_id)
    assert (find_delivery(tenant).told, find_delivery(tenant).attempts) == (2, 1)
    try_again(tenant, operation_id)
    assert (find_delivery(tenant).told, find_delivery(tenant).attempts) == (2, 2)
    try_again(tenant, operation_id)
    assert (find_delivery(tenant).status, find_delivery(tenant).told) == ("delivered", MESSAGES)
    assert [one.json["number"] for one in receiver.received] == [0, 1, 2, 2, 2, 3, 4]
    assert len({one.headers["webhook-id"] for one in receiver.received}) == MESSAGES
    redeliver(BankAccess(tenant.id), find_delivery(tenant).webhook_id, find_delivery(tenant).id)
    assert find_delivery(tenant).told == 0


@holds_to_a_time
def test_many_messages_share_the_time_of_one_delivery(tenant: Tenant, receiver: Receiver, settings: Any) -> None:
    settings.WEBHOOK_TIMEOUT_SECONDS = 0.5
    settings.WEBHOOK_MAX_ATTEMPTS = 1
    receiver.replies.extend([Reply(trickle=0.02)] * 20)  # each takes 0.3 seconds
    (operation_id,) = ping(tenant, receiver, shape="several")
    begun = time.monotonic()
    perform(tenant.id, operation_id)
    assert time.monotonic() - begun < 1.2
    assert (find_delivery(tenant).status, find_delivery(tenant).told) == ("pending", 1)
    for _ in range(2 * MESSAGES):
        try_again(tenant, operation_id)
    assert (find_delivery(tenant).status, find_delivery(tenant).told) == ("delivered", MESSAGES)


def test_a_redelivery_restarts_a_waiting_delivery_at_once(
    tenant: Tenant, receiver: Receiver, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    settings.WEBHOOK_RETRY_SECONDS = 1_800
    receiver.replies.extend([Reply(), Reply(500)])
    (operation_id,) = ping(tenant, receiver, shape="several")
    perform(tenant.id, operation_id)
    woken: list[UUID] = []
    monkeypatch.setattr(turns, "wake_worker", lambda _queue, _tenant_id, operation_id: woken.append(operation_id))
    waiting = find_delivery(tenant)
    begun = redeliver(BankAccess(tenant.id), waiting.webhook_id, waiting.id)
    assert (waiting.attempts, waiting.told, waiting.next_attempt_at is None) == (1, 1, False)
    assert (begun.status, begun.attempts, begun.told, begun.next_attempt_at) == ("pending", 0, 0, None)
    assert Dispatch.objects.get(operation_id=operation_id).due_at < timezone.now() + timedelta(seconds=10)
    assert woken == [operation_id]
    perform(tenant.id, operation_id)
    assert (find_delivery(tenant).status, find_delivery(tenant).attempts) == ("delivered", 1)
    assert [one.json["number"] for one in receiver.received] == [0, 1, *range(MESSAGES)]


def test_a_delivery_under_way_is_left_alone(tenant: Tenant, receiver: Receiver) -> None:
    receiver.replies.extend([Reply(500)])
    (operation_id,) = ping(tenant, receiver)
    perform(tenant.id, operation_id)
    with tenant_transaction(tenant.id):
        Operation.objects.for_tenant(tenant.id).update(next_attempt_at=None)
    taken = begin(tenant, operation_id)
    left = redeliver(BankAccess(tenant.id), find_delivery(tenant).webhook_id, find_delivery(tenant).id)
    assert (left.attempts, look(tenant, operation_id).status) == (1, "processing")
    attempt(*taken)
    assert (find_delivery(tenant).status, len(receiver.received)) == ("delivered", 2)


def test_deliveries_have_a_worker_of_their_own() -> None:
    assert [group for group in django_settings.QUEUE_GROUPS.values() if "notify" in group] == [["notify"]]
