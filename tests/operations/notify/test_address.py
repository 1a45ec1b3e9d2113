"""Addresses that a webhook may not have, in every notation."""

import socket
import time
from ipaddress import ip_address
from typing import Any

import httpcore2
import pytest

from memoryplatform.operations.notify.address import AddressRefused, check_url, is_public, resolve
from memoryplatform.operations.notify.send import Limits, PinnedBackend, require_time, send
from memoryplatform.operations.notify.shapes import Message
from providers.deadline import Deadline
from tests.clock import holds_to_a_time
from tests.webhook_receiver import Receiver

INNER = [
    "127.0.0.1",
    "10.1.2.3",
    "172.16.0.1",
    "192.168.1.1",
    "169.254.169.254",  # the metadata service of clouds, which holds keys
    "100.64.0.1",
    "0.0.0.0",  # noqa: S104  # not bound to, refused
    "224.0.0.1",
    "255.255.255.255",
    "::1",
    "::",
    "fe80::1",
    "fc00::1",
    "ff02::1",
    "::ffff:127.0.0.1",
    "::ffff:10.0.0.1",
    "64:ff9b::a00:1",  # 10.0.0.1 behind a NAT64 gateway
    "2002:a00:1::",  # the same by 6to4
    "2001:db8::1",
    "168.63.129.16",  # the host of a cloud's virtual machine
    "100.100.100.200",
    "192.0.0.192",
    "198.18.0.1",
    "64:ff9b:1::7f00:1",  # a local NAT64 gateway
    "64:ff9b:1:7f00:0:100::",
    "64:ff9b::a9fe:a9fe",
    "64:ff9b::a83f:8110",  # 168.63.129.16 behind a NAT64 gateway
    "::127.0.0.1",
    "::ffff:0:127.0.0.1",
    "::ffff:8.8.8.8",
    "fec0::1",
    "5f00::1",
    "3fff::1",
    "3fff:fff::1",
    "2002:7f00:1::1",
    "2001:0:7f00:1::1",
    "2001:0:4136:e378:8000:63bf:80ff:fffe",  # Teredo of 127.0.0.1
    "100::1",
    "4000::1",
]
OUTER = [
    "8.8.8.8",
    "93.184.216.34",
    "168.63.129.17",
    "192.0.1.1",
    "2606:4700::1111",
    "2001:4860:4860::8888",
    "2a00:1450::1",
    "64:ff9b::808:808",
]


@pytest.mark.parametrize("address", INNER)
def test_an_inner_address_is_not_public(address: str) -> None:
    assert not is_public(ip_address(address))


@pytest.mark.parametrize("address", OUTER)
def test_an_outer_address_is_public(address: str) -> None:
    assert is_public(ip_address(address))


@pytest.mark.parametrize(
    "url",
    [
        "ftp://example.com/",
        "file:///etc/passwd",
        "http://",
        "//example.com",
        "http://user:password@example.com/",
        "http://127.0.0.1/",
        "http://[::1]/",
        "http://[::ffff:169.254.169.254]/latest",
        "http://0.0.0.0/",
        "http://0/",
        "http://127.1/",
        "http://2130706433/",
        "http://0x7f.0.0.1/",
        "http://0177.0.0.1/",
        "http://localhost/",
        "http://LOCALHOST.:8000/",
        "http://app.localhost/",
        "http://example.com:99999/",
        "http://[nonsense/",
        "http://example.com/\r\nX: y",
        "http://exam ple.com/",
        "http://bücher.example/",
        f"http://example.com/{'a' * 2_000}",
    ],
)
def test_a_url_that_can_only_be_wrong_is_refused_at_once(url: str) -> None:
    with pytest.raises(AddressRefused):
        check_url(url, allow_private=False)


def test_a_plain_url_is_fine() -> None:
    check_url("https://example.com:8443/told?by=us", allow_private=False)
    check_url("https://not-there.invalid/", allow_private=False)
    check_url("https://notlocalhost/", allow_private=False)
    check_url("http://134744072/", allow_private=False)  # 8.8.8.8
    check_url("http://localhost:8000/", allow_private=True)


Found = dict[str, list[str]]


@pytest.fixture
def names(monkeypatch: pytest.MonkeyPatch) -> Found:
    """A scripted name server: each query returns the next address, and the last one stays."""
    known: Found = {}
    real = socket.getaddrinfo

    def look_up(host: str, port: int, *args: Any, **options: Any) -> list[Any]:
        given = known.get(host)
        if given is None:
            return real(host, port, *args, **options)
        address = given.pop(0) if len(given) > 1 else given[0]
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (one, port)) for one in address.split()]

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    return known


@pytest.mark.parametrize("host", ["127.1", "2130706433", "0x7f.1", "localhost"])
def test_the_resolved_address_counts_and_not_the_notation(host: str) -> None:
    with pytest.raises(AddressRefused):
        resolve(host, 80, allow_private=False, within=5.0)


def test_one_inner_address_among_outer_ones_spoils_them(names: Found) -> None:
    names["both.example"] = ["8.8.8.8 10.0.0.1"]
    with pytest.raises(AddressRefused, match="not public"):
        resolve("both.example", 80, allow_private=False, within=5.0)


def test_a_name_that_changes_its_address_is_called_at_the_one_that_was_checked(
    names: Found, monkeypatch: pytest.MonkeyPatch
) -> None:
    names["rebinds.example"] = ["8.8.8.8", "127.0.0.1"]
    called: list[str] = []

    def connect(_self: object, host: str, *_args: object, **_options: object) -> None:
        called.append(host)
        raise httpcore2.ConnectError

    monkeypatch.setattr(httpcore2.SyncBackend, "connect_tcp", connect)
    backend = PinnedBackend(allow_private=False, deadline=Deadline.after(1.0))
    with pytest.raises(httpcore2.ConnectError):
        backend.connect_tcp("rebinds.example", 80)
    assert called == ["8.8.8.8"]


def test_a_private_receiver_gets_no_request(names: Found) -> None:
    with Receiver() as receiver:
        names["inside.example"] = ["127.0.0.1"]
        url = f"http://inside.example:{receiver.port}/"
        answer = send(url, Message({}), b"{}", {}, Limits(Deadline.after(2.0), 2.0, allow_private=False))
        assert (answer.code, "not public" in answer.error, receiver.received) == (None, True, [])
        assert send(url, Message({}), b"{}", {}, Limits(Deadline.after(2.0), 2.0, allow_private=True)).code == 200
        assert receiver.received[0].headers["host"] == f"inside.example:{receiver.port}"


def test_an_unreachable_host_is_an_error_with_a_sentence() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    limits = Limits(Deadline.after(2.0), 2.0, allow_private=True)
    answer = send(f"http://127.0.0.1:{port}/", Message({}), b"{}", {}, limits)
    assert answer.error == "The connection failed (ConnectError)."


def test_the_time_limit_is_one_for_all() -> None:
    deadline = Deadline.after(0.01)
    time.sleep(0.02)
    with pytest.raises(httpcore2.ReadTimeout):
        require_time(deadline)


@holds_to_a_time
def test_a_slow_name_server_is_part_of_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_args, **_options: time.sleep(3))
    begun = time.monotonic()
    answer = send("http://slow.example/", Message({}), b"{}", {}, Limits(Deadline.after(0.1), 0.1, allow_private=True))
    assert answer.error == "No answer within 0.1 seconds."
    assert time.monotonic() - begun < 2
