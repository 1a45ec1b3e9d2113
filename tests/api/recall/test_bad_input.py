"""A clear error or an empty result, never a 500."""

import json
from typing import Any

import pytest

from tests.api.conftest import Caller
from tests.api.recall.conftest import Ask
from tests.retrieval.memory import Memory

EARLY, LATE = "2026-01-01T00:00:00Z", "2026-02-01T00:00:00Z"
DEEP: dict[str, Any] = {"tags": ["a"]}
for _ in range(20):
    DEEP = {"not": DEEP}


@pytest.mark.parametrize("query", ["", "   \n\t ", "?!… — ¿", "\x00", "a\x00b", "x" * 100_001, True, None, ["Lisbon"]])
def test_a_query_that_can_not_be_searched_is_refused(ask: Ask, query: Any) -> None:
    answer = ask(query)
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (422, "query")


def test_a_query_with_half_a_character_is_refused(call: Caller, memory: Memory) -> None:
    answer = call("POST", "/v1/banks/support/memories/recall", b'{"query": "half \\ud800 of it"}')
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (422, "query")


@pytest.mark.parametrize(
    "query",
    [
        "the of and a",
        "x" * 100_000,
        "Lisbon " * 14_000,
        "里斯本在哪里?",
        "Где Алиса?",
        "أين أليس؟",
        "अलिस कहाँ है",
        "'; DROP TABLE banks_bank; -- %s {}",
    ],
)
def test_any_words_are_searched(memory: Memory, ask: Ask, query: str) -> None:
    memory.unit("Alice moved to Lisbon")
    answer = ask(query)
    assert answer.status_code == 200
    assert answer.json()["left_out"] == []


@pytest.mark.parametrize("max_tokens", [0, 1, 10_000_000])
def test_any_budget_of_tokens_holds(memory: Memory, ask: Ask, max_tokens: int) -> None:
    memory.unit("Alice moved to Lisbon")
    body = ask("Lisbon", max_tokens=max_tokens).json()
    assert body["tokens"] <= max_tokens
    assert bool(body["results"]) == (max_tokens > 0)


def test_a_bank_without_memories_has_an_empty_answer(memory: Memory, ask: Ask) -> None:
    body = ask("What did Alice do last spring?", trace=True).json()
    assert (body["results"], body["tokens"], body["left_out"]) == ([], 0, [])


@pytest.mark.parametrize(
    "filters",
    [
        {"tags": ["nobody"], "tags_match": "all_strict"},
        {"tag_groups": [{"or": []}]},
        {"tag_groups": [{"tags": []}]},
        {"metadata": {"channel": "none"}},
        {"entities": ["Nobody"]},
        {"document_ids": ["no such"]},
        {"occurred": {"start": "2199-01-01T00:00:00Z"}},
        {"mentioned": {"end": "1900-01-01T00:00:00Z"}},
        {"min_scores": {"final": 1e300}},
        {"types": ["observation"]},
        {"known_at": "1999-01-01T00:00:00Z"},
    ],
    ids=str,
)
def test_filters_that_nothing_passes_have_an_empty_answer(memory: Memory, ask: Ask, filters: dict[str, Any]) -> None:
    memory.unit("Alice moved to Lisbon", tags=["travel"])
    body = ask("Lisbon", **filters).json()
    assert (body["results"], body["left_out"]) == ([], [])


HUNDRED = [f"tag {number}" for number in range(100)]


@pytest.mark.parametrize(
    "filters",
    [
        {"metadata": dict.fromkeys(HUNDRED, "x")},
        {"tags": HUNDRED, "tags_match": "all_strict"},
        {"tags": HUNDRED, "tags_match": "exact"},
        {"tag_groups": [{"tags": [tag], "match": "any_strict"} for tag in HUNDRED]},
        {"tag_groups": [{"not": {"not": {"tags": HUNDRED[:15], "match": "all"}}} for _ in range(33)]},
        {"filters": {"or": [{"metadata": {name: {"contains": "x"}}, "tags": "tag 1"} for name in HUNDRED[1:25]]}},
        {"filters": {"not": {"or": [{"not": {"tags": tag}} for tag in HUNDRED[:25]], "entities": {"exists": False}}}},
    ],
    ids=["metadata", "all tags", "exact tags", "leaves", "nested leaves", "tree", "nested tree"],
)
def test_the_most_that_may_be_asked_of_a_memory_is_answered(memory: Memory, ask: Ask, filters: dict[str, Any]) -> None:
    answer = memory.unit("Alice moved to Lisbon", tags=HUNDRED)
    for name in HUNDRED:
        memory.metadata(answer, name, "x")
    memory.metadata(memory.unit("Bob moved to Lisbon", tags=[*HUNDRED[:1], "other"]), HUNDRED[0], "x")
    body = ask("Where did Alice move, Lisbon?", **filters).json()
    assert ([result["id"] for result in body["results"]], body["left_out"]) == ([str(answer.id)], [])


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("tag_groups", [{"tags": HUNDRED}] * 5 + [{"tags": ["one more"]}]),
        ("mentioned", {"start": "2026-05-19", "end": "2026-05-18T10:00:00Z"}),
        ("temporal_window", {"start": LATE, "end": EARLY}),
        ("temporal_window", {"start": EARLY}),
        ("occurred", {"start": LATE, "end": EARLY}),
        ("mentioned", {"start": "yesterday"}),
        ("types", ["world", "foo"]),
        ("budget", "huge"),
        ("thinking_budget", 0),
        ("thinking_budget", 10**30),
        ("max_tokens", -1),
        ("max_tokens", 10_000_001),
        ("max_tokens", "many"),
        ("as_of", "0001-01-01T00:00:00+23:00"),
        ("as_of", "2026-05-10T12:00:00+16:00"),
        ("temporal_window", {"start": "2026-05-10T12:00:00-16:00", "end": LATE}),
        ("query_timestamp", "9999-12-31T23:59:59-23:00"),
        ("query_timestamp", "0001-01-01T00:00:00+23:00"),
        ("tags", ["a\x00"]),
        ("tags", ["x" * 201]),
        ("tags", "travel"),
        ("tags_match", "some"),
        ("metadata", {"a\x00": "b"}),
        ("metadata", {"a": "\x00"}),
        ("entities", ["\x00"]),
        ("document_ids", ["a\x00"]),
        ("tag_groups", {"tags": ["a"]}),
        ("tag_groups", ["a"]),
        ("tag_groups", [{"tags": ["a\x00"]}]),
        ("tag_groups", [{"tags": [7, None]}]),
        ("tag_groups", [{"tags": ["a"], "match": ["any"]}]),
        ("tag_groups", [{"tags": ["a"], "resolve": "fuzzy"}]),
        ("tag_groups", [{"and": {"tags": ["a"]}}]),
        ("tag_groups", [{"and": [], "or": []}]),
        ("tag_groups", [{}]),
        ("tag_groups", [DEEP]),
        ("tag_groups", [{"and": [{"tags": ["a"]}] * 101}]),
        ("include", {"chunks": {"max_tokens": -1}}),
        ("include", {"photos": {}}),
        ("include", {"scores": True}),
        ("include", {"details": {"max_tokens": 5}}),
        ("max_results", 0),
        ("max_results", -3),
        ("max_results", 1_001),
        ("max_results", 10_001),
        ("max_results", "ten"),
        ("max_results", 2.5),
        ("max_results", True),
        ("fill", "yes"),
        ("fill", 1),
        ("fill", None),
        ("include", {"source_facts": {}}),
        ("prefer_observations", True),
        ("min_scores", {"final": "high"}),
        ("colour", "blue"),
    ],
    ids=lambda value: json.dumps(value)[:40],
)
def test_a_field_that_makes_no_sense_is_refused_by_its_name(ask: Ask, field: str, value: Any) -> None:
    answer = ask("Lisbon", **{field: value})
    assert answer.status_code == 422, answer.content
    assert {fault["field"].partition(".")[0] for fault in answer.json()["errors"]} == {field}


def test_half_a_character_in_a_tag_is_refused(call: Caller, memory: Memory) -> None:
    for body in (b'"tags": ["\\ud800"]', b'"tag_groups": [{"tags": ["\\ud800"]}]', b'"metadata": {"\\ud800": "a"}'):
        answer = call("POST", "/v1/banks/support/memories/recall", b'{"query": "Lisbon", %s}' % body)
        assert answer.status_code == 422, body


def test_tags_and_groups_of_tags_exclude_each_other(ask: Ask) -> None:
    answer = ask("Lisbon", tags=["a"], tag_groups=[{"tags": ["b"]}])
    assert (answer.status_code, answer.json()["detail"]) == (422, "Give either tags or tag_groups.")


def test_a_score_of_a_reranker_that_is_not_asked_is_not_to_be_had(ask: Ask) -> None:
    answer = ask("Lisbon", rerank=False, min_scores={"reranker": 0.5})
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (422, "min_scores")
    assert ask("Lisbon", rerank=False, min_scores={"semantic": 0.5}).status_code == 200


@pytest.mark.parametrize("banks", [None, [], [""], ["a\x00"], "support", ["x"] * 21])
def test_banks_that_make_no_sense_are_refused(call: Caller, memory: Memory, banks: Any) -> None:
    assert call("POST", "/v1/recall", {"query": "Lisbon", "banks": banks}).status_code == 422


def test_a_body_that_is_no_object_is_refused(call: Caller, memory: Memory) -> None:
    for body in (b"[]", b'"Lisbon"', b"7", b"null"):
        answer = call("POST", "/v1/banks/support/memories/recall", body)
        assert answer.status_code == 422, body


@pytest.mark.parametrize("path", ["memories/recall", "reflect"])
def test_an_id_that_no_bank_can_have_is_not_found(call: Caller, memory: Memory, path: str) -> None:
    answer = call("POST", f"/v1/banks/no%00pe/{path}", {"query": "Lisbon"})
    assert (answer.status_code, answer.json()["code"]) == (404, "bank_not_found")


def test_no_bank_of_such_an_id_is_made_by_an_import(call: Caller) -> None:
    answer = call.client.post(
        "/v1/banks/no%00pe/import",
        b"{}",
        content_type="application/x-ndjson",
        headers={"Authorization": f"Bearer {call.key}"},
    )
    assert (answer.status_code, answer.json()["code"]) == (404, "bank_not_found")
