"""A case through the real retain."""

from banks.models import Message
from benchmarks.recall.asking import Haystack
from benchmarks.recall.cases import Case, build_items
from benchmarks.tenant import make_bank, retain_now
from memoryplatform.operations.bank_profile import BankAccess
from tenants.transactions import tenant_transaction

ITEMS_A_CALL = 100


def retain_case(access: BankAccess, case: Case) -> Haystack:
    bank = make_bank(access, case.name)
    items = build_items(case)
    for start in range(0, len(items), ITEMS_A_CALL):
        retain_now(access, bank.bank_id, items[start : start + ITEMS_A_CALL])
    with tenant_transaction(access.tenant_id):
        rows = Message.objects.for_tenant(access.tenant_id).filter(bank=bank).values_list("id", "actor")
        return Haystack(access, case, dict(rows))
