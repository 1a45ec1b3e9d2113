"""Operations that no worker will look at again, and rows that wait for an operation that is gone."""

from datetime import timedelta
from uuid import UUID

from django.utils import timezone

from memoryplatform.operations.models import Dispatch, Operation
from memoryplatform.operations.notify.turns import find_carried
from memoryplatform.operations.running.kind_names import DELETE_BANK, ERASE
from memoryplatform.operations.running.registry import find_kind
from memoryplatform.operations.running.submit import dispatch
from memoryplatform.verify.check import DatabaseCheck, Finding, TenantCheck, execute, find_in, find_rows, list_finding
from tenants.models import Delivery
from tenants.transactions import tenant_transaction
from tenants.webhook_outbox import hand_over

# The sweeper looks each second. An operation that is over its time by this much has no worker.
OVERDUE = timedelta(minutes=2)
MOST = 1_000  # rows that one repair hands over

STUCK = """
SELECT id FROM operations_operation
WHERE tenant_id = %(tenant_id)s AND status = 'processing' AND lease_until < %(limit)s
"""
FREE_STUCK = """
WITH freed AS (
    UPDATE operations_operation SET status = 'pending', lease_until = NULL, updated_at = now()
    WHERE tenant_id = %(tenant_id)s AND status = 'processing' AND lease_until < %(limit)s RETURNING id
)
UPDATE operations_dispatch SET due_at = now(), wakes = 0 FROM freed WHERE operation_id = freed.id
"""
UNDISPATCHED = """
SELECT operation.id FROM operations_operation AS operation
WHERE operation.tenant_id = %(tenant_id)s AND operation.status IN ('pending', 'processing') AND NOT EXISTS (
    SELECT FROM operations_dispatch AS dispatch WHERE dispatch.operation_id = operation.id
)
"""
NEEDLESS = """
SELECT dispatch.operation_id FROM operations_dispatch AS dispatch
WHERE dispatch.tenant_id = %(tenant_id)s AND NOT EXISTS (
    SELECT FROM operations_operation AS operation
    WHERE operation.tenant_id = %(tenant_id)s AND operation.id = dispatch.operation_id
      AND operation.status IN ('pending', 'processing')
)
"""
DELETE_NEEDLESS = f"DELETE FROM operations_dispatch WHERE operation_id IN ({NEEDLESS})"  # noqa: S608  # our own
FOREIGN = """
WITH wrong AS (
    SELECT dispatch.operation_id FROM operations_dispatch AS dispatch
    WHERE NOT EXISTS (SELECT FROM tenants_tenant AS tenant WHERE tenant.id = dispatch.tenant_id)
)
SELECT (SELECT count(*) FROM wrong), ARRAY(SELECT operation_id::text FROM wrong ORDER BY 1 LIMIT 5)
"""
STALLED_DELETIONS = f"""
SELECT bank.id FROM banks_bank AS bank
WHERE bank.tenant_id = %(tenant_id)s AND bank.deleted_at IS NOT NULL AND NOT EXISTS (
    SELECT FROM operations_operation AS operation
    WHERE operation.tenant_id = bank.tenant_id AND operation.bank_id = bank.id
      AND operation.kind IN ('{DELETE_BANK}', '{ERASE}') AND operation.status IN ('pending', 'processing')
)
"""  # noqa: S608  # our own names


def overdue(tenant_id: UUID) -> dict[str, object]:
    return {"tenant_id": tenant_id, "limit": timezone.now() - OVERDUE}


def find_stuck(tenant_id: UUID) -> Finding:
    """A worker claimed it, its lease is over, and nobody took it since."""
    return find_rows(STUCK, overdue(tenant_id))


def free_stuck(tenant_id: UUID) -> None:
    """Make them pending for any worker. The former one can't write any more. Their attempt counts."""
    with tenant_transaction(tenant_id):
        execute(FREE_STUCK, overdue(tenant_id))


def find_undispatched(tenant_id: UUID) -> Finding:
    return find_rows(UNDISPATCHED, {"tenant_id": tenant_id})


def add_dispatches(tenant_id: UUID) -> None:
    with tenant_transaction(tenant_id):
        known = Dispatch.objects.filter(tenant_id=tenant_id).values("operation_id")
        unfinished = Operation.objects.for_tenant(tenant_id).filter(status__in=Operation.UNFINISHED)
        for operation in unfinished.exclude(id__in=known).order_by("id")[:MOST]:
            if find_kind(operation.kind) is not None:
                dispatch(operation)


def find_needless(tenant_id: UUID) -> Finding:
    return find_rows(NEEDLESS, {"tenant_id": tenant_id})


def delete_needless(tenant_id: UUID) -> None:
    with tenant_transaction(tenant_id):
        execute(DELETE_NEEDLESS, {"tenant_id": tenant_id})


def find_uncarried(tenant_id: UUID) -> Finding:
    """Pending deliveries of webhooks without an operation that carries them."""
    return list_finding([delivery.id for delivery in list_uncarried(tenant_id)])


def list_uncarried(tenant_id: UUID) -> list[Delivery]:
    pending = Delivery.objects.for_tenant(tenant_id).filter(status=Delivery.Status.PENDING).order_by("id")
    deliveries = list(pending[:MOST])
    carried = find_carried(tenant_id, [one.id for one in deliveries]) if deliveries else set()
    return [one for one in deliveries if one.id not in carried]


def carry_again(tenant_id: UUID) -> None:
    with tenant_transaction(tenant_id):
        for delivery in list_uncarried(tenant_id):
            hand_over(delivery)


def find_stalled_deletions(tenant_id: UUID) -> Finding:
    """Banks under deletion that no operation deletes. Their deletion can be retried."""
    return find_rows(STALLED_DELETIONS, {"tenant_id": tenant_id})


def find_dispatches_without_tenant(_: None) -> Finding:
    return find_in(FOREIGN, {}, using="owner")


CHECKS = [
    TenantCheck("operations: no lease is long over", find_stuck, free_stuck),
    TenantCheck("operations: every unfinished one has a dispatch", find_undispatched, add_dispatches),
    TenantCheck("operations: every dispatch has an unfinished one", find_needless, delete_needless),
    TenantCheck("operations: every pending delivery has one", find_uncarried, carry_again),
    TenantCheck("operations: a bank under deletion has one", find_stalled_deletions),
]
DATABASE_CHECKS = [DatabaseCheck("operations: every dispatch has a tenant", find_dispatches_without_tenant)]
