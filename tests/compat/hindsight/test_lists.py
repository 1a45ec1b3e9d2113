"""Filters and order of Hindsight's lists, and the extent of a deletion."""

from datetime import timedelta
from typing import Any

import pytest

from banks.models import Document
from memoryplatform.api.compat.hindsight import documents
from memoryplatform.operations.memories import memory_filter
from tenants.models import Tenant
from tenants.transactions import tenant_transaction
from tests.api.conftest import Caller
from tests.factories import make_key_with_text
from tests.memory_factories import make_chunk, make_document
from tests.retrieval.memory import NOW, Memory

BANK = "/v1/default/banks/support"


@pytest.fixture
def call(alice: Tenant) -> Caller:
    return Caller(make_key_with_text(alice)[1])


def texts(answer: Any) -> list[str]:
    assert answer.status_code == 200, answer.content
    return [item["text"] for item in answer.json()["items"]]


@pytest.mark.parametrize("query", ["type=", "type=%20", "document_id=letters/1", "tags=sea"])
def test_a_filter_that_is_empty_or_not_known_clears_nothing(call: Caller, memory: Memory, query: str) -> None:
    memory.unit("Bob has a red boat")
    assert call("DELETE", f"{BANK}/memories?{query}").status_code == 422
    assert texts(call("GET", f"{BANK}/memories/list")) == ["Bob has a red boat"]


def test_letters_are_found_within_words_of_text_and_context(
    call: Caller, memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.unit("Alice moved to Lisbon", days=3)
    memory.unit("It rains", days=2, context="a letter from LISBON")
    memory.unit("100% wool_en", days=1)
    assert texts(call("GET", f"{BANK}/memories/list?q=lisb")) == ["It rains", "Alice moved to Lisbon"]
    assert texts(call("GET", f"{BANK}/memories/list?q=0%25%20w")) == ["100% wool_en"]
    assert texts(call("GET", f"{BANK}/memories/list?q=l_sb")) == []
    rows = call("GET", f"{BANK}/graph?q=ISBO").json()["table_rows"]
    assert {row["text"] for row in rows} == {"It rains", "Alice moved to Lisbon"}
    monkeypatch.setattr(memory_filter, "MOST_READ", 2)  # only the newest are scanned
    assert texts(call("GET", f"{BANK}/memories/list?q=lisb")) == ["It rains"]


def test_newest_mentions_come_first_by_default(call: Caller, memory: Memory) -> None:
    memory.unit("said today", days=0, recorded_at=NOW - timedelta(days=9))
    memory.unit("recorded later", days=5, recorded_at=NOW)
    assert texts(call("GET", f"{BANK}/memories/list")) == ["said today", "recorded later"]
    window = "start_date=2000-01-01T00:00:00Z"  # filters created_at, the default
    assert texts(call("GET", f"{BANK}/memories/list?{window}")) == ["recorded later", "said today"]


def test_a_graph_is_one_of_a_chunk_where_one_is_named(call: Caller, memory: Memory, alice: Tenant) -> None:
    chunk = make_chunk(alice, bank=memory.bank)
    memory.quote(memory.unit("Bob wrote it"), chunk)
    memory.unit("Carol has a lake")
    graph = call("GET", f"{BANK}/graph?chunk_id={chunk.id}").json()
    assert [node["data"]["text"] for node in graph["nodes"]] == ["Bob wrote it"]


def test_unsupported_filters_are_refused(call: Caller, memory: Memory) -> None:
    assert call("GET", f"{BANK}/memories/list?consolidation_state=pending").status_code == 501
    assert call("GET", f"{BANK}/memories/list?consolidation_state=").status_code == 200
    bob = memory.entity("Bob")
    assert call("GET", f"{BANK}/entities/{bob.id}?tag_groups=[]").status_code == 501


def test_exact_without_tags_lists_untagged_memories(call: Caller, memory: Memory) -> None:
    memory.unit("plain")
    memory.unit("tagged", tags=["sea"])
    assert texts(call("GET", f"{BANK}/memories/list?tags_match=exact")) == ["plain"]


def test_an_entity_is_counted_in_the_memories_with_the_tags_alone(call: Caller, memory: Memory) -> None:
    bob, carol = memory.entity("Bob", mention_count=3), memory.entity("Carol", mention_count=9)
    memory.unit("Bob sails", days=4, tags=["sea"], about=[bob, carol])
    memory.unit("Bob fishes", days=2, tags=["sea"], about=[bob])
    memory.unit("Bob climbs", days=1, tags=["hills"], about=[bob])
    memory.unit("Bob is at sea a lot", network="observation", tags=["sea"], about=[bob])
    memory.unit("Bob is in the hills a lot", network="observation", tags=["hills"], about=[bob])
    sea = "tags=sea&tags_match=any_strict"
    shown = call("GET", f"{BANK}/entities/{bob.id}?{sea}").json()
    assert (shown["mention_count"], shown["first_seen"][:10]) == (2, "2026-06-11")
    assert [one["text"] for one in shown["observations"]] == ["Bob is at sea a lot"]
    listed = call("GET", f"{BANK}/entities?{sea}").json()
    counts = [(item["canonical_name"], item["mention_count"]) for item in listed["items"]]
    assert (listed["total"], counts) == (2, [("Bob", 2), ("Carol", 1)])
    nodes = call("GET", f"{BANK}/entities/graph?{sea}").json()["nodes"]
    assert [(node["data"]["label"], node["data"]["mentionCount"]) for node in nodes] == counts
    assert call("GET", f"{BANK}/entities/{carol.id}?tags=hills&tags_match=any_strict").status_code == 404


def test_documents_are_found_by_id_or_text_and_the_last_written_comes_first(
    call: Caller, memory: Memory, alice: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number, (name, text) in enumerate([("report-1", "Rain."), ("b", "The REPORT."), ("c", "Sun.")]):
        document = make_document(alice, bank=memory.bank, document_id=name, text=text)
        written = NOW - timedelta(days=number)
        with tenant_transaction(alice.id):
            Document.objects.for_tenant(alice.id).filter(id=document.id).update(updated_at=written)
    listed = call("GET", f"{BANK}/documents").json()["items"]
    assert [(one["id"], one["matched_fields"]) for one in listed] == [("report-1", []), ("b", []), ("c", [])]
    found = call("GET", f"{BANK}/documents?q=report").json()
    matched = [(one["id"], one["matched_fields"]) for one in found["items"]]
    assert matched == [("report-1", ["id"]), ("b", ["original_text"])]
    assert (found["total"], found["total_is_estimate"]) == (2, False)
    monkeypatch.setattr(documents, "MOST_READ", 1)
    cut = call("GET", f"{BANK}/documents?q=report").json()
    assert (cut["total"], cut["total_is_estimate"]) == (1, True)


def test_an_edit_that_is_refused_restores_nothing(call: Caller, memory: Memory) -> None:
    path = f"{BANK}/memories/{memory.unit('Bob has a red boat').id}"
    assert call("PATCH", path, {"state": "invalidated", "reason": "sold"}).json()["invalidation_reason"] == "sold"
    assert call("PATCH", path, {"state": "valid", "text": ""}).status_code == 422
    assert call("GET", path).json()["state"] == "invalidated"


def test_an_empty_date_clears_it(call: Caller, memory: Memory) -> None:
    path = f"{BANK}/memories/{memory.unit('Bob ran', occurred_start=NOW, occurred_end=NOW).id}"
    edited = call("PATCH", path, {"occurred_start": "", "occurred_end": "", "context": ""}).json()
    assert (edited["occurred_start"], edited["occurred_end"]) == (None, None)
