"""Transactions of one tenant, which row-level security relies on."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from uuid import UUID

from django.db import connection, connections, transaction

TENANT_SETTING = "memoryplatform.tenant_id"


class CrossTenantTransaction(Exception):
    """A transaction of one tenant was opened for another tenant."""


@contextmanager
def tenant_transaction(
    tenant_id: UUID, *, using: str = "default", settings: Mapping[str, str] | None = None
) -> Iterator[None]:
    """Open a transaction in which Postgres shows the rows of this tenant only.

    The setting is local to the transaction, so a pooler in transaction mode can hand the connection to another
    tenant right after the commit. Inside an open transaction this is a savepoint of the same tenant. `settings` go
    with the tenant's in one statement and hold to the end of the outermost transaction.
    """
    wanted = {**(settings or {}), TENANT_SETTING: str(tenant_id)}
    nested = connections[using].in_atomic_block
    with transaction.atomic(using=using):
        if not nested:
            set_locally(wanted, using=using)
            yield
            return
        before = read_tenant(using=using)
        if before not in {"", str(tenant_id)}:
            raise CrossTenantTransaction("This transaction belongs to another tenant.")
        set_locally(wanted, using=using)
        yield
        set_locally({TENANT_SETTING: before}, using=using)


def set_locally(settings: Mapping[str, str], *, using: str) -> None:
    """Set them for this transaction, in one round trip."""
    calls = ", ".join(["set_config(%s, %s, true)"] * len(settings))
    with connections[using].cursor() as cursor:
        cursor.execute(f"SELECT {calls}", [part for setting in settings.items() for part in setting])


def read_tenant(*, using: str) -> str:
    with connections[using].cursor() as cursor:
        cursor.execute("SELECT coalesce(current_setting(%s, true), '')", [TENANT_SETTING])
        return str(cursor.fetchone()[0])


def let_go_of_connection() -> None:
    """Return the connection to the pool while other threads work for the caller. Otherwise callers could drain it."""
    if not connection.in_atomic_block:
        connection.close()
