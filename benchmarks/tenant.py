"""A tenant for one run, and retain performed like a worker."""

from collections.abc import Sequence
from uuid import UUID

from banks.models import Bank
from banks.retain.input import RetainItem
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.banks.profile import BankChange, create_bank
from memoryplatform.operations.kinds.vector_index import ask_for_vector_index
from memoryplatform.operations.models import Operation
from memoryplatform.operations.retain import retain
from memoryplatform.operations.running.perform import perform
from tenants.identifiers import uuid7
from tenants.memberships import found_tenant, list_memberships
from tenants.models import User
from tenants.transactions import tenant_transaction

KEPT = "benchmark-kept"


class RetainFailed(Exception):
    """The retain failed, so there is nothing to measure."""


def make_access(*, keep: bool = False) -> BankAccess:
    """Create a tenant for this run. With `keep`, runs share one tenant."""
    name = KEPT if keep else f"benchmark-{uuid7().hex}"
    owner = User.objects.filter(email=f"{name}@example.com").first()
    if owner is not None:
        return BankAccess(list_memberships(owner.id)[0].tenant_id)
    owner = User.objects.create_user(f"{name}@example.com", None)
    return BankAccess(found_tenant(name=name, slug=name, owner=owner).id)


def make_bank(access: BankAccess, bank_id: str) -> Bank:
    return create_bank(access, bank_id, BankChange())


def retain_now(access: BankAccess, bank_id: str, items: Sequence[RetainItem]) -> Operation:
    """Accept the items and perform the operation in this process, like a worker."""
    accepted = retain(access, bank_id, items, wait=False)
    operation = perform_now(access.tenant_id, accepted.id)
    if operation.status != Operation.Status.COMPLETED:
        raise RetainFailed(f"{operation.status}: {operation.error_code} {operation.error_detail}")
    return operation


def maintain_index(access: BankAccess, bank: Bank) -> None:
    """Maintain the index, as a worker of the background queue does during ingestion."""
    with tenant_transaction(access.tenant_id):
        operation = ask_for_vector_index(bank)
        pending = Operation.objects.for_tenant(access.tenant_id).filter(kind="vector_index", status="pending")
        ids = [*pending.values_list("id", flat=True)] if operation is None else [operation.id]
    for operation_id in ids:
        perform_now(access.tenant_id, operation_id)


def perform_now(tenant_id: UUID, operation_id: UUID) -> Operation:
    perform(tenant_id, operation_id)
    with tenant_transaction(tenant_id):
        return Operation.objects.for_tenant(tenant_id).get(id=operation_id)
