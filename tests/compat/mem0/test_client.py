"""The client's own methods, as its users call them."""

import json
import time
from collections.abc import Callable
from typing import Any
from uuid import UUID

import pytest
from mem0.client.types import AddMemoryOptions, DeleteAllMemoryOptions, SearchMemoryOptions
from mem0.exceptions import MemoryNotFoundError, ValidationError

from banks.models import Bank, Document, MemoryUnit, UnitMetadata
from memoryplatform.operations.kinds import delete_memories as deletion
from memoryplatform.operations.models import Operation
from retrieval.models import Feedback
from retrieval.recall_log import RecallLog
from tenants.models import Tenant
from tenants.transactions import tenant_transaction
from tests.compat.mem0.quiet_client import MemoryClient
from tests.factories import make_bank
from tests.llm_server import ScriptedLLM
from tests.llm_server.fixture import llm
from tests.llm_server.script import Reply
from tests.memory_factories import make_unit
from tests.retrieval.fake_relevance import use_lisbon_rule
from tests.retrieval.memory import Memory

__all__ = ["llm"]

BOB = {"user_id": "bob"}


def await_event(client: MemoryClient, event_id: str) -> dict[str, Any]:
    events: list[dict[str, Any]] = []

    def is_done() -> bool:
        events.append(client.client.get(f"/v1/event/{event_id}/").json())
        return events[-1]["status"] in {"SUCCEEDED", "FAILED"}

    wait_until(is_done)
    return events[-1]


def wait_until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def add(client: MemoryClient, text: str, **options: Any) -> str:
    answer = client.add(text, infer=False, **{"user_id": "bob"} | options)
    (added,) = answer["results"]
    return str(added["id"])


def texts(answer: dict[str, Any]) -> list[str]:
    return [memory["memory"] for memory in answer["results"]]


def test_an_added_memory_is_found_when_its_event_is_done(client: MemoryClient, worker: None) -> None:
    answer = client.add("I moved to Lisbon in May.", user_id="bob", metadata={"source": "chat", "turn": 3})
    assert answer["status"] == "PENDING"
    event = await_event(client, answer["event_id"])
    assert (event["event_type"], event["status"], event["error"]) == ("ADD", "SUCCEEDED", None)
    (added,) = event["results"]
    (found,) = client.search("Who moved to Lisbon?", filters=BOB)["results"]
    assert (found["id"], found["memory"]) == (added["id"], added["data"]["memory"])
    assert "Lisbon" in found["memory"]
    assert (found["user_id"], found["agent_id"], found["run_id"]) == ("bob", None, None)
    assert found["metadata"] == {"source": "chat", "turn": 3}
    assert 0.0 < found["score"] <= 1.0
    assert client.client.get("/v1/events/").json()["results"] == [event]


def test_an_add_has_instructions_and_categories_of_its_own(
    client: MemoryClient, worker: None, llm: ScriptedLLM
) -> None:
    fact = {"text": "Bob is allergic to nuts.", "categories": ["allergies", "gossip"]}
    llm.chat.otherwise = lambda _received: Reply(text=json.dumps({"facts": [fact]}))
    answer = client.add(
        "I can't eat nuts.",
        user_id="bob",
        custom_instructions="Note what Bob can't eat.",
        includes="allergies of children",
        excludes="prices",
        custom_categories=[{"allergies": "What must not be eaten."}, {"travel": "Journeys."}],
        metadata={"source": "chat"},
    )
    assert await_event(client, answer["event_id"])["status"] == "SUCCEEDED"
    system = llm.chat.received[0].body["messages"][0]["content"]
    for words in ("Note what Bob can't eat.", "allergies of children", "prices", "allergies (What must not be eaten)"):
        assert words in system
    (memory,) = client.get_all(filters=BOB)["results"]
    assert (memory["categories"], memory["metadata"]) == (["allergies"], {"source": "chat"})
    client.update(memory["id"], metadata={"source": "mail"})
    assert client.get(memory["id"])["categories"] == ["allergies"]
    for condition, count in (
        ({"in": ["allergies", "x"]}, 1),
        ({"contains": "allergies"}, 1),
        ({"icontains": "ALLERG"}, 1),
        ("*", 1),
        ({"in": ["travel"]}, 0),
    ):
        assert len(client.get_all(filters=BOB | {"categories": condition})["results"]) == count
        assert len(client.search("What can Bob not eat?", filters=BOB | {"categories": condition})["results"]) == count
    assert client.get_all(filters={"AND": [BOB, {"NOT": {"categories": "allergies"}}]})["results"] == []


@pytest.mark.parametrize(
    "bad", [{"custom_categories": [3]}, {"custom_categories": [{"a": 3}]}, {"excludes": "a" * 2_001}]
)
def test_instructions_that_can_not_be_read_are_refused(client: MemoryClient, bad: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        client.add("I can't eat nuts.", user_id="bob", **bad)


def test_without_inference_each_message_is_a_memory_as_it_is(client: MemoryClient) -> None:
    said = [
        {"role": "system", "content": "Be kind."},
        {"role": "user", "content": "I keep bees, three hives."},
        {"role": "assistant", "content": "How lovely."},
    ]
    answer = client.add(said, user_id="bob", agent_id="nora", run_id="r1", infer=False, timestamp=1_750_000_000)
    assert answer["status"] == "SUCCEEDED"
    assert [one["data"]["memory"] for one in answer["results"]] == ["I keep bees, three hives.", "How lovely."]
    assert {one["event"] for one in answer["results"]} == {"ADD"}
    shown = client.get(answer["results"][0]["id"])
    ids = {"user_id": "bob", "agent_id": "nora", "app_id": None, "run_id": "r1", "session_id": "r1"}
    assert shown.items() >= ids.items()
    assert shown["created_at"].startswith("2025-06-15T15:06:40")


@pytest.mark.parametrize("timestamp", ["1750000000", "1750000000.5"])
def test_seconds_may_be_a_text(client: MemoryClient, timestamp: str) -> None:
    (added,) = client.add("I keep bees.", user_id="bob", infer=False, timestamp=timestamp)["results"]
    assert client.get(added["id"])["created_at"].startswith("2025-06-15T15:06:40")
    late = {"AND": [{"user_id": "bob"}, {"created_at": {"gt": "1750000100"}}]}
    assert client.get_all(filters=late)["results"] == []


def test_ids_may_be_inside_the_filters_of_an_add(client: MemoryClient) -> None:
    client.add("I keep bees.", AddMemoryOptions(filters={"agent_id": "nora"}, infer=False))
    assert texts(client.get_all(filters={"agent_id": "nora"})) == ["I keep bees."]


def test_a_bank_is_called_after_the_agent_and_never_after_the_user(client: MemoryClient, alice: Tenant) -> None:
    add(client, "I keep bees.")
    add(client, "I keep hens.", user_id="carol", agent_id="nora")
    with tenant_transaction(alice.id):
        names = dict(Bank.objects.for_tenant(alice.id).values_list("bank_id", "name"))
    assert names == {"mem0:user:bob": "Assistant", "mem0:user:carol": "nora"}


def test_a_memory_begins_with_the_name_of_its_speaker(client: MemoryClient, alice: Tenant) -> None:
    bank = make_bank(alice, bank_id="mem0:user:bob")
    said = make_unit(alice, bank=bank, text="I keep bees.", speaker="Bob", role="user")
    assert client.get(str(said.id))["memory"] == "Bob: I keep bees."
    (added,) = client.history(str(said.id))
    assert (added["event"], added["new_memory"]) == ("ADD", "Bob: I keep bees.")


def test_two_users_with_the_same_words_have_a_memory_each(client: MemoryClient) -> None:
    add(client, "I live in Lisbon.")
    add(client, "I live in Lisbon.", user_id="carol")
    client.delete_all(user_id="bob")
    assert client.get_all(filters=BOB)["count"] == 0
    assert texts(client.get_all(filters={"user_id": "carol"})) == ["I live in Lisbon."]


def test_deleting_a_run_keeps_the_users_memories(client: MemoryClient) -> None:
    add(client, "I am allergic to peanuts.", metadata={"source": "medical form"})
    add(client, "I am allergic to peanuts.", run_id="s1")
    client.delete_all(run_id="s1")
    [left] = client.get_all(filters=BOB)["results"]
    assert (left["memory"], left["metadata"]) == ("I am allergic to peanuts.", {"source": "medical form"})


def test_a_search_has_its_number_threshold_and_fields(client: MemoryClient, memory: Memory) -> None:
    for text in ("Bob has a boat", "Bob has a bike", "Carol paints walls"):
        memory.unit(text, tags=["user:bob"])
    (best,) = client.search("Bob has a boat", SearchMemoryOptions(filters=BOB, top_k=1))["results"]
    assert best["memory"] == "Bob has a boat"
    assert best["score"] == pytest.approx(1.0, abs=0.01)
    assert set(best["score_breakdown"]) == {"semantic", "bm25", "entity"}
    assert texts(client.search("Bob has a boat", filters=BOB, threshold=0.99)) == ["Bob has a boat"]
    slim = client.search("Bob has a boat", filters=BOB, fields=["memory"])["results"]
    assert {name for one in slim for name in one} == {"id", "memory", "score"}


def test_a_search_is_bounded_by_its_number_and_threshold_not_by_relevance(
    client: MemoryClient, memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    queries = use_lisbon_rule(monkeypatch)
    for text in ("Bob sails to Lisbon", "Bob sails to Rome"):
        memory.unit(text, tags=["user:bob"])
    found = client.search("Where does Bob sail?", filters=BOB, top_k=7)["results"]
    assert {one["memory"] for one in found} == {"Bob sails to Lisbon", "Bob sails to Rome"}
    assert not any("rerank_score" in one for one in found)
    reranked = client.search("Where does Bob sail?", filters=BOB, top_k=7, rerank=True)["results"]
    assert {one["memory"]: one["rerank_score"] for one in reranked} == {
        "Bob sails to Lisbon": 0.877,
        "Bob sails to Rome": 0.012,
    }
    assert [(one.fills, one.max_results) for one in queries] == [(True, 7), (True, 7)]


def test_a_list_comes_in_pages(client: MemoryClient, memory: Memory) -> None:
    for days, text in enumerate(("new", "middle", "old"), 1):
        memory.unit(text, days=days, tags=["user:bob"])
    first = client.get_all(filters=BOB, page=1, page_size=2)
    assert (first["count"], texts(first), first["previous"]) == (3, ["new", "middle"], None)
    following = client.client.post(first["next"], json={"filters": BOB}).json()
    assert (texts(following), following["next"]) == (["old"], None)
    assert "page=1" in following["previous"]


def test_the_history_of_a_verbatim_memory_has_its_role(client: MemoryClient) -> None:
    said = {"I sail.": "user", "You can row.": "assistant", "I swim.": "user", "Wind: 4.": "tool"}
    messages = [{"role": role, "content": text} for text, role in said.items()]
    added = client.add(messages, user_id="bob", infer=False, metadata={"a": "b"})["results"]
    assert {one["memory"] for one in added} == set(said)
    for one in added:
        (step,) = client.history(one["id"])
        assert step["input"] == [{"role": said[one["memory"]], "content": one["memory"]}]
        assert step["metadata"] == {"a": "b"}
    client.add([{"role": "assistant", "content": "I sail."}], user_id="bob", infer=False)
    (step,) = client.history(next(one["id"] for one in added if one["memory"] == "I sail."))
    assert [one["role"] for one in step["input"]] == ["user", "assistant"]


def test_a_change_of_a_memory_is_in_its_history(client: MemoryClient) -> None:
    memory_id = add(client, "I keep bees.", metadata={"mood": "calm"})
    changed = client.update(
        memory_id, text="I keep wasps.", metadata={"mood": "tense", "n": [1]}, timestamp=1_750_000_000
    )
    assert (changed["memory"], changed["metadata"]) == ("I keep wasps.", {"mood": "tense", "n": [1]})
    client.update(memory_id, metadata={})
    assert client.get(memory_id)["metadata"] == {}
    added, updated, last = client.history(memory_id)
    assert (added["event"], added["old_memory"], added["new_memory"]) == ("ADD", None, "I keep bees.")
    assert (updated["event"], updated["old_memory"], updated["new_memory"]) == (
        "UPDATE",
        "I keep bees.",
        "I keep wasps.",
    )
    assert (last["event"], last["new_memory"]) == ("UPDATE", "I keep wasps.")
    moods = [{"mood": "calm"}, {"mood": "tense", "n": [1]}, {}]
    assert [one["metadata"] for one in (added, updated, last)] == moods
    assert added["input"] == [{"role": "user", "content": "I keep bees."}]
    assert {one["memory_id"] for one in (added, updated, last)} == {memory_id}


def test_an_immutable_memory_is_not_changed(client: MemoryClient) -> None:
    memory_id = add(client, "I keep bees.", immutable=True)
    with pytest.raises(ValidationError, match="immutable"):
        client.update(memory_id, text="I keep wasps.")
    assert client.get(memory_id)["memory"] == "I keep bees."


def test_expired_memories_are_hidden_by_default(client: MemoryClient) -> None:
    memory_id = add(client, "I keep bees.", expiration_date="2020-01-01")
    assert client.get_all(filters=BOB)["count"] == 0
    assert client.search("Who keeps bees?", filters=BOB)["results"] == []
    assert client.get_all(filters=BOB, show_expired=True)["results"][0]["expiration_date"] == "2020-01-01"
    assert texts(client.search("Who keeps bees?", filters=BOB, show_expired=True)) == ["I keep bees."]
    client.update(memory_id, expiration_date=None)
    assert client.get_all(filters=BOB)["results"][0]["expiration_date"] is None


def test_a_memory_is_deleted_alone_or_with_its_predecessors(client: MemoryClient, memory: Memory) -> None:
    newest = memory.unit("Bob lives in Porto", tags=["user:bob"])
    gone: dict[str, Any] = {"close_reason": "update", "expired_at": newest.recorded_at, "superseded_by": newest}
    older = memory.unit("Bob lives in Lisbon", tags=["user:bob"], valid_until=newest.recorded_at, **gone)
    alone = memory.unit("Bob has a boat", tags=["user:bob"])
    assert client.get(str(older.id))["replaced_by"] == str(newest.id)
    assert client.delete(str(alone.id)) == {"message": "Memory deleted successfully!", "cascade_count": 0}
    assert client.delete(str(newest.id), delete_linked=True)["cascade_count"] == 1
    for unit in (newest, older, alone):
        with pytest.raises(MemoryNotFoundError, match="Memory not found!"):
            client.get(str(unit.id))


def test_delete_all_needs_an_owner(client: MemoryClient) -> None:
    add(client, "I keep bees.", agent_id="nora")
    add(client, "I keep hens.", agent_id="otto")
    for refused in ({}, {"metadata": {"a": 1}}, {"user_id": "bob", "before": "2020-01-01"}):
        with pytest.raises(ValidationError):
            client.delete_all(**refused)
    assert client.get_all(filters=BOB)["count"] == 2
    answer = client.delete_all(DeleteAllMemoryOptions(filters={"user_id": "bob", "agent_id": "nora"}))
    event = await_event(client, answer["event_id"])
    assert (event["event_type"], event["status"]) == ("DELETE", "SUCCEEDED")
    assert texts(client.get_all(filters=BOB)) == ["I keep hens."]
    client.delete_all(user_id="*")
    assert client.get_all(filters={"user_id": "*"})["count"] == 0


def test_many_are_deleted_by_a_worker(
    client: MemoryClient, memory: Memory, worker: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(deletion, "BATCH", 2)
    for place in range(5):
        memory.unit(f"Bob has {place} boats", tags=["user:bob"])
    kept = memory.unit("Carol has a boat", tags=["user:carol"])
    event = await_event(client, client.delete_all(user_id="bob")["event_id"])
    assert event["status"] == "SUCCEEDED"
    with tenant_transaction(memory.tenant.id):
        assert [unit.id for unit in MemoryUnit.objects.of_bank(memory.bank)] == [kept.id]
        receipt = Operation.objects.for_tenant(memory.tenant.id).get(id=event["id"])
    assert receipt.result == {"deleted": {"units": 5, "relationships": 0, "entities": 0}}
    assert set(receipt.payload) == {"asked_by"}


def test_many_are_changed_and_deleted_at_once(client: MemoryClient) -> None:
    first, second = add(client, "I keep bees."), add(client, "I keep hens.")
    changes = [{"memory_id": first, "text": "I keep wasps."}, {"memory_id": second, "metadata": {"a": 1}}]
    assert client.batch_update(changes) == {"message": "Successfully updated 2 memories"}
    assert (client.get(first)["memory"], client.get(second)["metadata"]) == ("I keep wasps.", {"a": 1})
    both = [{"memory_id": first}, {"memory_id": second}]
    assert client.batch_delete(both) == {"message": "Successfully deleted 2 memories"}
    assert client.get_all(filters=BOB)["count"] == 0


def test_users_are_listed_and_deleted_with_all_that_they_said(
    client: MemoryClient, alice: Tenant, worker: None
) -> None:
    add(client, "I keep bees.", agent_id="nora/1")
    add(client, "I keep hens.", user_id=None, agent_id="nora/1")
    add(client, "I keep cats.", user_id="carol")
    listed = client.users()
    assert {(one["type"], one["name"]) for one in listed["results"]} == {
        ("user", "bob"),
        ("user", "carol"),
        ("agent", "nora/1"),
    }
    assert (listed["total_users"], listed["total_agents"], listed["total_runs"]) == (2, 1, 0)
    client.delete_users(agent_id="nora/1")
    assert client.get_all(filters={"agent_id": "nora/1"})["count"] == 0
    assert {one["name"] for one in client.users()["results"]} == {"bob", "carol"}
    add(client, "I keep dogs.", agent_id="otto", run_id="r1")
    client.reset()  # deletes the user and the agent
    assert client.users()["results"] == []
    wait_until(lambda: count_documents(alice) == 0)
    client.delete_users(user_id="bob")


def test_users_with_unsendable_ids_can_be_deleted(client: MemoryClient, alice: Tenant) -> None:
    ids = {"user:.", "user:..", "run:..", "user:bob"}
    for one in ids:
        make_bank(alice, bank_id=f"mem0:{one}")
    assert {one["id"] for one in client.users()["results"]} == ids
    client.reset()
    assert client.users()["results"] == []


def test_feedback_marks_the_recall_that_found_the_memory(
    client: MemoryClient, memory: Memory, recall_log: RecallLog
) -> None:
    unit = memory.unit("Bob has a boat", tags=["user:bob"])
    client.search("Bob has a boat", filters=BOB)
    recall_log.write()
    answer = client.feedback(str(unit.id), "very_negative", "sold")
    assert (answer["feedback"], answer["feedback_reason"]) == ("VERY_NEGATIVE", "sold")
    with tenant_transaction(memory.tenant.id):
        marked = Feedback.objects.for_tenant(memory.tenant.id).get(id=answer["id"])
    assert (marked.useful, marked.comment, marked.unit_id) == (False, "VERY_NEGATIVE: sold", unit.id)


def test_feedback_without_a_recall_is_stored_on_the_memory_and_can_be_removed(
    client: MemoryClient, memory: Memory
) -> None:
    unit = memory.unit("Bob has a boat", tags=["user:bob"])
    noted = {"mem0.feedback": "POSITIVE", "mem0.feedback_reason": "so true"}
    client.feedback(str(unit.id), "POSITIVE", "so true")
    assert read_metadata(memory, unit.id) == noted
    shown = client.get(str(unit.id))
    assert (shown["metadata"], len(client.history(str(unit.id)))) == ({}, 1)
    client.update(str(unit.id), metadata={"a": "b"})
    assert read_metadata(memory, unit.id) == noted | {"a": "b"}
    client.feedback(str(unit.id))
    assert read_metadata(memory, unit.id) == {"a": "b"}


def count_documents(tenant: Tenant) -> int:
    with tenant_transaction(tenant.id):
        return Document.objects.for_tenant(tenant.id).count()


def read_metadata(memory: Memory, unit_id: UUID) -> dict[str, str]:
    with tenant_transaction(memory.tenant.id):
        rows = UnitMetadata.objects.for_tenant(memory.tenant.id).filter(unit_id=unit_id)
        return dict(rows.values_list("key", "value"))


def test_an_export_has_the_shape_of_its_schema(client: MemoryClient) -> None:
    add(client, "I keep bees.", metadata={"place": "garden", "hives": 3}, timestamp=1_750_000_000)
    add(client, "I keep hens.", metadata={"place": "yard"}, timestamp=1_750_000_001)
    schema = {
        "$defs": {"Animal": {"type": "object", "properties": {"place": {}, "memory": {}, "user_id": {}, "x": {}}}},
        "properties": {
            "animals": {"type": "array", "items": {"$ref": "#/$defs/Animal"}},
            "hives": {"anyOf": [{"type": "null"}, {"type": "integer"}]},
            "memories": {"type": "array", "items": {"type": "string"}},
        },
    }
    asked = client.create_memory_export(schema, filters=BOB)
    exported = client.get_memory_export(memory_export_id=asked["id"])
    assert exported == {
        "animals": [
            {"place": "yard", "memory": "I keep hens.", "user_id": "bob", "x": None},
            {"place": "garden", "memory": "I keep bees.", "user_id": "bob", "x": None},
        ],
        "hives": 3,
        "memories": ["I keep hens.", "I keep bees."],
    }
    assert client.get_memory_export(user_id="bob") == exported
    with pytest.raises(MemoryNotFoundError, match="No memory export request found"):
        client.get_memory_export(filters={"user_id": "carol"})
    client.delete_all(user_id="bob")
    assert client.get_memory_export(user_id="bob")["memories"] == []


def test_a_tenant_is_a_project(client: MemoryClient, alice: Tenant) -> None:
    assert (client.org_id, client.project_id, client.user_email) == (str(alice.id), str(alice.id), None)
    project = client.project.get()
    assert (project["name"], project["custom_instructions"], project["summary_batch_size"]) == ("Alice", "", 0)
    assert client.project.get(fields=["name"]) == {"name": "Alice"}
