"""The restore of a backup: the checks of its file and of the database, the load in one transaction, the migrations."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from django.core.management import call_command
from django.db import connections
from django.db.migrations.loader import MigrationLoader

from memoryplatform.backup.backup_file import TABLES, BackupError, Manifest, opened, read_manifest, recognise_secrets
from memoryplatform.backup.postgres_tools import find_tools, load, read_server
from tenants.migration_history import describe_missing, find_missing

LOCK_SECONDS = 30  # how long a restore waits for transactions of the service
FUNCTIONS = """
SELECT p.oid::regprocedure::text FROM pg_proc p
WHERE p.pronamespace = 'public'::regnamespace AND pg_has_role(p.proowner, 'USAGE')
  AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = p.oid AND d.deptype = 'e')
"""


def restore(path: Path, passphrase: str = "", *, replace: bool = False) -> Manifest:
    """Restores into an empty database, in one transaction; then applies the migrations that the backup lacks.

    `replace` drops the tables of a database that is not empty, in the same transaction. A failure changes nothing.
    """
    manifest = read_manifest(path, passphrase)
    check_migrations(manifest)
    with connections["owner"].cursor() as cursor:
        check_owner(manifest, cursor)
        cursor.execute(TABLES)
        present = [name for (name,) in cursor.fetchall()]
        if present and not replace:
            raise BackupError("The database is not empty. To drop everything in it first: --replace.")
        cursor.execute(FUNCTIONS)
        functions = [name for (name,) in cursor.fetchall()]
        tools = find_tools(max(read_server(cursor), manifest.tool))
    with opened(path, passphrase) as archive:
        load(tools, archive, [*drop_all(present, functions)], [*check_counts(manifest)])
    call_command("migrate", interactive=False, verbosity=0)
    return manifest


def check_migrations(manifest: Manifest) -> None:
    loader = MigrationLoader(None, ignore_no_migrations=True)
    known = set(loader.disk_migrations).union(*(one.replaces for one in loader.replacements.values()))
    applied = [(app, name) for app, names in manifest.migrations.items() for name in names]
    newer = [f"{app}.{name}" for app, name in applied if (app, name) not in known]
    if newer:
        raise BackupError(
            f"The backup was made by a newer version ({manifest.version}): this one lacks the migrations "
            f"{', '.join(newer[:5])}."
        )
    if missing := find_missing(loader, applied):
        raise BackupError(f"The backup was made by an earlier version. {describe_missing(missing)}")


def check_owner(manifest: Manifest, cursor: Any) -> None:
    """Policies of the backup name its owner. For another one they would hide what the look-ups need."""
    cursor.execute("SELECT current_user")
    if cursor.fetchone()[0] != manifest.owner:
        raise BackupError(f"The backup belongs to the role {manifest.owner}: DATABASE_OWNER_URL must name that role.")


def drop_all(tables: Iterable[str], functions: Iterable[str]) -> Iterator[str]:
    yield f"SET client_min_messages = warning; SET lock_timeout = '{LOCK_SECONDS}s';"
    for table in tables:
        yield f"DROP TABLE public.{quote(table)} CASCADE;"
    for function in functions:
        yield f"DROP ROUTINE IF EXISTS {function} CASCADE;"


def check_counts(manifest: Manifest) -> Iterator[str]:
    """Run before row-level security is enabled, when the owner sees every row."""
    for table, count in manifest.rows.items():
        fault = f"the table {table} has not the {count} rows of the manifest".replace("'", "''")
        wrong = f"(SELECT count(*) FROM public.{quote(table)}) <> {count}"  # noqa: S608  # quoted
        yield f"DO $check$ BEGIN IF {wrong} THEN RAISE EXCEPTION '{fault}'; END IF; END $check$;"


def quote(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def list_other_secrets(manifest: Manifest) -> list[str]:
    """The secrets of this installation that differ from those of the backup."""
    return [name for name, value in recognise_secrets().items() if manifest.secrets.get(name) != value]
