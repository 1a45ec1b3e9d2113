"""What the two group roles may do with tables. The owner says so before it makes any, each time it migrates."""

from django.db.backends.base.base import BaseDatabaseWrapper

from tenants.roles import PLATFORM_GROUP, SERVICE_GROUP

GROUPS = f"{SERVICE_GROUP}, {PLATFORM_GROUP}"


def grant_rights_on_new_tables(connection: BaseDatabaseWrapper) -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"GRANT USAGE ON SCHEMA public TO {GROUPS}")
        cursor.execute(
            f"ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO {GROUPS}"
        )
        cursor.execute(f"ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT USAGE, SELECT ON SEQUENCES TO {GROUPS}")


def protect_migration_history(connection: BaseDatabaseWrapper) -> None:
    """Everybody may read what is applied (the readiness check does); only the owner writes it."""
    with connection.cursor() as cursor:
        cursor.execute(f"REVOKE INSERT, UPDATE, DELETE ON django_migrations FROM {GROUPS}")
