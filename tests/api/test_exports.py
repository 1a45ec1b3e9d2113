"""An export that the client does not fetch holds no shared resources for long."""

import socket
from collections.abc import Iterator
from contextlib import ExitStack
from urllib.parse import urlsplit

import httpx
import pytest
from django.db import connection
from django.test import override_settings

from memoryplatform.embedded.redis import EmbeddedRedis
from memoryplatform.operations.transfer.export import MAX_PER_TENANT, WRITERS
from tenants.models import Tenant
from tests.clock import holds_to_a_time
from tests.factories import make_bank, make_key_with_text, make_tenant
from tests.live_server import serve, wait_until
from tests.memory_factories import make_document

MORE_THAN_FITS_INTO_SOCKETS = "lorem ipsum " * 1_500_000


@pytest.fixture
def alice(committed_db: None, redis_server: EmbeddedRedis) -> Tenant:
    tenant = make_tenant("alice")
    make_document(tenant, bank=make_bank(tenant, bank_id="big"), text=MORE_THAN_FITS_INTO_SOCKETS)
    return tenant


@pytest.fixture
def server_url(alice: Tenant) -> Iterator[str]:
    with serve() as url:
        yield url


def ask_without_reading(url: str, key: str, stack: ExitStack) -> bytes:
    """The first line of the response. The rest stays unread."""
    place = urlsplit(url)
    reader = stack.enter_context(socket.socket())
    reader.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
    reader.settimeout(20)
    reader.connect((place.hostname, place.port))
    lines = ["GET /v1/banks/big/export HTTP/1.1", f"Host: {place.netloc}", f"Authorization: Bearer {key}"]
    reader.sendall("\r\n".join([*lines, "", ""]).encode())
    return reader.recv(100).partition(b"\r\n")[0]


def count_open_transactions() -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_stat_activity WHERE state = 'idle in transaction'")
        return int(cursor.fetchone()[0])


def test_stalled_readers_hold_no_connection_and_a_tenant_has_few_of_them(alice: Tenant, server_url: str) -> None:
    key = make_key_with_text(alice)[1]
    headers = {"Authorization": f"Bearer {key}"}
    with ExitStack() as stack:
        for _ in range(MAX_PER_TENANT):
            assert b" 200 " in ask_without_reading(server_url, key, stack)
        refused = httpx.get(f"{server_url}/v1/banks/big/export", headers=headers)
        assert (refused.status_code, refused.json()["code"]) == (429, "too_many_exports")
        assert int(refused.headers["Retry-After"]) > 0
        wait_until(lambda: count_open_transactions() == 0)
        bob = make_tenant("bob")
        make_bank(bob, bank_id="small")
        other = {"Authorization": f"Bearer {make_key_with_text(bob)[1]}"}
        assert '"type":"end"' in httpx.get(f"{server_url}/v1/banks/small/export", headers=other).text
    wait_until(lambda: httpx.get(f"{server_url}/v1/banks/big/export", headers=headers).status_code == 200)


@holds_to_a_time
def test_an_unfetched_export_ends(alice: Tenant, server_url: str) -> None:
    key = make_key_with_text(alice)[1]
    with ExitStack() as stack:
        with override_settings(EXPORT_SECONDS=2):
            for _ in range(MAX_PER_TENANT):
                assert b" 200 " in ask_without_reading(server_url, key, stack)
        url = f"{server_url}/v1/banks/big/export"
        wait_until(lambda: httpx.get(url, headers={"Authorization": f"Bearer {key}"}).status_code == 200)
    assert WRITERS.acquire(blocking=False)
    WRITERS.release()
