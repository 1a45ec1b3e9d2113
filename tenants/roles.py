"""The database roles: how they are made, their rights, and the check of the service's role.

Two group roles have the rights, and the migrations name them. The logins are members and can have any name.
"""

from dataclasses import dataclass

import psycopg
from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper
from psycopg import sql

SERVICE_GROUP = "memoryplatform_service"
PLATFORM_GROUP = "memoryplatform_platform"
IDLE_TRANSACTION_LIMIT = "30s"
OLDEST_POSTGRES = 15  # ON DELETE SET NULL (column)
GROUPS = f"{SERVICE_GROUP}, {PLATFORM_GROUP}"


class ProvisioningError(Exception):
    """The database can't be prepared. The message is one sentence for the operator."""


@dataclass(frozen=True)
class Login:
    name: str
    password: str


def provision(setup_url: str, *, database: str, owner: Login, service: Login, platform: Login) -> None:
    """Make the groups, the three logins, the database and its extension. Repeatable at any time."""
    try:
        with psycopg.connect(setup_url, autocommit=True, connect_timeout=10) as connection:
            check_version(connection)
            for group in (SERVICE_GROUP, PLATFORM_GROUP):
                ensure_group(connection, group)
            for login in (owner, service, platform):
                ensure_login(connection, login)
            limit_idle_transactions(connection, service)
            grant(connection, SERVICE_GROUP, service)
            grant(connection, PLATFORM_GROUP, platform)
            ensure_database(connection, database, owner)
            target = psycopg.conninfo.make_conninfo(setup_url, dbname=database)
        with psycopg.connect(target, autocommit=True, connect_timeout=10) as connection:
            open_schema(connection, database, owner)
            ensure_vector(connection)
    except psycopg.OperationalError as error:
        raise ProvisioningError(f"The database can't be reached: {first_line(error)}.") from error
    except psycopg.errors.InsufficientPrivilege as error:
        raise ProvisioningError(
            f"The account in the database URL may not do the set-up: {first_line(error)}."
        ) from error


def check_version(connection: psycopg.Connection) -> None:
    major = connection.info.server_version // 10_000
    if major < OLDEST_POSTGRES:
        raise ProvisioningError(f"PostgreSQL {major} is too old: version {OLDEST_POSTGRES} or newer is needed.")


def role_exists(connection: psycopg.Connection, name: str) -> bool:
    return connection.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [name]).fetchone() is not None


def ensure_group(connection: psycopg.Connection, name: str) -> None:
    if not role_exists(connection, name):
        connection.execute(sql.SQL("CREATE ROLE {} NOLOGIN").format(sql.Identifier(name)))


def ensure_login(connection: psycopg.Connection, login: Login) -> None:
    """Make or refresh a login without rights of its own. The account of the set-up stays as it is."""
    if login.name == connection.info.user:
        return
    verb = sql.SQL("ALTER" if role_exists(connection, login.name) else "CREATE")
    connection.execute(
        sql.SQL("{} ROLE {} LOGIN PASSWORD {}").format(verb, sql.Identifier(login.name), sql.Literal(login.password))
    )


def grant(connection: psycopg.Connection, group: str, login: Login) -> None:
    connection.execute(sql.SQL("GRANT {} TO {}").format(sql.Identifier(group), sql.Identifier(login.name)))


def limit_idle_transactions(connection: psycopg.Connection, login: Login) -> None:
    """End idle transactions: none waits for a model or a client, so an idle one belongs to a frozen process."""
    statement = sql.SQL("ALTER ROLE {} SET idle_in_transaction_session_timeout = {}")
    connection.execute(statement.format(sql.Identifier(login.name), sql.Literal(IDLE_TRANSACTION_LIMIT)))


def ensure_database(connection: psycopg.Connection, database: str, owner: Login) -> None:
    if connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [database]).fetchone() is None:
        statement = sql.SQL("CREATE DATABASE {} OWNER {}")
        connection.execute(statement.format(sql.Identifier(database), sql.Identifier(owner.name)))


def open_schema(connection: psycopg.Connection, database: str, owner: Login) -> None:
    """Let the owner make tables in a database that another role created."""
    name = sql.Identifier(owner.name)
    connection.execute(sql.SQL("GRANT CONNECT, CREATE ON DATABASE {} TO {}").format(sql.Identifier(database), name))
    connection.execute(sql.SQL("GRANT USAGE, CREATE ON SCHEMA public TO {}").format(name))


def ensure_vector(connection: psycopg.Connection) -> None:
    try:
        connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
    except psycopg.errors.FeatureNotSupported as error:
        raise ProvisioningError("The PostgreSQL server has no pgvector: install its extension package.") from error


def first_line(error: psycopg.Error) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0].rstrip(".")


def grant_rights_on_new_tables(connection: BaseDatabaseWrapper) -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"GRANT USAGE ON SCHEMA public TO {GROUPS}")
        cursor.execute(
            f"ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO {GROUPS}"
        )
        cursor.execute(f"ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT USAGE, SELECT ON SEQUENCES TO {GROUPS}")


def protect_migration_history(connection: BaseDatabaseWrapper) -> None:
    """Let all roles read the applied migrations, for the readiness check. Only the owner writes them."""
    with connection.cursor() as cursor:
        cursor.execute(f"REVOKE INSERT, UPDATE, DELETE ON django_migrations FROM {GROUPS}")


class WallIsOpen(Exception):
    """The service's database role could see every tenant. The message names the reason."""


def check_service_role(*, using: str = "default") -> None:
    """Refuse to serve as a superuser, as a role that bypasses row-level security, or as an owner of walled tables."""
    with connections[using].cursor() as cursor:
        cursor.execute(
            """
            SELECT r.rolsuper, r.rolbypassrls, EXISTS (
                SELECT 1 FROM pg_class c WHERE c.relrowsecurity AND pg_has_role(r.oid, c.relowner, 'MEMBER')
            ), EXISTS (
                SELECT 1 FROM pg_roles g WHERE g.rolname = %s AND pg_has_role(r.oid, g.oid, 'MEMBER')
            )
            FROM pg_roles r WHERE r.rolname = current_user
            """,
            [PLATFORM_GROUP],
        )
        is_superuser, bypasses, owns, sees_all = cursor.fetchone()
    faults = {
        "is a superuser": is_superuser,
        "bypasses row-level security": bypasses,
        "owns tables": owns,
        "is the platform's": sees_all,
    }
    for fault, is_present in faults.items():
        if is_present:
            raise WallIsOpen(f"DATABASE_URL: the role {fault}, so tenants would not be walled off.")
