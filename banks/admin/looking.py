"""The trace that a look at a list leaves: whose memory was on the page, and who saw it."""

from collections import defaultdict
from collections.abc import Iterable
from uuid import UUID

from django.http import HttpRequest

from tenants.models import AuditEvent, User
from tenants.platform_admin import PLATFORM
from tenants.scoping import TenantOwned


def note_listing(request: HttpRequest, kind: str, rows: Iterable[TenantOwned]) -> None:
    """One event for each tenant that had rows there, all with one statement."""
    by_tenant: defaultdict[UUID, list[TenantOwned]] = defaultdict(list)
    for row in rows:
        by_tenant[row.tenant_id].append(row)
    if not isinstance(request.user, User) or not by_tenant:
        return
    request_id = getattr(request, "request_id", "")
    events = [
        AuditEvent(
            tenant_id=tenant_id,
            action="admin.listed",
            target=kind,
            user=request.user,
            request_id=request_id,
            detail={"rows": len(seen), "banks": sorted({str(row.bank) for row in seen if hasattr(row, "bank")})},
        )
        for tenant_id, seen in by_tenant.items()
    ]
    AuditEvent.objects.using(PLATFORM).bulk_create(events)
