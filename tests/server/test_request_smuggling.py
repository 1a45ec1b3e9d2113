"""Requests that a proxy and the server could read differently: no hidden second request reaches the application."""

import socket
import threading
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import pytest

from memoryplatform.server.body_limit import BodyLimit
from tests.live_server import serve

HIDDEN = b"GET /hidden HTTP/1.1\r\nHost: x\r\n\r\n"
START = b"POST /first HTTP/1.1\r\nHost: x\r\n"
CHUNKED_END = b"0\r\n\r\n"
# The bytes of a request whose length is ambiguous. One reading of each ends before HIDDEN, another after it.
AMBIGUOUS = {
    "both lengths, chunked shorter": b"Content-Length: %d\r\nTransfer-Encoding: chunked\r\n\r\n" % (len(HIDDEN) + 5)
    + CHUNKED_END
    + HIDDEN,
    "both lengths, chunked first": b"Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n" + CHUNKED_END + HIDDEN,
    "two lengths": b"Content-Length: %d\r\nContent-Length: 0\r\n\r\n" % len(HIDDEN) + HIDDEN,
    "two lengths in one": b"Content-Length: %d, 0\r\n\r\n" % len(HIDDEN) + HIDDEN,
    "a signed length": b"Content-Length: +0\r\n\r\n" + HIDDEN,
    "a negative length": b"Content-Length: -1\r\n\r\n" + HIDDEN,
    "a length in hexadecimal": b"Content-Length: 0x0\r\n\r\n" + HIDDEN,
    "a length that overflows": b"Content-Length: 18446744073709551616\r\n\r\n" + HIDDEN,
    "an unknown encoding": b"Transfer-Encoding: xchunked\r\nContent-Length: 0\r\n\r\n" + HIDDEN,
    "chunked is not the last": b"Transfer-Encoding: chunked, identity\r\n\r\n" + CHUNKED_END + HIDDEN,
    "chunked twice": b"Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n" + CHUNKED_END + HIDDEN,
    "a space before the colon": b"Transfer-Encoding : chunked\r\nContent-Length: 0\r\n\r\n" + HIDDEN,
    "a folded header": b"Content-Length: 0\r\n Transfer-Encoding: chunked\r\n\r\n" + HIDDEN,
    "a null in a header": b"X-A: a\x00\r\nContent-Length: 0\r\n\r\n" + HIDDEN,
    "a bare carriage return": b"X-A: a\rContent-Length: %d\r\n\r\n" % len(HIDDEN) + HIDDEN,
    "a chunk size that overflows": b"Transfer-Encoding: chunked\r\n\r\n10000000000000000\r\n" + HIDDEN,
    "a chunk size with a sign": b"Transfer-Encoding: chunked\r\n\r\n+0\r\n\r\n" + HIDDEN,
    "a chunk without its end": b"Transfer-Encoding: chunked\r\n\r\n1\r\nab" + CHUNKED_END + HIDDEN,
}
# Uvicorn's parser ends these requests before HIDDEN, as the rules say; then HIDDEN is a request of the same client.
CLEAR = {
    "no body": b"Content-Length: 0\r\n\r\n" + HIDDEN,
    "chunked": b"Transfer-Encoding: chunked\r\n\r\n" + CHUNKED_END + HIDDEN,
}


class Paths:
    """An application that notes the path of each request after it has read the body."""

    def __init__(self) -> None:
        self.seen: list[str] = []
        self.lock = threading.Lock()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        more = True
        while more:
            message = await receive()
            if message["type"] == "http.disconnect":
                return
            more = message.get("more_body", False)
        with self.lock:
            self.seen.append(scope["path"])
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"0")]})
        await send({"type": "http.response.body", "body": b""})


@pytest.fixture(scope="module")
def paths() -> Paths:
    return Paths()


@pytest.fixture(scope="module")
def address(paths: Paths) -> Iterator[tuple[str, int]]:
    with serve(BodyLimit(paths, max_bytes=1_000_000)) as url:
        parts = urlsplit(url)
        yield str(parts.hostname), int(parts.port or 0)


def send(address: tuple[str, int], request: bytes) -> bytes:
    """The answers within half a second, or until the server closes the connection."""
    answer = b""
    with socket.create_connection(address, timeout=0.5) as connection:
        connection.sendall(request)
        try:
            while part := connection.recv(65_536):
                answer += part
        except TimeoutError:
            pass
        except ConnectionResetError:
            pass
    return answer


@pytest.mark.parametrize("name", AMBIGUOUS)
def test_no_hidden_request_is_served(address: tuple[str, int], paths: Paths, name: str) -> None:
    paths.seen.clear()
    answer = send(address, START + AMBIGUOUS[name])
    assert "/hidden" not in paths.seen, answer
    assert answer.count(b"HTTP/1.1 200 ") <= 1


@pytest.mark.parametrize("name", CLEAR)
def test_clear_requests_of_one_connection_are_served_in_order(
    address: tuple[str, int], paths: Paths, name: str
) -> None:
    paths.seen.clear()
    send(address, START + CLEAR[name])
    assert paths.seen == ["/first", "/hidden"]
