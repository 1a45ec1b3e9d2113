"""Reflect over HTTP, with a plain response."""

from typing import Any

import pytest
from django.test import override_settings

from banks.models import MemoryUnit
from retrieval.recall_log import RecallLog
from rules.extractive_answer import NO_MODEL
from tenants.models import Tenant, UsageRecord
from tenants.transactions import tenant_transaction
from tests.api.conftest import Caller, MakeCaller
from tests.api.reflect.conftest import Ask
from tests.llm_server import ScriptedLLM
from tests.reflection.reflect.answers import opinion, write
from tests.retrieval.memory import Memory

QUESTION = "Where does Alice live, Lisbon?"
OPINION = opinion("I think that Alice likes Lisbon since she moved there", [1], entities=["Alice"])


def test_the_answer_shows_its_sources_its_opinions_and_its_usage(
    ask: Ask, memory: Memory, model: ScriptedLLM, alice: Tenant
) -> None:
    fact = memory.unit("Alice moved to Lisbon", tags=["travel"])
    memory.unit("Alice bought a bicycle in Lisbon")
    model.chat.say(write("In Lisbon [1].", in_memory=True, opinions=[OPINION]))
    body = ask(QUESTION).json()
    assert (body["text"], body["engine"], body["model"]) == ("In Lisbon [1].", "llm", "scripted")
    mark = {"mark": "[1]", "memory_id": str(fact.id), "kind": "unit", "type": "world"}
    assert body["citations"] == [mark]
    (cited,) = body["based_on"]["memories"]
    assert (cited["id"], cited["text"], cited["tags"]) == (str(fact.id), "Alice moved to Lisbon", ["travel"])
    assert (body["based_on"]["opinions"], body["based_on"]["retrieved"]) == ([], 2)
    (formed,) = body["opinions"]
    assert (formed["outcome"], formed["confidence"], formed["evidence_ids"]) == ("formed", 0.7, [str(fact.id)])
    (call,) = body["trace"]["llm_calls"]
    assert (call["scope"], call["finish_reason"]) == ("answer", "stop")
    assert body["trace"]["tool_calls"][0]["output"]["ids"][0] == str(fact.id)
    assert {"profile", "rules", "evidence", "question"} <= set(body["trace"]["prompt_tokens"])
    with tenant_transaction(alice.id):
        spent = UsageRecord.objects.for_tenant(alice.id).get(kind="reflect")
    assert (spent.input_tokens, spent.bank_id) == (body["usage"]["input_tokens"], "support")


def test_parts_that_are_not_included_are_left_out(ask: Ask, memory: Memory, model: ScriptedLLM) -> None:
    model.chat.say(write("Unknown.", in_memory=False))
    body = ask(QUESTION, include={"facts": None, "tool_calls": None}).json()
    assert (body["based_on"], body["trace"], body["not_in_memory"]) == (None, None, True)


def test_without_a_model_memory_itself_answers_and_says_so(ask: Ask, memory: Memory) -> None:
    fact = memory.unit("Alice does live in Lisbon", days=3)
    body = ask(QUESTION).json()
    assert (body["engine"], body["opinions"], body["trace"]["llm_calls"]) == ("builtin", [], [])
    assert body["text"] == f"{NO_MODEL}\n- “Alice does live in Lisbon” (said Friday, June 12, 2026) [1]"
    assert [one["memory_id"] for one in body["citations"]] == [str(fact.id)]


def test_without_a_model_a_larger_budget_quotes_more_and_max_tokens_bounds_the_answer(ask: Ask, memory: Memory) -> None:
    for number in range(9):
        memory.unit(f"Alice does live in Lisbon, house {number}")
    counts = [len(ask(QUESTION, budget=budget).json()["citations"]) for budget in ("low", "mid", "high")]
    assert counts == [5, 8, 9]  # there are nine
    body = ask(QUESTION, budget="high", max_tokens=60).json()
    assert 0 < len(body["citations"]) < 8
    assert (body["truncated"], body["not_in_memory"]) == (True, False)


def test_structured_output_comes_in_the_same_call(ask: Ask, memory: Memory, model: ScriptedLLM) -> None:
    model.chat.say(write("In Lisbon.", structured_output={"city": "Lisbon"}))
    schema = {"type": "object", "properties": {"city": {"type": "string"}}}
    body = ask(QUESTION, response_schema=schema).json()
    assert (body["structured_output"], body["structured_output_error"]) == ({"city": "Lisbon"}, None)
    assert len(model.chat.received) == 1
    assert '| "city"' in model.chat.received[0].prompt.replace("|       ", "| ").replace("|     ", "| ")


def test_filters_and_moments_are_those_of_recall(ask: Ask, memory: Memory) -> None:
    memory.unit("Alice does live in Lisbon", tags=["work"])
    assert ask(QUESTION, tags=["home"], tags_match="any_strict").json()["not_in_memory"]
    assert ask(QUESTION, fact_types=["experience"]).json()["not_in_memory"]
    assert ask(QUESTION, known_at="2020-01-01T00:00:00Z").json()["not_in_memory"]
    assert not ask(QUESTION, tags=["work"]).json()["not_in_memory"]


def test_a_key_answers_the_same_again_and_forms_nothing_twice(
    ask: Ask, memory: Memory, model: ScriptedLLM, alice: Tenant
) -> None:
    memory.unit("Alice moved to Lisbon")
    model.chat.say(write("In Lisbon [1].", opinions=[OPINION]))
    first = ask(QUESTION, headers={"Idempotency_Key": "k"})
    again = ask(QUESTION, headers={"Idempotency_Key": "k"})
    assert again.json() == first.json()
    assert len(model.chat.received) == 1
    with tenant_transaction(alice.id):
        assert MemoryUnit.objects.for_tenant(alice.id).filter(network="opinion").count() == 1


def test_a_key_and_a_stream_exclude_each_other(ask: Ask) -> None:
    assert ask(QUESTION, headers={"Idempotency_Key": "k"}, stream=True).status_code == 422


def test_a_bank_that_is_not_there_is_not_made(call: Caller) -> None:
    response = call("POST", "/v1/banks/nowhere/reflect", {"query": "who?"})
    assert (response.status_code, response.json()["code"]) == (404, "bank_not_found")


@pytest.mark.parametrize("scopes", [["read"], ["write"]])
def test_it_needs_both_scopes(alice: Tenant, make_caller: MakeCaller, memory: Memory, scopes: list[str]) -> None:
    call = make_caller(alice, scopes=scopes)
    assert call("POST", "/v1/banks/support/reflect", {"query": "who?"}).status_code == 403


@pytest.mark.parametrize(("words", "shortened"), [(20_000, [True]), (400, [])])
def test_the_answer_says_that_the_query_was_shortened(
    ask: Ask, memory: Memory, words: int, shortened: list[bool]
) -> None:
    body = ask(("word " * words).strip()).json()
    assert body["query_shortened"] == bool(shortened)
    assert ["very long" in note for note in body["trace"]["notes"]] == shortened


def test_calls_of_the_language_model_are_counted_apart(ask: Ask, memory: Memory, model: ScriptedLLM) -> None:
    memory.unit("Alice moved to Lisbon")
    model.chat.say(write("In Lisbon [1]."))
    body = ask("Whom did nobody ask about Lisbon so far?").json()
    (call,) = body["trace"]["llm_calls"]
    usage = body["usage"]
    assert (usage["llm_calls"], usage["llm_tokens"]) == (1, call["input_tokens"] + call["output_tokens"])
    assert usage["calls"] > 1


def test_more_memories_than_usual_get_their_room(ask: Ask, memory: Memory, model: ScriptedLLM) -> None:
    for number in range(90):
        memory.unit(f"Alice does live in Lisbon in house {number}, {'with many rooms ' * 60}")
    model.chat.say(write("In Lisbon [1]."))
    body = ask(QUESTION, memory_tokens=50_000).json()
    assert body["engine"] == "llm"
    assert body["usage"]["llm_tokens"] > 12_000


def test_the_recalls_of_an_answer_are_in_the_log(
    ask: Ask, call: Caller, memory: Memory, alice: Tenant, log: RecallLog
) -> None:
    fact = memory.unit("Alice does live in Lisbon")
    ask(QUESTION)
    log.write()
    (logged,) = call("GET", "/v1/banks/support/recalls").json()["items"]
    assert (logged["query"], logged["purpose"], logged["result_count"]) == (QUESTION, "reflect", 1)
    detail = call("GET", f"/v1/banks/support/recalls/{logged['recall_id']}").json()
    assert [one["id"] for one in detail["results"]] == [str(fact.id)]
    with tenant_transaction(alice.id):
        assert not UsageRecord.objects.for_tenant(alice.id).filter(kind="recall").exists()


@pytest.mark.parametrize("share", [0, 1])
def test_traces_of_its_recalls_are_a_sample_like_those_of_others(
    ask: Ask, call: Caller, memory: Memory, log: RecallLog, share: int
) -> None:
    with override_settings(RECALL_TRACE_SAMPLE=float(share)):
        ask(QUESTION)
    log.write()
    (logged,) = call("GET", "/v1/banks/support/recalls").json()["items"]
    assert logged["has_trace"] == bool(share)


BAD: list[dict[str, Any]] = [
    {},
    {"query": ""},
    {"query": "?!"},
    {"query": None},
    {"query": "x" * 100_001},
    {"query": "who?", "budget": "huge"},
    {"query": "who?", "max_tokens": 0},
    {"query": "who?", "memory_tokens": -1},
    {"query": "who?", "memory_tokens": 10**9},
    {"query": "who?", "max_calls": 0},
    {"query": "who?", "max_calls": 99},
    {"query": "who?", "max_seconds": 0.1},
    {"query": "who?", "max_model_tokens": 5},
    {"query": "who?", "response_schema": []},
    {"query": "who?", "response_schema": {"type": "text"}},
    {"query": "who?", "response_schema": {"$ref": "https://example.com/x"}},
    {"query": "who?", "fact_types": ["rumour"]},
    {"query": "who?", "types": ["world"], "fact_types": ["world"]},
    {"query": "who?", "include": {"everything": {}}},
    {"query": "who?", "context": "x" * 20_001},
    {"query": "who?", "typo": 1},
]


@pytest.mark.parametrize("body", BAD)
def test_bad_input_is_refused_in_the_one_shape(call: Caller, memory: Memory, body: dict[str, Any]) -> None:
    for headers in ({}, {"Accept": "text/event-stream"}):
        response = call("POST", "/v1/banks/support/reflect", body, **headers)
        assert response.status_code == 422
        assert response["Content-Type"] == "application/json"
        assert {"detail", "code", "request_id", "errors"} == set(response.json())


def test_a_question_of_a_hundred_thousand_characters_is_shortened(ask: Ask, memory: Memory, model: ScriptedLLM) -> None:
    model.chat.say(write("Yes."))
    assert ask(f"Where does Alice live? {'blah ' * 19_000}").status_code == 200
    assert len(model.chat.received[0].prompt) < 12_000


@pytest.mark.parametrize(("status", "answered"), [(500, 503), (429, 503), (400, 502)])
def test_a_model_that_fails_is_an_error_in_the_one_shape(
    ask: Ask, memory: Memory, model: ScriptedLLM, status: int, answered: int
) -> None:
    model.chat.fail(status)
    response = ask(QUESTION)
    assert response.status_code == answered
    assert {"detail", "code", "request_id"} == set(response.json())


def test_a_model_that_wants_to_be_left_alone_is(ask: Ask, memory: Memory, model: ScriptedLLM) -> None:
    model.chat.fail(429, headers={"Retry-After": "600"})
    response = ask(QUESTION)
    assert (response.status_code, response["Retry-After"]) == (503, "600")


@pytest.mark.parametrize("query", [5, 1.5])
def test_a_number_is_no_query(ask: Ask, memory: Memory, query: float) -> None:
    answer = ask(query)
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (422, "query")
