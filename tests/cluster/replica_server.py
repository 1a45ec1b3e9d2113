"""A streaming replica of the tests' Postgres, made with pg_basebackup."""

import shutil
import subprocess
from pathlib import Path

import psycopg

from memoryplatform.embedded.account import Account, give
from memoryplatform.embedded.binaries import find_postgres
from memoryplatform.embedded.postgres import EmbeddedPostgres
from tests.live_server import wait_until


class ReplicaServer(EmbeddedPostgres):
    name = "replica"

    def __init__(self, folder: Path, primary: EmbeddedPostgres) -> None:
        super().__init__(folder, settings={"fsync": "off", "hot_standby_feedback": "on"})
        self._primary = primary

    def _initialise(self, root: Path, account: Account | None) -> None:
        shutil.copy(self._primary._password_file, self._password_file)
        program = find_postgres() / "bin" / "pg_basebackup"
        argv = [str(program), "-d", self._primary.superuser_url("postgres"), "-D", str(self._data), "-R", "-c", "fast"]
        subprocess.run(argv, check=True, capture_output=True)
        for path in [self._data, *self._data.rglob("*")]:
            give(path, account)

    def execute(self, statement: str) -> None:
        with psycopg.connect(self.superuser_url("postgres"), autocommit=True) as connection:
            connection.execute(statement)

    def pause(self) -> None:
        self.execute("SELECT pg_wal_replay_pause()")
        wait_until(lambda: self.read("SELECT pg_get_wal_replay_pause_state()") == "paused")

    def resume(self) -> None:
        self.execute("SELECT pg_wal_replay_resume()")

    def read(self, statement: str) -> object:
        with psycopg.connect(self.superuser_url("postgres"), autocommit=True) as connection:
            row = connection.execute(statement).fetchone()
        return row and row[0]
