"""The deletion of a tenant by its owner: preview, seven days of grace, then everything is erased, with a receipt.

During the grace API keys are refused, members can read the pages, and an owner can cancel.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.apps import apps
from django.utils import timezone

from banks.errors import LegalHold
from banks.models import Bank
from memoryplatform.operations.account.access import Right, TenantAccess
from memoryplatform.operations.account.errors import DeletionNotFound
from memoryplatform.operations.models import Dispatch, Erasure, Operation
from memoryplatform.operations.running.kind_names import ERASE_TENANT
from memoryplatform.operations.running.run import finish
from memoryplatform.operations.running.submit import submit
from tenants.models import Tenant
from tenants.scoping import TenantOwned
from tenants.transactions import tenant_transaction

GRACE = timedelta(days=7)


@dataclass(frozen=True)
class TenantDeletion:
    """`counts` are the rows that go, by table. The times are empty unless the deletion is requested."""

    counts: dict[str, int]
    banks: tuple[str, ...]
    requested_at: datetime | None
    requested_by: UUID | None
    due_at: datetime | None


def list_tenant_tables() -> list[type[TenantOwned]]:
    return [model for model in apps.get_models() if issubclass(model, TenantOwned) and not model._meta.proxy]


def preview_deletion(access: TenantAccess) -> TenantDeletion:
    access.require(Right.OWN)
    with tenant_transaction(access.tenant_id):
        tenant = Tenant.objects.get(id=access.tenant_id)
        return describe(tenant)


def describe(tenant: Tenant) -> TenantDeletion:
    counts = {model._meta.db_table: model.objects.for_tenant(tenant.id).count() for model in list_tenant_tables()}
    banks = Bank.objects.for_tenant(tenant.id).live().order_by("bank_id").values_list("bank_id", flat=True)
    present = {name: count for name, count in sorted(counts.items()) if count}
    return TenantDeletion(
        present, tuple(banks), tenant.deletion_requested_at, tenant.deletion_requested_by_id, tenant.deletion_due_at
    )


def request_deletion(access: TenantAccess) -> TenantDeletion:
    """A second request changes nothing. A bank under legal hold refuses it."""
    access.require(Right.OWN)
    with tenant_transaction(access.tenant_id):
        tenant = Tenant.objects.select_for_update().get(id=access.tenant_id)
        if tenant.deletion_due_at is None:
            check_no_hold(tenant.id)
            tenant.deletion_requested_at = timezone.now()
            tenant.deletion_due_at = tenant.deletion_requested_at + GRACE
            tenant.deletion_requested_by_id = access.actor.user_id
            tenant.save(update_fields=["deletion_requested_at", "deletion_due_at", "deletion_requested_by"])
            operation = submit(tenant.id, ERASE_TENANT, payload={}, wake=False)
            Dispatch.objects.filter(operation_id=operation.id).update(due_at=tenant.deletion_due_at)
            Erasure.objects.for_tenant(tenant.id).create(
                kind=Erasure.Kind.TENANT,
                target_id=tenant.id,
                operation=operation,
                requested_by=f"user:{access.actor.user_id}",
            )
            access.record("tenant.deletion_requested", f"tenant:{tenant.slug}")
        return describe(tenant)


def find_deletion(access: TenantAccess) -> Erasure:
    """The newest request. Call inside a tenant transaction."""
    rows = Erasure.objects.for_tenant(access.tenant_id).filter(kind=Erasure.Kind.TENANT)
    return rows.select_related("operation").latest("id")


def check_no_hold(tenant_id: UUID) -> None:
    """Call inside a tenant transaction."""
    held = Bank.objects.for_tenant(tenant_id).filter(held_since__isnull=False).order_by("bank_id").first()
    if held is not None:
        raise LegalHold(held.bank_id)


def cancel_deletion(access: TenantAccess) -> Tenant:
    access.require(Right.OWN)
    with tenant_transaction(access.tenant_id):
        tenant = Tenant.objects.select_for_update().get(id=access.tenant_id)
        if tenant.deletion_due_at is None:
            raise DeletionNotFound
        rows = Operation.objects.for_tenant(tenant.id).filter(kind=ERASE_TENANT, status__in=Operation.UNFINISHED)
        for operation in rows.select_for_update():
            finish(operation, Operation.Status.CANCELLED)
        tenant.deletion_requested_at = tenant.deletion_due_at = tenant.deletion_requested_by = None
        tenant.save(update_fields=["deletion_requested_at", "deletion_due_at", "deletion_requested_by"])
        access.record("tenant.deletion_cancelled", f"tenant:{tenant.slug}")
        return tenant
