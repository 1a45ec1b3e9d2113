"""Reading the audit log: of all that a key reaches, or of one bank."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Q

from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.banks.profile import get_bank
from memoryplatform.operations.errors import AuditEventNotFound
from tenants.models import AuditEvent
from tenants.scoping import TenantQuerySet


@dataclass(frozen=True)
class AuditFilter:
    """Every condition must hold. `actor` is the prefix of an API key or the id of a person; `until` is exclusive."""

    action: str = ""
    actor: str = ""
    since: datetime | None = None
    until: datetime | None = None


def find_events(access: BankAccess, wanted: AuditFilter, *, bank_id: str | None = None) -> TenantQuerySet[AuditEvent]:
    """Call inside a tenant transaction. A key of some banks sees what was done to those."""
    rows = AuditEvent.objects.for_tenant(access.tenant_id).select_related("user")
    if bank_id is not None:
        rows = rows.filter(concerns({get_bank(access, bank_id).bank_id}))
    elif access.banks is not None:
        rows = rows.filter(concerns(access.banks))
    conditions: dict[str, Any] = {"action": wanted.action, "at__gte": wanted.since, "at__lt": wanted.until}
    rows = rows.filter(**{name: value for name, value in conditions.items() if value})
    return rows.filter(by(wanted.actor)) if wanted.actor else rows


def concerns(bank_ids: set[str] | frozenset[str]) -> Q:
    return Q(target__in=[f"bank:{one}" for one in bank_ids]) | Q(detail__bank_id__in=list(bank_ids))


def by(actor: str) -> Q:
    try:
        return Q(user_id=UUID(actor))
    except ValueError:
        return Q(api_key_prefix=actor)


def get_event(access: BankAccess, event_id: UUID, *, bank_id: str) -> AuditEvent:
    """Call inside a tenant transaction."""
    event = find_events(access, AuditFilter(), bank_id=bank_id).filter(id=event_id).first()
    if event is None:
        raise AuditEventNotFound(event_id)
    return event


def name_bank(event: AuditEvent) -> str | None:
    kind, _, name = event.target.partition(":")
    return name if kind == "bank" else event.detail.get("bank_id")
