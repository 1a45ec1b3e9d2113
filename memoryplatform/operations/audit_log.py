"""Reading the audit log: of all that a key reaches, or of one bank; as pages or as CSV."""

import csv
import io
import json
from collections.abc import Iterable, Iterator
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
from tenants.transactions import tenant_transaction


@dataclass(frozen=True)
class AuditFilter:
    """Every condition must hold. `actor` is the prefix of an API key, or the id or e-mail address of a person.

    `action` and `target` may be beginnings, up to a dot or a colon: `api_key`, `bank`. `until` is exclusive.
    """

    action: str = ""
    actor: str = ""
    since: datetime | None = None
    until: datetime | None = None
    target: str = ""


def find_events(access: BankAccess, wanted: AuditFilter, *, bank_id: str | None = None) -> TenantQuerySet[AuditEvent]:
    """Call inside a tenant transaction. A key of some banks sees what was done to those."""
    rows = AuditEvent.objects.for_tenant(access.tenant_id).select_related("user")
    if bank_id is not None:
        rows = rows.filter(concerns({get_bank(access, bank_id).bank_id}))
    elif access.banks is not None:
        rows = rows.filter(concerns(access.banks))
    conditions: dict[str, Any] = {"at__gte": wanted.since, "at__lt": wanted.until}
    rows = rows.filter(**{name: value for name, value in conditions.items() if value})
    if wanted.action:
        rows = rows.filter(Q(action=wanted.action) | Q(action__startswith=f"{wanted.action}."))
    if wanted.target:
        rows = rows.filter(Q(target=wanted.target) | Q(target__startswith=f"{wanted.target}:"))
    return rows.filter(match_actor(wanted.actor)) if wanted.actor else rows


def concerns(bank_ids: set[str] | frozenset[str]) -> Q:
    return Q(target__in=[f"bank:{one}" for one in bank_ids]) | Q(detail__bank_id__in=list(bank_ids))


def match_actor(actor: str) -> Q:
    try:
        return Q(user_id=UUID(actor))
    except ValueError:
        prefix = actor.removeprefix("mpk_").partition("_")[0]
        return Q(user__email__iexact=actor) if "@" in actor else Q(api_key_prefix=prefix)


def get_event(access: BankAccess, event_id: UUID, *, bank_id: str) -> AuditEvent:
    """Call inside a tenant transaction."""
    event = find_events(access, AuditFilter(), bank_id=bank_id).filter(id=event_id).first()
    if event is None:
        raise AuditEventNotFound(event_id)
    return event


def name_bank(event: AuditEvent) -> str | None:
    kind, _, name = event.target.partition(":")
    return name if kind == "bank" else event.detail.get("bank_id")


COLUMNS = (
    "event_id",
    "at",
    "action",
    "target",
    "bank_id",
    "api_key_prefix",
    "user_id",
    "user_email",
    "request_id",
    "address",
    "detail",
)
FORMULA = ("=", "+", "-", "@", "\t", "\r")
ROWS_AT_ONCE = 1_000


def write_csv(access: BankAccess, wanted: AuditFilter, *, bank_id: str | None = None) -> Iterator[str]:
    """The events as CSV, newest first, in parts. Each part is a transaction of its own: a slow reader holds none open.

    A missing bank raises at once, before the first part.
    """
    with tenant_transaction(access.tenant_id):
        find_events(access, wanted, bank_id=bank_id)
    return write_parts(access, wanted, bank_id)


def write_parts(access: BankAccess, wanted: AuditFilter, bank_id: str | None) -> Iterator[str]:
    yield write_rows([COLUMNS])
    last: UUID | None = None
    while True:
        with tenant_transaction(access.tenant_id):
            rows = find_events(access, wanted, bank_id=bank_id).order_by("-id")
            events = list((rows if last is None else rows.filter(id__lt=last))[:ROWS_AT_ONCE])
        if not events:
            return
        last = events[-1].id
        yield write_rows([describe_event(event) for event in events])


def describe_event(event: AuditEvent) -> tuple[object, ...]:
    email = event.user.email if event.user else ""
    named = (event.action, event.target, name_bank(event) or "", event.api_key_prefix, event.user_id or "", email)
    return event.id, event.at.isoformat(), *named, event.request_id, event.address or "", json.dumps(event.detail)


def write_rows(rows: Iterable[Iterable[object]]) -> str:
    written = io.StringIO()
    csv.writer(written).writerows([[disarm(str(value)) for value in row] for row in rows])
    return written.getvalue()


def disarm(text: str) -> str:
    """A spreadsheet would run a cell that begins like a formula."""
    return f"'{text}" if text.startswith(FORMULA) else text
