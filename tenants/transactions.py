"""Transactions of one tenant, which row-level security relies on, and the refusal of a quota at their commit."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from uuid import UUID

from django.db import IntegrityError, connections, transaction
from psycopg.errors import CheckViolation

TENANT_SETTING = "memoryplatform.tenant_id"
READ_BY_THREADS = frozenset({"default", "replica"})


class CrossTenantTransaction(Exception):
    """A transaction of one tenant was opened for another tenant."""


class QuotaExceeded(Exception):
    """A transaction would exceed a quota of the plan. Reading, exporting and deleting have no quota."""

    code = "quota_exceeded"

    def __init__(self, tenant_id: UUID, quota: str, limit: int, used: int) -> None:
        self.tenant_id = tenant_id
        self.details: dict[str, Any] = {"quota": quota, "limit": limit, "used": used}
        super().__init__(f"The plan allows {limit} {quota.replace('_', ' ')}, and {used} are used.")


def find_refusal(tenant_id: UUID, error: IntegrityError) -> QuotaExceeded | None:
    """The database checks the quotas when a transaction commits."""
    cause = error.__cause__
    if isinstance(cause, CheckViolation) and cause.diag.constraint_name == QuotaExceeded.code:
        return QuotaExceeded(tenant_id, **json.loads(cause.diag.message_detail or "{}"))
    return None


@contextmanager
def tenant_transaction(
    tenant_id: UUID, *, using: str = "default", settings: Mapping[str, str] | None = None
) -> Iterator[None]:
    """Open a transaction in which Postgres shows the rows of this tenant only.

    The setting is local to the transaction, so a pooler in transaction mode can hand the connection to another
    tenant right after the commit. Inside an open transaction this is a savepoint of the same tenant. `settings` go
    with the tenant's in one statement and hold to the end of the outermost transaction. The commit of that raises
    QuotaExceeded if the database refuses it for a quota.
    """
    wanted = {**(settings or {}), TENANT_SETTING: str(tenant_id)}
    if not connections[using].in_atomic_block:
        try:
            with transaction.atomic(using=using):
                set_locally(wanted, using=using)
                yield
        except IntegrityError as error:
            if refusal := find_refusal(tenant_id, error):
                raise refusal from error
            raise
        return
    with transaction.atomic(using=using):
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
    for opened in connections.all(initialized_only=True):
        if opened.alias in READ_BY_THREADS and not opened.in_atomic_block:
            opened.close()
