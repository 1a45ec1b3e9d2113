"""Which facts were handed over to be weighed on opinions, and when that was over."""

from datetime import datetime
from uuid import UUID

from django.db.models import Q

from banks.models import Bank
from memoryplatform.operations.models import Operation

MOST = 1_000  # operations, the newest


def find_weighed_since(bank: Bank, moment: datetime, *, kind: str) -> set[UUID]:
    """The facts of all operations of the kind that were not over by then, or came later. Call inside a tenant
    transaction.
    """
    operations = Operation.objects.for_tenant(bank.tenant_id).filter(bank=bank, kind=kind)
    unfinished = operations.filter(Q(finished_at=None) | Q(finished_at__gte=moment)).order_by("-id")
    handed_over = unfinished.values_list("payload__unit_ids", flat=True)[:MOST]
    return {UUID(unit_id) for unit_ids in handed_over for unit_id in unit_ids or ()}
