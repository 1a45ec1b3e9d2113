"""References between rows, read off the models: every one leads to a row, within the tenant and within the bank."""

from functools import cache
from uuid import UUID

from django.apps import apps
from django.db.models import Model, UUIDField

from memoryplatform.verify.check import Finding, TenantCheck, find_rows
from tenants.isolation import tenant_relations
from tenants.models import Tenant
from tenants.scoping import TenantOwned


def list_tenant_models() -> list[type[Model]]:
    """The models with a table of their own that row-level security guards."""
    models = [model for model in apps.get_models() if issubclass(model, TenantOwned) or model is Tenant]
    return [model for model in models if not model._meta.proxy]


@cache
def build_dangling() -> str:
    parts = [
        f"""
        SELECT '{child._meta.db_table}.{field.column} ' || child.id FROM {child._meta.db_table} AS child
        WHERE child.tenant_id = %(tenant_id)s AND child.{field.column} IS NOT NULL AND NOT EXISTS (
            SELECT FROM {field.related_model._meta.db_table} AS parent
            WHERE parent.tenant_id = child.tenant_id AND parent.id = child.{field.column}
        )
        """  # noqa: S608  # our own names
        for child in list_tenant_models()
        for field in tenant_relations(child)
    ]
    return " UNION ALL ".join(parts)


def has_bank(model: type[Model]) -> bool:
    """Some tables have the bank's id without a foreign key. The caller's name of a bank is a text."""
    return any(
        field.column == "bank_id" and (field.is_relation or isinstance(field, UUIDField))
        for field in model._meta.local_fields
    )


@cache
def build_mixed_banks() -> str:
    """The bank of a row is its own column, or that of its first parent. Each other parent has the same one."""
    parts = []
    for child in list_tenant_models():
        parents = [field for field in tenant_relations(child) if has_bank(field.related_model)]
        join, own = "", "child"
        if not has_bank(child) and parents:
            first, *parents = parents
            own, join = "own", f"JOIN {first.related_model._meta.db_table} AS own ON own.id = child.{first.column}"
        parts += [
            f"""
            SELECT '{child._meta.db_table}.{field.column} ' || child.id FROM {child._meta.db_table} AS child {join}
            JOIN {field.related_model._meta.db_table} AS parent ON parent.id = child.{field.column}
            WHERE child.tenant_id = %(tenant_id)s AND parent.tenant_id = %(tenant_id)s
              AND parent.bank_id <> {own}.bank_id
            """  # noqa: S608  # our own names
            for field in parents
        ]
    return " UNION ALL ".join(parts)


def find_dangling(tenant_id: UUID) -> Finding:
    return find_rows(build_dangling(), {"tenant_id": tenant_id})


def find_mixed_banks(tenant_id: UUID) -> Finding:
    return find_rows(build_mixed_banks(), {"tenant_id": tenant_id})


CHECKS = [
    TenantCheck("references: each leads to a row", find_dangling),
    TenantCheck("references: none leads into another bank", find_mixed_banks),
]
