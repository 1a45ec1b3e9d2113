"""JSON values that can't be stored or shown are refused before anything is stored."""

from typing import Any
from urllib.parse import quote

import pytest

from banks.models import UnitMetadata
from memoryplatform.api.serializers import DEEPEST_JSON, find_json_fault
from tenants.models import Tenant
from tests.api.conftest import Caller
from tests.factories import make_key_with_text
from tests.memory_factories import make_row
from tests.retrieval.memory import Memory

BOB = {"user_id": "bob"}
SHAPE = {"detail", "error", "message"}
DEEP = b"[" * (DEEPEST_JSON + 1) + b"]" * (DEEPEST_JSON + 1)
# Raw JSON, as it is sent.
BAD = {
    "half a character": rb'["\ud800"]',
    "half a character in a name": rb'{"\udfff": 1}',
    "a null character": rb'{"a": [{"b": "\u0000"}]}',
    "a null character in a name": rb'{"\u0000": 1}',
    "a large integer": b"[18446744073709551616]",
    "a small integer": b"-9223372036854775809",
    "an endless number": b"[1e999]",
    "a deep list": DEEP,
}
NO_JSON = ["...", "1j", "b'x'", "{1, 2}", "(1, 2)", "{1: 2}", "[1e999]", r"'\ud800'"]


@pytest.fixture
def call(alice: Tenant) -> Caller:
    return Caller(make_key_with_text(alice)[1])


def refuses(answer: Any) -> bool:
    return answer.status_code == 400 and set(answer.json()) == SHAPE


def test_it_is_refused_wherever_it_comes_and_nothing_is_stored(call: Caller, memory: Memory) -> None:
    unit = memory.unit("Bob has a boat", tags=["user:bob"])
    where = f"/v1/memories/{unit.id}/"
    for method, path, body in (
        ("POST", "/v3/memories/add/", b'{"user_id": "bob", "messages": "Bob swims", "infer": false, "metadata": %s}'),
        ("PUT", where, b'{"text": "Bob swims", "metadata": %s}'),
        ("PUT", "/v1/batch/", b'{"memories": [{"memory_id": "%s", "metadata": %%s}]}' % str(unit.id).encode()),
        ("POST", "/v3/memories/", b'{"filters": {"user_id": "bob", "metadata": %s}}'),
        ("POST", "/v3/memories/search/", b'{"query": "boat", "filters": {"user_id": "bob", "metadata": %s}}'),
        ("POST", "/v1/exports/", b'{"filters": {"user_id": "bob"}, "schema": %s}'),
        ("POST", "/v1/exports/", b'{"schema": {"type": "array"}, "filters": {"user_id": "bob", "metadata": %s}}'),
        ("POST", "/v1/exports/get/", b'{"filters": {"user_id": "bob", "metadata": %s}}'),
    ):
        for what, value in BAD.items():
            answer = call(method, path, body % (b'{"inner": ' + value + b"}"))
            assert refuses(answer), (method, path, what, answer.content)
    shown = call("GET", where).json()
    assert (shown["memory"], shown["metadata"]) == ("Bob has a boat", {})
    assert call("POST", "/v3/memories/", {"filters": BOB}).json()["count"] == 1


def test_python_that_is_no_json_is_refused_in_a_query(call: Caller, memory: Memory) -> None:
    memory.unit("Bob has a boat", tags=["user:bob"])
    written = [f"metadata={{'a': {value}}}" for value in NO_JSON]
    written += [f"filters={{'metadata': {{'a': {value}}}}}" for value in NO_JSON]
    for query in [*written, "filters={1: 2}"]:
        for method in ("GET", "DELETE"):
            answer = call(method, f"/v1/memories/?user_id=bob&{quote(query, safe='=')}")
            assert refuses(answer), (method, query, answer.content)
    assert call("POST", "/v3/memories/", {"filters": BOB}).json()["count"] == 1


def test_unshowable_stored_values_are_shown_as_text(call: Caller, memory: Memory, alice: Tenant) -> None:
    unit = memory.unit("Bob has a boat", tags=["user:bob"])
    values = (r'json:["\ud800"]', f"json:{10**40}", "json:1e999", "json:{", "json:" + "[" * 400)
    stored = {f"name {place}": value for place, value in enumerate(values)}
    for name, value in stored.items():
        make_row(UnitMetadata, alice, unit=unit, bank_id=memory.bank.id, key=name, value=value)
    where = f"/v1/memories/{unit.id}/"
    assert call("GET", where).json()["metadata"] == stored
    (listed,) = call("POST", "/v3/memories/", {"filters": {"user_id": "*"}}).json()["results"]
    (found,) = call("POST", "/v3/memories/search/", {"query": "Bob boat", "filters": BOB}).json()["results"]
    assert listed["metadata"] == found["metadata"] == stored
    assert call("PUT", where, {"expiration_date": "2100-01-01"}).json()["metadata"] == stored


def test_storable_json_comes_back_unchanged(call: Caller) -> None:
    kept = {"a": [1, -(2**63), 2**64 - 1, 0.5, None, True, "ß🎉"], "b": {"c": {}}, "d": "json:", "e": []}
    body = BOB | {"messages": "I keep bees.", "infer": False, "metadata": kept}
    assert call("POST", "/v3/memories/add/", body).status_code == 200
    (listed,) = call("POST", "/v3/memories/", {"filters": BOB}).json()["results"]
    assert listed["metadata"] == kept


def test_nesting_is_counted_from_the_outside() -> None:
    value: Any = []
    for _ in range(DEEPEST_JSON - 1):
        value = {"a": value}
    assert find_json_fault(value) == ""
    assert find_json_fault([value])


def test_deleting_with_an_empty_filter_is_refused(call: Caller, memory: Memory) -> None:
    memory.unit("Bob has a boat", tags=["user:bob", "run:one"])
    for query in ("user_id=bob&run_id=", "user_id=bob&filters=", "user_id=bob&metadata="):
        answer = call("DELETE", f"/v1/memories/?{query}")
        assert refuses(answer), (query, answer.content)
        assert "Nothing is deleted" in answer.json()["detail"]
    assert refuses(call("DELETE", "/v1/memories/?user_id=&user_id=bob"))
    assert call("POST", "/v3/memories/", {"filters": BOB}).json()["count"] == 1
