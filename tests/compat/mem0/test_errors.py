"""Bad input and other edge cases: errors have mem0's shape and are never a 500."""

from typing import Any
from uuid import uuid4

import httpx
import pytest
from mem0.exceptions import AuthenticationError, MemoryNotFoundError, ValidationError

from tenants.models import Tenant
from tests.api.conftest import Caller
from tests.compat.mem0.quiet_client import MemoryClient
from tests.factories import make_key_with_text
from tests.retrieval.memory import Memory

BOB = {"user_id": "bob"}


@pytest.fixture
def call(alice: Tenant) -> Caller:
    return Caller(make_key_with_text(alice)[1])


def test_a_key_is_taken_as_a_token_a_bearer_token_or_alone(base_url: str, alice: Tenant) -> None:
    key = make_key_with_text(alice)[1]
    for header, expected in (
        (f"Token {key}", 200),
        (f"token {key}", 200),
        (f"Bearer {key}", 200),
        (key, 200),
        (f"Basic {key}", 401),
        ("Token mpk_no", 401),
        ("Token", 401),
        ("", 401),
    ):
        answer = httpx.get(f"{base_url}/v1/ping/", headers={"Authorization": header})
        assert answer.status_code == expected, header
    assert httpx.get(f"{base_url}/v1/banks", headers={"Authorization": f"Token {key}"}).status_code == 401
    assert httpx.get(f"{base_url}/v1/banks", headers={"Authorization": key}).status_code == 200


def test_the_client_says_that_its_key_is_wrong(base_url: str, alice: Tenant) -> None:
    with httpx.Client() as own, pytest.raises(ValueError, match="Authentication failed"):
        MemoryClient(api_key="mpk_no", host=base_url, client=own)


def test_the_client_raises_its_own_errors(client: MemoryClient, alice: Tenant) -> None:
    with pytest.raises(MemoryNotFoundError, match="Memory not found!"):
        client.get(str(uuid4()))
    with pytest.raises(ValidationError, match="memory_id should be a valid UUID"):
        client.get("x y")
    with pytest.raises(ValidationError, match="At least one of user_id, agent_id, app_id, run_id is required"):
        client.add("I keep bees.")
    with pytest.raises(ValidationError, match="user_id, agent_id, app_id, run_id is required"):
        client.get_all(filters={})
    with pytest.raises(ValidationError, match="Maximum of 1000 memories can be deleted"):
        client.batch_delete([{"memory_id": str(uuid4())}] * 1_001)
    with pytest.raises(MemoryNotFoundError):
        client.batch_delete([{"memory_id": str(uuid4())}])
    reader = MemoryClient(api_key=make_key_with_text(alice, scopes=["read"])[1], host=client.host)
    with pytest.raises(AuthenticationError, match="lacks the scope"):
        reader.add("I keep bees.", user_id="bob")
    reader.client.close()


ADDS: list[Any] = [
    [],
    "text",
    {},
    BOB,
    BOB | {"messages": None},
    BOB | {"messages": []},
    BOB | {"messages": [3]},
    BOB | {"messages": ""},
    BOB | {"messages": [{"role": "user"}]},
    BOB | {"messages": [{"role": "king", "content": "x"}]},
    BOB | {"messages": " "},
    BOB | {"messages": [{"role": "king", "content": None}]},
    BOB | {"messages": "x", "metadata": []},
    BOB | {"messages": "x", "metadata": {"a": "b" * 501}},
    BOB | {"messages": "x", "metadata": {"mem0.immutable": "true"}},
    BOB | {"messages": "x", "timestamp": "soon"},
    BOB | {"messages": "x", "timestamp": 10**30},
    BOB | {"messages": "x", "timestamp": True},
    BOB | {"messages": "x", "expiration_date": "soon"},
    BOB | {"messages": "x", "infer": "perhaps"},
    BOB | {"messages": "a\x00b"},
    BOB | {"messages": "x", "filters": []},
    BOB | {"messages": "x", "filters": {"user_id": "carol"}},
    {"messages": "x", "user_id": "*"},
    {"messages": "x", "user_id": {"a": 1}},
    {"messages": "x", "user_id": ["a"]},
    {"messages": "x", "user_id": "/" * 80},
    {"messages": "x", "user_id": "."},
    {"messages": "x", "agent_id": ".."},
    {"messages": "x", "user_id": "%2E%2E"},
]


def test_invalid_additions_are_refused(call: Caller) -> None:
    for body in ADDS:
        for path in ("/v3/memories/add/", "/v1/memories/"):
            for given in (body, body | {"infer": False} if isinstance(body, dict) and "infer" not in body else body):
                answer = call("POST", path, given)
                assert answer.status_code == 400, (given, answer.content)
                assert set(answer.json()) == {"detail", "error", "message"}
    assert call("GET", "/v1/entities/").json()["results"] == []


def test_other_bad_requests_are_refused(call: Caller, memory: Memory) -> None:
    unit = memory.unit("Bob has a boat", tags=["user:bob"])
    asked = {"query": "boat", "filters": BOB}
    where = f"/v1/memories/{unit.id}/"
    deep: Any = {"properties": {"a": {"$ref": "#"}, "b": {"$ref": "#"}}}
    for method, path, body in (
        ("POST", "/v3/memories/", b"{"),
        ("POST", "/v3/memories/", []),
        ("POST", "/v3/memories/?page=0", {"filters": BOB}),
        ("POST", "/v3/memories/?page_size=x", {"filters": BOB}),
        ("POST", "/v3/memories/search/", []),
        ("POST", "/v3/memories/search/", asked | {"query": "?!"}),
        ("POST", "/v3/memories/search/", asked | {"query": ""}),
        ("POST", "/v3/memories/search/", asked | {"top_k": 0}),
        ("POST", "/v3/memories/search/", asked | {"top_k": 10**30}),
        ("POST", "/v3/memories/search/", asked | {"threshold": "x"}),
        ("POST", "/v3/memories/search/", asked | {"fields": "x"}),
        ("POST", "/v3/memories/search/", asked | {"reference_date": "soon"}),
        ("POST", "/v3/memories/search/", asked | {"categories": "x"}),
        ("PUT", where, {}),
        ("PUT", where, []),
        ("PUT", where, {"text": ""}),
        ("PUT", where, {"metadata": "x"}),
        ("PUT", where, {"timestamp": {}}),
        ("PUT", where, {"expiration_date": "soon"}),
        ("PUT", "/v1/batch/", {}),
        ("PUT", "/v1/batch/", {"memories": [3]}),
        ("PUT", "/v1/batch/", {"memories": [{"memory_id": 3}]}),
        ("PUT", "/v1/batch/", {"memories": [{"memory_id": str(unit.id)}]}),
        ("DELETE", "/v1/batch/", []),
        ("DELETE", "/v1/memories/?user_id=", None),
        ("DELETE", "/v1/memories/?user_id=bob&filters=x", None),
        ("DELETE", "/v1/memories/?user_id=bob&metadata=[", None),
        ("DELETE", f"/v1/memories/?user_id=bob&filters={'[' * 9_000}", None),
        ("DELETE", "/v1/memories/?user_id=%00", None),
        ("GET", "/v2/entities/king/bob/", None),
        ("DELETE", "/v2/entities/user/%00/", None),
        ("GET", "/v1/event/x/", None),
        ("POST", "/v1/feedback/", {"memory_id": str(unit.id), "feedback": "MEH"}),
        ("POST", "/v1/feedback/", []),
        ("POST", "/v1/exports/", {"filters": BOB}),
        ("POST", "/v1/exports/", {"schema": "{", "filters": BOB}),
        ("POST", "/v1/exports/", {"schema": {"type": "array"}}),
        ("POST", "/v1/exports/", {"schema": {"type": "array"}, "filters": []}),
        ("POST", "/v1/exports/", {"schema": deep, "filters": BOB}),
        ("POST", "/v1/exports/get/", {}),
        ("POST", "/v1/exports/get/", {"memory_export_id": "x"}),
    ):
        answer = call(method, path, body)
        assert answer.status_code == 400, (method, path, body, answer.content)
        assert set(answer.json()) == {"detail", "error", "message"}
    assert call("GET", where).json()["memory"] == "Bob has a boat"


def test_a_text_that_another_memory_has_is_refused(call: Caller, memory: Memory) -> None:
    first, second = (memory.unit(text, tags=["user:bob"]) for text in ("Bob has a boat", "Bob has a bike"))
    assert call("PUT", f"/v1/memories/{first.id}/", {"text": "Bob has a tram"}).status_code == 200
    assert call("PUT", f"/v1/memories/{second.id}/", {"text": "Bob has a tram"}).status_code == 409


def test_a_key_that_is_sent_again_adds_once(call: Caller) -> None:
    body = BOB | {"messages": "I keep bees.", "infer": False}
    first = call("POST", "/v3/memories/add/", body, Idempotency_Key="k1")
    again = call("POST", "/v3/memories/add/", body, Idempotency_Key="k1")
    assert (first.json(), again.headers["Idempotency-Replayed"]) == (again.json(), "true")


def test_an_unknown_path_gets_mem0s_error_shape(call: Caller) -> None:
    for path in (
        "/v3/foo/",
        "/v3",
        "/v2/memories/x/y/",
        "/v1/memories/x/y/z/",
        "/v1/memories",
        "/v1/exports/nowhere/",
        "/api/v1/webhooks/zz/",
    ):
        answer = call("GET", path)
        assert (answer.status_code, set(answer.json())) == (404, {"detail", "error", "message"}), path
    for path in ("/v1/foo", "/v1/banks/a/b", "/v1/memoriesque", "/foo"):
        assert set(call("GET", path).json()) == {"detail", "code", "request_id"}, path


def test_faults_have_sentences_of_their_own(call: Caller, alice: Tenant) -> None:
    system = {"role": "system", "content": "Be brief."}
    for messages, fault in (
        ([system], "Must have a message whose role is not system."),
        ([], "Must be a list of at least one message."),
    ):
        answer = call("POST", "/v3/memories/add/", BOB | {"messages": messages, "infer": False})
        assert answer.json()["detail"] == f"messages: {fault}"
    stranger = Caller("mpk_no")("GET", "/v1/ping/")
    assert (stranger.status_code, stranger.headers["WWW-Authenticate"]) == (401, "Token")
    assert "Authorization: Token" in stranger.json()["detail"]


SEARCH, LIST = "/v3/memories/search/", "/v3/memories/"
ADDED: list[tuple[dict[str, Any], str]] = [
    ({"timestamp": "abc"}, "timestamp"),
    ({"messages": [{"role": "user", "content": "x"}, {"content": "x"}]}, "messages.1.role"),
    ({"messages": ["x", 3]}, "messages.1"),
    ({"messages": [{"role": "assistant", "content": None}, {"role": "user"}]}, "messages.1.content"),
    ({"filters": {"user_id": "carol"}}, "user_id"),
    ({"user_id": "*"}, "user_id"),
]
ASKED: list[tuple[str, dict[str, Any], str]] = [
    (LIST, {"start_date": "junk"}, "start_date"),
    (LIST, {"end_date": 1e300}, "end_date"),
    (LIST, {"categories": "x"}, "categories"),
    (LIST, {"metadata": {"a": {"gt": "high"}}}, "metadata.a"),
    (LIST, {"filters": BOB | {"created_at": {"gte": "nope"}}}, "filters.created_at"),
    (LIST, {"filters": {"OR": [BOB, {"expiration_date": "nope"}]}}, "filters.OR.expiration_date"),
    (LIST, {"filters": BOB | {"metadata": {"a": {"gt": "high"}}}}, "filters.metadata.a"),
    (LIST, {"filters": BOB | {"usr_id": "bob"}}, "filters.usr_id"),
    (LIST, {"filters": {"user_id": " "}}, "filters.user_id"),
    ("/v2/memories/", {"user_id": " "}, "user_id"),
    (SEARCH, {"reference_date": "nope"}, "reference_date"),
]


def test_faults_have_their_position(call: Caller, memory: Memory) -> None:
    for added, place in ADDED:
        for infer in (True, False):
            check_place(call("POST", "/v3/memories/add/", {"messages": "x", "infer": infer, **BOB, **added}), place)
    long = [{"role": "system", "content": "x"}, "x" * 200_000]
    check_place(call("POST", "/v3/memories/add/", {"messages": long, "infer": False, **BOB}), "messages.1.content")
    for path, asked, place in ASKED:
        check_place(call("POST", path, {"query": "boat", "filters": BOB, **asked}), place)
    unit = memory.unit("Bob has a boat", tags=["user:bob"])
    check_place(call("PUT", f"/v1/memories/{unit.id}/", {"timestamp": "nope"}), "timestamp")
    batch = [{"memory_id": str(unit.id), "text": "Bob has a bike"}, {"memory_id": str(unit.id), "timestamp": "nope"}]
    check_place(call("PUT", "/v1/batch/", {"memories": batch}), "memories.1.timestamp")
    assert call("GET", f"/v1/memories/{unit.id}/").json()["memory"] == "Bob has a boat"


def check_place(answer: Any, place: str) -> None:
    told = answer.json()["detail"]
    assert (answer.status_code, told.partition(":")[0]) == (400, place), told
