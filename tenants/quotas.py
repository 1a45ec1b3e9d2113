"""Quotas of a tenant's plan: their use, early refusals, and the warnings about them.

The database counts memories, bytes and banks, and refuses the commit of a transaction that would exceed a quota. So the
counts are exact for any number of writers. Members are counted under the lock of the tenant. The tokens of a language
model are known only after a call: a call is refused once the month's tokens are used up.
"""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import date
from uuid import UUID

from django.conf import settings
from django.db import connection
from django.utils import timezone
from prometheus_client import Counter

from tenants.memberships import mail_owners
from tenants.models import Quota, QuotaNotice
from tenants.plans import PlanLimits, find_limits, read_limits
from tenants.transactions import QuotaExceeded, tenant_transaction
from tenants.usage import count_llm_tokens
from tenants.webhook_outbox import Event, announce

PLAN_REFUSALS = Counter("memoryplatform_plan_quota_refusals_total", "Refusals for a quota.", ["plan", "quota"])
NEARLY, FULL = 80, 100  # per cent


@dataclass(frozen=True)
class QuotaUse:
    """`limit` None does not limit."""

    quota: str
    used: int
    limit: int | None

    @property
    def percent(self) -> int | None:
        """Rounded down, so that 100 means that nothing is left. A limit of 0 is used up."""
        if self.limit is None:
            return None
        return self.used * 100 // self.limit if self.limit else 100


def measure_use(tenant_id: UUID, limits: PlanLimits, quotas: Collection[Quota] = tuple(Quota)) -> list[QuotaUse]:
    """Call inside a tenant transaction."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT memories, banks, stored_bytes, members FROM use_of_tenant(%s)", [tenant_id])
        memories, banks, stored_bytes, members = cursor.fetchone()
    tokens = count_llm_tokens(tenant_id, since=find_month()) if Quota.LLM_TOKENS in quotas else 0
    used = {
        Quota.MEMORIES: memories,
        Quota.BANKS: banks,
        Quota.STORED_BYTES: stored_bytes,
        Quota.LLM_TOKENS: tokens,
        Quota.MEMBERS: members,
    }
    return [QuotaUse(quota.value, used[quota], limits.find(quota.value)) for quota in Quota if quota in quotas]


def check_room(tenant_id: UUID, *quotas: Quota) -> None:
    """Raises QuotaExceeded if one of the quotas is used up. A tenant without these limits takes no query.

    Refuses early what the database would refuse later, and what it can't count.
    """
    if not find_limits(tenant_id).limited.keys() & set(quotas):
        return
    with tenant_transaction(tenant_id):
        use = measure_use(tenant_id, read_limits(tenant_id), quotas)
    for one in use:
        if one.limit is not None and one.used >= one.limit:
            raise QuotaExceeded(tenant_id, one.quota, one.limit, one.used)


def warn_of_quotas(tenant_id: UUID, *quotas: Quota) -> None:
    """Tells the owners and the webhooks about quotas at 80 % and at 100 %, once a month each.

    Call after something was added to these quotas. A tenant without these limits takes no query.
    """
    limited = find_limits(tenant_id).limited.keys() & set(quotas)
    if not limited:
        return
    with tenant_transaction(tenant_id):
        for use in measure_use(tenant_id, read_limits(tenant_id), [Quota(one) for one in limited]):
            if use.limit and use.used * 100 >= use.limit * NEARLY:
                tell_once(tenant_id, use, FULL if use.used >= use.limit else NEARLY)


def note_refusal(error: QuotaExceeded) -> None:
    """Counts a refusal, and tells of it as of a quota that is used up. Call outside of transactions."""
    PLAN_REFUSALS.labels(find_limits(error.tenant_id).plan, error.details["quota"]).inc()
    with tenant_transaction(error.tenant_id):
        tell_once(error.tenant_id, QuotaUse(**error.details), FULL)


def tell_once(tenant_id: UUID, use: QuotaUse, level: int) -> None:
    """The first call of a month tells. A concurrent one waits for it and finds its row."""
    notices = QuotaNotice.objects.for_tenant(tenant_id)
    values = {"quota": use.quota, "level": level, "month": find_month()}
    if not notices.filter(**values).exists():
        row = QuotaNotice(**values)
        notices.bulk_create([row], ignore_conflicts=True)
        if notices.filter(id=row.id).exists():
            tell(tenant_id, use, level)


def tell(tenant_id: UUID, use: QuotaUse, level: int) -> None:
    """The deliveries of webhooks and the e-mails are written in the transaction, and sent after its commit."""
    name = "quota.exceeded" if level == FULL else "quota.warning"
    announce(tenant_id, Event(name, data={"quota": use.quota, "limit": use.limit, "used": use.used}))
    context = {
        "use": use,
        "quota": use.quota.replace("_", " "),
        "is_full": level == FULL,
        "link": f"{settings.MAIL_LINK_URL}/dashboard/plan/",
    }
    subject = "A quota is used up" if level == FULL else "A quota is nearly used up"
    mail_owners(tenant_id, subject, "dashboard/email/quota.txt", context)


def find_month() -> date:
    return timezone.now().date().replace(day=1)
