"""The outbox: a delivery for each address that wants to know, in the transaction of what it tells.

Who carries deliveries out stands above this layer, and says so once at the start of a process.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from tenants.identifiers import uuid7
from tenants.models.webhook import Delivery, Webhook

Courier = Callable[[Delivery], None]

_couriers: list[Courier] = []


@dataclass(frozen=True)
class Event:
    """`data` names things by their ids and holds no memory text: deliveries outlive what they tell of."""

    name: str
    bank_id: str = ""
    data: dict[str, Any] = field(default_factory=dict)


def employ(courier: Courier) -> None:
    """Have deliveries handed to this one, inside the transaction that writes them."""
    _couriers[:] = [courier]


def announce(tenant_id: UUID, event: Event) -> None:
    """Call inside the tenant transaction of what is told: both stand, or neither."""
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
    for courier in _couriers:
        courier(delivery)
