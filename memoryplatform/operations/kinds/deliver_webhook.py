import random
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.conf import settings
from django.utils import timezone

from memoryplatform.operations.errors import NotYet
from memoryplatform.operations.notify import peer_shape
from memoryplatform.operations.notify.send import Answer, Limits, send
from memoryplatform.operations.notify.shapes import Message, add_shape, encode, find_shape
from memoryplatform.operations.notify.signature import sign
from memoryplatform.operations.registry import operation_kind
from memoryplatform.operations.run import Run
from memoryplatform.operations.submit import submit
from tenants.models import Delivery, Webhook
from tenants.transactions import tenant_transaction
from tenants.webhooks.announce import employ
from tenants.webhooks.events import PING

NAME = "deliver_webhook"
KEPT_FOR = timedelta(days=30)
LONGEST_WAIT = timedelta(hours=6)


def take(delivery: Delivery) -> None:
    """Called inside the transaction that writes the delivery."""
    submit(delivery.tenant_id, NAME, payload={"delivery_id": str(delivery.id)})


employ(take)
add_shape(peer_shape.NAME, peer_shape.tell_as_peer)


@operation_kind(NAME, queue="notify")
def deliver_webhook(run: Run) -> dict[str, Any]:
    """Attempts are the delivery's own: an address that is away for an hour must not look like a worker that dies."""
    delivery = load(run)
    if delivery is None:
        return {"delivered": False, "reason": "The webhook was deleted meanwhile."}
    now = timezone.now()
    answer = carry(delivery.webhook, delivery, now)
    with run.transaction() as operation:
        wait = note_attempt(delivery, answer, now)
        forget_old(run.tenant_id, now)
        if wait is None:
            result = {"delivered": not answer.error, "answer_code": answer.code}
            run.complete(operation, result)
            return result
    raise NotYet(answer.error, wait=wait)


def load(run: Run) -> Delivery | None:
    with tenant_transaction(run.tenant_id):
        rows = Delivery.objects.for_tenant(run.tenant_id).select_related("webhook")
        return rows.filter(id=UUID(run.payload["delivery_id"])).first()


def carry(webhook: Webhook, delivery: Delivery, now: datetime) -> Answer:
    shape = find_shape(webhook.shape)
    if not webhook.enabled and delivery.event != PING:
        return Answer(None, "The webhook is not enabled.")
    if shape is None:
        return Answer(None, f"There is no shape '{webhook.shape}' in this version.")
    answer = Answer(None)
    for number, message in enumerate(shape(webhook, delivery)):
        answer = post(webhook, message, name_message(delivery, number), now)
        if answer.error:
            return answer
    return answer


def name_message(delivery: Delivery, number: int) -> str:
    """The same in every attempt, so that a receiver knows what he has already."""
    return f"msg_{delivery.id.hex}" + (f"_{number}" if number else "")


def post(webhook: Webhook, message: Message, message_id: str, now: datetime) -> Answer:
    body = encode(message.body)
    limits = Limits(settings.WEBHOOK_TIMEOUT_SECONDS, allow_private=settings.WEBHOOK_PRIVATE_ADDRESSES)
    signature = sign(webhook.secret, message_id=message_id, at=now, body=body)
    return send(webhook.url, message, body, signature, limits)


def note_attempt(delivery: Delivery, answer: Answer, now: datetime) -> timedelta | None:
    """How long to wait before the next attempt; None where there is none."""
    delivery.attempts += 1
    delivery.attempted_at, delivery.answer_code, delivery.error = now, answer.code, answer.error[:300]
    wait = None
    if not answer.error:
        delivery.status = Delivery.Status.DELIVERED
    elif delivery.attempts >= settings.WEBHOOK_MAX_ATTEMPTS:
        delivery.status = Delivery.Status.FAILED
    else:
        wait = wait_after(delivery.attempts)
    delivery.next_attempt_at = now + wait if wait else None
    Delivery.objects.for_tenant(delivery.tenant_id).bulk_update(
        [delivery], ["attempts", "attempted_at", "answer_code", "error", "status", "next_attempt_at"]
    )
    return wait


def wait_after(attempts: int) -> timedelta:
    """Doubling, with half of it left to chance so that retries don't march in step."""
    seconds = min(settings.WEBHOOK_RETRY_SECONDS * 2.0 ** (attempts - 1), LONGEST_WAIT.total_seconds())
    return timedelta(seconds=seconds * random.uniform(0.5, 1.0))  # noqa: S311  # jitter, not a secret


def forget_old(tenant_id: UUID, now: datetime) -> None:
    old = Delivery.objects.for_tenant(tenant_id).filter(created_at__lt=now - KEPT_FOR)
    old.exclude(status=Delivery.Status.PENDING).delete()
