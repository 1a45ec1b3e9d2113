"""Row-level security for the service's role. No test here uses the scoped managers."""

from typing import Any
from uuid import UUID

import pytest
from django.db import IntegrityError, ProgrammingError, connection, transaction
from django.db.models import Model

from tenants.identifiers import uuid7
from tenants.models import Tenant
from tenants.roles import check_service_role
from tenants.transactions import tenant_transaction
from tests.factories import make_bank, make_operation, make_tenant
from tests.tenants.walled_models import FACTORIES, walled_models

pytestmark = pytest.mark.django_db
each_table = pytest.mark.parametrize("model", walled_models(), ids=lambda model: model._meta.db_table)


@pytest.fixture
def alice() -> Tenant:
    return make_tenant("alice")


@pytest.fixture
def charlie() -> Tenant:
    return make_tenant("charlie")


def ids_seen(model: type[Model]) -> set[UUID]:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT id FROM {model._meta.db_table}")
        return {row[0] for row in cursor.fetchall()}


def run(statement: str, *parameters: Any) -> int:
    """The number of affected rows; 0 if the role lacks the privilege."""
    with connection.cursor() as cursor:
        try:
            with transaction.atomic():
                cursor.execute(statement, parameters)
        except ProgrammingError as error:
            assert "permission denied" in str(error)  # noqa: PT017  # other errors must not pass for a closed wall
            return 0
        return int(cursor.rowcount)


def insert_copy(row: Model, **changes: Any) -> None:
    fields = {field.attname: getattr(row, field.attname) for field in row._meta.local_fields}
    names = {field.name for field in row._meta.local_fields}
    unique = {name: uuid7().hex[:16] for name in ("slug", "prefix", "key", "bank_id") if name in names}
    unique = {name: fields[name] if isinstance(fields[name], bytes | UUID) else value for name, value in unique.items()}
    type(row)(**fields | {"id": uuid7()} | unique | changes).save(force_insert=True)


def test_every_tenant_owned_model_has_a_factory_here() -> None:
    assert set(walled_models()) == set(FACTORIES)


def test_the_tests_run_as_a_role_that_owns_nothing_and_bypasses_nothing() -> None:
    check_service_role()
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT rolname, rolsuper, rolbypassrls, rolcreaterole FROM pg_roles WHERE rolname = current_user"
        )
        assert cursor.fetchone() == ("service", False, False, False)
        cursor.execute(
            "SELECT count(*) FROM pg_class c JOIN pg_roles r ON r.oid = c.relowner WHERE rolname = current_user"
        )
        assert cursor.fetchone() == (0,)


@each_table
def test_without_a_tenant_a_table_reads_empty(model: type[Model], alice: Tenant) -> None:
    FACTORIES[model](alice)
    assert ids_seen(model) == set()


@each_table
def test_without_a_tenant_an_insert_raises(model: type[Model], alice: Tenant) -> None:
    row = FACTORIES[model](alice)
    with pytest.raises(ProgrammingError, match="row-level security"):
        insert_copy(row)


@each_table
def test_without_a_tenant_update_and_delete_touch_nothing(model: type[Model], alice: Tenant) -> None:
    FACTORIES[model](alice)
    assert run(f"UPDATE {model._meta.db_table} SET id = id") == 0
    assert run(f"DELETE FROM {model._meta.db_table}") == 0


@each_table
def test_a_tenant_sees_its_own_rows_and_no_others(model: type[Model], alice: Tenant, charlie: Tenant) -> None:
    own, foreign = FACTORIES[model](alice), FACTORIES[model](charlie)
    with tenant_transaction(alice.id):
        assert own.pk in ids_seen(model)
        assert foreign.pk not in ids_seen(model)


@each_table
def test_a_tenant_can_not_change_or_delete_foreign_rows(model: type[Model], alice: Tenant, charlie: Tenant) -> None:
    foreign = FACTORIES[model](charlie)
    with tenant_transaction(alice.id):
        assert run(f"UPDATE {model._meta.db_table} SET id = id WHERE id = %s", foreign.pk) == 0
        assert run(f"DELETE FROM {model._meta.db_table} WHERE id = %s", foreign.pk) == 0
    with tenant_transaction(charlie.id):
        assert foreign.pk in ids_seen(model)


@each_table
def test_a_tenant_can_not_insert_rows_for_another(model: type[Model], alice: Tenant, charlie: Tenant) -> None:
    row = FACTORIES[model](charlie)
    with (
        tenant_transaction(alice.id),
        pytest.raises(ProgrammingError, match="row-level security"),
        transaction.atomic(),
    ):
        insert_copy(row)


@each_table
def test_a_tenant_can_not_give_its_rows_away(model: type[Model], alice: Tenant, charlie: Tenant) -> None:
    own = FACTORIES[model](alice)
    column = "id" if model is Tenant else "tenant_id"
    with (
        tenant_transaction(alice.id),
        pytest.raises(ProgrammingError),
        transaction.atomic(),
        connection.cursor() as cursor,
    ):
        cursor.execute(f"UPDATE {model._meta.db_table} SET {column} = %s WHERE id = %s", [charlie.id, own.pk])


def test_a_row_can_not_point_into_another_tenant(alice: Tenant, charlie: Tenant) -> None:
    foreign = make_bank(charlie)
    with pytest.raises(IntegrityError, match="operations_operation_bank_id_tenant_fk"), transaction.atomic():
        make_operation(alice, bank_id=foreign.id)
    operation = make_operation(alice)
    with (
        tenant_transaction(alice.id),
        pytest.raises(IntegrityError),
        transaction.atomic(),
        connection.cursor() as cursor,
    ):
        cursor.execute("UPDATE operations_operation SET bank_id = %s WHERE id = %s", [foreign.id, operation.id])


def test_a_deleted_parent_clears_only_the_reference(alice: Tenant) -> None:
    bank = make_bank(alice)
    operation = make_operation(alice, bank=bank)
    with tenant_transaction(alice.id):
        run("DELETE FROM banks_bank WHERE id = %s", bank.id)
        operation.refresh_from_db()
    assert (operation.bank_id, operation.tenant_id) == (None, alice.id)


def test_the_audit_log_can_not_be_rewritten(alice: Tenant) -> None:
    denied = pytest.raises(ProgrammingError, match="permission denied")
    with tenant_transaction(alice.id), denied, transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("UPDATE tenants_auditevent SET action = 'nothing.happened'")


def test_the_service_can_not_disable_row_level_security() -> None:
    for statement in (
        "ALTER TABLE banks_bank DISABLE ROW LEVEL SECURITY",
        "DROP POLICY tenant_wall ON banks_bank",
        "SET ROLE owner",
        "SET ROLE platform",
        "INSERT INTO django_migrations (app, name, applied) VALUES ('x', 'y', now())",
    ):
        with pytest.raises(ProgrammingError), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(statement)
