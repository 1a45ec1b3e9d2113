"""Limits before authentication: half-sent requests, large headers, slow and large bodies, web sockets."""

import asyncio
import http.client
import socket
import time
from collections.abc import Iterator
from contextlib import closing
from urllib.parse import urlsplit

import pytest

from memoryplatform.server import body_limit, http_protocol
from memoryplatform.server.body_limit import BodyLimit
from memoryplatform.server.handler import RequestHandler
from memoryplatform.server.http_protocol import MAX_HEAD_BYTES, MAX_HEADERS
from tests.live_server import serve


async def echo(scope: dict[str, object], receive: object, send: object) -> None:
    """Answers with the length of the body."""
    length, more = 0, True
    while more:
        message = await receive()  # type: ignore[operator]  # ASGI
        if message["type"] == "http.disconnect":
            return
        length, more = length + len(message.get("body", b"")), message.get("more_body", False)
    body = str(length).encode()
    headers = [(b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": 200, "headers": headers})  # type: ignore[operator]
    await send({"type": "http.response.body", "body": body})  # type: ignore[operator]


@pytest.fixture
def address() -> Iterator[tuple[str, int]]:
    with serve(BodyLimit(echo, max_bytes=1_000_000)) as url:  # type: ignore[arg-type]
        parts = urlsplit(url)
        yield str(parts.hostname), int(parts.port or 0)


def send(address: tuple[str, int], *parts: bytes) -> bytes:
    """The answer until the server closes the connection."""
    with socket.create_connection(address, timeout=20) as connection:
        for part in parts:
            connection.sendall(part)
        return read_all(connection)


def read_all(connection: socket.socket) -> bytes:
    answer = b""
    while part := connection.recv(65_536):
        answer += part
    return answer


def get(headers: str) -> bytes:
    return f"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n{headers}\r\n".encode()


def test_a_usual_request_is_answered(address: tuple[str, int]) -> None:
    assert send(address, get("")).startswith(b"HTTP/1.1 200 ")
    many = "".join(f"X-{number}: a\r\n" for number in range(MAX_HEADERS - 2))
    assert send(address, get(many)).startswith(b"HTTP/1.1 200 ")


@pytest.mark.parametrize(
    "headers",
    [
        f"X-Long: {'a' * (MAX_HEAD_BYTES + 1)}\r\n",
        "".join(f"X-{number}: {'a' * 1_000}\r\n" for number in range(MAX_HEAD_BYTES // 1_000 + 1)),
        "".join(f"X-{number}: a\r\n" for number in range(MAX_HEADERS + 1)),
    ],
    ids=["one long", "long together", "many"],
)
def test_headers_over_the_limit_are_refused(address: tuple[str, int], headers: str) -> None:
    assert send(address, get(headers)).startswith(b"HTTP/1.1 431 ")


def test_a_header_without_an_end_is_refused_while_it_arrives(address: tuple[str, int]) -> None:
    with socket.create_connection(address, timeout=20) as connection:
        connection.sendall(b"GET / HTTP/1.1\r\nHost: x\r\nX-Long: ")
        sent = 0
        with pytest.raises(OSError):  # noqa: PT011  # a reset or a broken pipe
            while sent < 100 * MAX_HEAD_BYTES:
                connection.sendall(b"a" * 16_384)
                sent += 16_384
                time.sleep(0.001)
    assert sent < 100 * MAX_HEAD_BYTES


def test_half_sent_requests_are_closed(address: tuple[str, int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_protocol, "HEAD_SECONDS", 0.5)
    began = time.monotonic()
    assert send(address) == b""
    assert send(address, b"GET / HTTP/1.1\r\nHost: x\r\nX-") == b""
    complete = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"
    assert send(address, complete, complete[:-2]).count(b"HTTP/1.1 200 ") == 1  # the second request of a connection
    assert time.monotonic() - began < 10


def test_a_body_that_stops_is_refused(address: tuple[str, int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(body_limit, "BODY_SECONDS", 0.5)
    answer = send(address, b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n", b"only so much")
    assert answer.startswith(b"HTTP/1.1 408 ")
    assert b"body_too_slow" in answer


def test_a_slow_body_that_keeps_coming_is_read(address: tuple[str, int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(body_limit, "BODY_SECONDS", 0.5)

    def drip() -> Iterator[bytes]:
        for _ in range(8):
            yield b"x" * 20_000
            time.sleep(0.2)

    assert post(address, drip(), {"Content-Length": "160000"}) == (200, b"160000")


@pytest.mark.parametrize("declared", [True, False])
def test_a_client_that_sends_all_before_it_reads_gets_the_refusal(address: tuple[str, int], *, declared: bool) -> None:
    body = b"x" * 3_000_000
    status, answer = post(address, body if declared else iter([body[:1_500_000], body[1_500_000:]]))
    assert (status, b"body_too_large" in answer) == (413, True)


def post(
    address: tuple[str, int], body: bytes | Iterator[bytes], headers: dict[str, str] | None = None
) -> tuple[int, bytes]:
    """Sends the whole body before it reads."""
    with closing(http.client.HTTPConnection(*address, timeout=20)) as connection:
        connection.request("POST", "/", body=body, headers=headers or {})
        response = connection.getresponse()
        return response.status, response.read()


def test_a_web_socket_is_refused_without_an_error() -> None:
    sent = []

    async def receive() -> dict[str, str]:
        return {"type": "websocket.connect"}

    async def note(message: dict[str, str]) -> None:
        sent.append(message)

    asyncio.run(RequestHandler()({"type": "websocket", "path": "/"}, receive, note))
    assert sent == [{"type": "websocket.close"}]
