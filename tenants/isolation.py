"""The third wall between tenants: a migration operation that adds keys, foreign keys and row-level security."""

from collections.abc import Sequence
from typing import Any

from django.db import models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ProjectState

from tenants.roles import PLATFORM_GROUP
from tenants.transactions import TENANT_SETTING

# Null without a tenant, and null equals nothing: no row is visible and none can be written. After the end of a
# transaction-local setting, Postgres leaves '' behind, which nullif turns into null as well.
CURRENT_TENANT = f"nullif(current_setting('{TENANT_SETTING}', true), '')::uuid"


class IsolateTenantTable(Operation):
    """Isolate the tenants of a table. Use it in the migration that creates the table, after the creation.

    - `UNIQUE (tenant_id, id)`, which other tables point at. `is_referenced=False` leaves it out where no table does:
      most memories add a dozen such rows, and each entry weighs as much as its row;
    - a composite foreign key for every relation to a tenant-owned table, so that a row can't point into another
      tenant: the parent's deletion cascades, or clears the column where that may be null and `cascade` does not
      name it;
    - row-level security, forced, with the tenant's policy and that of the platform role.
    """

    reduces_to_sql = True
    reversible = True

    def __init__(
        self,
        model_name: str,
        *,
        tenant_column: str = "tenant_id",
        cascade: Sequence[str] = (),
        is_referenced: bool = True,
    ) -> None:
        self.model_name = model_name
        self.tenant_column = tenant_column
        self.cascade = cascade
        self.has_key = is_referenced and tenant_column != "id"

    def state_forwards(self, app_label: str, state: ProjectState) -> None:
        """Django's state of the models does not change."""

    def database_forwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: ProjectState, to_state: ProjectState
    ) -> None:
        model = to_state.apps.get_model(app_label, self.model_name)
        table = model._meta.db_table  # Django's public _meta API
        if self.has_key:
            schema_editor.execute(f'ALTER TABLE "{table}" ADD CONSTRAINT "{table}_tenant_key" UNIQUE (tenant_id, id)')
        for field in tenant_relations(model):
            cascade = not field.null or field.name in self.cascade
            schema_editor.execute(composite_foreign_key(table, field, cascade=cascade))
        for statement in wall(table, self.tenant_column):
            schema_editor.execute(statement)

    def database_backwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: ProjectState, to_state: ProjectState
    ) -> None:
        model = from_state.apps.get_model(app_label, self.model_name)
        table = model._meta.db_table
        schema_editor.execute(f'DROP POLICY tenant_wall ON "{table}"')
        schema_editor.execute(f'DROP POLICY platform_door ON "{table}"')
        schema_editor.execute(f'ALTER TABLE "{table}" NO FORCE ROW LEVEL SECURITY, DISABLE ROW LEVEL SECURITY')
        for field in tenant_relations(model):
            schema_editor.execute(f'ALTER TABLE "{table}" DROP CONSTRAINT "{constraint_name(table, field)}"')
        if self.has_key:
            schema_editor.execute(f'ALTER TABLE "{table}" DROP CONSTRAINT "{table}_tenant_key"')

    def describe(self) -> str:
        return f"Isolate the tenants of {self.model_name}"


def tenant_relations(model: type[models.Model]) -> list[models.ForeignKey[Any, Any]]:
    """The relations to tenant-owned tables. Django's own constraint must be off there."""
    found = [
        field
        for field in model._meta.local_fields
        if isinstance(field, models.ForeignKey) and is_tenant_owned(field.related_model)
    ]
    for field in found:
        if field.db_constraint:  # type: ignore[attr-defined]  # missing in the stubs
            raise ValueError(f"{model.__name__}.{field.name} leads to a tenant-owned table: set db_constraint=False.")
    return found


def is_tenant_owned(model: type[models.Model]) -> bool:
    return any(field.name == "tenant" for field in model._meta.local_fields)


def composite_foreign_key(table: str, field: models.ForeignKey[Any, Any], *, cascade: bool) -> str:
    column, target = field.column, field.related_model._meta.db_table
    on_delete = "CASCADE" if cascade else f'SET NULL ("{column}")'
    return (
        f'ALTER TABLE "{table}" ADD CONSTRAINT "{constraint_name(table, field)}" '
        f'FOREIGN KEY (tenant_id, "{column}") REFERENCES "{target}" (tenant_id, id) ON DELETE {on_delete}'
    )


def constraint_name(table: str, field: models.ForeignKey[Any, Any]) -> str:
    return f"{table}_{field.column}_tenant_fk"


def wall(table: str, tenant_column: str) -> list[str]:
    same_tenant = f'"{tenant_column}" = {CURRENT_TENANT}'
    return [
        f'ALTER TABLE "{table}" ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY',
        f'CREATE POLICY tenant_wall ON "{table}" USING ({same_tenant}) WITH CHECK ({same_tenant})',
        f'CREATE POLICY platform_door ON "{table}" TO {PLATFORM_GROUP} USING (true) WITH CHECK (true)',
    ]
