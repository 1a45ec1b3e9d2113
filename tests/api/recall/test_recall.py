from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memoryplatform.api.v1.recall import RecallItemOutput, RecallOutput, ScoresOutput
from memoryplatform.api.v1.recall_input import RecallInput
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.recall import load_banks
from retrieval import search
from retrieval.analysis import analyse
from retrieval.turns import Turns
from retrieval.types import Channel
from tenants.models import Tenant
from tests.api.conftest import Caller, MakeCaller
from tests.api.recall.conftest import Ask
from tests.factories import make_bank
from tests.retrieval.memory import NOW, Memory


def ids_of(answer: Any) -> list[str]:
    assert answer.status_code == 200, answer.content
    return [result["id"] for result in answer.json()["results"]]


def read(**fields: Any) -> Any:
    body = RecallInput(data={"query": "Lisbon", **fields})
    body.is_valid(raise_exception=True)
    return body.recall_query()


def test_the_memory_that_answers_comes_first_and_says_why(memory: Memory, ask: Ask) -> None:
    answer = memory.unit("Alice moved to Lisbon", tags=["travel"])
    memory.unit("Bob bought a bicycle")
    body = ask("Where did Alice move, Lisbon?", include={"scores": {}, "details": {}}).json()
    first = body["results"][0]
    assert first["id"] == str(answer.id)
    assert (first["type"], first["bank_id"], first["tags"]) == ("world", "support", ["travel"])
    assert first["scores"]["ranks"]["keyword"] == 1
    assert first["scores"]["semantic"] > 0
    assert body["tokens"] == sum(result["tokens"] for result in body["results"])


def test_the_response_matches_the_openapi_description(memory: Memory, ask: Ask) -> None:
    memory.unit("Alice moved to Lisbon")
    body = ask("Lisbon", include={"scores": {}, "sources": {}, "details": {}}).json()
    assert set(body) == set(RecallOutput().fields)
    assert set(body["results"][0]) == set(RecallItemOutput().fields)
    assert set(body["results"][0]["scores"]) == set(ScoresOutput().fields)


def test_a_field_without_a_value_is_left_out_only_if_it_is_optional(memory: Memory, ask: Ask) -> None:
    memory.unit("Alice moved to Lisbon")
    required = {name for name, field in RecallItemOutput().fields.items() if field.required}
    assert set(ask("Lisbon").json()["results"][0]) == required


def test_a_key_that_may_only_read_may_recall(memory: Memory, alice: Tenant, make_caller: MakeCaller) -> None:
    call = make_caller(alice, scopes=["read"])
    assert call("POST", "/v1/banks/support/memories/recall", {"query": "Lisbon"}).status_code == 200


def test_a_missing_bank_is_not_found(call: Caller) -> None:
    answer = call("POST", "/v1/banks/nowhere/memories/recall", {"query": "Lisbon"})
    assert (answer.status_code, answer.json()["code"]) == (404, "bank_not_found")


def test_parts_of_the_answer_come_when_asked_for(memory: Memory, ask: Ask) -> None:
    alice = memory.entity("Alice")
    unit = memory.unit("Alice moved to Lisbon", about=[alice])
    message = memory.message("I moved to Lisbon")
    memory.quote(unit, message)
    memory.chunk(message)
    usual = ask("Lisbon").json()
    assert [usual[name] for name in ("entities", "chunks", "source_messages", "links")] == [None] * 4
    full = ask("Lisbon", include={"entities": {}, "chunks": {}, "source_messages": {}, "links": True}).json()
    assert full["entities"]["Alice"]["entity_id"] == str(alice.id)
    assert [chunk["text"] for chunk in full["chunks"].values()] == ["I moved to Lisbon"]
    assert list(full["source_messages"]) == [str(message.id)]
    assert full["links"] == []


def test_networks_tags_and_trees_of_tags_filter(memory: Memory, ask: Ask) -> None:
    world = str(memory.unit("Lisbon is warm", tags=["a"]).id)
    opinion = str(memory.unit("Lisbon is lovely", network="opinion", confidence=0.9, tags=["a", "b"]).id)
    assert ids_of(ask("Lisbon", types=["opinion"])) == [opinion]
    assert ids_of(ask("Lisbon", tags=["b"])) == [opinion]
    groups = [{"tags": ["a"]}, {"not": {"or": [{"tags": ["b"]}, {"tags": ["c"]}]}}]
    assert ids_of(ask("Lisbon", tag_groups=groups)) == [world]
    assert ids_of(ask("Lisbon", tags_match="exact")) == []


def test_the_past_is_hidden_unless_it_is_asked_for(memory: Memory, ask: Ask) -> None:
    end = NOW - timedelta(days=2)
    memory.unit("Alice lives in Porto", days=9, expired_at=end, valid_until=end, close_reason="update")
    assert ids_of(ask("Porto")) == []
    assert len(ids_of(ask("Porto", history=True))) == 1
    assert len(ids_of(ask("Porto", as_of=(end - timedelta(days=1)).isoformat()))) == 1
    assert ids_of(ask("Porto", known_at=(end - timedelta(days=30)).isoformat())) == []


def test_several_banks_answer_together_and_each_result_names_its_bank(
    memory: Memory, alice: Tenant, call: Caller
) -> None:
    memory.unit("Alice moved to Lisbon")
    Memory(make_bank(alice, bank_id="sales")).unit("Lisbon is a market")
    body = call("POST", "/v1/recall", {"query": "Lisbon", "banks": ["support", "sales", "support"]}).json()
    assert sorted(result["bank_id"] for result in body["results"]) == ["sales", "support"]


def test_entities_of_the_same_name_do_not_hide_each_other(memory: Memory, alice: Tenant, call: Caller) -> None:
    sales = Memory(make_bank(alice, bank_id="sales"))
    made = [
        (bank, bank.entity("Lisbon", kind=kind, identity=f"lisbon {kind}"))
        for bank, kind in ((memory, "PERSON"), (memory, "LOCATION"), (sales, "PERSON"))
    ]
    for bank, entity in made:
        bank.unit("Lisbon is a market", about=[entity])
    asked = {"query": "Lisbon", "banks": ["support", "sales"], "include": {"entities": {}}, "fill": True}
    body = call("POST", "/v1/recall", asked).json()
    assert {(one["entity_id"], one["bank_id"]) for one in body["entities"].values()} == {
        (str(entity.id), bank.bank.bank_id) for bank, entity in made
    }
    assert "Lisbon" in body["entities"]


def test_a_left_out_part_names_its_bank_if_several_were_asked(
    memory: Memory, alice: Tenant, call: Caller, ask: Ask
) -> None:
    memory.unit("Alice moved to Lisbon")
    make_bank(alice, bank_id="sales", embedding_model="another")
    body = call("POST", "/v1/recall", {"query": "Lisbon", "banks": ["support", "sales"]}).json()
    assert {one["bank_id"] for one in body["left_out"]} == {"sales"}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(search, "CHANNELS", {**search.CHANNELS, Channel.SEMANTIC: lambda _search: 1 / 0})
        assert [(one["channel"], one["bank_id"]) for one in ask("Lisbon").json()["left_out"]] == [("semantic", None)]


def test_one_bank_out_of_reach_refuses_the_whole_call(
    memory: Memory, alice: Tenant, charlie: Tenant, make_caller: MakeCaller
) -> None:
    make_bank(alice, bank_id="sales")
    make_bank(charlie, bank_id="theirs")
    limited = make_caller(alice, banks=["support"])
    for call, other in [(limited, "sales"), (make_caller(alice), "theirs"), (make_caller(alice), "nowhere")]:
        answer = call("POST", "/v1/recall", {"query": "Lisbon", "banks": ["support", other]})
        assert (answer.status_code, answer.json()["detail"]) == (404, f"Bank '{other}' not found.")


def test_the_banks_are_looked_up_in_one_statement(alice: Tenant) -> None:
    names = [make_bank(alice).bank_id for _ in range(3)]
    with CaptureQueriesContext(connection) as captured:
        asked = load_banks(BankAccess(alice.id), names)
    assert [bank.bank_id for bank in asked] == names
    assert len([query for query in captured if "banks_bank" in query["sql"]]) == 1


def test_the_zone_of_the_question_is_kept() -> None:
    assert str(read(query_timestamp="2026-06-15T01:00:00+09:00").asked_at) == "2026-06-15 01:00:00+09:00"
    assert str(read(query_timestamp="2026-06-15T01:00:00").asked_at) == "2026-06-15 01:00:00+00:00"


@pytest.mark.parametrize(
    ("start", "end", "expected"),
    [
        ("2026-06-01T00:00Z", "2026-06-02T00:00Z", ("2026-06-01 00:00:00+00:00", "2026-06-02 00:00:00.000001+00:00")),
        ("2026-06-01", "2026-06-01", ("2026-06-01 00:00:00+02:00", "2026-06-02 00:00:00+02:00")),
        ("2026-05-30", "2026-06-02", ("2026-05-30 00:00:00+02:00", "2026-06-03 00:00:00+02:00")),
        ("2026-06-01T20:00:00Z", "2026-06-01", ("2026-06-01 20:00:00+00:00", "2026-06-02 00:00:00+02:00")),
        ("2026-06-01T00:00Z", "2026-06-01T00:00Z", ("2026-06-01 00:00:00+00:00", "2026-06-02 00:00:00+00:00")),
    ],
)
def test_both_ends_of_a_window_belong_to_it_and_a_date_is_its_day(
    start: str, end: str, expected: tuple[str, str]
) -> None:
    query = read(query_timestamp="2026-06-15T01:00:00+02:00", temporal_window={"start": start, "end": end})
    window = analyse(query).window
    assert window is not None
    assert (str(window.start), str(window.end)) == expected


def test_a_date_in_a_filter_is_the_midnight_that_begins_it() -> None:
    asked = {"query_timestamp": "2026-06-15T01:00:00+02:00", "mentioned": {"start": "2026-06-01"}}
    filters = read(**asked, occurred={"start": "2026-06-01", "end": "2026-06-03"}).filters
    assert str(filters.occurred.end) == "2026-06-03 00:00:00+02:00"
    assert (str(filters.mentioned.start), filters.mentioned.end) == ("2026-06-01 00:00:00+02:00", None)
    assert str(read(occurred={"end": "2026-06-03"}).filters.occurred.end) == "2026-06-03 00:00:00+00:00"


@pytest.mark.parametrize(("nodes", "depth", "seconds"), [(1, 8, 0.07), (200, 16, 0.15), (5_000, 128, 1.5)])
def test_a_thinking_budget_lies_between_the_named_budgets(nodes: int, depth: int, seconds: float) -> None:
    budget = read(thinking_budget=nodes, budget="low").budget
    assert (budget.nodes, budget.rerank_depth, budget.rerank_seconds) == (nodes, depth, seconds)


def test_null_in_the_peers_request_means_absent() -> None:
    nulls = ["types", "query_timestamp", "tags", "tag_groups", "min_scores", "temporal_window", "prefer_observations"]
    nulls.append("max_results")
    without = read(query_timestamp="2026-06-15T01:00:00Z")
    given = dict.fromkeys(nulls) | {"include": {"source_facts": None}, "query_timestamp": "2026-06-15T01:00:00Z"}
    assert read(**given) == without


def test_an_overloaded_recall_is_a_503_with_retry_after(
    memory: Memory, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.unit("Alice moved to Lisbon")
    monkeypatch.setattr("retrieval.recall.TURNS", Turns(0, patience=0.01))
    answer = ask("Lisbon")
    assert (answer.status_code, answer.json()["code"], answer.headers["Retry-After"]) == (503, "overloaded", "1")
