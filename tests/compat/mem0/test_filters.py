"""The grammar of filters, in lists and in searches."""

from typing import Any

import pytest
from django.db.models.expressions import RawSQL

from banks.models import Bank, MemoryUnit
from memoryplatform.api.compat.mem0 import search
from tenants.models import Tenant
from tenants.transactions import tenant_transaction
from tests.api.conftest import Caller
from tests.clock import holds_to_a_time
from tests.factories import make_bank, make_key_with_text
from tests.retrieval.memory import Memory

BOB, CAROL = {"user_id": "bob"}, {"user_id": "carol"}
EVERYBODY = {"user_id": "*"}


@pytest.fixture
def call(alice: Tenant) -> Caller:
    return Caller(make_key_with_text(alice)[1])


@pytest.fixture
def units(alice: Tenant, memory: Memory) -> dict[str, MemoryUnit]:
    """NOW of the factory is 2026-06-15; each is a day older than the one before."""
    carols = Memory(make_bank(alice, bank_id="mem0:user:carol"))
    agents = Memory(make_bank(alice, bank_id="mem0:agent:nora"))
    Memory(make_bank(alice, bank_id="support")).unit("A boat that is not theirs", tags=["user:bob"])
    found = {
        "boat": memory.unit("Bob has a red boat", days=1, tags=["user:bob", "agent:nora", "category:toys"]),
        "bike": memory.unit("Bob has a Red bike", days=2, tags=["user:bob", "run:r1"]),
        "cat": carols.unit("Carol has a cat", days=3, tags=["user:carol", "agent:nora", "category:pets"]),
        "duty": agents.unit("Nora has a duty", days=4, tags=["agent:nora"]),
    }
    memory.metadata(found["boat"], "place", "harbour")
    memory.metadata(found["bike"], "place", "json:7")
    memory.metadata(found["boat"], "owner", "json:null")
    memory.metadata(found["bike"], "mem0.expiration_date", "2190-05-05")
    return found


CASES: list[tuple[Any, set[str]]] = [
    (BOB, {"boat", "bike"}),
    ({"user_id": "bo"}, set()),
    ({"user_id": {"in": ["bob", "carol", "dan"]}}, {"boat", "bike", "cat"}),
    ({"user_id": ["bob", "carol"]}, {"boat", "bike", "cat"}),
    ({"user_id": {"ne": "bob"}}, {"cat", "duty"}),
    ({"user_id": {"contains": "ar"}}, {"cat"}),
    ({"user_id": {"contains": "AR"}}, set()),
    ({"user_id": {"icontains": "AR"}}, {"cat"}),
    ({"user_id": {"icontains": "user"}}, set()),
    (EVERYBODY, {"boat", "bike", "cat"}),
    ({"agent_id": "nora"}, {"boat", "cat", "duty"}),
    ({"agent_id": "nora", "user_id": None}, {"duty"}),
    ({"agent_id": "nora", **BOB}, {"boat"}),
    ({"run_id": "*"}, {"bike"}),
    ({"AND": [BOB, {"agent_id": "*"}]}, {"boat"}),
    ({"OR": [CAROL, {"run_id": "r1"}]}, {"cat", "bike"}),
    ({"run_id": {"in": []}} | BOB, set()),
    ({"AND": [{"agent_id": "nora"}, {"NOT": [BOB, CAROL]}]}, {"duty"}),
    ({"AND": [{"agent_id": "nora"}, {"NOT": CAROL}]}, {"boat", "duty"}),
    ({"and": [BOB, {"not": {"run_id": "r1"}}]}, {"boat"}),
    (EVERYBODY | {"categories": {"in": ["toys", "pets"]}}, {"boat", "cat"}),
    (EVERYBODY | {"categories": {"contains": "toys"}}, {"boat"}),
    (EVERYBODY | {"categories": {"icontains": "TOY"}}, {"boat"}),
    (EVERYBODY | {"categories": "*"}, {"boat", "cat"}),
    (BOB | {"metadata": {"place": "harbour"}}, {"boat"}),
    (BOB | {"metadata": {"place": 7}}, {"bike"}),
    (BOB | {"metadata": {"place": "7"}}, set()),
    (BOB | {"metadata": {"place": {"in": ["harbour", 7]}}}, {"boat", "bike"}),
    (BOB | {"metadata": {"place": {"ne": "harbour"}}}, {"bike"}),
    (BOB | {"metadata": {"place": {"contains": "arb"}}}, {"boat"}),
    (BOB | {"metadata": {"place": "*"}}, {"boat", "bike"}),
    (BOB | {"metadata": {"other": "*"}}, set()),
    (BOB | {"metadata": {"place": None}}, set()),
    (BOB | {"metadata": {"owner": None}}, {"boat", "bike"}),
    (BOB | {"metadata": {"owner": "*"}}, set()),
    (BOB | {"metadata": {"place": {"ne": None}}}, {"boat", "bike"}),
    (BOB | {"metadata": {"place": {"exists": True}}}, {"boat", "bike"}),
    (BOB | {"metadata": {"owner": {"exists": False}}}, {"boat", "bike"}),
    (BOB | {"metadata": {"place": {"nin": ["harbour", "pier"]}}}, {"bike"}),
    (BOB | {"metadata": {"place": {"gte": 7}}}, {"bike"}),
    (BOB | {"metadata": {"place": {"gt": 6.5, "lte": 7}}}, {"bike"}),
    (BOB | {"metadata": {"place": {"gt": 7}}}, set()),
    (BOB | {"metadata": {"mem0.expiration_date": {"lte": "2190-05-05"}}}, {"bike"}),
    (BOB | {"OR": [{"metadata": {"place": {"lt": 8}}}, {"created_at": {"gte": "2026-06-14"}}]}, {"boat", "bike"}),
    (EVERYBODY | {"created_at": {"gte": "2026-06-13"}}, {"boat", "bike"}),
    (EVERYBODY | {"created_at": {"gt": "2026-06-13"}}, {"boat"}),
    (EVERYBODY | {"created_at": {"lte": "2026-06-13"}}, {"bike", "cat"}),
    (EVERYBODY | {"created_at": {"lt": "2026-06-13"}}, {"cat"}),
    (EVERYBODY | {"created_at": "2026-06-13"}, {"bike"}),
    (EVERYBODY | {"timestamp": {"gte": "2026-06-13T12:00:00Z", "lte": "2026-06-14T12:00:00Z"}}, {"boat", "bike"}),
    (EVERYBODY | {"timestamp": {"gt": "2026-06-13T12:00:00Z"}}, {"boat"}),
    (EVERYBODY | {"timestamp": {"lt": 1781352000}}, {"cat"}),
    (EVERYBODY | {"updated_at": {"lt": "2026-01-01"}}, set()),
    (EVERYBODY | {"expiration_date": {"gte": "2190-05-05"}}, {"bike"}),
    (EVERYBODY | {"expiration_date": {"gt": "2190-05-05"}}, set()),
    (EVERYBODY | {"expiration_date": None}, {"boat", "cat"}),
    (EVERYBODY | {"keywords": {"contains": "Red"}}, {"bike"}),
    (EVERYBODY | {"keywords": {"icontains": "Red"}}, {"boat", "bike"}),
]


def name_found(units: dict[str, MemoryUnit], results: list[dict[str, Any]]) -> set[str]:
    names = {str(unit.id): name for name, unit in units.items()}
    return {names[one["id"]] for one in results}


def test_lists_and_searches_follow_every_filter(call: Caller, units: dict[str, MemoryUnit]) -> None:
    for filters, expected in CASES:
        listed = call("POST", "/v3/memories/", {"filters": filters})
        assert listed.status_code == 200, (filters, listed.content)
        assert name_found(units, listed.json()["results"]) == expected, filters
        body = {"query": "Who has a red boat, bike, cat, duty?", "filters": filters, "threshold": 0}
        assert name_found(units, call("POST", "/v3/memories/search/", body).json()["results"]) == expected, filters


def test_a_search_finds_matches_of_the_filters_at_any_distance(call: Caller, units: dict[str, MemoryUnit]) -> None:
    for filters, expected in (
        (BOB, ["boat", "bike"]),
        (BOB | {"keywords": {"icontains": "BIKE"}}, ["bike"]),
        ({"user_id": {"contains": "ar"}}, ["cat"]),
        (BOB | {"created_at": {"gte": "2190-01-01"}}, []),
    ):
        body = {"query": "boat", "filters": filters, "threshold": 0}
        results = call("POST", "/v3/memories/search/", body).json()["results"]
        assert [one["id"] for one in results] == [str(units[name].id) for name in expected], filters
        for less, left in (({"top_k": 1}, results[:1]), ({"threshold": 0.99}, [])):
            assert call("POST", "/v3/memories/search/", body | less).json()["results"] == left, (filters, less)


@holds_to_a_time
def test_a_slow_search_returns_recalls_results(
    call: Caller, units: dict[str, MemoryUnit], monkeypatch: pytest.MonkeyPatch
) -> None:
    body = {"query": "boat", "filters": BOB, "threshold": 0}
    boat, _bike = call("POST", "/v3/memories/search/", body).json()["results"]
    monkeypatch.setattr(search, "NEAREST_SECONDS", 0.05)
    monkeypatch.setattr(search, "CosineDistance", lambda *_: RawSQL("(SELECT 0.5 FROM pg_sleep(0.2))", ()))
    assert call("POST", "/v3/memories/search/", body).json()["results"] == [boat]


def test_memories_are_asked_for_by_their_ids(call: Caller, units: dict[str, MemoryUnit]) -> None:
    filters = EVERYBODY | {"memory_ids": [str(units["boat"].id), str(units["cat"].id)]}
    listed = call("POST", "/v3/memories/", {"filters": filters}).json()
    assert name_found(units, listed["results"]) == {"boat", "cat"}


def test_top_level_filters_apply(call: Caller, units: dict[str, MemoryUnit]) -> None:
    for beside, expected in (
        ({"start_date": "2026-06-13", "end_date": "2026-06-13"}, {"bike"}),
        ({"categories": ["toys"]}, {"boat"}),
        ({"keywords": "BIKE"}, {"bike"}),
        ({"metadata": {"place": "harbour"}}, {"boat"}),
    ):
        listed = call("POST", "/v3/memories/", {"filters": EVERYBODY, **beside}).json()
        assert name_found(units, listed["results"]) == expected, beside


REFUSED: list[Any] = [
    None,
    [],
    "user_id",
    {},
    {"metadata": {"a": "b"}},
    {"created_at": {"gte": "2026-01-01"}},
    BOB | {"usr_id": "bob"},
    BOB | {"created_at": {"gte": "soon"}},
    BOB | {"created_at": {"gte": 1e300}},
    BOB | {"created_at": {"contains": "2026"}},
    BOB | {"metadata": "x"},
    BOB | {"metadata": {"a": {"gt": "high"}}},
    BOB | {"metadata": {"a": {"gt": True}}},
    BOB | {"metadata": {"a": {"gte": 3, "lt": "2026-01-01"}}},
    BOB | {"metadata": {"a": {"gte": 3, "lt": 3}}},
    BOB | {"metadata": {"a": {"exists": "yes"}}},
    BOB | {"metadata": {"a": {"nin": "b"}}},
    BOB | {"metadata": {"a": "b" * 1_000_000}},
    BOB | {"created_at": {"gte": "2026-06-14", "lt": "2026-06-13"}},
    BOB | {"OR": [{"metadata": {"a": "b"}}] * 1_000},
    BOB | {"metadata": {"a" * 101: "b"}},
    BOB | {"metadata": {"a": "b" * 501}},
    BOB | {"memory_ids": ["x"]},
    BOB | {"memory_ids": [7]},
    BOB | {"AND": "x"},
    BOB | {"AND": []},
    BOB | {"OR": []},
    BOB | {"NOT": []},
    BOB | {"NOT": {}},
    BOB | {"metadata": {}},
    {"OR": [BOB, {}]},
    {"AND": [BOB, {"OR": [{"run_id": "r1"}, {"AND": [{}]}]}]},
    BOB | {"categories": {"gt": "x"}},
    BOB | {"keywords": {"gt": "x"}},
    BOB | {"expiration_date": "soon"},
    {"user_id": {}},
    {"user_id": {"like": "b"}},
    {"user_id": {"gt": "b"}},
    {"user_id": {"in": "bob"}},
    {"user_id": {"in": ["bob"] * 1_001}},
    {"user_id": True},
    {"user_id": "a\x00b"},
    {"user_id": "\ud800"},
    {"user_id": {"contains": "\x00"}},
    {"user_id": ""},
    {"user_id": " "},
    {"user_id": "x" * 151},
    {"OR": [BOB] * 101},
]


def test_a_filter_that_can_not_be_followed_is_refused(call: Caller) -> None:
    for filters in REFUSED:
        for path, body in (("/v3/memories/", {}), ("/v3/memories/search/", {"query": "boat"})):
            answer = call("POST", path, body | {"filters": filters})
            assert answer.status_code == 400, (filters, answer.content)
            assert answer.json()["detail"] == answer.json()["error"]


def test_a_filter_nested_without_end_is_refused(call: Caller) -> None:
    filters: dict[str, Any] = BOB
    for _ in range(11):
        filters = {"AND": [filters]}
    assert call("POST", "/v3/memories/", {"filters": filters}).status_code == 400


def test_of_too_many_owners_those_with_the_nearest_memories_are_searched(
    call: Caller, units: dict[str, MemoryUnit], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search, "MOST_BANKS", 1)
    for question, name in (("Carol has a cat", "cat"), ("Bob has a red boat", "boat")):
        body = {"query": question, "filters": EVERYBODY, "threshold": 0}
        results = call("POST", "/v3/memories/search/", body).json()["results"]
        assert results[0]["id"] == str(units[name].id)
        assert {one["user_id"] for one in results} == {results[0]["user_id"]}


def test_with_too_many_owners_only_matches_of_the_filters_are_compared(
    call: Caller, units: dict[str, MemoryUnit], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search, "MOST_BANKS", 1)
    filters = {"AND": [EVERYBODY, {"NOT": {"categories": "pets"}}]}
    body = {"query": "Carol has a cat", "filters": filters, "threshold": 0}
    assert {one["user_id"] for one in call("POST", "/v3/memories/search/", body).json()["results"]} == {"bob"}


def test_of_too_many_owners_those_with_vectors_of_another_model_are_left_out(
    call: Caller, units: dict[str, MemoryUnit], alice: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search, "MOST_BANKS", 1)
    with tenant_transaction(alice.id):
        Bank.objects.for_tenant(alice.id).filter(bank_id="mem0:user:carol").update(embedding_model="another")
        MemoryUnit.objects.for_tenant(alice.id).filter(id=units["cat"].id).update(embedding=[1.0, 0.0, 0.0])
    body = {"query": "Carol has a cat", "filters": EVERYBODY, "threshold": 0}
    assert {one["user_id"] for one in call("POST", "/v3/memories/search/", body).json()["results"]} == {"bob"}


def test_a_search_of_too_many_owners_is_refused(
    call: Caller, units: dict[str, MemoryUnit], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search, "MOST_OWNERS", 1)
    answer = call("POST", "/v3/memories/search/", {"query": "boat", "filters": EVERYBODY})
    assert (answer.status_code, "more than 1 owners" in answer.json()["detail"]) == (400, True)
    assert call("POST", "/v3/memories/search/", {"query": "boat", "filters": BOB}).status_code == 200


@holds_to_a_time
def test_a_slow_comparison_of_owners_is_refused(
    call: Caller, units: dict[str, MemoryUnit], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search, "MOST_BANKS", 1)
    monkeypatch.setattr(search, "CHOOSING_SECONDS", 0.001)
    slow = RawSQL("(SELECT 1.0 FROM pg_sleep(1))", [])
    monkeypatch.setattr(search, "Min", lambda _distance: slow)
    answer = call("POST", "/v3/memories/search/", {"query": "boat", "filters": EVERYBODY})
    assert (answer.status_code, "user_ids" in answer.json()["detail"]) == (400, True)


def test_a_search_of_many_owners_is_several_recalls_in_one_order(
    call: Caller, units: dict[str, MemoryUnit], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search, "BANKS_A_RECALL", 1)
    body = {"query": "Carol has a cat", "filters": {"user_id": "*"}, "threshold": 0}
    results = call("POST", "/v3/memories/search/", body).json()["results"]
    assert (results[0]["id"], len(results)) == (str(units["cat"].id), 3)
    assert [one["score"] for one in results] == sorted((one["score"] for one in results), reverse=True)


def test_observations_are_not_shown(call: Caller, memory: Memory) -> None:
    """Observations are derived from memories, and opinions that the agent formed belong to no user."""
    memory.unit("Bob likes the sea", network="observation", tags=["user:bob"])
    memory.unit("Boats are good", network="opinion", confidence=0.7)
    told = memory.unit("Bob has a raft", tags=["user:bob"])
    assert call("POST", "/v3/memories/", {"filters": BOB}).json()["count"] == 1
    assert call("GET", f"/v1/memories/{told.id}/").status_code == 200
