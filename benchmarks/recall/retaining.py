"""Retaining a case through the real use-case."""

from banks.models import Bank, Message
from benchmarks.recall.asking import Haystack
from benchmarks.recall.cases import Case, build_items
from benchmarks.tenant import make_bank, perform_now, retain_now
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.banks.profile import delete_bank_for_good
from memoryplatform.operations.models import Operation
from tenants.transactions import tenant_transaction

ITEMS_A_CALL = 100


def retain_case(access: BankAccess, case: Case) -> Haystack:
    """Reuse a bank that already holds the whole case. A bank that an aborted run filled in part is filled again."""
    bank = find_bank(access, case)
    if bank is None or not is_whole(bank, case):
        if bank is not None:
            perform_now(access.tenant_id, delete_bank_for_good(access, bank.bank_id).id)
        fill(access, case)
    with tenant_transaction(access.tenant_id):
        rows = Message.objects.for_tenant(access.tenant_id).filter(bank__bank_id=case.name).values_list("id", "actor")
        return Haystack(access, case, dict(rows))


def find_bank(access: BankAccess, case: Case) -> Bank | None:
    with tenant_transaction(access.tenant_id):
        return Bank.objects.for_tenant(access.tenant_id).live().filter(bank_id=case.name).first()


def is_whole(bank: Bank, case: Case) -> bool:
    with tenant_transaction(bank.tenant_id):
        retains = Operation.objects.for_tenant(bank.tenant_id).filter(bank_id=bank.id, kind="retain")
        messages = Message.objects.of_bank(bank).count()
        return messages == len(case.turns) and not retains.exclude(status=Operation.Status.COMPLETED).exists()


def fill(access: BankAccess, case: Case) -> None:
    bank = make_bank(access, case.name)
    items = build_items(case)
    for start in range(0, len(items), ITEMS_A_CALL):
        retain_now(access, bank.bank_id, items[start : start + ITEMS_A_CALL])
