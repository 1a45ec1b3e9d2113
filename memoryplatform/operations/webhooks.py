"""Use-cases of webhooks. A key reaches the webhooks of its banks; a webhook of all banks needs a key of all banks."""

import base64
import secrets
from dataclasses import asdict, dataclass
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID

from django.conf import settings

from memoryplatform.operations.access import BankAccess, check_version, write_version
from memoryplatform.operations.banks.profile import check_bank_id, get_bank
from memoryplatform.operations.errors import DeliveryNotFound, WebhookInvalid, WebhookNotFound
from memoryplatform.operations.models import Operation
from memoryplatform.operations.notify.address import AddressRefused, check_url
from memoryplatform.operations.notify.send import SECRET_PREFIX
from memoryplatform.operations.notify.shapes import drop_credentials
from memoryplatform.operations.notify.turns import begin_now, find_carriers
from tenants.identifiers import uuid7
from tenants.models import Delivery, Webhook
from tenants.models.webhook import WebhookQuerySet
from tenants.scoping import TenantQuerySet
from tenants.transactions import tenant_transaction
from tenants.webhook_outbox import EVENTS, PING, Event, hand_over, write_delivery

EDITABLE = ("url", "events", "name", "enabled")
MOST_WEBHOOKS = 50  # of a tenant: every event checks all of them


@dataclass(frozen=True)
class WebhookFields:
    """The fields that a caller gave. None leaves a field unchanged, or gives a new webhook the default.

    `events` are our names. `bank_id` and `shape` are of a new webhook; `options` are those of its shape.
    """

    url: str | None = None
    events: tuple[str, ...] | None = None
    name: str | None = None
    enabled: bool | None = None
    secret: str | None = None
    options: dict[str, Any] | None = None
    bank_id: str | None = None
    shape: str | None = None

    def given(self) -> dict[str, Any]:
        return {name: value for name, value in asdict(self).items() if value is not None}


def create_webhook(access: BankAccess, new: WebhookFields) -> Webhook:
    """The caller may see its `secret` this once. Without a given one, a secret is made."""
    check(new.url or "", new.events or ())
    with tenant_transaction(access.tenant_id):
        if new.bank_id:
            get_bank(access, new.bank_id)
        elif access.banks is not None:
            raise WebhookInvalid("This API key is limited to some banks: name one of them.")
        rows = Webhook.objects.for_tenant(access.tenant_id)
        if rows.count() >= MOST_WEBHOOKS:
            raise WebhookInvalid(f"There are {MOST_WEBHOOKS} webhooks already.")
        fields = new.given() | {"events": list(new.events or ()), "secret": new.secret or make_secret()}
        webhook = rows.create(**fields)
        note(access, webhook, "webhook.created")
    return webhook


def find_webhooks(access: BankAccess, *, bank_id: str | None = None) -> WebhookQuerySet:
    """All webhooks that the key reaches, or those of one bank. Call inside a tenant transaction."""
    rows: WebhookQuerySet = Webhook.objects.for_tenant(access.tenant_id).within(access.banks)
    if bank_id is None:
        return rows
    check_bank_id(bank_id)
    return rows.filter(bank_id=bank_id)


def get_webhook(access: BankAccess, webhook_id: UUID, *, bank_id: str | None = None, lock: bool = False) -> Webhook:
    """Call inside a tenant transaction."""
    rows = find_webhooks(access, bank_id=bank_id)
    webhook = (rows.select_for_update(no_key=True) if lock else rows).filter(id=webhook_id).first()
    if webhook is None:
        raise WebhookNotFound(webhook_id)
    return webhook


def change_webhook(
    access: BankAccess,
    webhook_id: UUID,
    change: WebhookFields,
    *,
    bank_id: str | None = None,
    expected: frozenset[str] | None = None,
) -> Webhook:
    """`expected` are the versions that the caller accepts; None accepts any. Enabling it forgets its failures.

    Header and parameter values do not follow the URL to another host, unless the caller gives them again.
    """
    with tenant_transaction(access.tenant_id):
        webhook = get_webhook(access, webhook_id, bank_id=bank_id, lock=True)
        check_version(read_version(webhook), expected)
        if is_other_host(webhook.url, change.url):
            webhook.options = drop_credentials(webhook.options)
        for name, value in change.given().items():
            setattr(webhook, name, list(value) if name == "events" else value)
        if change.enabled or change.url is not None:
            webhook.failing_since = None
        if change.enabled:
            webhook.disabled_at = None
        check(webhook.url, webhook.events)
        webhook.save()
        note(access, webhook, "webhook.changed")
    return webhook


def is_other_host(url: str, new_url: str | None) -> bool:
    """Whether requests would go to another scheme, host or port. False without a new URL."""
    if new_url is None:
        return False
    try:
        return urlsplit(url)[:2] != urlsplit(new_url)[:2]
    except ValueError:  # no URL; the check of the address says so
        return True


def read_version(webhook: Webhook) -> str:
    return write_version({name: getattr(webhook, name) for name in EDITABLE})


def renew_secret(access: BankAccess, webhook_id: UUID) -> Webhook:
    """The new secret signs all further deliveries. The caller may see it this once."""
    return change_webhook(access, webhook_id, WebhookFields(secret=make_secret()))


def delete_webhook(
    access: BankAccess, webhook_id: UUID, *, bank_id: str | None = None, expected: frozenset[str] | None = None
) -> None:
    """Also deletes its deliveries, including pending ones."""
    with tenant_transaction(access.tenant_id):
        webhook = get_webhook(access, webhook_id, bank_id=bank_id, lock=True)
        check_version(read_version(webhook), expected)
        note(access, webhook, "webhook.deleted")
        webhook.delete()


def find_deliveries(access: BankAccess, webhook_id: UUID, *, bank_id: str | None = None) -> TenantQuerySet[Delivery]:
    """Call inside a tenant transaction."""
    webhook = get_webhook(access, webhook_id, bank_id=bank_id)
    return Delivery.objects.for_tenant(access.tenant_id).filter(webhook=webhook)


def ping_webhook(access: BankAccess, webhook_id: UUID) -> Delivery:
    """Sends a test event, whether the webhook is enabled or not."""
    with tenant_transaction(access.tenant_id):
        webhook = get_webhook(access, webhook_id)
        return write_delivery(webhook, Event(PING, webhook.bank_id, {"webhook_id": str(webhook.id)}), uuid7())


def redeliver(access: BankAccess, webhook_id: UUID, delivery_id: UUID) -> Delivery:
    """Sends the delivery once more, under the same id, at once and with all its attempts again.

    A delivery that is being sent is left alone. A worker locks the operation before the delivery. This function locks
    them in the reverse order, so it never waits for the operation's row.
    """
    with tenant_transaction(access.tenant_id):
        rows = find_deliveries(access, webhook_id).select_for_update(of=("self",))
        delivery = rows.filter(id=delivery_id).first()
        if delivery is None:
            raise DeliveryNotFound(delivery_id)
        carriers = find_carriers(access.tenant_id, [delivery.id])
        idle = carriers.filter(status=Operation.Status.PENDING).select_for_update(
            of=("self",), no_key=True, skip_locked=True
        )
        waiting = idle.first()
        if waiting is None and carriers.exists():
            return delivery
        delivery.status, delivery.next_attempt_at = Delivery.Status.PENDING, None
        delivery.attempts = delivery.told = 0
        delivery.save()
        if waiting is None:
            hand_over(delivery)
        else:
            waiting.attempts = 0
            waiting.save(update_fields=["attempts"])
            begin_now(waiting)
        return delivery


def check(url: str, events: tuple[str, ...] | list[str]) -> None:
    unknown = sorted(set(events) - set(EVENTS))
    if unknown or not events:
        raise WebhookInvalid(f"Unknown events: {', '.join(unknown)}." if unknown else "Name at least one event.")
    try:
        check_url(url, allow_private=settings.WEBHOOK_PRIVATE_ADDRESSES)
    except AddressRefused as error:
        raise WebhookInvalid(str(error)) from None


def make_secret() -> str:
    """A secret in the form of Standard Webhooks: 32 random bytes in base64 behind a prefix."""
    return f"{SECRET_PREFIX}{base64.b64encode(secrets.token_bytes(32)).decode()}"


def note(access: BankAccess, webhook: Webhook, action: str) -> None:
    detail = {"url": webhook.url, "events": list(webhook.events)}
    if webhook.bank_id:
        detail["bank_id"] = webhook.bank_id
    access.record(action, f"webhook:{webhook.id}", detail)
