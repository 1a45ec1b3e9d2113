"""A request that arrives while another transaction holds an uncommitted change of the same row."""

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from django.db import connection, connections

from tenants.models import Tenant
from tenants.transactions import tenant_transaction

T = TypeVar("T")
LONGEST_WAIT = 20.0


def ask_during(tenant: Tenant, change: Callable[[], object], ask: Callable[[], T]) -> T:
    """Both use separate connections, so the test must commit. The change commits once `ask` waits for the row."""

    def ask_and_leave() -> T:
        try:
            return ask()
        finally:
            connections.close_all()

    with ThreadPoolExecutor(1) as pool:
        with tenant_transaction(tenant.id):
            change()
            asked = pool.submit(ask_and_leave)
            wait_for_waiting()
        return asked.result(LONGEST_WAIT)


def wait_for_waiting() -> None:
    until = time.monotonic() + LONGEST_WAIT
    while time.monotonic() < until:
        with connection.cursor() as cursor:
            cursor.execute("SELECT count(*) FROM pg_locks WHERE NOT granted AND locktype IN ('transactionid', 'tuple')")
            if cursor.fetchone()[0]:
                return
        time.sleep(0.02)
    raise AssertionError("Nobody waits for the row.")
