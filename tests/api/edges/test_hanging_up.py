"""A client that disconnects during an export. (During a reflect: tests/api/reflect/test_stream.py.)"""

import socket
import threading

import psycopg

from memoryplatform.embedded.postgres import EmbeddedPostgres
from tenants.models import Tenant
from tests.factories import make_bank, make_key_with_text
from tests.live_server import wait_until
from tests.memory_factories import make_message

MESSAGES, CHARACTERS = 40, 400_000  # 16 MB: more than the socket buffers hold


def transactions_under_way(postgres: EmbeddedPostgres) -> int:
    """Transactions of the service's role. Only a superuser can see those of other roles."""
    with psycopg.connect(postgres.superuser_url("memoryplatform")) as connection:
        row = connection.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE usename = 'service' AND xact_start IS NOT NULL"
        ).fetchone()
    return int(row[0]) if row else 0


def streams_under_way() -> bool:
    return any(thread.name.startswith("event-stream") for thread in threading.enumerate())


def ask_for_export(base_url: str, key: str) -> socket.socket:
    host, port = base_url.removeprefix("http://").split(":")
    client = socket.socket()
    client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    client.connect((host, int(port)))
    lines = ["GET /v1/banks/support/export HTTP/1.1", f"Host: {host}", f"Authorization: Bearer {key}", "", ""]
    client.sendall("\r\n".join(lines).encode())
    return client


def test_a_disconnect_frees_the_thread_and_the_transaction(
    acme: Tenant, base_url: str, postgres: EmbeddedPostgres
) -> None:
    bank = make_bank(acme, bank_id="support")
    for number in range(MESSAGES):
        make_message(acme, bank=bank, content=f"{number} " + "x" * CHARACTERS)
    with ask_for_export(base_url, make_key_with_text(acme)[1]) as client:
        assert client.recv(64).startswith(b"HTTP/1.1 200")
        wait_until(streams_under_way)
        assert transactions_under_way(postgres) > 0
    wait_until(lambda: not streams_under_way())
    wait_until(lambda: transactions_under_way(postgres) == 0)
