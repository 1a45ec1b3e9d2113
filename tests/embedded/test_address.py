import http.server
import socket
import threading
from collections.abc import Iterator
from http import HTTPStatus

import pytest

from memoryplatform.embedded.address import Address, is_loopback
from memoryplatform.embedded.errors import StartError

EVERYWHERE = "0.0.0.0"  # noqa: S104 - nothing is bound to it here


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server


class Health(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        known = (self.path, self.headers["Host"]) == ("/health", f"127.0.0.1:{self.connection.getsockname()[1]}")
        self.send_response(HTTPStatus.OK if known else HTTPStatus.NOT_FOUND)
        self.end_headers()

    def log_message(self, *_args: object) -> None:
        """Tests need no access log."""


def test_a_taken_port_is_named(listener: socket.socket) -> None:
    port = listener.getsockname()[1]

    with pytest.raises(
        StartError, match=rf"^Port {port} on 127\.0\.0\.1 can't be used \(Address already in use\): choose"
    ):
        Address("127.0.0.1", port).check_free()


def test_a_free_port_is_left_free(listener: socket.socket) -> None:
    port = listener.getsockname()[1]
    listener.close()

    Address("127.0.0.1", port).check_free()

    socket.create_server(("127.0.0.1", port)).close()


@pytest.mark.parametrize("port", [0, -1, 65_536])
def test_a_number_that_is_no_port_is_refused(port: int) -> None:
    with pytest.raises(StartError, match=f"^{port} is no port"):
        Address("127.0.0.1", port).check_free()


def test_a_host_that_is_not_ours_is_named() -> None:
    with pytest.raises(StartError, match=r"Port 8000 on 192\.0\.2\.1 can't be used"):
        Address("192.0.2.1", 8000).check_free()


def test_health_is_asked_without_a_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    with http.server.HTTPServer(("127.0.0.1", 0), Health) as server:
        address = Address(EVERYWHERE, server.server_port)
        thread = threading.Thread(target=server.handle_request)
        thread.start()

        assert address.is_healthy()
        thread.join()


def test_a_silent_port_is_not_healthy(listener: socket.socket) -> None:
    address = Address("127.0.0.1", listener.getsockname()[1])
    listener.close()

    assert not address.is_healthy()


@pytest.mark.parametrize(
    ("host", "url"),
    [
        ("127.0.0.1", "http://127.0.0.1:80"),
        (EVERYWHERE, "http://127.0.0.1:80"),
        ("::", "http://[::1]:80"),
        ("memory.local", "http://memory.local:80"),
    ],
)
def test_the_url_can_be_opened_from_here(host: str, url: str) -> None:
    assert Address(host, 80).url == url


@pytest.mark.parametrize("host", ["127.0.0.1", "127.9.9.9", "::1", "localhost"])
def test_loopback_is_reached_from_this_machine_alone(host: str) -> None:
    assert is_loopback(host)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "10.0.0.7", "example.com", ""])  # noqa: S104
def test_every_other_host_counts_as_reached_from_outside(host: str) -> None:
    assert not is_loopback(host)
