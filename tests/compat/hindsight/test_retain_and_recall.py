"""Retain and recall through Hindsight's client, with every option."""

from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import httpx
import pytest
from hindsight_client import Hindsight
from hindsight_client_api.exceptions import ApiException

from banks.models import UnitSource
from tenants.models import Tenant
from tests.api.conftest import Caller
from tests.compat.hindsight.conftest import Run
from tests.factories import make_key_with_text
from tests.memory_factories import make_row
from tests.retrieval.fake_relevance import use_lisbon_rule
from tests.retrieval.memory import Memory

SPOKEN = datetime(2024, 3, 5, 10, tzinfo=UTC)


def texts(found: Any) -> list[str]:
    return [result.text for result in found.results]


def test_a_retained_text_is_recalled(client: Hindsight) -> None:
    told = client.retain(
        "new",
        "Alice moved to Lisbon. She works at Google.",
        timestamp=SPOKEN,
        context="a chat",
        metadata={"source": "mail"},
        document_id="letters/1",
        tags=["travel"],
    )
    assert (told.success, told.bank_id, told.items_count, told.var_async) == (True, "new", 1, False)
    assert told.operation_id is None
    assert told.usage is not None
    found = client.recall("new", "Where did Alice move, Lisbon?", include_entities=True, include_chunks=True)
    first = found.results[0]
    assert "Lisbon" in first.text
    assert (first.type, first.document_id, first.tags) == ("world", "letters/1", ["travel"])
    assert (first.context, first.metadata) == ("a chat", {"source": "mail"})
    assert first.scores is not None
    assert found.entities is not None
    assert "Alice" in found.entities
    assert found.chunks is not None
    assert first.chunk_id in found.chunks


def test_a_recall_fills_its_tokens_and_has_all_fields(
    base_url: str, alice: Tenant, memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    queries = use_lisbon_rule(monkeypatch)
    memory.unit("Alice moved to Lisbon", about=[memory.entity("Alice")])
    memory.unit("Alice has a cat")
    answer = httpx.post(
        f"{base_url}/v1/default/banks/support/memories/recall",
        json={"query": "Where did Alice move?"},
        headers={"Authorization": f"Bearer {make_key_with_text(alice)[1]}"},
    ).json()
    assert {one["text"] for one in answer["results"]} == {"Alice moved to Lisbon", "Alice has a cat"}
    assert all({"scores", "sources", "document_id", "valid_from"} <= set(one) for one in answer["results"])
    assert "Alice" in answer["entities"]
    assert [one.fills for one in queries] == [True]


def test_without_a_language_model_a_recall_for_observations_searches_the_facts(client: Hindsight) -> None:
    client.retain("new", "Alice moved to Lisbon.", timestamp=SPOKEN)
    found = client.recall("new", "Where did Alice move?", types=["observation"])
    assert any("Lisbon" in text for text in texts(found))


def test_a_batch_shares_its_tags_and_its_document(client: Hindsight, run: Run) -> None:
    items = [
        {"content": "Bob bought a boat.", "tags": ["bob"], "entities": [{"text": "Bob", "type": "PERSON"}]},
        {"content": [{"type": "text", "text": "Carol sold her car."}], "timestamp": "unset", "strategy": "none"},
    ]
    told = client.retain_batch("new", items, document_tags=["family"])
    assert told.items_count == 2
    listed = run(client.memory.list_memories("new", tags=["family"], tags_match="all_strict"))
    assert {"Bob" in item.text for item in listed.items} == {True, False}
    tagged = run(client.memory.list_memories("new", tags=["bob"], tags_match="any_strict"))
    assert all("Bob" in item.text for item in tagged.items)


@pytest.mark.parametrize("named", ["letters/1", None])
def test_the_items_of_a_batch_are_one_document(client: Hindsight, run: Run, named: str | None) -> None:
    items = [{"content": "Bob bought a boat."}, {"content": "Carol sold her car."}, {"content": "Dora sings."}]
    told = client.retain_batch("new", items, document_id=named)
    assert (told.success, told.items_count) == (True, 3)
    (document,) = run(client.documents.list_documents("new")).items
    assert document.id == (named or document.id)
    assert run(client.documents.get_document("new", document.id)).original_text == "\n".join(
        item["content"] for item in items
    )
    listed = " ".join(item.text for item in run(client.memory.list_memories("new")).items)
    assert all(word in listed for word in ("boat", "car", "Dora"))


def test_two_batches_are_two_documents(client: Hindsight, run: Run) -> None:
    for name in ("Bob", "Carol"):
        client.retain_batch("new", [{"content": f"{name} bought a boat."}, {"content": f"{name} sold a car."}])
    assert run(client.documents.list_documents("new")).total == 2


def test_an_empty_batch_is_fine_and_an_empty_content_is_not(client: Hindsight) -> None:
    assert client.retain_batch("new", []).items_count == 0
    with pytest.raises(ApiException) as refused:
        client.retain_batch("new", [{"content": "Bob bought a boat."}, {"content": " "}])
    assert refused.value.status == 422
    assert refused.value.data is not None
    assert refused.value.data.detail[0].loc[-1].actual_instance == "content"
    with pytest.raises(ApiException, match="Bank 'new' not found"):  # all or nothing
        client.list_memories("new")


PICTURE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}}


def test_a_picture_beside_a_text_is_left_out(client: Hindsight, alice: Tenant) -> None:
    blocks = [{"type": "text", "text": "Bob bought a boat."}, PICTURE, {"type": "text", "text": "He sails in Kiel."}]
    assert client.retain_batch("new", [{"content": blocks}]).items_count == 1
    texts = str([one.text for one in client.list_memories("new").items])
    assert ("a boat" in texts, "in Kiel" in texts) == (True, True)
    call = Caller(make_key_with_text(alice)[1])
    told = call("POST", "/v1/default/banks/new/memories", {"items": [{"content": "Bob."}, {"content": blocks}]}).json()
    assert told["ignored"] == ["items.1.content.1"]


def test_a_picture_alone_is_refused(client: Hindsight) -> None:
    with pytest.raises(ApiException, match="reads neither images nor files") as refused:
        client.retain_batch("new", [{"content": [PICTURE]}])
    assert refused.value.status == 422


def test_an_asynchronous_retain_is_known_by_the_callers_own_id(client: Hindsight, run: Run) -> None:
    own = str(uuid4())
    told = client.retain("new", "Bob bought a boat.", retain_async=True, operation_id=own)
    assert (told.var_async, told.operation_id, told.operation_ids) == (True, own, [own])
    again = client.retain("new", "Bob bought a boat.", retain_async=True, operation_id=own)
    assert again.operation_id == own
    status = run(client.operations.get_operation_status("new", own))
    assert (status.operation_id, status.status, status.operation_type) == (own, "pending", "retain")
    assert run(client.operations.list_operations("new")).total == 1
    with pytest.raises(ApiException, match="belongs to another call") as refused:
        client.retain("other", "Bob bought a boat.", retain_async=True, operation_id=own)
    assert refused.value.status == 409


def test_an_asynchronous_retain_without_an_id_names_its_operation(client: Hindsight, run: Run) -> None:
    told = client.retain("new", "Bob bought a boat.", retain_async=True)
    assert told.operation_id is not None
    assert run(client.operations.get_operation_status("new", told.operation_id)).status == "pending"


def test_a_large_call_returns_its_operation(client: Hindsight, run: Run) -> None:
    told = client.retain("new", "Bob bought a boat. " * 6_000)
    assert (told.success, told.var_async) == (True, True)
    assert told.operation_id is not None
    assert run(client.operations.get_operation_status("new", told.operation_id)).status == "pending"


def test_a_missing_bank_gets_the_peers_message(client: Hindsight) -> None:
    with pytest.raises(ApiException) as refused:
        client.recall("nowhere", "Who bought a boat?")
    assert (refused.value.status, refused.value.body) == (404, '{"detail":"Bank \'nowhere\' not found"}')


def test_only_the_peers_types_are_found(client: Hindsight, memory: Memory) -> None:
    memory.unit("Bob has a boat")
    memory.unit("I showed Bob a boat", network="experience")
    memory.unit("Bob knows every boat", network="observation")
    memory.unit("I think that Bob loves his boat", network="opinion", confidence=0.8)
    found = client.recall("support", "Bob boat")
    assert {result.type for result in found.results} == {"world", "experience", "observation"}
    assert texts(client.recall("support", "Bob boat", types=["experience"])) == ["I showed Bob a boat"]
    assert texts(client.recall("support", "Bob boat", types=["opinion"])) == []
    assert texts(client.recall("support", "Bob boat", types=["opinion", "world"])) == ["Bob has a boat"]
    with pytest.raises(ApiException, match=r"Invalid fact type\(s\): foo\. Must be one of: experience, observation"):
        client.recall("support", "Bob boat", types=["foo"])


def test_the_legacy_type_finds_nothing_but_still_needs_a_bank(client: Hindsight) -> None:
    with pytest.raises(ApiException, match="Bank 'nowhere' not found"):
        client.recall("nowhere", "Bob boat", types=["opinion"])


def test_every_option_of_a_recall_is_understood(client: Hindsight, memory: Memory) -> None:
    memory.unit("Bob has a red boat", tags=["sea"])
    memory.unit("Bob has a blue boat", tags=["lake"])
    memory.unit("Bob has an old boat")
    ask: dict[str, Any] = {"bank_id": "support", "query": "Bob boat", "budget": "low"}
    ask["query_timestamp"] = "2026-06-15T10:00:00"
    assert sorted(texts(client.recall(**ask, tags=["sea"]))) == ["Bob has a red boat", "Bob has an old boat"]
    assert texts(client.recall(**ask, tags=["sea"], tags_match="any_strict")) == ["Bob has a red boat"]
    groups: list[dict[str, Any]] = [{"or": [{"tags": ["sea"]}, {"tags": ["lake"]}]}, {"not": {"tags": ["lake"]}}]
    assert texts(client.recall(**ask, tag_groups=groups)) == ["Bob has a red boat"]
    assert texts(client.recall(**ask, min_scores={"final": 1e9})) == []
    assert len(texts(client.recall(**ask, max_tokens=6))) == 1
    window = {"start": "2026-06-01T00:00:00Z", "end": "2026-06-02T00:00:00Z"}
    traced = client.recall(**ask, temporal_window=window, trace=True)
    assert traced.trace
    assert (traced.entities, traced.chunks, traced.source_facts) == (None, None, None)


def test_without_tokens_for_memories_their_chunks_come_alone(client: Hindsight) -> None:
    client.retain("new", "Alice moved to Lisbon.")
    ask: dict[str, Any] = {"bank_id": "new", "query": "Where did Alice move, Lisbon?", "max_tokens": 0}
    found = client.recall(**ask, include_chunks=True, include_entities=True)
    assert (found.results, found.entities) == ([], {})
    assert found.chunks is not None
    assert [chunk.text for chunk in found.chunks.values()] == ["Alice moved to Lisbon."]
    assert client.recall(**ask).results == []
    assert client.recall(**ask, include_chunks=True, max_chunk_tokens=0).chunks == {}


def test_an_observation_includes_its_facts_or_replaces_them(client: Hindsight, memory: Memory, alice: Tenant) -> None:
    fact = memory.unit("Bob has a red boat")
    observation = memory.unit("Bob is a man of the boat", network="observation")
    make_row(UnitSource, alice, unit=observation, other_unit=fact, role=UnitSource.Role.SUMMARISES)
    found = client.recall("support", "Bob boat", include_source_facts=True)
    shown = next(result for result in found.results if result.type == "observation")
    assert shown.source_fact_ids == [str(fact.id)]
    assert found.source_facts is not None
    assert found.source_facts[str(fact.id)].text == "Bob has a red boat"
    assert found.source_facts_truncated is False
    short = client.recall("support", "Bob boat", include_source_facts=True, max_source_facts_tokens=1)
    assert (short.source_facts, short.source_facts_truncated) == ({}, True)
    preferred = client.recall("support", "Bob boat", prefer_observations=True)
    assert texts(preferred) == ["Bob is a man of the boat"]


def test_a_query_without_words_is_refused(client: Hindsight, memory: Memory) -> None:
    with pytest.raises(ApiException) as refused:
        client.recall("support", "?!")
    assert refused.value.status == 422
