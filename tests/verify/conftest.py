"""The demo bank, whose tables are put back as they were after each test, and SQL that no constraint stops."""

from collections.abc import Callable, Iterator
from uuid import UUID

import psycopg
import pytest

from banks.models import Bank
from memoryplatform.embedded.demo import BANK_ID
from memoryplatform.embedded.demo.seed import seed_demo
from memoryplatform.embedded.postgres import EmbeddedPostgres
from memoryplatform.embedded.redis import EmbeddedRedis
from memoryplatform.operations.models import Operation
from memoryplatform.operations.running.perform import perform
from memoryplatform.verify.run import Report, verify
from tenants.models import Tenant
from tenants.transactions import tenant_transaction
from tests.conftest import connect_superuser
from tests.factories import make_tenant

Plant = Callable[..., None]


def perform_waiting(tenant: Tenant) -> None:
    """Performs what waits, and what that asks for, as workers do."""
    while ids := list_waiting(tenant):
        for operation_id in ids:
            perform(tenant.id, operation_id)


def list_waiting(tenant: Tenant) -> list[UUID]:
    with tenant_transaction(tenant.id):
        rows = Operation.objects.for_tenant(tenant.id).filter(status="pending", attempts=0)
        return list(rows.exclude(kind="tend_bank").order_by("id").values_list("id", flat=True))


def list_wrong(report: Report) -> dict[str, list[str]]:
    """The checks that found something, with the first wrong rows."""
    return {result.check: result.first for result in report.results if result.found}


@pytest.fixture(scope="module")
def acme(shared_db: None, redis_server: EmbeddedRedis) -> Tenant:
    tenant = make_tenant("acme")
    assert seed_demo(tenant.id)
    perform_waiting(tenant)
    return tenant


@pytest.fixture
def juno(acme: Tenant, restored_tables: None) -> Bank:
    with tenant_transaction(acme.id):
        return Bank.objects.for_tenant(acme.id).get(bank_id=BANK_ID)


@pytest.fixture(scope="module")
def kept_tables(acme: Tenant, postgres: EmbeddedPostgres) -> Iterator[list[str]]:
    superuser = connect_superuser(postgres)
    superuser.execute("CREATE SCHEMA kept")
    names = superuser.execute(
        "SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace"
    )
    tables = [
        name for (name,) in names.fetchall() if name.startswith(("banks_", "reflection_", "operations_", "tenants_"))
    ]
    for table in tables:
        superuser.execute(f"CREATE TABLE kept.{table} AS TABLE public.{table}")
    yield tables
    superuser.execute("DROP SCHEMA kept CASCADE")


@pytest.fixture
def restored_tables(kept_tables: list[str], postgres: EmbeddedPostgres) -> Iterator[None]:
    yield
    superuser = connect_superuser(postgres)
    with superuser.transaction():
        superuser.execute("SET LOCAL session_replication_role = replica")
        for table in kept_tables:
            superuser.execute(f"DELETE FROM public.{table}")
            superuser.execute(f"INSERT INTO public.{table} SELECT * FROM kept.{table}")


@pytest.fixture
def plant(juno: Bank, postgres: EmbeddedPostgres) -> Plant:
    """Changes rows below every constraint, as a fault of a disk, a restore or a person with SQL would."""

    def execute(*statements: str) -> None:
        superuser: psycopg.Connection = connect_superuser(postgres)
        with superuser.transaction():
            superuser.execute("SET LOCAL session_replication_role = replica")
            for statement in statements:
                done = superuser.execute(statement)
                assert done.rowcount != 0, f"nothing was changed: {statement}"

    return execute


def look(tenant: Tenant) -> dict[str, list[str]]:
    return list_wrong(verify([tenant]))
