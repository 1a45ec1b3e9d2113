"""Requests of clients of version 1.0 and earlier."""

from typing import Any

import pytest

from tenants.models import Tenant
from tests.api.conftest import Caller
from tests.factories import make_key_with_text
from tests.retrieval.memory import Memory

SAID = [{"role": "user", "content": "I keep bees."}]
OLD = {"org_id": "o", "project_id": "p", "version": "v2", "no_such": 1}


@pytest.fixture
def call(alice: Tenant) -> Caller:
    return Caller(make_key_with_text(alice)[1])


def test_an_add_answers_with_a_list_or_an_object_around_it(call: Caller) -> None:
    body = {"messages": SAID, "user_id": "bob", **OLD}
    (queued,) = call("POST", "/v1/memories/", body | {"async_mode": True}).json()
    assert (queued["status"], set(queued)) == ("PENDING", {"message", "status", "event_id"})
    wrapped = call("POST", "/v1/memories/", body | {"output_format": "v1.1"}).json()
    assert (wrapped["results"][0]["status"], wrapped["relations"]) == ("PENDING", [])


def test_an_add_that_waits_answers_with_the_memories(call: Caller) -> None:
    (added,) = call("POST", "/v1/memories/", {"messages": SAID, "user_id": "bob", "async_mode": False}).json()
    assert (added["event"], "bees" in added["memory"]) == ("ADD", True)


def test_lists_of_version_one_and_two(call: Caller, memory: Memory) -> None:
    for days, text in enumerate(("Bob has a boat", "Bob has a bike"), 1):
        memory.unit(text, days=days, tags=["user:bob"])
    every = ["Bob has a boat", "Bob has a bike"]
    assert texts(call("GET", "/v1/memories/?user_id=bob&org_id=o").json()) == every
    page = call("GET", "/v1/memories/?user_id=bob&page=2&page_size=1").json()
    assert (page["count"], texts(page["results"])) == (2, every[1:])
    assert "user_id=bob" in page["previous"]
    assert call("GET", "/v1/memories/?user_id=bob&fields=memory").json()[0].keys() == {"id", "memory"}
    assert texts(call("POST", "/v2/memories/", {"filters": {"AND": [{"user_id": "bob"}]}, **OLD}).json()) == every
    assert call("POST", "/v2/memories/", {"filters": {"user_id": "bob"}, "page": 1}).json()["count"] == 2
    wrapped = call("POST", "/v2/memories/", {"user_id": "bob", "output_format": "v1.1"}).json()
    assert texts(wrapped["results"]) == every
    assert texts(call("GET", '/v1/memories/?user_id=bob&filters={"keywords": "bike"}').json()) == every[1:]
    assert texts(call("GET", "/v1/memories/?user_id=bob&categories=a&categories=b").json()) == []
    assert call("GET", "/v1/memories/").status_code == 400


def test_searches_of_version_one_and_two(call: Caller, memory: Memory) -> None:
    memory.unit("Bob has a boat", tags=["user:bob"])
    body = {"query": "Bob has a boat", **OLD}
    assert texts(call("POST", "/v1/memories/search/", body | {"user_id": "bob"}).json()) == ["Bob has a boat"]
    found = call("POST", "/v2/memories/search/", body | {"filters": {"user_id": "bob"}, "limit": 5}).json()
    assert texts(found) == ["Bob has a boat"]
    wrapped = call("POST", "/v1/memories/search/", body | {"user_id": "bob", "output_format": "v1.1"}).json()
    assert texts(wrapped["results"]) == ["Bob has a boat"]


def test_the_newest_version_requires_ids_inside_the_filters(call: Caller) -> None:
    for path in ("/v3/memories/", "/v3/memories/search/"):
        answer = call("POST", path, {"query": "boat", "user_id": "bob"})
        assert (answer.status_code, answer.json()["detail"]) == (400, "user_id must be inside filters.")


def texts(found: list[dict[str, Any]]) -> list[str]:
    return [memory["memory"] for memory in found]
