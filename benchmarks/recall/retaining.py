"""A case through the real retain."""

from banks.models import Bank, Message
from benchmarks.recall.asking import Haystack
from benchmarks.recall.cases import Case, build_items
from benchmarks.tenant import make_bank, retain_now
from memoryplatform.operations.bank_profile import BankAccess
from memoryplatform.operations.models import Operation
from tenants.transactions import tenant_transaction

ITEMS_A_CALL = 100


def retain_case(access: BankAccess, case: Case) -> Haystack:
    """A bank that holds the case already is taken as it is."""
    if not is_retained(access, case):
        bank = make_bank(access, case.name)
        items = build_items(case)
        for start in range(0, len(items), ITEMS_A_CALL):
            retain_now(access, bank.bank_id, items[start : start + ITEMS_A_CALL])
    with tenant_transaction(access.tenant_id):
        rows = Message.objects.for_tenant(access.tenant_id).filter(bank__bank_id=case.name).values_list("id", "actor")
        return Haystack(access, case, dict(rows))


class HalfRetained(Exception):
    """A run that was to fill the bank did not come to its end."""


def is_retained(access: BankAccess, case: Case) -> bool:
    with tenant_transaction(access.tenant_id):
        bank = Bank.objects.for_tenant(access.tenant_id).filter(bank_id=case.name).first()
        if bank is None:
            return False
        retains = Operation.objects.for_tenant(access.tenant_id).filter(bank_id=bank.id, kind="retain")
        messages = Message.objects.for_tenant(access.tenant_id).filter(bank=bank).count()
        if retains.exclude(status=Operation.Status.COMPLETED).exists() or messages != len(case.turns):
            raise HalfRetained(f"The bank {case.name} was filled in part: keep the runs in another folder.")
    return True
