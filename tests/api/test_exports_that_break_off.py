"""An incomplete export says so, in its last line and by an aborted connection."""

import logging
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

import httpx
import orjson
import pytest
from django.db import OperationalError
from django.test import override_settings

from memoryplatform.api.v1 import transfer
from memoryplatform.embedded.redis import EmbeddedRedis
from memoryplatform.operations.transfer import export
from memoryplatform.operations.transfer.export import EXPORT_SLOTS
from memoryplatform_client import ConnectionFailed, MemoryClient
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
def key(alice: Tenant) -> str:
    return make_key_with_text(alice)[1]


@pytest.fixture
def server_url(alice: Tenant) -> Iterator[str]:
    with serve() as url:
        yield url


def fetch_all(url: str, key: str) -> tuple[bytes, bool]:
    """The received bytes, and whether the response was cut off."""
    pieces: list[bytes] = []
    with httpx.stream("GET", f"{url}/v1/banks/big/export", headers={"Authorization": f"Bearer {key}"}) as answer:
        assert answer.status_code == 200
        try:
            pieces.extend(answer.iter_bytes())
        except httpx.RemoteProtocolError:
            return b"".join(pieces), True
    return b"".join(pieces), False


def last_line(body: bytes) -> Any:
    return orjson.loads(body.rstrip().rpartition(b"\n")[2])


def test_a_complete_export_ends_with_the_end_line(server_url: str, key: str) -> None:
    body, is_broken = fetch_all(server_url, key)
    assert (last_line(body)["type"], is_broken) == ("end", False)


def fail_in_the_middle(*_given: Any, **_named: Any) -> Iterator[bytes]:
    yield b'{"type":"header"}\n'
    raise OperationalError("The database went away, and its address is secret.")


def test_a_lost_database_is_reported(server_url: str, key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(export, "write_lines", fail_in_the_middle)
    body, is_broken = fetch_all(server_url, key)
    told = last_line(body)
    assert is_broken
    assert (told["type"], told["code"], told["detail"]) == ("error", "unavailable", "The service is busy.")
    assert told["request_id"]


def test_an_unexpected_error_is_reported_without_its_text(
    server_url: str, key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(export, "write_lines", lambda *_given, **_named: iter([b"line\n", "no bytes"]))
    body, is_broken = fetch_all(server_url, key)
    assert (last_line(body)["code"], is_broken, b"bytes" in body) == ("internal_error", True, False)


@holds_to_a_time
def test_an_export_that_is_written_too_slowly_is_reported(
    server_url: str, key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(export, "write_lines", lambda *_given, **_named: iter(lambda: b"{}\n", b""))
    with override_settings(EXPORT_SECONDS=0.5):
        body, is_broken = fetch_all(server_url, key)
    assert (last_line(body)["type"], last_line(body)["code"], is_broken) == ("error", "export_too_slow", True)


@contextmanager
def asking(url: str, key: str) -> Iterator[socket.socket]:
    """A client that requested an export and decides how much of it to read."""
    place = urlsplit(url)
    lines = ["GET /v1/banks/big/export HTTP/1.1", f"Host: {place.netloc}", f"Authorization: Bearer {key}"]
    with socket.socket() as reader:
        reader.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
        reader.settimeout(20)
        reader.connect((place.hostname, place.port))
        reader.sendall("\r\n".join([*lines, "", ""]).encode())
        yield reader


def is_under_way(tenant: Tenant) -> bool:
    return any(slot.is_taken for slot in EXPORT_SLOTS._by_tenant[tenant.id])


@holds_to_a_time
def test_an_export_that_is_fetched_too_slowly_is_reported(alice: Tenant, server_url: str, key: str) -> None:
    """The export is cut within a line. That line is closed before the error line."""
    with override_settings(EXPORT_SECONDS=1), asking(server_url, key) as reader:
        head = reader.recv(100)
        wait_until(lambda: not is_under_way(alice))
        rest = b"".join(iter(lambda: reader.recv(65_536), b""))
    assert b" 200 " in head
    assert not rest.endswith(b"0\r\n\r\n")  # the end mark of a complete chunked response
    assert b'\n{"type":"error"' in rest[-400:]
    assert b"export_too_slow" in rest[-400:]


def test_a_disconnected_reader_is_no_slow_one(
    alice: Tenant, server_url: str, key: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    begun, ended = threading.Event(), threading.Event()

    def write(*_given: Any, **_named: Any) -> Iterator[bytes]:
        begun.set()
        try:
            while True:
                yield b"{}\n"
        finally:
            ended.set()

    monkeypatch.setattr(export, "write_lines", write)
    caplog.set_level(logging.INFO)
    with asking(server_url, key):
        assert begun.wait(20)
    assert ended.wait(20)
    wait_until(lambda: "export.left" in caplog.text)
    httpx.get(f"{server_url}/v1/banks", headers={"Authorization": f"Bearer {key}"})  # the loop processes the end
    assert [record.levelname for record in caplog.records if record.levelno > logging.INFO] == []


def test_a_reader_that_disconnects_at_once_keeps_no_slot(
    alice: Tenant, server_url: str, key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The client leaves while the view works, so the finished response is never sent."""
    asked, left = threading.Event(), threading.Event()

    def take_a_place_and_time(*given: Any, **named: Any) -> Any:
        answer = export.export_bank(*given, **named)
        asked.set()
        left.wait(20)
        return answer

    monkeypatch.setattr(transfer, "export_bank", take_a_place_and_time)
    with asking(server_url, key):
        assert asked.wait(20)
    time.sleep(0.2)  # until the server notices the closed socket
    assert is_under_way(alice)
    left.set()
    wait_until(lambda: not is_under_way(alice))


def test_the_client_takes_it_for_broken(server_url: str, key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(export, "write_lines", fail_in_the_middle)
    with MemoryClient(server_url, key) as client, pytest.raises(ConnectionFailed):
        list(client.transfer.export("big"))
