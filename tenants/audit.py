"""The audit log: written in the transaction of the change, so that neither stands without the other."""

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from tenants.models import AuditEvent


@dataclass(frozen=True)
class Actor:
    """Who acts: a key, a person, or the service itself where both are empty."""

    api_key_prefix: str = ""
    user_id: UUID | None = None
    request_id: str = ""


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
    AuditEvent.objects.using(using).for_tenant(tenant_id).create(
        action=action,
        target=target,
        api_key_prefix=actor.api_key_prefix,
        user_id=actor.user_id,
        request_id=actor.request_id,
        detail=detail or {},
    )
