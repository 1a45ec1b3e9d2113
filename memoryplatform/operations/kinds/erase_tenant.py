"""The erasure of a tenant after its grace. The receipt is a row of the platform and an e-mail to the owner."""

from datetime import timedelta
from typing import Any
from uuid import UUID

from django.core.mail import send_mail
from django.db import connection, transaction
from django.utils import timezone

from banks.errors import LegalHold
from banks.models import Bank
from banks.vector_index.index import drop_indexes
from memoryplatform.operations.account.deletion import check_no_hold, list_tenant_tables
from memoryplatform.operations.erasures.receipts import Receipt, build_receipt
from memoryplatform.operations.errors import NotYet, PermanentFailure
from memoryplatform.operations.running.kind_names import ERASE_TENANT
from memoryplatform.operations.running.registry import operation_kind
from memoryplatform.operations.running.run import Run
from tenants.models import Tenant, TenantErasure, User

A_DAY = timedelta(days=1)


@operation_kind(ERASE_TENANT, queue="background", cancellable=False)  # an owner cancels the deletion of the tenant
def erase_tenant(run: Run) -> dict[str, Any]:
    """One transaction: a tenant is whole or gone. The operation itself goes with it, so it is not completed."""
    drop_vector_indexes(run)
    with run.transaction():
        tenant = get_due_tenant(run.tenant_id)
        receipt = build_receipt(list_tenant_ids(tenant.id))
        TenantErasure.objects.create(
            erased_tenant=tenant.id,
            requested_by=tenant.deletion_requested_by_id,
            requested_at=tenant.deletion_requested_at or timezone.now(),
            counts=receipt.erased,
            sha256=receipt.sha256,
        )
        with connection.cursor() as cursor:
            cursor.execute("SELECT erase_tenant(%s)", [tenant.id])
        run.is_complete = True
        owner = tenant.deletion_requested_by
        if owner is not None:
            transaction.on_commit(lambda: send_receipt(owner, tenant, receipt), robust=True)
    return receipt.write()


def drop_vector_indexes(run: Run) -> None:
    """Outside of the transaction: Postgres drops an index concurrently."""
    with run.transaction():
        get_due_tenant(run.tenant_id)
        banks = list(Bank.objects.for_tenant(run.tenant_id).values_list("id", flat=True))
    for bank_pk in banks:
        drop_indexes(bank_pk)


def get_due_tenant(tenant_id: UUID) -> Tenant:
    """Locks the tenant, so that a cancellation comes before or after. Call inside a tenant transaction."""
    tenant = Tenant.objects.select_for_update(of=("self",)).select_related("deletion_requested_by").get(id=tenant_id)
    if tenant.deletion_due_at is None:
        raise PermanentFailure("The deletion was cancelled.", code="cancelled")
    wait = tenant.deletion_due_at - timezone.now()
    if wait > timedelta():
        raise NotYet("The grace is not over.", wait=wait)
    try:
        check_no_hold(tenant_id)
    except LegalHold as held:
        raise NotYet(str(held), wait=A_DAY) from held
    return tenant


def list_tenant_ids(tenant_id: UUID) -> dict[str, Any]:
    ids = {
        model._meta.db_table: model.objects.for_tenant(tenant_id).order_by("id").values_list("id", flat=True)
        for model in list_tenant_tables()
    }
    return {Tenant._meta.db_table: [tenant_id], **ids}


def send_receipt(owner: User, tenant: Tenant, receipt: Receipt) -> None:
    rows = "\n".join(f"{name}: {count}" for name, count in sorted(receipt.erased.items()))
    text = (
        f"Everything of the tenant {tenant.id} was erased.\n\nSHA-256 of the erased ids: {receipt.sha256}\n\n{rows}\n"
    )
    send_mail("Your data was erased", text, None, [owner.email])
