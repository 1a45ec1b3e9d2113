"""Deliveries whose operation came to an end of its own: nobody would carry them any further."""

from collections.abc import Collection
from uuid import UUID

from memoryplatform.operations.models import Operation
from memoryplatform.operations.models.operation import OperationQuerySet
from memoryplatform.operations.running.kind_names import DELIVER_WEBHOOK
from tenants.models import Delivery

UNFINISHED = (Operation.Status.PENDING, Operation.Status.PROCESSING)


def give_up_delivery(operation: Operation) -> None:
    """Call inside the transaction that ends the operation without having delivered."""
    rows = Delivery.objects.for_tenant(operation.tenant_id).filter(id=UUID(operation.payload["delivery_id"]))
    reason = operation.error_detail or f"The operation that carried it is {operation.status}."
    rows.filter(status=Delivery.Status.PENDING).update(
        status=Delivery.Status.FAILED, error=reason[:300], next_attempt_at=None
    )


def find_carried(tenant_id: UUID, delivery_ids: Collection[UUID]) -> set[UUID]:
    """Those of them that an unfinished operation looks after. Call inside a tenant transaction."""
    named = find_carriers(tenant_id, delivery_ids)
    return {UUID(one) for one in named.values_list("payload__delivery_id", flat=True)}


def find_carriers(tenant_id: UUID, delivery_ids: Collection[UUID]) -> OperationQuerySet:
    """The unfinished operations that look after them. Call inside a tenant transaction."""
    rows = Operation.objects.for_tenant(tenant_id).filter(kind=DELIVER_WEBHOOK, status__in=UNFINISHED)
    named: OperationQuerySet = rows.filter(payload__delivery_id__in=[str(one) for one in delivery_ids])
    return named
