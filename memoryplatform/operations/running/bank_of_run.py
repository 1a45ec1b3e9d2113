from banks.models import Bank
from memoryplatform.operations.errors import PermanentFailure
from memoryplatform.operations.running.run import Run
from tenants.transactions import tenant_transaction


def load_bank(run: Run) -> Bank:
    """The bank that an operation works on. Once it is deleted there is nothing left to do, now or later."""
    with tenant_transaction(run.tenant_id):
        rows = Bank.objects.for_tenant(run.tenant_id).live()
        bank = rows.filter(id=run.bank_pk).first() if run.bank_pk else None
    if bank is None:
        raise PermanentFailure("The bank was deleted meanwhile.", code="bank_not_found")
    return bank
