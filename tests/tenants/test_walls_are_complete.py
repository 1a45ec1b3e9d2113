"""Every tenant-owned table has its row-level security."""

import pytest
from django.db import connection, connections, models
from django.db.models import Model

from tenants.isolation import tenant_relations
from tests.tenants.walled_models import walled_models


def missing_parts(model: type[Model], *, using: str = "default") -> list[str]:
    """The missing parts of a table's row-level security."""
    table = model._meta.db_table
    with connections[using].cursor() as cursor:
        cursor.execute("SELECT relrowsecurity, relforcerowsecurity FROM pg_class WHERE oid = %s::regclass", [table])
        enabled, forced = cursor.fetchone()
        cursor.execute("SELECT policyname FROM pg_policies WHERE tablename = %s", [table])
        policies = {row[0] for row in cursor.fetchall()}
        cursor.execute("SELECT conname FROM pg_constraint WHERE conrelid = %s::regclass", [table])
        constraints = {row[0] for row in cursor.fetchall()}
    wanted = {f"{table}_{field.column}_tenant_fk" for field in tenant_relations(model)}
    if model._meta.model_name != "tenant" and is_pointed_at(model):
        wanted.add(f"{table}_tenant_key")
    faults = [name for name, is_so in {"not enabled": not enabled, "not forced": not forced}.items() if is_so]
    faults += sorted({"tenant_wall", "platform_door"} - policies)
    return faults + sorted(wanted - constraints)


def is_pointed_at(model: type[Model]) -> bool:
    """Only referenced tables need the composite key of tenant and id."""
    return any(field.related_model is model for other in walled_models() for field in tenant_relations(other))


@pytest.mark.django_db
@pytest.mark.parametrize("model", walled_models(), ids=lambda model: model._meta.db_table)
def test_a_tenant_owned_table_has_complete_row_level_security(model: type[Model]) -> None:
    assert missing_parts(model) == []


@pytest.mark.django_db
def test_every_table_with_a_tenant_column_is_declared_tenant_owned() -> None:
    """Tables whose model is not declared as tenant-owned are included."""
    outside = {"operations_dispatch"}  # holds no content, because the sweeper serves all tenants
    with connection.cursor() as cursor:
        cursor.execute("SELECT table_name FROM information_schema.columns WHERE column_name = 'tenant_id'")
        found = {row[0] for row in cursor.fetchall()}
    assert found - outside == {model._meta.db_table for model in walled_models()} - {"tenants_tenant"}


def test_a_table_without_row_level_security_is_found(committed_db: None) -> None:
    class Forgotten(models.Model):
        tenant = models.ForeignKey("tenants.Tenant", on_delete=models.DO_NOTHING, related_name="+")

        class Meta:
            app_label = "forgotten"

        def __str__(self) -> str:
            return "forgotten"

    with connections["owner"].cursor() as cursor:
        cursor.execute("CREATE TABLE forgotten_forgotten (id uuid PRIMARY KEY, tenant_id uuid)")
        try:
            assert missing_parts(Forgotten, using="owner") == [
                "not enabled",
                "not forced",
                "platform_door",
                "tenant_wall",
            ]
        finally:
            cursor.execute("DROP TABLE forgotten_forgotten")
            del Forgotten._meta.apps.all_models["forgotten"]
