"""The wall between tenants in the database itself: row-level security, roles, constraints and indexes."""

from typing import Any

from django.db import connections

from memoryplatform.verify.check import DatabaseCheck, Finding, list_finding
from memoryplatform.verify.references import list_tenant_models
from tenants.isolation import constraint_name, tenant_relations
from tenants.transactions import TENANT_SETTING

OUTSIDE = "operations_dispatch"  # holds no content, because the sweeper serves all tenants
# Of the policies of a table only the wall applies to the service's role, and the wall compares the tenant.
WALLED = """
SELECT class.relname FROM pg_class AS class
WHERE class.relname = ANY(%s) AND class.relnamespace = 'public'::regnamespace
  AND class.relrowsecurity AND class.relforcerowsecurity
  AND EXISTS (SELECT FROM pg_policy WHERE polrelid = class.oid AND polname = 'platform_door')
  AND ARRAY(
    SELECT polname::text FROM pg_policy WHERE polrelid = class.oid AND EXISTS (
        SELECT FROM unnest(polroles) AS role WHERE role = 0 OR pg_has_role(current_user, role, 'MEMBER')
    )
  ) = ARRAY['tenant_wall']
  AND EXISTS (
    SELECT FROM pg_policy WHERE polrelid = class.oid AND polname = 'tenant_wall'
      AND strpos(pg_get_expr(polqual, polrelid), %s) > 0 AND strpos(pg_get_expr(polwithcheck, polrelid), %s) > 0
  )
"""
KEYS = """
SELECT conname FROM pg_constraint
WHERE contype = 'f' AND convalidated AND connamespace = 'public'::regnamespace
"""
UNWALLED = """
SELECT class.relname FROM pg_class AS class JOIN pg_attribute AS attribute ON attribute.attrelid = class.oid
WHERE class.relkind = 'r' AND class.relnamespace = 'public'::regnamespace AND attribute.attname = 'tenant_id'
  AND NOT attribute.attisdropped AND class.relname <> ALL(%s) ORDER BY 1
"""
INVALID_INDEXES = """
SELECT class.relname FROM pg_index AS one JOIN pg_class AS class ON class.oid = one.indexrelid
WHERE NOT one.indisvalid AND class.relnamespace = 'public'::regnamespace
  AND NOT EXISTS (SELECT FROM pg_stat_progress_create_index AS built WHERE built.index_relid = one.indexrelid)
ORDER BY 1
"""
DISABLED_TRIGGERS = """
SELECT class.relname || '.' || trigger.tgname FROM pg_trigger AS trigger
JOIN pg_class AS class ON class.oid = trigger.tgrelid
WHERE trigger.tgenabled = 'D' AND class.relnamespace = 'public'::regnamespace ORDER BY 1
"""
PRIVILEGED = "SELECT rolname FROM pg_roles WHERE rolname = current_user AND (rolsuper OR rolbypassrls)"


def list_names(statement: str, *values: Any) -> list[str]:
    with connections["default"].cursor() as cursor:
        cursor.execute(statement, values)
        return [name for (name,) in cursor.fetchall()]


def find_open_walls(_: None) -> Finding:
    """Tables whose security is not enabled, not forced or has another policy, and tables of no model without a wall."""
    tables = [model._meta.db_table for model in list_tenant_models()]
    walled = set(list_names(WALLED, tables, TENANT_SETTING, TENANT_SETTING))
    return list_finding(
        [*(table for table in tables if table not in walled), *list_names(UNWALLED, [*tables, OUTSIDE])]
    )


def find_missing_keys(_: None) -> Finding:
    """Composite foreign keys that a model has and the database lacks, or has not validated."""
    known = set(list_names(KEYS))
    wanted = [
        constraint_name(model._meta.db_table, field)
        for model in list_tenant_models()
        for field in tenant_relations(model)
    ]
    return list_finding([name for name in wanted if name not in known])


def find_privileged_role(_: None) -> Finding:
    return list_finding(list_names(PRIVILEGED))


def find_invalid_indexes(_: None) -> Finding:
    return list_finding(list_names(INVALID_INDEXES))


def find_disabled_triggers(_: None) -> Finding:
    """They count storage and check quotas and foreign keys."""
    return list_finding(list_names(DISABLED_TRIGGERS))


CHECKS = [
    DatabaseCheck("isolation: row-level security is forced on every tenant table", find_open_walls),
    DatabaseCheck("isolation: foreign keys hold the tenant", find_missing_keys),
    DatabaseCheck("isolation: the service's role can't bypass it", find_privileged_role),
    DatabaseCheck("database: indexes are valid", find_invalid_indexes),
    DatabaseCheck("database: triggers are enabled", find_disabled_triggers),
]
