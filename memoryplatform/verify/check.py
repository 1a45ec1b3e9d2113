"""The parts of a check: what it looks at, its finding, and the snapshot of the database that it reads."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Generic, TypeVar
from uuid import UUID

from django.db import connections, transaction

from banks.models import Bank
from tenants.transactions import tenant_transaction

SHOWN = 5  # ids of a finding
S = TypeVar("S")  # a Scope, or the database as a whole (None)


WRONG = f"""
WITH wrong (id) AS ({{statement}})
SELECT (SELECT count(*) FROM wrong), ARRAY(SELECT id::text FROM wrong ORDER BY 1 LIMIT {SHOWN})
"""  # noqa: S608  # our own statements


@dataclass(frozen=True)
class Finding:
    """The number of wrong rows, and the first of them."""

    count: int = 0
    first: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return self.count > 0

    def __add__(self, other: "Finding") -> "Finding":
        return Finding(self.count + other.count, (*self.first, *other.first)[:SHOWN])


def list_finding(wrong: Sequence[object]) -> Finding:
    return Finding(len(wrong), tuple(map(str, wrong[:SHOWN])))


@dataclass(frozen=True)
class Check(Generic[S]):
    """`find` runs inside a snapshot. `repair` runs outside of transactions; without one a finding needs a person.

    `repair` may only write what is derived from other rows.
    """

    name: str
    find: Callable[[S], Finding]
    repair: Callable[[S], None] | None = None


TenantCheck = Check[UUID]
BankCheck = Check[Bank]
DatabaseCheck = Check[None]


@contextmanager
def snapshot(tenant_id: UUID) -> Iterator[None]:
    """A read-only transaction of the tenant. All its statements see the same state, while others write."""
    with repeatable_read(tenant_id):
        execute("SET TRANSACTION READ ONLY")
        yield


@contextmanager
def repeatable_read(tenant_id: UUID) -> Iterator[None]:
    with transaction.atomic():
        execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")  # before any other statement
        with tenant_transaction(tenant_id):
            yield


def find_rows(statement: str, values: Mapping[str, Any]) -> Finding:
    """The finding of a statement that selects the ids of wrong rows, or any other text, in its only column."""
    return find_in(WRONG.format(statement=statement), values)


def find_in(statement: str, values: Mapping[str, Any], *, using: str = "default") -> Finding:
    with connections[using].cursor() as cursor:
        cursor.execute(statement, values)
        count, first = cursor.fetchone()
    return Finding(count, tuple(first))


def find_in_bank(statement: str) -> Callable[[Bank], Finding]:
    """The statement may use `%(tenant_id)s` and `%(bank_id)s`."""
    return lambda bank: find_rows(statement, {"tenant_id": bank.tenant_id, "bank_id": bank.id})


def find_in_tenant(statement: str) -> Callable[[UUID], Finding]:
    return lambda tenant_id: find_rows(statement, {"tenant_id": tenant_id})


def execute(statement: str, values: Mapping[str, Any] | None = None) -> None:
    with connections["default"].cursor() as cursor:
        cursor.execute(statement, values)


def fetch(statement: str, values: Mapping[str, Any]) -> list[tuple[Any, ...]]:
    with connections["default"].cursor() as cursor:
        cursor.execute(statement, values)
        rows: list[tuple[Any, ...]] = cursor.fetchall()
    return rows
