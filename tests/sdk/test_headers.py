"""The API key is sent only to the service and never shown."""

import traceback
from collections.abc import Callable
from functools import partial

import httpx
import pytest

from memoryplatform_client import AsyncMemoryClient, ConnectionFailed, Memory, MemoryClient, UnusableHeader
from tests.sdk.scripted import Attempt, Scripted, make_client

CONFIG = httpx.Response(200, json={"bank_id": "b", "config": {}, "overrides": {}})
ILLEGAL = httpx.LocalProtocolError("Illegal header value b'Bearer mpk_secret\\n'")


@pytest.mark.parametrize("around", ["{}\n", " {}\r\n", "\t{}"])
def test_a_key_is_read_without_the_white_space_around_it(around: str) -> None:
    transport = Scripted(CONFIG)
    MemoryClient("http://service", around.format("mpk_secret"), transport=transport).banks.config("b")
    assert transport.requests[0].headers["Authorization"] == "Bearer mpk_secret"


@pytest.mark.parametrize("key", ["", "\n", "mpk_secretü", "mpk_\nsecret", "mpk_ secret", "mpk_secret\x00", None])
@pytest.mark.parametrize("kind", [MemoryClient, AsyncMemoryClient, partial(Memory, bank="b")])
def test_a_key_that_can_not_be_sent_is_refused_at_once_and_not_shown(kind: Callable[..., object], key: object) -> None:
    with pytest.raises(ValueError, match="API key") as caught:
        kind("http://service", api_key=key)
    assert isinstance(caught.value, UnusableHeader)
    assert "secret" not in str(caught.value)
    assert caught.value.__cause__ is caught.value.__context__ is None


def stream(client: MemoryClient) -> object:
    return list(client.stream_reflect("b", "Who?"))


def export(client: MemoryClient) -> object:
    return list(client.transfer.export("b"))


@pytest.mark.parametrize("attempt", [lambda client: client.banks.config("b"), stream, export])
def test_a_request_that_can_not_be_sent_is_not_sent_again_and_shows_no_header(attempt: Attempt) -> None:
    transport = Scripted(ILLEGAL, ILLEGAL, ILLEGAL)
    with pytest.raises(ConnectionFailed, match="LocalProtocolError") as caught:
        attempt(make_client(transport))
    assert len(transport.requests) == 1
    assert caught.value.__cause__ is None
    assert "Illegal" not in "".join(traceback.format_exception(caught.value))


def test_an_address_of_no_known_kind_is_not_tried_again() -> None:
    transport = Scripted(httpx.UnsupportedProtocol("no http"), CONFIG)
    with pytest.raises(ConnectionFailed, match="no http"):
        make_client(transport).banks.config("b")


@pytest.mark.parametrize("given", ["schlüssel", "a\nb", "a ", 5])
@pytest.mark.parametrize("name", ["idempotency_key", "if_match"])
def test_another_header_that_can_not_be_sent_is_named(name: str, given: object) -> None:
    client = make_client(Scripted())
    send = client.banks.run_maintenance if name == "idempotency_key" else client.banks.update
    with pytest.raises(UnusableHeader, match=name):
        send("b", **{name: given})  # type: ignore[arg-type]
