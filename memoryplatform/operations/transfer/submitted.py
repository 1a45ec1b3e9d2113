"""Exports and copies that are asked for as operations."""

from banks.errors import BankExists, BankNotFound
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.banks.profile import find_banks, get_bank
from memoryplatform.operations.models import Operation
from memoryplatform.operations.running.kind_names import CLONE_BANK, EXPORT_BANK
from memoryplatform.operations.running.submit import submit
from tenants.audit import record
from tenants.transactions import tenant_transaction


def submit_export(access: BankAccess, bank_id: str) -> Operation:
    """The file is written when it is fetched."""
    with tenant_transaction(access.tenant_id):
        bank = get_bank(access, bank_id)
        return submit(access.tenant_id, EXPORT_BANK, payload={}, bank=bank)


def submit_clone(access: BankAccess, bank_id: str, *, target: str) -> Operation:
    with tenant_transaction(access.tenant_id):
        bank = get_bank(access, bank_id)
        check_target(access, target)
        record(
            access.tenant_id,
            actor=access.actor,
            action="bank.cloned",
            target=f"bank:{bank_id}",
            detail={"target": target},
        )
        payload = {"target": target, "asked_by": access.actor.api_key_prefix}
        return submit(access.tenant_id, CLONE_BANK, payload=payload, bank=bank)


def check_target(access: BankAccess, bank_id: str) -> None:
    """A bank that is to come into being must not be there. Call inside a tenant transaction."""
    if not access.reaches(bank_id):
        raise BankNotFound(bank_id)
    if find_banks(access).filter(bank_id=bank_id).exists():
        raise BankExists(bank_id)
