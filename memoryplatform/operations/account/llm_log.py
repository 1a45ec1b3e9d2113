"""The log of LLM requests for the tenant: the setting, the list, one request with its texts, the retention."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.utils import timezone

from banks.retain.answers import forget_answers
from memoryplatform.operations.account import own_llm
from memoryplatform.operations.account.access import Right, TenantAccess
from memoryplatform.operations.account.errors import AccountInvalid, LLMRequestNotFound
from memoryplatform.operations.models import LLMRequest
from tenants.models import Tenant
from tenants.scoping import TenantQuerySet
from tenants.transactions import tenant_transaction

MOST_DAYS = 90
MOST_KEPT = 50_000  # requests of a tenant, after a night


@dataclass(frozen=True)
class RequestFilter:
    """Every condition must hold. `until` is exclusive."""

    task: str = ""
    model: str = ""
    bank_id: str = ""
    operation_id: UUID | None = None
    outcome: str = ""
    since: datetime | None = None
    until: datetime | None = None


def get_log_days(access: TenantAccess) -> int:
    """0: the log is off."""
    access.require(Right.MANAGE)
    with tenant_transaction(access.tenant_id):
        return read_log_days(access.tenant_id)


def read_log_days(tenant_id: UUID) -> int:
    """Call inside a tenant transaction."""
    return Tenant.objects.values_list("llm_log_days", flat=True).get(id=tenant_id)


def set_log_days(access: TenantAccess, days: int) -> int:
    """0 turns the log off and deletes it. Fewer days than before delete the older requests."""
    access.require(Right.MANAGE)
    if not 0 <= days <= MOST_DAYS:
        raise AccountInvalid({"days": f"Give 0 to {MOST_DAYS} days."})
    with tenant_transaction(access.tenant_id):
        tenant = Tenant.objects.select_for_update(no_key=True).get(id=access.tenant_id)
        if tenant.llm_log_days != days:
            if not days:
                forget_answers(access.tenant_id)  # keeps out the requests that are under way
            access.record("llm_log.changed", f"tenant:{tenant.slug}", {"before": tenant.llm_log_days, "after": days})
            tenant.llm_log_days = days
            tenant.save(update_fields=["llm_log_days"])
            delete_old_requests(access.tenant_id, now=timezone.now())
    own_llm.forget(access.tenant_id)
    return days


def delete_old_requests(tenant_id: UUID, *, now: datetime) -> None:
    """Call inside a tenant transaction."""
    rows = LLMRequest.objects.for_tenant(tenant_id)
    days = read_log_days(tenant_id)
    (rows.filter(created_at__lt=now - timedelta(days=days)) if days else rows).delete()
    beyond = rows.order_by("-id").values_list("id", flat=True)[MOST_KEPT:].first()
    if beyond is not None:
        rows.filter(id__lte=beyond).delete()


def find_requests(access: TenantAccess, wanted: RequestFilter) -> TenantQuerySet[LLMRequest]:
    """Without the texts. Call inside a tenant transaction. Requests past their days are not shown."""
    access.require(Right.MANAGE)
    oldest = timezone.now() - timedelta(days=read_log_days(access.tenant_id))
    rows = LLMRequest.objects.for_tenant(access.tenant_id).filter(created_at__gte=oldest).defer("prompt", "answer")
    conditions: dict[str, Any] = {
        "task": wanted.task,
        "model": wanted.model,
        "bank_key": wanted.bank_id,
        "operation_id": wanted.operation_id,
        "outcome": wanted.outcome,
        "created_at__gte": wanted.since,
        "created_at__lt": wanted.until,
    }
    for name, value in conditions.items():
        rows = rows.filter(**{name: value}) if value else rows
    return rows


def get_request(access: TenantAccess, request_id: UUID) -> LLMRequest:
    """With its texts."""
    with tenant_transaction(access.tenant_id):
        row = find_requests(access, RequestFilter()).defer(None).filter(id=request_id).first()
    if row is None:
        raise LLMRequestNotFound
    return row
