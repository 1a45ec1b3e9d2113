"""Relationships and episodes, searched by their text."""

from typing import Any

import pytest

from banks.models import Bank
from memoryplatform.operations import ranked_rows
from providers import registry
from providers.errors import ProviderError
from providers.once import Once
from retrieval.analysis import QueryVectors
from tenants.models import Tenant, UsageRecord
from tenants.transactions import tenant_transaction
from tests.api.conftest import Caller, MakeCaller
from tests.factories import make_bank
from tests.retrieval.fakes import WordEmbedder
from tests.retrieval.memory import NOW, Memory

ROUTES = ("relationships", "episodes")


@pytest.fixture(autouse=True)
def small_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "EMBEDDER", Once(WordEmbedder))
    monkeypatch.setattr(ranked_rows, "QUERY_VECTORS", QueryVectors())


@pytest.fixture
def memory(alice: Tenant) -> Memory:
    return Memory(make_bank(alice, bank_id="support"))


def add(memory: Memory, route: str, text: str, **fields: Any) -> Any:
    return memory.relationship(text, **fields) if route == "relationships" else memory.episode(text, **fields)


def get(call: Caller, route: str, **query: Any) -> Any:
    return call("GET", f"/v1/banks/support/{route}?" + "&".join(f"{name}={value}" for name, value in query.items()))


def texts(answer: Any) -> list[str]:
    return [item.get("text") or item["narrative"] for item in answer.json()["items"]]


@pytest.mark.parametrize("route", ROUTES)
def test_a_match_by_meaning_and_words_comes_first(call: Caller, memory: Memory, route: str) -> None:
    for text in ("Tom keeps bees.", "Alice lives in Porto.", "Alice plays chess."):
        add(memory, route, text, **({"value": text} if route == "relationships" else {}))
    found = get(call, route, q="Alice%20lives")
    assert texts(found)[0] == "Alice lives in Porto."
    best, *rest = found.json()["items"]
    assert best["score"] > rest[0]["score"] > rest[1]["score"] > 0
    assert best["bm25"] > rest[0]["bm25"] > 0
    assert rest[1]["bm25"] is None
    assert -1 <= rest[1]["cosine"] < best["cosine"] <= 1


@pytest.mark.parametrize("route", ROUTES)
def test_a_search_has_pages_by_offset_and_no_cursor(call: Caller, memory: Memory, route: str) -> None:
    for number in range(5):
        add(memory, route, f"Alice likes number {number}.")
    whole = get(call, route, q="Alice").json()["items"]
    page = get(call, route, q="Alice", limit=2, offset=2).json()
    assert page["items"] == whole[2:4]
    assert (page["total"], page["limit"], page["offset"], page["next_cursor"]) == (5, 2, 2, None)
    assert get(call, route, q="Alice", cursor=f"{whole[0]['id']}.00000000").status_code == 422
    assert get(call, route, q="%3F%21").json()["code"] == "query_without_words"


@pytest.mark.parametrize("route", ROUTES)
def test_a_search_is_bounded(call: Caller, memory: Memory, route: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ranked_rows, "MOST_RANKED", 2)
    for number in range(4):
        add(memory, route, f"Alice likes number {number}.")
    assert get(call, route, q="Alice").json()["total"] == 2


@pytest.mark.parametrize("route", ROUTES)
def test_a_plain_list_has_no_scores(call: Caller, memory: Memory, route: str) -> None:
    add(memory, route, "Alice lives in Porto.")
    (item,) = get(call, route).json()["items"]
    assert (item["score"], item["cosine"], item["bm25"]) == (None, None, None)


def test_the_filters_of_the_list_hold_for_the_search(call: Caller, memory: Memory) -> None:
    alice = memory.entity("Alice")
    porto = {"subject": alice, "value": "Porto", "expired_at": NOW, "close_reason": "update", "valid_until": NOW}
    memory.relationship("Alice lives in Porto.", **porto)
    memory.relationship("Alice lives in Lisbon.", subject=alice, value="Lisbon", valid_from=NOW)
    memory.relationship("Tom lives in Lisbon.", relation="stays_in", value="Lisbon")
    assert set(texts(get(call, "relationships", q="lives", entity_id=alice.id))) == {
        "Alice lives in Lisbon.",
        "Alice lives in Porto.",
    }
    assert texts(get(call, "relationships", q="lives", state="superseded")) == ["Alice lives in Porto."]
    assert texts(get(call, "relationships", q="lives", relation="stays_in")) == ["Tom lives in Lisbon."]
    assert texts(get(call, "relationships", q="Porto", state="current", subject_id=alice.id)) == [
        "Alice lives in Lisbon."
    ]
    before = texts(get(call, "relationships", q="Lisbon", as_of="2026-06-01", subject_id=alice.id))
    assert before == ["Alice lives in Porto."]
    for thread in ("work", "home"):
        memory.episode(f"They spoke of {thread}.", thread=thread)
    assert texts(get(call, "episodes", q="spoke", thread="home")) == ["They spoke of home."]


@pytest.mark.parametrize("route", ROUTES)
def test_another_tenants_texts_are_not_found(
    call: Caller, memory: Memory, charlie: Tenant, make_caller: MakeCaller, route: str
) -> None:
    add(memory, route, "Alice hides a secret.")
    foreign = make_caller(charlie, scopes=["admin"])
    assert get(foreign, route, q="secret").status_code == 404
    make_bank(charlie, bank_id="support")
    assert get(foreign, route, q="secret").json()["items"] == []
    assert texts(get(call, route, q="secret")) == ["Alice hides a secret."]


@pytest.mark.parametrize("route", ROUTES)
def test_another_bank_is_not_searched(call: Caller, memory: Memory, alice: Tenant, route: str) -> None:
    add(Memory(make_bank(alice, bank_id="other")), route, "Alice hides a secret.")
    assert get(call, route, q="secret").json()["items"] == []


@pytest.mark.parametrize("route", ROUTES)
def test_without_an_embedder_words_alone_are_searched(
    call: Caller, memory: Memory, route: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise ProviderError("down")

    for text in ("Tom keeps bees.", "Alice lives in Porto."):
        add(memory, route, text, **({"value": text} if route == "relationships" else {}))
    monkeypatch.setattr(WordEmbedder, "embed_query", fail)
    (item,) = get(call, route, q="Porto").json()["items"]
    assert (item["cosine"], item["bm25"] > 0) == (None, True)


def test_a_bank_with_vectors_of_another_model_is_searched_by_words(call: Caller, alice: Tenant) -> None:
    bank: Bank = make_bank(alice, bank_id="support", embedding_model="older")
    Memory(bank).episode("Alice lives in Porto.")
    Memory(bank).episode("Tom keeps bees.")
    assert texts(get(call, "episodes", q="Porto")) == ["Alice lives in Porto."]


def test_the_usage_of_a_search_is_recorded_once(call: Caller, memory: Memory, alice: Tenant) -> None:
    memory.episode("Alice lives in Porto.")
    for _ in range(2):
        get(call, "episodes", q="Porto%20please")
    with tenant_transaction(alice.id):
        (row,) = UsageRecord.objects.for_tenant(alice.id)
    assert (row.kind, row.bank_id, row.input_tokens, row.calls) == ("recall", "support", 2, 1)
