"""The order of locks: writers of one bank wait for each other and never in a circle."""

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

import pytest
from django.db import connection, connections

from banks.locking import lock_memory
from banks.models import Bank, Episode, Message
from banks.retain.input import GivenMessage, RetainItem
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.banks.legal_hold import set_hold
from memoryplatform.operations.models import Operation
from memoryplatform.operations.retain import retain
from memoryplatform.operations.transfer.receive import import_part
from tenants.models import Tenant
from tenants.transactions import tenant_transaction
from tests.factories import make_bank
from tests.held_rows import LONGEST_WAIT
from tests.operations.transferred import small_file

SAID_AT = datetime(2023, 5, 8, 13, 56, tzinfo=UTC)


@pytest.fixture
def access(tenant: Tenant) -> BankAccess:
    return BankAccess(tenant.id)


def leaving(act: Callable[[], object]) -> None:
    try:
        act()
    finally:
        connections.close_all()


def wait_for_another() -> None:
    """Until another connection waits for any lock."""
    until = time.monotonic() + LONGEST_WAIT
    while time.monotonic() < until:
        with connection.cursor() as cursor:
            cursor.execute("SELECT count(*) FROM pg_locks WHERE NOT granted")
            if cursor.fetchone()[0]:
                return
        time.sleep(0.02)
    raise AssertionError("Nobody waits.")


def test_an_import_that_is_sent_again_waits_for_its_worker(tenant: Tenant, access: BankAccess) -> None:
    """The worker holds the operation and goes on to the memory. Both in the other order would be a deadlock."""
    lines = b"".join(small_file(tenant, access))
    import_part(access, "copy", lines, first_line=1)
    with ThreadPoolExecutor(1) as pool:
        with tenant_transaction(tenant.id):
            bank = Bank.objects.for_tenant(tenant.id).get(bank_id="copy")
            Operation.objects.for_tenant(tenant.id).select_for_update(of=("self",)).get(kind="import_bank")
            sent = pool.submit(leaving, lambda: import_part(access, "copy", lines, first_line=1))
            wait_for_another()
            lock_memory(bank)
        sent.result(LONGEST_WAIT)


def test_a_hold_waits_for_a_writer_that_changes_the_bank(tenant: Tenant, access: BankAccess) -> None:
    bank = make_bank(tenant, bank_id="support")
    with ThreadPoolExecutor(1) as pool:
        with tenant_transaction(tenant.id):
            lock_memory(bank)
            held = pool.submit(leaving, lambda: set_hold(access, "support", "Case 7"))
            wait_for_another()
            Bank.objects.for_tenant(tenant.id).filter(id=bank.id).update(background="Erased.")
        held.result(LONGEST_WAIT)
    with tenant_transaction(tenant.id):
        assert Bank.objects.for_tenant(tenant.id).get(id=bank.id).background == "Erased."


def test_a_retain_touches_no_episode_while_a_writer_changes_them_all(tenant: Tenant, access: BankAccess) -> None:
    def say(text: str) -> None:
        said = GivenMessage("user", text, SAID_AT, name="Ana")
        assert (
            retain(access, "support", [RetainItem(SAID_AT, messages=(said,), thread="t")], wait=True).error_code == ""
        )

    say("I live in Lisbon.")
    with ThreadPoolExecutor(1) as pool:
        with tenant_transaction(tenant.id):
            bank = Bank.objects.for_tenant(tenant.id).get(bank_id="support")
            lock_memory(bank)
            saying = pool.submit(leaving, lambda: say("Lisbon is sunny."))
            wait_for_another()
            assert Message.objects.for_tenant(tenant.id).filter(episode=None).count() == 1
            Episode.objects.for_tenant(tenant.id).update(number=None)
        saying.result(LONGEST_WAIT)
    with tenant_transaction(tenant.id):
        assert not Message.objects.for_tenant(tenant.id).filter(episode=None).exists()
