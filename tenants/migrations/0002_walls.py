"""The walls around the first tables, and the doors in them that are known by name."""

from django.db import migrations

from tenants.isolation import IsolateTenantTable

# Before a request has shown whose it is, only the owner's two functions may look: each answers one question, and
# the policy that lets the owner read holds for these three tables alone.
LOOKUP_DOORS = [
    f"CREATE POLICY lookup_door ON {table} FOR SELECT TO CURRENT_USER USING (true)"
    for table in ("tenants_tenant", "tenants_member", "tenants_apikey")
]

API_KEY_BY_PREFIX = """
CREATE FUNCTION api_key_by_prefix(wanted text)
RETURNS TABLE (id uuid, tenant_id uuid, digest bytea, scopes varchar[], banks varchar[], last_used_at timestamptz)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
    SELECT k.id, k.tenant_id, k.digest, k.scopes, k.banks, k.last_used_at
    FROM tenants_apikey k JOIN tenants_tenant t ON t.id = k.tenant_id
    WHERE k.prefix = wanted AND k.revoked_at IS NULL AND t.suspended_at IS NULL
      AND (k.expires_at IS NULL OR k.expires_at > now())
$$
"""

MEMBERSHIPS_OF_USER = """
CREATE FUNCTION memberships_of_user(wanted uuid)
RETURNS TABLE (tenant_id uuid, slug varchar, name varchar, role varchar)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
    SELECT t.id, t.slug, t.name, m.role
    FROM tenants_member m JOIN tenants_tenant t ON t.id = m.tenant_id
    WHERE m.user_id = wanted ORDER BY t.name, t.id
$$
"""

SERVICE_ONLY = [
    statement
    for function in ("api_key_by_prefix(text)", "memberships_of_user(uuid)")
    for statement in (
        f"REVOKE ALL ON FUNCTION {function} FROM PUBLIC",
        f"GRANT EXECUTE ON FUNCTION {function} TO memoryplatform_service",
    )
]


class Migration(migrations.Migration):
    dependencies = [("tenants", "0001_initial")]
    operations = [
        IsolateTenantTable("Tenant", tenant_column="id"),
        IsolateTenantTable("Member"),
        IsolateTenantTable("ApiKey"),
        IsolateTenantTable("AuditEvent"),
        migrations.RunSQL(
            [*LOOKUP_DOORS, API_KEY_BY_PREFIX, MEMBERSHIPS_OF_USER, *SERVICE_ONLY],
            reverse_sql=[
                "DROP FUNCTION memberships_of_user(uuid)",
                "DROP FUNCTION api_key_by_prefix(text)",
                "DROP POLICY lookup_door ON tenants_tenant",
                "DROP POLICY lookup_door ON tenants_member",
                "DROP POLICY lookup_door ON tenants_apikey",
            ],
        ),
        migrations.RunSQL(
            # Append-only: nobody who serves requests can rewrite what happened.
            "REVOKE UPDATE, DELETE ON tenants_auditevent FROM memoryplatform_service, memoryplatform_platform",
            reverse_sql="GRANT UPDATE, DELETE ON tenants_auditevent TO memoryplatform_service, memoryplatform_platform",
        ),
    ]
