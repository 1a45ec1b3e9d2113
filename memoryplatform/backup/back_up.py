"""The backup of the whole database: one snapshot, its rows counted, its dump written into the file."""

import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import connections, transaction
from django.utils import timezone
from psycopg import sql

from memoryplatform.backup.backup_file import (
    DUMP,
    FORMAT,
    MANIFEST,
    TABLES,
    BackupError,
    Manifest,
    encrypting,
    private_file,
    recognise_secrets,
)
from memoryplatform.backup.postgres_tools import find_tools, read_server, write_dump
from tenants.roles import PLATFORM_GROUP

HIDDEN = """
SELECT c.relname FROM pg_class c
WHERE c.relrowsecurity AND c.relnamespace = 'public'::regnamespace AND NOT EXISTS (
    SELECT FROM pg_policy p WHERE p.polrelid = c.oid AND p.polpermissive AND p.polcmd IN ('*', 'r')
      AND %s::regrole = ANY (p.polroles) AND pg_get_expr(p.polqual, p.polrelid) = 'true'
)
"""


def back_up(target: Path, passphrase: str = "") -> tuple[Path, Manifest]:
    """Writes the file, under another name until it is complete. A folder gets a file named after the time."""
    now = timezone.now()
    path = target / f"memoryplatform-{now:%Y%m%dT%H%M%SZ}.backup" if target.is_dir() else target
    if path.exists():
        raise BackupError(f"{path} exists already.")
    partial = path.with_name(f".{path.name}.partial")
    try:
        with (
            private_file(partial) as file,
            encrypting(file, passphrase) as content,
            zipfile.ZipFile(content, "w") as archive,
            snapshot() as (cursor, snapshot_id),
        ):
            check_all_visible(cursor)
            tools = find_tools(read_server(cursor))
            rows = count_rows(cursor)
            with archive.open(DUMP, "w", force_zip64=True) as member:
                sha256, size = write_dump(tools, snapshot_id, member)
            manifest = Manifest(
                format=FORMAT,
                made_at=now.isoformat(),
                version=version("memoryplatform"),
                server=read_server(cursor),
                tool=tools.major,
                owner=settings.DATABASES["owner"]["USER"],
                migrations=read_applied(cursor),
                rows=rows,
                secrets=recognise_secrets(),
                sha256=sha256,
                bytes=size,
            )
            archive.writestr(MANIFEST, manifest.model_dump_json(indent=2))
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)
    return path, manifest


@contextmanager
def snapshot() -> Iterator[tuple[Any, str]]:
    with transaction.atomic(using="platform"), connections["platform"].cursor() as cursor:
        cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        cursor.execute("SET LOCAL idle_in_transaction_session_timeout = 0")
        cursor.execute("SELECT pg_export_snapshot()")
        yield cursor, cursor.fetchone()[0]


def check_all_visible(cursor: Any) -> None:
    """A table whose rows the platform's role does not see would be saved without them, and nobody would notice."""
    cursor.execute(HIDDEN, [PLATFORM_GROUP])
    hidden = [name for (name,) in cursor.fetchall()]
    if hidden:
        raise BackupError(f"The platform's role can't see every row of {', '.join(hidden)}.")


def count_rows(cursor: Any) -> dict[str, int]:
    cursor.execute(TABLES)
    rows = {}
    for (table,) in cursor.fetchall():
        cursor.execute(sql.SQL("SELECT count(*) FROM {}").format(sql.Identifier(table)))
        rows[table] = int(cursor.fetchone()[0])
    return rows


def read_applied(cursor: Any) -> dict[str, list[str]]:
    cursor.execute("SELECT app, array_agg(name ORDER BY name) FROM django_migrations GROUP BY app ORDER BY app")
    return dict(cursor.fetchall())
