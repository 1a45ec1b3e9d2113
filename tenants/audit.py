"""The audit log, written in the transaction of the change, so that neither exists without the other.

The webhook deliveries about the change are written in the same transaction.
"""

from dataclasses import dataclass
from typing import Any, Protocol
from uuid import UUID

from tenants.models import AuditEvent
from tenants.webhook_outbox import AUDITED_EVENTS, Event, announce


@dataclass(frozen=True)
class Actor:
    """A key, a person, or the service itself if both are empty."""

    api_key_prefix: str = ""
    user_id: UUID | None = None
    request_id: str = ""
    address: str | None = None
    email: str = ""  # of the person, for histories


class Requested(Protocol):
    META: dict[str, Any]


def build_actor(request: Requested, *, api_key_prefix: str = "", user_id: UUID | None = None, email: str = "") -> Actor:
    address = request.META.get("REMOTE_ADDR") or None
    return Actor(api_key_prefix, user_id, getattr(request, "request_id", ""), address, email)


SYSTEM = Actor()


def record(
    tenant_id: UUID,
    *,
    actor: Actor,
    action: str,
    target: str,
    detail: dict[str, Any] | None = None,
    using: str = "default",
) -> None:
    event = build_audit_event(actor, action, target, detail)
    AuditEvent.objects.using(using).for_tenant(tenant_id).bulk_create([event])
    if action in AUDITED_EVENTS:
        announce(tenant_id, build_event(action, target, detail or {}))


def build_audit_event(actor: Actor, action: str, target: str, detail: dict[str, Any] | None = None) -> AuditEvent:
    """The tenant is set when the event is written."""
    return AuditEvent(
        action=action,
        target=target,
        api_key_prefix=actor.api_key_prefix,
        user_id=actor.user_id,
        request_id=actor.request_id,
        address=actor.address,
        detail=detail or {},
    )


def build_event(action: str, target: str, detail: dict[str, Any]) -> Event:
    """The bank is the target itself, or a part of the detail."""
    kind, _, name = target.partition(":")
    bank_id = name if kind == "bank" else str(detail.get("bank_id", ""))
    rest = {key: value for key, value in detail.items() if key != "bank_id"}
    return Event(action, bank_id, rest | ({} if kind == "bank" else {f"{kind}_id": name}))
