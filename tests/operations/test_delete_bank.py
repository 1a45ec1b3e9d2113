"""A bank that is deleted while others work on it."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connections

from banks.locking import lock_memory
from banks.models import Bank, Document
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.banks.profile import delete_bank_for_good
from memoryplatform.operations.models import Dispatch, Operation
from memoryplatform.operations.running.kind_names import NIGHTLY_MAINTENANCE
from memoryplatform.operations.running.perform import perform
from memoryplatform.operations.running.submit import submit
from tenants.models import Tenant
from tenants.transactions import tenant_transaction
from tests.factories import make_bank
from tests.held_rows import LONGEST_WAIT, wait_for_waiting
from tests.memory_factories import make_document, make_unit


def hold_operation(bank: Bank) -> None:
    operation = Operation.objects.for_tenant(bank.tenant_id).filter(bank=bank, kind="retain")
    operation.select_for_update(no_key=True).get()


def hold_document(bank: Bank) -> None:
    Document.objects.for_tenant(bank.tenant_id).select_for_update(no_key=True).get(bank=bank)


def test_its_maintenance_is_cancelled(tenant: Tenant) -> None:
    bank = make_bank(tenant, bank_id="support")
    with tenant_transaction(tenant.id):
        nightly = submit(tenant.id, NIGHTLY_MAINTENANCE, payload={}, bank=bank)
        retain = submit(tenant.id, "retain", payload={}, bank=bank)
    delete_bank_for_good(BankAccess(tenant.id), "support")
    with tenant_transaction(tenant.id):
        states = dict(Operation.objects.for_tenant(tenant.id).values_list("id", "status"))
        assert (states[nightly.id], states[retain.id]) == ("cancelled", "pending")
        assert not Dispatch.objects.filter(operation_id=nightly.id).exists()


@pytest.mark.parametrize("hold", [hold_operation, hold_document])
def test_it_waits_for_them_and_they_never_for_it(tenant: Tenant, hold: Callable[[Bank], None]) -> None:
    bank = make_bank(tenant, bank_id="support")
    make_document(tenant, bank=bank)
    with tenant_transaction(tenant.id):
        submit(tenant.id, "retain", payload={}, bank=bank)
    deletion = delete_bank_for_good(BankAccess(tenant.id), "support")

    def delete() -> None:
        perform(tenant.id, deletion.id)
        connections.close_all()

    with ThreadPoolExecutor(1) as pool:
        with tenant_transaction(tenant.id):
            hold(bank)
            deleting = pool.submit(delete)
            wait_for_waiting()
            lock_memory(bank)
            make_unit(tenant, bank=bank)
        deleting.result(LONGEST_WAIT)
    with tenant_transaction(tenant.id):
        deletion.refresh_from_db()
        assert (deletion.status, deletion.attempts) == ("completed", 1)
        assert not Bank.objects.for_tenant(tenant.id).exists()
