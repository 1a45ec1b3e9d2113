"""PgBouncer in transaction mode between the service and Postgres: the API's tests, and tenants under threads."""

import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import psycopg
import pytest

from memoryplatform.embedded.account import find_unprivileged_account, give
from tests.cluster.suites import run_tests
from tests.live_server import wait_until

PROGRAM = shutil.which("pgbouncer", path="/usr/sbin:/usr/bin:/usr/local/sbin:/usr/local/bin")
pytestmark = pytest.mark.skipif(PROGRAM is None, reason="needs pgbouncer: apt-get install pgbouncer")

CONFIGURATION = """\
[databases]
memoryplatform = host={server} port=5432
[pgbouncer]
unix_socket_dir = {folder}
listen_port = 6432
auth_type = plain
auth_file = {folder}/users.txt
admin_users = service
pool_mode = transaction
default_pool_size = 10
max_client_conn = 200
server_reset_query =
ignore_startup_parameters = extra_float_digits
"""
# Isolation of tenants, writes with their locks, idempotency, and recall.
SUITES = (
    "tests/tenants/test_row_level_security.py",
    "tests/api/test_idempotency.py",
    "tests/api/test_memories.py",
    "tests/api/recall/test_recall.py",
    "tests/operations/test_concurrent_retain.py",
)


@dataclass(frozen=True)
class Pooler:
    folder: Path  # of the tests' services
    sockets: Path

    @property
    def url(self) -> str:
        return f"postgresql://service:service@/memoryplatform?host={quote(str(self.sockets), safe='')}&port=6432"

    def read_statistics(self) -> dict[str, int]:
        """Transactions and pooled connections, by PgBouncer's own count."""
        url = self.url.replace("/memoryplatform?", "/pgbouncer?")
        with psycopg.connect(url, autocommit=True, cursor_factory=psycopg.ClientCursor) as console:
            cursor = console.execute("SHOW STATS")
            names = [column.name for column in cursor.description or ()]
            rows = [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
        return {
            name: int(value)
            for row in rows
            if row["database"] == "memoryplatform"
            for name, value in row.items()
            if name != "database"
        }


@pytest.fixture
def pooler() -> Iterator[Pooler]:
    folder = Path(tempfile.mkdtemp(prefix="mp-pool-", dir="/tmp"))
    folder.chmod(0o755)
    sockets = Path(tempfile.mkdtemp(prefix="mp-pgb-", dir="/tmp"))  # the tests remove the other one at their end
    (sockets / "users.txt").write_text('"service" "service"\n')
    text = CONFIGURATION.format(server=folder / "postgres" / "run", folder=sockets)
    (sockets / "pgbouncer.ini").write_text(text)
    account = find_unprivileged_account(folder / "postgres" / "data")
    give(sockets, account)
    process = subprocess.Popen(
        [str(PROGRAM), "-q", str(sockets / "pgbouncer.ini")],
        user=None if account is None else account.uid,
        group=None if account is None else account.gid,
        extra_groups=None if account is None else [],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        wait_until(lambda: (sockets / ".s.PGSQL.6432").exists())
        yield Pooler(folder, sockets)
    finally:
        process.terminate()
        process.wait(10)
        for path in (folder, sockets):
            shutil.rmtree(path, ignore_errors=True)


@pytest.mark.timeout(700)  # a minute on an idle machine
def test_the_api_works_through_a_pool_of_transactions(pooler: Pooler) -> None:
    environment = {"MEMORYPLATFORM_TEST_DATABASE_URL": pooler.url, "DATABASE_PREPARED_STATEMENTS": "false"}
    summary = run_tests(pooler.folder, *SUITES, **environment)
    assert "passed" in summary
    assert pooler.read_statistics()["total_xact_count"] > 100  # the tests went through the pooler
