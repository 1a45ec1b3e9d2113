"""Retain and recall."""

from datetime import UTC, datetime, timedelta, timezone
from uuid import UUID

import httpx
import pytest

from memoryplatform_client import Invalid, MemoryClient, Message, WaitTimedOut
from tests.clock import holds_to_a_time
from tests.sdk.conftest import write_what_waits
from tests.sdk.scripted import RETAINED, Scripted, failed_operation, make_client

MARCH, JUNE = datetime(2024, 3, 1, tzinfo=UTC), datetime(2024, 6, 1, tzinfo=UTC)


def test_text_messages_facts_and_documents_are_retained(client: MemoryClient) -> None:
    text = client.retain("support", "Alice works at Google.", tags=["team"], metadata={"from": "wiki"})
    talk = client.retain(
        "support",
        messages=[
            Message(role="user", name="Caroline", content="I went to Boston yesterday.", timestamp=MARCH),
            {"role": "assistant", "content": "How was it?"},
        ],
        thread="t1",
    )
    told = client.retain(
        "support", facts=[{"text": "Bob lives in Rome.", "entities": ["Bob"], "occurred_start": MARCH}]
    )
    written = client.retain("support", "Carol sails.", document_id="notes/may.md")
    assert [one.status for one in (text, talk, told, written)] == ["completed"] * 4
    assert all(one.unit_ids for one in (text, talk, told, written))
    assert [message.name for message in client.messages.list("support", thread="t1")] == ["Assistant", "Caroline"]
    [tagged] = client.memories.list("support", tags=["team"], tags_match="any_strict")
    assert (tagged.text, tagged.metadata) == ("Alice works at Google.", {"from": "wiki"})


def test_a_batch_names_refused_items(client: MemoryClient) -> None:
    batch = client.retain_batch("support", [{"content": "Alice sails."}, {"content": " "}])
    assert (batch.items_count, batch.item_errors[0].index) == (1, 1)
    assert batch.item_errors[0].faults[0].field == "content"
    with pytest.raises(Invalid):
        client.retain_batch("support", [{"content": ""}])


def test_a_retain_without_waiting_is_performed_by_a_worker(client: MemoryClient, worker: None) -> None:
    accepted = client.retain("support", "Alice sails.", wait=False)
    assert accepted.is_async
    client.operations.wait(accepted.operation_id, timeout=30)
    assert client.memories.list("support").first().total == 1


LARGE = "Alice sails to Rome. " * 5_000


def test_a_large_text_is_waited_for_as_well(client: MemoryClient, worker: None) -> None:
    for retained in (client.retain("one", LARGE), client.retain_batch("many", [{"content": LARGE}])):
        assert (retained.status, retained.is_async, retained.errors) == ("completed", False, [])
        assert {one.id for one in client.memories.list(retained.bank_id)} == set(retained.unit_ids) != set()


@holds_to_a_time
def test_a_large_text_is_waited_for_no_longer_than_asked(client: MemoryClient) -> None:
    with pytest.raises(WaitTimedOut) as caught:
        client.retain("support", LARGE, infer=False, timeout=0.1)
    assert client.operations.get(caught.value.operation_id).status == "pending"
    assert client.retain("support", LARGE, infer=False, wait=False).status == "pending"


def test_a_large_text_that_fails_is_reported_like_a_small_one() -> None:
    ended = failed_operation(UUID(str(RETAINED["operation_id"])), attempts=5)
    retained = make_client(Scripted(httpx.Response(200, json=RETAINED), ended)).retain("b", LARGE)
    assert (retained.success, retained.status, retained.errors) == (False, "failed", ["The model refused."])
    assert (retained.is_async, retained.items_count, retained.unit_ids) == (False, 1, [])


def test_a_time_without_a_zone_is_local(client: MemoryClient) -> None:
    naive = datetime(2024, 3, 1, 12, 0)  # noqa: DTZ001  # what is tested
    client.retain("support", "Alice sails.", timestamp=naive)
    [memory] = client.memories.list("support")
    assert memory.mentioned_at == naive.astimezone()


@pytest.fixture
def moved(client: MemoryClient) -> MemoryClient:
    for city, when in (("Paris", MARCH), ("Lisbon", JUNE)):
        relation = {"subject": "Alice", "relation": "lives_in", "object": city, "valid_from": when}
        text = f"Alice lives in {city}."
        fact = {"text": text, "mentioned_at": when, "entities": ["Alice", city], "relations": [relation]}
        client.retain("support", facts=[fact], tags=[city.lower()])  # type: ignore[list-item]  # built in a loop
    return client


def test_a_recall_brings_the_present_unless_the_past_is_asked_for(moved: MemoryClient) -> None:
    now = moved.recall("support", "Where does Alice live?")
    assert [item.text for item in now.results] == ["Alice lives in Lisbon."]
    then = moved.recall("support", "Where does Alice live?", as_of=MARCH + timedelta(days=9))
    assert [item.text for item in then.results] == ["Alice lives in Paris."]
    assert then.results[0].valid_until == JUNE
    both = moved.recall("support", "Where does Alice live?", history=True)
    assert len(both.results) == 2


def test_plain_dates_are_days_in_the_callers_zone(moved: MemoryClient) -> None:
    day, next_day = MARCH.date(), MARCH.date() + timedelta(days=1)
    held = moved.recall("support", "Alice", mentioned={"start": day, "end": next_day}, history=True)
    assert [item.text for item in held.results] == ["Alice lives in Paris."]
    within = moved.recall("support", "Alice", temporal_window={"start": day, "end": day}, history=True)
    assert within.window is not None
    assert within.window.end is not None
    assert within.window.end.date() in {day, next_day}


def test_every_option_of_a_recall_is_taken(moved: MemoryClient) -> None:
    recalled = moved.recall(
        "support",
        "Where does Alice live?",
        types=["world"],
        budget="low",
        thinking_budget=50,
        max_tokens=500,
        max_results=3,
        fill=True,
        trace=True,
        rerank=False,
        query_timestamp=datetime(2024, 7, 1, tzinfo=timezone(timedelta(hours=2))),
        include={
            "entities": None,
            "chunks": {"max_tokens": 100},
            "source_messages": {"neighbours": 1},
            "links": True,
            "scores": {},
            "sources": {},
            "details": {},
        },
        tag_groups=[{"or": [{"tags": ["lisbon"]}, {"tags": ["paris"]}]}],
        filters={"mentioned": {"gte": MARCH.date()}, "not": {"metadata": {"priority": {"lt": 3}}}},
        entities=["Alice"],
        occurred=None,
        mentioned={"start": MARCH},
        min_scores={"final": 0.0},
        temporal_window={"start": MARCH, "end": JUNE},
        known_at=datetime.now(UTC),
    )
    assert [item.text for item in recalled.results] == ["Alice lives in Lisbon."]
    assert recalled.entities is None
    assert recalled.chunks
    assert recalled.trace
    (item,) = recalled.results
    assert item.scores is not None
    assert item.scores.reranker is None
    assert item.sources
    assert (item.bank_id, item.kind) == ("support", "unit")
    assert recalled.relevance == item.relevance


def test_by_default_a_result_has_few_fields(moved: MemoryClient) -> None:
    item = moved.recall("support", "Where does Alice live?", max_results=1).results[0]
    assert 0 <= item.relevance <= 1
    assert (item.scores, item.sources, item.document_id, item.bank_id) == (None, None, None, None)


def test_one_answer_out_of_several_banks(moved: MemoryClient) -> None:
    moved.retain("private", "Bob lives in Lisbon.")
    recalled = moved.recall_across(["support", "private"], "Who lives in Lisbon?", fill=True)
    assert {item.bank_id for item in recalled.results} == {"support", "private"}


def test_marks_on_a_recall_are_kept_and_found_in_its_log(moved: MemoryClient) -> None:
    recalled = moved.recall("support", "Where does Alice live?")
    marked = moved.feedback.give(
        "support", recalled.recall_id, recalled.results[0].id, useful=True, comment="just right"
    )
    assert marked.rank == 1
    assert [one.comment for one in moved.feedback.list("support", useful=True)] == ["just right"]
    assert list(moved.feedback.list("support", useful=False)) == []
    write_what_waits()
    [logged] = moved.recalls.list("support")
    assert moved.recalls.get("support", logged.recall_id).results[0].id == recalled.results[0].id
