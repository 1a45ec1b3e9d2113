"""A tenant's own language model: tested before it is stored, sealed, used for that tenant only, accounted apart."""

import json
import socket
import time
from collections.abc import Iterator
from typing import Any

import httpx2
import pytest
from django.db import connections

from memoryplatform.operations.account import own_llm
from memoryplatform.operations.account.access import TenantAccess
from providers.llm.errors import LLMRefused, LLMUnavailable, StreamInterrupted
from providers.llm.protocol import ChatMessage, Task
from providers.usage import Usage, metered
from tenants.audit import Actor
from tenants.memberships import found_tenant
from tenants.models import AuditEvent, Member, Tenant, UsageRecord, User
from tenants.transactions import tenant_transaction
from tests.accounts.conftest import join, make_person, sign_in
from tests.api.conftest import Caller
from tests.factories import make_key_with_text, make_own_llm
from tests.llm_server import ScriptedLLM
from tests.llm_server.fixture import llm
from tests.llm_server.script import Reply

__all__ = ["llm"]
KEY = "sk-own-0123456789abcdef"
READY = '{"ready": true}'
HELLO = [ChatMessage("user", "Hello")]


@pytest.fixture(autouse=True)
def own_settings(settings: Any) -> Iterator[None]:
    settings.OWN_LLM_PRIVATE_ADDRESSES = True
    settings.LLM_MAX_RETRIES = 0
    own_llm.KNOWN = own_llm.KnownLLMs()
    own_llm.build_kept_llm.cache_clear()
    yield
    own_llm.build_kept_llm.cache_clear()


@pytest.fixture
def endpoint() -> Iterator[ScriptedLLM]:
    with ScriptedLLM() as server:
        server.chat.otherwise = lambda _: READY
        yield server


@pytest.fixture
def access(acme: Tenant, owner: User) -> TenantAccess:
    return TenantAccess(acme.id, Member.Role.OWNER, Actor(user_id=owner.id))


def put(client: Any, **body: Any) -> Any:
    return client.put("/v1/account/llm", json.dumps(body), content_type="application/json")


def test_it_is_stored_after_a_test_call_and_its_key_is_never_shown(
    acme: Tenant, owner: User, endpoint: ScriptedLLM
) -> None:
    browser = sign_in(owner, acme)
    assert browser.get("/v1/account/llm").json()["code"] == "own_llm_not_found"
    saved = put(browser, base_url=endpoint.url, model="mine", api_key=KEY)
    assert (saved.status_code, saved.json()["key_ending"]) == (200, "cdef")
    (asked,) = endpoint.chat.received
    assert (asked.headers["authorization"], asked.body["model"]) == (f"Bearer {KEY}", "mine")
    page = browser.get("/dashboard/llm/").content.decode()
    shown = page + json.dumps(browser.get("/v1/account/llm").json())
    assert ("…cdef" in page, KEY in shown) == (True, False)
    with connections["platform"].cursor() as cursor:
        cursor.execute("SELECT api_key FROM tenants_ownllm")
        assert cursor.fetchone()[0].startswith("sealed1:")
        cursor.execute("SELECT string_agg(detail::text, '') FROM tenants_auditevent")
        assert KEY not in cursor.fetchone()[0]


def test_the_page_saves_keeps_the_key_and_removes(acme: Tenant, owner: User, endpoint: ScriptedLLM) -> None:
    browser = sign_in(owner, acme)
    browser.post("/dashboard/llm/", {"base_url": f"{endpoint.url}/", "model": "mine", "api_key": KEY})
    browser.post("/dashboard/llm/", {"base_url": endpoint.url, "model": "other", "api_key": ""})
    assert [one.headers["authorization"] for one in endpoint.chat.received] == [f"Bearer {KEY}"] * 2
    assert own_llm.find_llm(acme.id, Task.REFLECT).model_id == "other"  # type: ignore[union-attr]
    browser.post("/dashboard/llm/?task=judge", {"base_url": endpoint.url, "model": "quick", "api_key": ""})
    assert own_llm.find_llm(acme.id, Task.JUDGE).model_id == "quick"  # type: ignore[union-attr]
    assert "quick" in browser.get("/dashboard/llm/?task=nonsense").content.decode()
    browser.post("/dashboard/llm/delete/", {"task": "judge"})
    browser.post("/dashboard/llm/delete/")
    assert own_llm.find_llm(acme.id, Task.REFLECT) is None
    with tenant_transaction(acme.id):
        actions = AuditEvent.objects.for_tenant(acme.id).values_list("action", flat=True).order_by("id")
        assert list(actions)[1:] == ["own_llm.saved"] * 3 + ["own_llm.deleted"] * 2


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        (Reply(status=401, payload={"error": {"message": f"Incorrect key {KEY}"}}), "answered 401. Incorrect key ***"),
        (Reply(status=503), "answered 503"),
        (Reply(text="I am no JSON."), "test call"),
        (Reply(cut="before"), "could not be reached"),
        (Reply(status=302, headers={"Location": "http://127.0.0.1:1/"}), "test call"),
        (Reply(headers={"Content-Encoding": "gzip"}, text=READY), "could not be reached"),
    ],
)
def test_an_endpoint_that_fails_the_test_call_is_not_stored(
    acme: Tenant, owner: User, endpoint: ScriptedLLM, reply: Reply, said: str
) -> None:
    endpoint.chat.otherwise = lambda _: reply
    refused = put(sign_in(owner, acme), base_url=endpoint.url, model="mine", api_key=KEY)
    assert (refused.status_code, refused.json()["code"]) == (422, "llm_check_failed")
    assert said in refused.json()["detail"]
    assert own_llm.find_llm(acme.id, Task.REFLECT) is None


def test_an_endless_answer_is_cut_off(acme: Tenant, owner: User, endpoint: ScriptedLLM) -> None:
    endpoint.chat.otherwise = lambda _: Reply(raw=b" " * (own_llm.MOST_BYTES + 1))
    assert put(sign_in(owner, acme), base_url=endpoint.url, model="m", api_key="").json()["code"] == "llm_check_failed"


@pytest.mark.parametrize(
    "url",
    [
        "https://127.0.0.1/v1",
        "https://10.0.0.8/v1",
        "https://169.254.169.254/latest",
        "https://[::1]/v1",
        "https://[::ffff:127.0.0.1]/v1",
        "https://[::ffff:a9fe:a9fe]/v1",
        "https://[64:ff9b::10.0.0.8]/v1",
        "https://2130706433/v1",
        "https://0x7f000001/v1",
        "https://0177.0.0.1/v1",
        "https://127.1/v1",
        "https://llm.example.com/v1",
        "https://localhost/v1",
        "http://203.0.114.1/v1",
        "https://user:password@llm.example.com/v1",
        "ftp://llm.example.com/v1",
        "https://",
        "nonsense",
    ],
)
def test_private_addresses_and_plain_http_are_refused(
    acme: Tenant, owner: User, settings: Any, dialled: list[str], monkeypatch: pytest.MonkeyPatch, url: str
) -> None:
    settings.OWN_LLM_PRIVATE_ADDRESSES = False
    name_addresses(monkeypatch, ["10.0.0.8"])  # llm.example.com is a public name of a private address
    refused = put(sign_in(owner, acme), base_url=url, model="mine", api_key=KEY)
    assert (refused.status_code, refused.json()["code"]) == (422, "account_invalid")
    assert dialled == []


def name_addresses(monkeypatch: pytest.MonkeyPatch, *answers: list[str]) -> None:
    """The name server's answers about llm.example.com, one after the other."""
    real, coming = socket.getaddrinfo, iter(answers)

    def look_up(host: str, port: int, *args: Any, **options: Any) -> list[Any]:
        if host != "llm.example.com":
            return list(real(host, port, *args, **options))
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port)) for address in next(coming)]

    monkeypatch.setattr(socket, "getaddrinfo", look_up)


@pytest.fixture
def dialled(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The hosts that a connection was opened to."""
    real, hosts = socket.create_connection, list[str]()

    def connect(address: tuple[str, int], *args: Any, **options: Any) -> socket.socket:
        hosts.append(address[0])
        return real(address, *args, **options)

    monkeypatch.setattr(socket, "create_connection", connect)
    return hosts


def test_a_name_that_changes_its_address_after_the_check_is_refused(
    settings: Any, dialled: list[str], endpoint: ScriptedLLM, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.OWN_LLM_PRIVATE_ADDRESSES = False
    name_addresses(monkeypatch, ["203.0.114.1"], ["127.0.0.1"])
    url = f"https://llm.example.com:{httpx2.URL(endpoint.url).port}/v1"
    own_llm.check_choice(own_llm.LLMChoice(url, "mine", KEY))
    with pytest.raises(LLMUnavailable):
        own_llm.build_llm(own_llm.LLMChoice(url, "mine", KEY), retries=0).complete(HELLO)
    assert dialled == []


def test_the_connection_goes_to_the_checked_address_under_the_name_of_the_url(
    dialled: list[str], endpoint: ScriptedLLM, monkeypatch: pytest.MonkeyPatch
) -> None:
    name_addresses(monkeypatch, ["127.0.0.2", "127.0.0.1"])  # nothing answers at the first
    port = httpx2.URL(endpoint.url).port
    own_llm.build_llm(own_llm.LLMChoice(f"http://llm.example.com:{port}/v1", "mine", KEY), retries=0).complete(HELLO)
    (asked,) = endpoint.chat.received
    assert asked.headers["host"] == f"llm.example.com:{port}"
    assert dialled == ["127.0.0.2", "127.0.0.1"]


def test_the_stored_key_goes_to_no_other_address(acme: Tenant, owner: User, endpoint: ScriptedLLM) -> None:
    browser = sign_in(owner, acme)
    put(browser, base_url=endpoint.url, model="mine", api_key=KEY)
    with ScriptedLLM() as thief:
        thief.chat.otherwise = lambda _: READY
        refused = put(browser, base_url=thief.url, model="mine")
        assert (refused.status_code, thief.chat.received) == (422, [])
    assert put(browser, base_url=endpoint.url, model="newer").status_code == 200


def test_it_serves_its_tenant_only(acme: Tenant, access: TenantAccess, llm: ScriptedLLM, endpoint: ScriptedLLM) -> None:
    other = found_tenant(name="Other", slug="other", owner=make_person("otto@example.com"))
    own_llm.save_own_llm(access, own_llm.LLMChoice(endpoint.url, "mine", KEY))
    mine, theirs = own_llm.find_llm(acme.id, Task.REFLECT), own_llm.find_llm(other.id, Task.REFLECT)
    assert mine is not None
    assert theirs is not None
    assert (mine.model_id, theirs.model_id) == ("mine", "scripted")


def test_a_task_may_have_a_model_of_its_own(acme: Tenant, owner: User, llm: ScriptedLLM, endpoint: ScriptedLLM) -> None:
    browser, address = sign_in(owner, acme), "/v1/account/llm?task=extract"
    given = {"base_url": endpoint.url, "model": "small", "api_key": KEY, "reasoning_effort": "low", "temperature": 0.5}
    assert browser.get(address).status_code == 404
    saved = browser.put(address, json.dumps(given | {"timeout_seconds": 9}), content_type="application/json").json()
    assert (saved["task"], saved["reasoning_effort"], saved["temperature"]) == ("extract", "low", 0.5)
    assert [one["model"] for one in browser.get("/v1/account/llms").json()["llms"]] == ["small"]
    reads, writes = own_llm.find_llm(acme.id, Task.EXTRACT), own_llm.find_llm(acme.id, Task.REFLECT)
    assert reads is not None
    assert writes is not None
    assert (reads.model_id, reads.service, writes.model_id, writes.service) == ("small", "own_llm", "scripted", "llm")
    reads.complete(HELLO, temperature=0.0)
    asked = endpoint.chat.received[-1].body
    assert (asked["reasoning_effort"], asked["temperature"]) == ("low", 0.5)
    put(browser, base_url=endpoint.url, model="large")  # the key of the same address is kept
    assert own_llm.find_llm(acme.id, Task.REFLECT).model_id == "large"  # type: ignore[union-attr]
    assert own_llm.find_llm(acme.id, Task.EXTRACT).model_id == "small"  # type: ignore[union-attr]
    assert browser.delete(address).status_code == 204
    assert own_llm.find_llm(acme.id, Task.EXTRACT).model_id == "large"  # type: ignore[union-attr]


def test_a_model_for_another_task_serves_where_the_service_has_none(
    acme: Tenant, access: TenantAccess, endpoint: ScriptedLLM
) -> None:
    own_llm.save_own_llm(access, own_llm.LLMChoice(endpoint.url, "small", KEY), "extract")
    assert own_llm.find_llm(acme.id, Task.JUDGE).model_id == "small"  # type: ignore[union-attr]


def test_the_tenants_fallback_takes_over(acme: Tenant, access: TenantAccess, endpoint: ScriptedLLM) -> None:
    with ScriptedLLM() as second:
        second.chat.otherwise = lambda _: READY
        own_llm.save_own_llm(access, own_llm.LLMChoice(endpoint.url, "mine", KEY))
        own_llm.save_own_llm(access, own_llm.LLMChoice(second.url, "second", KEY), "fallback")
        endpoint.chat.otherwise = lambda _: Reply(status=503)
        mine = own_llm.find_llm(acme.id, Task.REFLECT)
        assert mine is not None
        answer = mine.complete(HELLO)
        assert [(part.service, part.model) for part in answer.usage.models] == [("own_llm", "second")]


@pytest.mark.parametrize(
    "wrong",
    [{"temperature": 3}, {"timeout_seconds": 0}, {"timeout_seconds": 1e9}, {"reasoning_effort": "very; high"}],
)
def test_wrong_settings_are_refused(acme: Tenant, owner: User, endpoint: ScriptedLLM, wrong: dict[str, Any]) -> None:
    refused = put(sign_in(owner, acme), base_url=endpoint.url, model="mine", api_key=KEY, **wrong)
    assert (refused.status_code, endpoint.chat.received) == (422, [])
    assert next(iter(wrong)) in refused.content.decode()


def test_a_failing_own_model_is_not_replaced_by_the_services_model(
    acme: Tenant, access: TenantAccess, llm: ScriptedLLM, endpoint: ScriptedLLM
) -> None:
    own_llm.save_own_llm(access, own_llm.LLMChoice(endpoint.url, "mine", KEY))
    endpoint.chat.otherwise = lambda _: Reply(status=503)
    mine = own_llm.find_llm(acme.id, Task.REFLECT)
    assert mine is not None
    with pytest.raises(LLMUnavailable):
        mine.complete(HELLO)
    assert llm.chat.received == []


def test_another_process_notices_a_change_after_some_seconds(
    acme: Tenant, access: TenantAccess, endpoint: ScriptedLLM, monkeypatch: pytest.MonkeyPatch
) -> None:
    other_process = own_llm.KnownLLMs()
    assert other_process.find(acme.id).own == {}
    own_llm.save_own_llm(access, own_llm.LLMChoice(endpoint.url, "mine", KEY))
    assert other_process.find(acme.id).own == {}
    now = time.monotonic() + own_llm.KNOWN_SECONDS
    monkeypatch.setattr(time, "monotonic", lambda: now)
    assert other_process.find(acme.id).own["all"] is own_llm.find_llm(acme.id, Task.REFLECT)


def test_an_undecryptable_key_is_an_error_and_no_other_model_serves(
    acme: Tenant, llm: ScriptedLLM, settings: Any
) -> None:
    make_own_llm(acme)
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "another-secret-" * 5, []
    with pytest.raises(LLMRefused, match="can't be decrypted"):
        own_llm.find_llm(acme.id, Task.REFLECT)


def test_members_and_viewers_neither_see_nor_set_it(acme: Tenant, endpoint: ScriptedLLM) -> None:
    for role in ("viewer", "member"):
        browser = sign_in(join(acme, f"{role}@example.com", role), acme)
        assert browser.get("/v1/account/llm").status_code == 403
        assert put(browser, base_url=endpoint.url, model="mine", api_key=KEY).status_code == 403
        assert browser.delete("/v1/account/llm").status_code == 403
    assert endpoint.chat.received == []


def test_its_tokens_are_accounted_apart(acme: Tenant, access: TenantAccess, endpoint: ScriptedLLM) -> None:
    own_llm.save_own_llm(access, own_llm.LLMChoice(endpoint.url, "mine", KEY))
    call = Caller(make_key_with_text(acme)[1])
    call("POST", "/v1/banks", {"bank_id": "notes", "background": "I was born in Colorado."})
    endpoint.chat.say(json.dumps({"background": "I was born in Texas."}))
    merged = call("POST", "/v1/banks/notes/background", {"content": "You were born in Texas."})
    assert merged.json()["engine"] == "mine"
    with tenant_transaction(acme.id):
        row = UsageRecord.objects.for_tenant(acme.id).get()
    assert row.input_tokens > 0
    assert {(part["service"], part["model"]) for part in row.by_model} == {("own_llm", "mine")}


def test_tokens_of_the_service_stay_apart_in_a_sum() -> None:
    both = Usage.of_call("own_llm", "m", 5, 3) + Usage.of_call("llm", "m", 7)
    assert both.input_tokens == 12
    assert {part.service: part.input_tokens for part in both.models} == {"own_llm": 5, "llm": 7}


def test_an_interrupted_stream_counts_as_own(endpoint: ScriptedLLM) -> None:
    endpoint.chat.otherwise = lambda _: Reply(text="One two three.", cut="stream")
    with pytest.raises(StreamInterrupted) as broken:
        list(own_llm.build_llm(own_llm.LLMChoice(endpoint.url, "mine", KEY), retries=0).stream(HELLO))
    assert [part.service for part in broken.value.usage.models] == ["own_llm"]


def test_a_lost_attempt_counts_as_own(acme: Tenant, access: TenantAccess, endpoint: ScriptedLLM) -> None:
    """The attempt fails after the model has answered, so its tokens come from the meter."""
    own_llm.save_own_llm(access, own_llm.LLMChoice(endpoint.url, "mine", KEY))
    endpoint.chat.otherwise = lambda _: "No JSON."
    call = Caller(make_key_with_text(acme)[1])
    call("POST", "/v1/banks/notes/memories", {"items": [{"content": "Ana Reis sold her boat."}]})
    with tenant_transaction(acme.id):
        rows = list(UsageRecord.objects.for_tenant(acme.id))
    parts = [part for row in rows for part in row.by_model if part["output_tokens"]]
    assert {(part["service"], part["model"]) for part in parts} == {("own_llm", "mine")}


def test_the_meter_counts_its_calls_as_own(endpoint: ScriptedLLM) -> None:
    with metered() as meter:
        own_llm.build_llm(own_llm.LLMChoice(endpoint.url, "mine", KEY), retries=0).complete(HELLO)
    assert [part.service for part in meter.usage.models] == ["own_llm"]
