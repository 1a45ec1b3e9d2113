import random
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.conf import settings
from django.utils import timezone

from memoryplatform.operations.errors import NotYet
from memoryplatform.operations.notify.send import Answer, Limits, send, sign
from memoryplatform.operations.notify.shapes import SHAPES, Message, encode, read_config
from memoryplatform.operations.notify.turns import QUEUE, find_carried, release_turn, take_turn
from memoryplatform.operations.running.kind_names import DELIVER_WEBHOOK
from memoryplatform.operations.running.registry import operation_kind
from memoryplatform.operations.running.run import Run
from memoryplatform.operations.running.submit import submit
from providers.deadline import Deadline
from tenants.audit import SYSTEM, record
from tenants.memberships import mail_owners
from tenants.models import Delivery, Webhook
from tenants.sealed_text import SealedText
from tenants.transactions import tenant_transaction
from tenants.webhook_outbox import PING

KEPT_FOR = timedelta(days=30)
LONGEST_WAIT = timedelta(hours=6)
FAILS_AT_MOST = timedelta(days=3)
UNOPENED = "The secret can't be opened, since the service's SECRET_KEY was changed: renew the secret."
UNOPENED_CONFIG = "The headers can't be opened, since the service's SECRET_KEY was changed: set http_config anew."


def submit_delivery(delivery: Delivery) -> None:
    """The courier of the outbox. Call inside the transaction that writes the delivery."""
    submit(delivery.tenant_id, DELIVER_WEBHOOK, payload={"delivery_id": str(delivery.id)})


@dataclass(frozen=True)
class DeliveryAttempt:
    """`told` counts the messages that have arrived. `is_cut`: the time was over before the rest."""

    answer: Answer
    told: int
    is_cut: bool = False


@operation_kind(DELIVER_WEBHOOK, queue=QUEUE, cancellable=False)
def deliver_webhook(run: Run) -> dict[str, Any]:
    """A delivery counts its own attempts: an address that is down for an hour must not look like a dying worker.

    To stop the attempts, a caller disables the webhook.
    """
    delivery = find_delivery(run)
    if delivery is None:
        with run.transaction() as operation:
            release_turn(operation)
        return {"delivered": False, "reason": "The webhook was deleted meanwhile."}
    take_turn(run)
    now = timezone.now()
    attempt = attempt_delivery(delivery.webhook, delivery, now)
    with run.transaction() as operation:
        # The webhook's row before the delivery's, as a deletion of the webhook locks them.
        note_health(delivery.webhook, is_failure=bool(attempt.answer.error) and attempt.told == delivery.told, now=now)
        wait = note_attempt(delivery, attempt, now)
        forget_old(run.tenant_id, now)
        release_turn(operation)
        if wait is None:
            result = {"delivered": not attempt.answer.error, "answer_code": attempt.answer.code}
            run.complete(operation, result)
            return result
    raise NotYet(attempt.answer.error, wait=wait)


def find_delivery(run: Run) -> Delivery | None:
    with tenant_transaction(run.tenant_id):
        rows = Delivery.objects.for_tenant(run.tenant_id).select_related("webhook")
        return rows.filter(id=UUID(run.payload["delivery_id"])).first()


def attempt_delivery(webhook: Webhook, delivery: Delivery, now: datetime) -> DeliveryAttempt:
    shape = SHAPES.get(webhook.shape)
    if not webhook.enabled and delivery.event != PING:
        return DeliveryAttempt(Answer(None, "The webhook is not enabled."), delivery.told)
    if shape is None:
        return DeliveryAttempt(Answer(None, f"There is no shape '{webhook.shape}' in this version."), delivery.told)
    if isinstance(webhook.secret, SealedText):
        return DeliveryAttempt(Answer(None, UNOPENED), delivery.told)
    if read_config(webhook.options) is None:
        return DeliveryAttempt(Answer(None, UNOPENED_CONFIG), delivery.told)
    return post_all(webhook, delivery, shape(webhook, delivery), now)


def post_all(webhook: Webhook, delivery: Delivery, messages: list[Message], now: datetime) -> DeliveryAttempt:
    """Posts the messages that have not arrived, all within the time of one delivery."""
    seconds = settings.WEBHOOK_TIMEOUT_SECONDS
    deadline = Deadline.after(seconds)
    limits = Limits(deadline, seconds, allow_private=settings.WEBHOOK_PRIVATE_ADDRESSES)
    answer, told = Answer(None), delivery.told
    for message in messages[delivery.told :]:
        if deadline.is_over:
            error = f"{told} of {len(messages)} messages have arrived; the others follow."
            return DeliveryAttempt(Answer(answer.code, error), told, is_cut=True)
        answer = post(webhook, message, name_message(delivery, told), now, limits)
        if answer.error:
            break
        told += 1
    return DeliveryAttempt(answer, told)


def name_message(delivery: Delivery, number: int) -> str:
    """The same id in every attempt, so that a receiver recognizes a repeated message."""
    return f"msg_{delivery.id.hex}" + (f"_{number}" if number else "")


def post(webhook: Webhook, message: Message, message_id: str, now: datetime, limits: Limits) -> Answer:
    body = encode(message.body)
    signature = sign(webhook.secret, message_id=message_id, at=now, body=body)
    return send(webhook.url, message, body, signature, limits)


def note_health(webhook: Webhook, *, is_failure: bool, now: datetime) -> None:
    """Disables a webhook that has failed for 3 days without a success, and tells the owners.

    The row decides, not the object: of two workers, the second waits for the first and finds the webhook disabled.
    """
    rows = Webhook.objects.for_tenant(webhook.tenant_id).filter(id=webhook.id)
    if not is_failure:
        rows.filter(failing_since__isnull=False).update(failing_since=None)
        return
    rows.filter(enabled=True, failing_since=None).update(failing_since=now)
    overdue = rows.filter(enabled=True, failing_since__lte=now - FAILS_AT_MOST)
    if overdue.update(enabled=False, disabled_at=now):
        detail = {"url": webhook.url} | ({"bank_id": webhook.bank_id} if webhook.bank_id else {})
        record(
            webhook.tenant_id, actor=SYSTEM, action="webhook.disabled", target=f"webhook:{webhook.id}", detail=detail
        )
        context = {"webhook": webhook, "days": FAILS_AT_MOST.days}
        mail_owners(webhook.tenant_id, "A webhook was disabled", "dashboard/email/webhook.txt", context)


def note_attempt(delivery: Delivery, attempt: DeliveryAttempt, now: datetime) -> timedelta | None:
    """The wait before the next attempt; None without one. An attempt that got further resets the count."""
    answer, got_further = attempt.answer, attempt.told > delivery.told
    delivery.attempts = 1 if got_further and answer.error else delivery.attempts + 1
    delivery.told, delivery.attempted_at = attempt.told, now
    delivery.answer_code, delivery.error = answer.code, answer.error[:300]
    wait = None
    if not answer.error:
        delivery.status = Delivery.Status.DELIVERED
    elif delivery.attempts >= settings.WEBHOOK_MAX_ATTEMPTS and not got_further:
        delivery.status = Delivery.Status.FAILED
    else:
        delivery.status = Delivery.Status.PENDING
        wait = timedelta(0) if attempt.is_cut else wait_after(delivery.attempts)
    delivery.next_attempt_at = None if wait is None else now + wait
    Delivery.objects.for_tenant(delivery.tenant_id).bulk_update(
        [delivery], ["attempts", "told", "attempted_at", "answer_code", "error", "status", "next_attempt_at"]
    )
    return wait


def wait_after(attempts: int) -> timedelta:
    """Doubles with every attempt. Half of it is random, so that retries do not coincide."""
    seconds = min(settings.WEBHOOK_RETRY_SECONDS * 2.0 ** (attempts - 1), LONGEST_WAIT.total_seconds())
    return timedelta(seconds=seconds * random.uniform(0.5, 1.0))  # noqa: S311  # jitter, not a secret


def forget_old(tenant_id: UUID, now: datetime) -> None:
    """Also deletes pending deliveries that no operation carries."""
    old = Delivery.objects.for_tenant(tenant_id).filter(created_at__lt=now - KEPT_FOR)
    pending = set(old.filter(status=Delivery.Status.PENDING).values_list("id", flat=True))
    old.exclude(id__in=find_carried(tenant_id, pending) if pending else ()).delete()
