"""The outbox of webhooks: each event writes its deliveries in the transaction of the change.

A higher layer sends the deliveries. `settings.WEBHOOK_COURIER` has the address of its function.
"""

from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django.conf import settings
from django.utils.module_loading import import_string

from tenants.identifiers import uuid7
from tenants.models.webhook import Delivery, Webhook

PING = "ping"
OPERATION_EVENTS = {
    "operation.completed": "An operation of any kind completed.",
    "operation.failed": "An operation failed for good.",
    "operation.cancelled": "An operation was cancelled.",
    "memories.retained": "A retain is done; its new memories can be recalled.",
    "memories.consolidated": "The work after a retain is done: opinions, entities and background are up to date.",
}
MEMORY_EVENTS = {
    "memory.superseded": "Memories were closed because newer facts replace them.",
    "observation.refreshed": "The observations of an entity were written again.",
    "opinion.changed": "An opinion was formed, moved, revised, reviewed or withdrawn.",
}
AUDITED_EVENTS = {
    "bank.created": "A bank was created.",
    "bank.changed": "A bank's profile was changed.",
    "bank.deleted": "A bank is gone for every caller.",
    "document.deleted": "A document was deleted, with the memories that have no other source.",
    "memory.edited": "A memory was edited.",
    "memory.invalidated": "A memory was closed by hand.",
    "memory.restored": "A closed memory is current again.",
    "memory.deleted": "A memory was deleted.",
    "memories.deleted": "Memories were deleted by a filter.",
    "memories.expired": "Memories were deleted by a retention rule.",
    "erasure.completed": "Words were erased from everywhere; the receipt can be fetched.",
}
QUOTA_EVENTS = {
    "quota.warning": "80 % of a quota are used.",
    "quota.exceeded": "A quota is used up: calls that add to it are refused.",
}
MEMBER_EVENTS = {"member.invited": "A person was invited to the tenant."}
EVENTS: dict[str, str] = OPERATION_EVENTS | MEMORY_EVENTS | AUDITED_EVENTS | QUOTA_EVENTS | MEMBER_EVENTS


@dataclass(frozen=True)
class Event:
    """`data` holds ids and no memory text: a delivery outlives the memory."""

    name: str
    bank_id: str = ""
    data: dict[str, Any] = field(default_factory=dict)


def announce(tenant_id: UUID, event: Event) -> None:
    """Write the deliveries of an event. Call inside the tenant transaction of the change: both stay, or neither."""
    enabled = Webhook.objects.for_tenant(tenant_id).filter(enabled=True).defer("secret")
    wanting = [webhook for webhook in enabled if wants(webhook, event)]
    event_id = uuid7()
    for webhook in wanting:
        write_delivery(webhook, event, event_id)


def wants(webhook: Webhook, event: Event) -> bool:
    return event.name in webhook.events and webhook.bank_id in {"", event.bank_id}


def write_delivery(webhook: Webhook, event: Event, event_id: UUID) -> Delivery:
    delivery = Delivery.objects.for_tenant(webhook.tenant_id).create(
        webhook=webhook, event_id=event_id, event=event.name, bank_id=event.bank_id, data=event.data
    )
    hand_over(delivery)
    return delivery


def hand_over(delivery: Delivery) -> None:
    """Call inside the transaction that writes the delivery."""
    import_string(settings.WEBHOOK_COURIER)(delivery)
