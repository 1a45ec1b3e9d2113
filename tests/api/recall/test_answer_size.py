"""The size of an answer: which memories are results, and which of their fields are in the JSON."""

import json
from datetime import timedelta
from typing import Any

import pytest

from retrieval.types import RecallQuery
from tenants.models import Tenant
from tests.api.conftest import Caller
from tests.api.recall.conftest import Ask
from tests.factories import make_bank
from tests.retrieval.fake_relevance import use_lisbon_rule
from tests.retrieval.memory import NOW, Memory

BRIEF = {"id", "text", "type", "relevance", "mentioned_at"}
SENTENCE = (
    "Alice told her colleagues at the harbour office that she moved from Porto to Lisbon in the spring, because her "
    "sister Maria lives there with her family."
)


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[RecallQuery]:
    """The queries that reached the pipeline. Only memories about Lisbon are relevant."""
    return use_lisbon_rule(monkeypatch)


def test_only_relevant_memories_are_results_unless_the_caller_fills(
    memory: Memory, ask: Ask, asked: list[RecallQuery]
) -> None:
    memory.unit("Alice moved to Lisbon")
    memory.unit("Alice has a cat")
    body = ask("Where did Alice move?").json()
    assert [(one["text"], one["relevance"]) for one in body["results"]] == [("Alice moved to Lisbon", 0.877)]
    assert body["relevance"] == 0.877
    filled = ask("Where did Alice move?", fill=True).json()
    assert {one["text"]: one["relevance"] for one in filled["results"]} == {
        "Alice moved to Lisbon": 0.877,
        "Alice has a cat": 0.012,
    }
    assert filled["relevance"] == 0.877


def test_an_answer_without_results_has_no_relevance(memory: Memory, ask: Ask, asked: list[RecallQuery]) -> None:
    memory.unit("Alice has a cat")
    body = ask("Where did Alice move?").json()
    assert (body["results"], body["relevance"], body["tokens"]) == ([], 0.0, 0)


def test_a_trace_names_the_memories_that_were_not_relevant(memory: Memory, ask: Ask, asked: list[RecallQuery]) -> None:
    memory.unit("Alice moved to Lisbon")
    cat = memory.unit("Alice has a cat")
    trace = ask("Where did Alice move?", trace=True).json()["trace"]
    assert trace["cut_by_relevance"] == [str(cat.id)]
    assert (trace["query"]["fill"], trace["query"]["max_results"]) == (False, None)
    assert len(trace["reranked"]) == 2
    assert ask("Where did Alice move?", trace=True, fill=True).json()["trace"]["cut_by_relevance"] == []


@pytest.mark.parametrize("most", [1, 2, 1_000])
def test_there_are_at_most_as_many_results_as_asked_for(memory: Memory, ask: Ask, most: int) -> None:
    for name in ("Alice", "Bob", "Carol"):
        memory.unit(f"{name} moved to Lisbon")
    assert len(ask("Who moved to Lisbon?", max_results=most, fill=True).json()["results"]) == min(most, 3)


def test_the_limit_holds_across_banks(memory: Memory, alice: Tenant, call: Caller) -> None:
    memory.unit("Alice moved to Lisbon")
    Memory(make_bank(alice, bank_id="sales")).unit("Lisbon is a market")
    body = {"query": "Lisbon", "banks": ["support", "sales"], "fill": True}
    assert len(call("POST", "/v1/recall", body).json()["results"]) == 2
    (one,) = call("POST", "/v1/recall", {**body, "max_results": 1}).json()["results"]
    assert set(one) == BRIEF | {"bank_id"}


def test_a_typical_result_has_at_most_600_bytes(memory: Memory, ask: Ask) -> None:
    people = [memory.entity(name) for name in ("Alice", "Maria", "Lisbon")]
    unit = memory.unit(
        SENTENCE,
        tags=["people", "travel"],
        about=people,
        speaker="Alice",
        occurred_start=NOW - timedelta(days=90),
        occurred_end=NOW - timedelta(days=60),
    )
    memory.metadata(unit, "channel", "mail")
    (one,) = ask("Where did Alice move?").json()["results"]
    assert len(SENTENCE) >= 145
    assert len(json.dumps(one, separators=(",", ":")).encode()) <= 600
    assert set(one) == BRIEF | {"speaker", "entities", "tags", "metadata", "occurred_start", "occurred_end"}
    assert one["entities"] == ["Alice", "Lisbon", "Maria"]
    assert (one["speaker"], one["metadata"]) == ("Alice", {"channel": "mail"})


def test_a_memory_that_is_over_or_believed_says_so_without_being_asked(memory: Memory, ask: Ask) -> None:
    end = NOW - timedelta(days=2)
    memory.unit("Alice lives in Porto", days=9, expired_at=end, valid_until=end, close_reason="update")
    memory.unit("Porto is lovely", network="opinion", confidence=0.0)
    shown = {one["text"]: one for one in ask("Porto", history=True, fill=True).json()["results"]}
    assert set(shown["Alice lives in Porto"]) == BRIEF | {"valid_until", "close_reason"}
    assert set(shown["Porto is lovely"]) == BRIEF | {"confidence"}
    assert shown["Porto is lovely"]["confidence"] == 0.0


@pytest.mark.parametrize("name", ["scores", "sources", "details"])
def test_each_group_of_fields_comes_when_it_is_asked_for(memory: Memory, ask: Ask, name: str) -> None:
    unit = memory.unit("Alice moved to Lisbon")
    memory.quote(unit, memory.message("I moved to Lisbon"))
    (one,) = ask("Lisbon", include={name: {}}).json()["results"]
    shown = set(one) - BRIEF
    if name == "details":
        assert {"document_id", "passage", "proof_count", "valid_from", "bank_id", "tokens", "tags"} <= shown
        assert not {"scores", "sources"} & shown
        assert (one["bank_id"], one["tags"], one["passage"]) == ("support", [], None)
    else:
        assert shown == {name}
        assert one[name]
    (brief,) = ask("Lisbon", include={name: None}).json()["results"]
    assert set(brief) == BRIEF


@pytest.mark.parametrize(("sent", "expected"), [({}, (True, None)), ({"fill": False, "max_results": 7}, (False, 7))])
def test_reflect_fills_its_prompt_unless_told_otherwise(
    memory: Memory, call: Caller, asked: list[RecallQuery], sent: dict[str, Any], expected: tuple[bool, int]
) -> None:
    memory.unit("Alice moved to Lisbon")
    answer = call("POST", "/v1/banks/support/reflect", {"query": "Where does Alice live?", **sent})
    assert answer.status_code == 200, answer.content
    assert [(one.fills, one.max_results) for one in asked] == [expected]
