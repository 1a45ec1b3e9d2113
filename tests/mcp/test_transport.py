"""Everything besides valid calls: other methods, hosts and origins, body sizes, disconnecting clients."""

import asyncio
import json
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from unittest import mock

import httpx2
import pytest
from django.conf import settings
from django.db import connection
from django.test import override_settings
from starlette.types import Message, Receive, Send

from memoryplatform.api.mcp import application
from memoryplatform.api.mcp.application import McpRoutes, NotRunning
from memoryplatform.api.mcp.server import TOOLS
from memoryplatform.api.mcp.threads import run_and_close_connections
from memoryplatform.api.mcp.tools.banks import GetArguments, run_get
from memoryplatform.api.mcp.tools.tool import Answer, Call
from tenants.models import Tenant
from tests.clock import holds_to_a_time
from tests.factories import make_key_with_text
from tests.live_server import serve, wait_until
from tests.mcp.conftest import Connect
from tests.mcp.connection import connect
from tests.mcp.raw import WITH_HANDSHAKE, WITHOUT, build_call, build_headers, post_call
from tests.retrieval.memory import Memory

LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}


@pytest.fixture
def key(alice: Tenant) -> str:
    return make_key_with_text(alice)[1]


@pytest.mark.parametrize("path", ["/mcp", "/mcp/", "/mcp/support", "/mcp/support/"])
def test_a_slash_at_the_end_makes_no_difference(memory: Memory, base_url: str, key: str, path: str) -> None:
    answer = httpx2.post(base_url + path, json=LIST, headers=build_headers(key))
    assert answer.status_code == 200


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT", "OPTIONS"])
@pytest.mark.parametrize("version", [WITH_HANDSHAKE, WITHOUT])
def test_without_sessions_there_is_only_post(base_url: str, key: str, method: str, version: str) -> None:
    headers = build_headers(key, version, **{"Mcp-Session-Id": "of-another-server"})
    answer = httpx2.request(method, f"{base_url}/mcp/", headers=headers)
    assert (answer.status_code, answer.headers["Allow"]) == (405, "POST")
    assert answer.json()["code"] == "method_not_allowed"


def test_no_session_is_begun(base_url: str, key: str) -> None:
    params = {"protocolVersion": WITH_HANDSHAKE, "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    begin = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}
    answer = httpx2.post(f"{base_url}/mcp/", json=begin, headers=build_headers(key))
    assert answer.status_code == 200
    assert "Mcp-Session-Id" not in answer.headers


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "evil.example"}, 400),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "http://[::1"}, 403),
        ({"Origin": "http://localhost:6274"}, 200),
        ({"Origin": "https://app.example"}, 200),
    ],
)
def test_pages_of_strangers_get_no_answer(base_url: str, key: str, headers: dict[str, str], status: int) -> None:
    with override_settings(CSRF_TRUSTED_ORIGINS=["https://app.example"]):
        answer = httpx2.post(f"{base_url}/mcp/", json=LIST, headers=build_headers(key, **headers))
    assert answer.status_code == status
    assert ("code" in answer.text) == (status != 200)


def test_a_key_sent_in_the_clear_is_refused_where_https_is_wanted(base_url: str, key: str) -> None:
    with override_settings(SECURE_SSL_REDIRECT=True, SECURE_PROXY_SSL_HEADER=("HTTP_X_FORWARDED_PROTO", "https")):
        refused = httpx2.post(f"{base_url}/mcp/", json=LIST, headers=build_headers(key))
        headers = build_headers(key, **{"X-Forwarded-Proto": "https"})
        accepted = httpx2.post(f"{base_url}/mcp/", json=LIST, headers=headers)
    assert (refused.status_code, accepted.status_code) == (403, 200)


def chunks(size: int) -> Iterator[bytes]:
    for _ in range(size // 65_536):
        yield b"x" * 65_536


@pytest.mark.parametrize("declared", [True, False])
def test_a_body_over_the_limit_is_refused_while_it_arrives(base_url: str, key: str, declared: bool) -> None:  # noqa: FBT001  # a case of the table
    size = settings.MAX_BODY_BYTES + 1_000_000
    content = b"x" * size if declared else chunks(size)
    answer = httpx2.post(f"{base_url}/mcp/", content=content, headers=build_headers(key))
    assert (answer.status_code, answer.json()["code"]) == (413, "body_too_large")


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b'{"jsonrpc": "1.0"}', b"[" * 100_000, b"\xff", b'"\\ud800"'])
@pytest.mark.parametrize("version", [WITH_HANDSHAKE, WITHOUT])
def test_an_invalid_message_is_a_bad_request(base_url: str, key: str, body: bytes, version: str) -> None:
    answer = httpx2.post(f"{base_url}/mcp/", content=body, headers=build_headers(key, version))
    assert answer.status_code == 400
    assert "Traceback" not in answer.text


@pytest.mark.parametrize(
    "given", ["text/plain", "", "application/x-www-form-urlencoded", "application/jsonx", "no type"]
)
@pytest.mark.parametrize("version", [WITH_HANDSHAKE, WITHOUT])
def test_a_body_of_another_type_is_refused_in_the_apis_shape(base_url: str, key: str, given: str, version: str) -> None:
    headers = build_headers(key, version, **{"Content-Type": given})
    answer = httpx2.post(f"{base_url}/mcp/", content=json.dumps(LIST), headers=headers)
    told = answer.json()
    assert (answer.status_code, told["code"]) == (415, "unsupported_media_type")
    assert told["request_id"] == answer.headers["X-Request-ID"]
    assert set(told) == {"detail", "code", "request_id"}


def test_a_charset_makes_no_other_type(base_url: str, key: str) -> None:
    headers = build_headers(key, **{"Content-Type": "application/json; charset=utf-8"})
    assert httpx2.post(f"{base_url}/mcp/", content=json.dumps(LIST), headers=headers).status_code == 200


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("/mcp/nobody/?tools=native", "bank_not_found"),
        ("/mcp/nobody?tools=native", "bank_not_found"),
        ("/mcp/a/b", "not_found"),
    ],
)
def test_an_address_without_a_bank_is_refused_in_the_apis_shape(base_url: str, key: str, path: str, code: str) -> None:
    answer = httpx2.post(base_url + path, json=LIST, headers=build_headers(key))
    assert (answer.status_code, answer.json()["code"]) == (404, code)


@pytest.mark.parametrize("body", [b"{", b"[]", b'{"jsonrpc": "1.0"}'])
def test_mcps_own_refusals_are_json_rpc_errors(base_url: str, key: str, body: bytes) -> None:
    with mock.patch.object(application, "log_request") as noted:
        answer = httpx2.post(f"{base_url}/mcp/", content=body, headers=build_headers(key))
        wait_until(lambda: noted.called)
    assert (answer.status_code, answer.json()["jsonrpc"]) == (400, "2.0")
    assert answer.json()["error"]["message"]
    assert repr(noted.call_args.args[1]) == "400"


def test_an_answer_that_the_caller_does_not_take_is_an_error_of_json_rpc(base_url: str, key: str) -> None:
    answer = httpx2.post(f"{base_url}/mcp/", json=LIST, headers=build_headers(key, Accept="text/html"))
    assert (answer.status_code, answer.json()["jsonrpc"]) == (406, "2.0")


def test_the_request_id_of_the_caller_is_used(base_url: str, key: str) -> None:
    given = httpx2.post(f"{base_url}/mcp/", json=LIST, headers=build_headers(key, **{"X-Request-ID": "mine-1"}))
    assert given.headers["X-Request-ID"] == "mine-1"
    made = httpx2.post(f"{base_url}/mcp/", json=LIST, headers=build_headers(key, **{"X-Request-ID": "bad id!"}))
    assert len(made.headers["X-Request-ID"]) == 36


def test_two_clients_at_once_do_not_meet(memory: Memory, alice: Tenant, connected: Connect) -> None:
    first, second = connected(alice), connected(alice, bank="support", mode="legacy")

    def retain(number: int) -> int:
        first.call("retain", bank_id="mine", content=f"Number {number} is mine.")
        second.call("retain", content=f"Number {number} is theirs.")
        return number

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(retain, range(4))) == [0, 1, 2, 3]
    mine = first.call("list_memories", bank_id="mine")["memories"]
    theirs = second.call("list_memories")["memories"]
    assert {one["text"][-7:] for one in theirs} == {"theirs."}
    assert (len(mine), len(theirs)) == (4, 4)


def test_calls_run_side_by_side(
    memory: Memory, alice: Tenant, connected: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    both = threading.Barrier(2, timeout=10)

    def meet(call: Call, arguments: GetArguments) -> Answer:
        both.wait()
        return run_get.run(call, arguments)

    monkeypatch.setitem(TOOLS, "get_bank", replace(TOOLS["get_bank"], run=meet))
    client = connected(alice, bank="support")
    with ThreadPoolExecutor(2) as pool:
        assert len(list(pool.map(lambda _: client.call("get_bank"), range(2)))) == 2


@holds_to_a_time
@pytest.mark.parametrize("version", [WITH_HANDSHAKE, WITHOUT])
def test_a_client_that_leaves_is_noticed_by_its_tool(
    memory: Memory, base_url: str, key: str, monkeypatch: pytest.MonkeyPatch, version: str
) -> None:
    left = threading.Event()

    def wait_for_hang_up(call: Call, arguments: GetArguments) -> Answer:
        if call.hung_up.wait(10):
            left.set()
        return run_get.run(call, arguments)

    monkeypatch.setitem(TOOLS, "get_bank", replace(TOOLS["get_bank"], run=wait_for_hang_up))
    with pytest.raises(httpx2.ReadTimeout):
        post_call(f"{base_url}/mcp/support/?tools=native", key, "get_bank", {}, version=version, timeout=0.5)
    assert left.wait(5)


def test_a_thread_keeps_no_connection_after_its_work(shared_db: None) -> None:
    def ask() -> None:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")

    with ThreadPoolExecutor(1) as pool:
        pool.submit(run_and_close_connections, ask).result()
        assert pool.submit(lambda: connection.connection).result() is None


def test_a_broken_tool_reveals_no_details(
    memory: Memory, base_url: str, key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_call: Call, _arguments: GetArguments) -> Answer:
        raise RuntimeError("the password is swordfish")

    monkeypatch.setitem(TOOLS, "get_bank", replace(TOOLS["get_bank"], run=fail))
    answer = post_call(f"{base_url}/mcp/support/?tools=native", key, "get_bank", {})
    assert "internal_error" in answer.text
    assert answer.headers["X-Request-ID"] in answer.text
    assert "swordfish" not in answer.text
    assert "Traceback" not in answer.text


def test_other_addresses_are_djangos(base_url: str, shared_db: None) -> None:
    assert httpx2.get(f"{base_url}/health").status_code == 200
    assert httpx2.get(f"{base_url}/mcpx").json()["code"] == "not_found"


def test_a_process_without_lifespan_reports_it(shared_db: None, key: str) -> None:
    with serve() as url:
        answer = httpx2.post(f"{url}/mcp/", json=build_call("get_bank", {}), headers=build_headers(key))
    assert (answer.status_code, answer.json()["code"]) == (503, "unavailable")


def test_mcp_runs_while_the_process_lives_and_no_longer() -> None:
    seen: list[bool] = []

    async def live(_scope: Message, _receive: Receive, _send: Send) -> None:
        seen.append(routes.mcp.get_manager() is not None)

    routes = McpRoutes(live, max_bytes=1_000)
    for _ in range(2):  # the package's session manager can't be used twice
        asyncio.run(routes({"type": "lifespan"}, mock.AsyncMock(), mock.AsyncMock()))
    assert seen == [True, True]
    with pytest.raises(NotRunning):
        routes.mcp.get_manager()


def test_many_connections_one_after_the_other(memory: Memory, base_url: str, key: str) -> None:
    for _ in range(5):
        with connect(f"{base_url}/mcp/support/", key) as client:
            assert client.call("get_bank")["bank_id"] == "support"
