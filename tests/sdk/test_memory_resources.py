"""Reading and changing the content of a bank by hand."""

from datetime import UTC, datetime

import pytest

from memoryplatform_client import AlreadyExists, MemoryClient, MemoryNotFound, NotFound, PreconditionFailed

pytestmark = pytest.mark.parametrize("client", ["sync"], indirect=True)  # both clients send the same requests

MARCH = datetime(2024, 3, 1, tzinfo=UTC)


@pytest.fixture
def held(client: MemoryClient) -> MemoryClient:
    relation = {"subject": "Alice", "relation": "works_at", "object": "Google"}
    facts = [
        {"text": "Alice works at Google.", "entities": ["Alice", "Google"], "relations": [relation]},
        {"text": "Ally met Bob.", "entities": ["Ally", "Bob"], "occurred_start": MARCH},
        {"text": "I think that Alice is kind.", "type": "opinion", "confidence": 0.6, "entities": ["Alice"]},
    ]
    client.retain("support", facts=facts, document_id="notes/may.md")  # type: ignore[arg-type]  # a plain table
    return client


def test_a_memory_is_edited_closed_restored_and_deleted(held: MemoryClient) -> None:
    [row] = held.memories.list("support", q="Google")
    memory = held.memories.get("support", row.id)
    assert [entity.canonical_name for entity in memory.entities] == ["Alice", "Google"]
    edited = held.memories.edit("support", row.id, text="Alice works at Google in Bern.", if_match=memory.etag)
    assert (edited.text, edited.etag == memory.etag) == ("Alice works at Google in Bern.", False)
    with pytest.raises(PreconditionFailed):
        held.memories.edit("support", row.id, importance=0.9, if_match=memory.etag)
    closed = held.memories.invalidate("support", row.id, reason="correction", explanation="misheard")
    assert closed.state == "invalidated"
    assert held.memories.restore("support", row.id).state == "valid"
    history = held.memories.history("support", row.id)
    assert [change.action for change in history.changes] == ["edited", "invalidated", "restored"]
    assert held.memories.delete("support", row.id).deleted_count == 1
    with pytest.raises(MemoryNotFound):
        held.memories.get("support", row.id)


def test_a_date_is_cleared_by_none(held: MemoryClient) -> None:
    [row] = held.memories.list("support", occurred_after=MARCH)
    assert held.memories.edit("support", row.id, occurred_start=None, occurred_end=None).occurred_start is None


def test_a_filter_clears_its_matches(held: MemoryClient) -> None:
    assert held.memories.clear("support", type="world").deleted_count == 2
    assert [row.type for row in held.memories.list("support")] == ["opinion"]


def test_documents_with_slashes_and_their_chunks(held: MemoryClient) -> None:
    document = held.documents.get("support", "notes/may.md")
    assert "Ally met Bob." in document.original_text
    chunks = list(held.documents.chunks("support", "notes/may.md"))
    assert held.documents.chunk("support", chunks[0].chunk_id).chunk_text == chunks[0].chunk_text
    assert [one.id for one in held.documents.list("support")] == ["notes/may.md"]
    assert held.documents.delete("support", "notes/may.md").memory_units_deleted == 3
    with pytest.raises(NotFound):
        held.documents.get("support", "notes/may.md")


def test_entities_are_renamed_merged_and_split(held: MemoryClient) -> None:
    named = {entity.canonical_name: entity for entity in held.entities.list("support")}
    alice, ally = named["Alice"].id, named["Ally"].id
    assert "Ally" in held.entities.merge("support", alice, [ally]).aliases
    assert held.entities.split("support", alice, names=["Ally"]).canonical_name == "Ally"
    assert held.entities.update("support", alice, canonical_name="Alice Chen").canonical_name == "Alice Chen"
    with pytest.raises(AlreadyExists):
        held.entities.update("support", alice, canonical_name="Bob")
    [works] = held.relationships.list("support", entity_id=alice, state="current")
    assert (works.relation, works.subject_id) == ("works_at", alice)
    assert held.entities.get("support", alice).relationships[0].id == works.id


def test_messages_and_the_episode_that_they_make(held: MemoryClient) -> None:
    held.retain("support", messages=[{"role": "user", "content": "I sail to Rome.", "name": "Dana"}], thread="t")
    [message] = held.messages.list("support")
    assert held.messages.get("support", message.id) == message
    [episode] = held.episodes.list("support", thread="t")
    assert held.episodes.get("support", episode.id).messages == [message]
    assert [found.id for found in held.episodes.list("support", q="sail to Rome")] == [episode.id]


def test_an_opinion_is_reviewed_and_shows_its_history(held: MemoryClient) -> None:
    [row] = held.opinions.list("support", min_confidence=0.5, tags=["elsewhere"], tags_match="any")
    assert list(held.opinions.list("support", tags=["elsewhere"], tags_match="any_strict")) == []
    assert list(held.observations.list("support", tags=["elsewhere"], tags_match="any_strict")) == []
    opinion = held.opinions.get("support", row.id)
    edited = held.opinions.review("support", row.id, "edit", reason="too timid", confidence=0.9, if_match=opinion.etag)
    assert edited.confidence == 0.9
    with pytest.raises(PreconditionFailed):
        held.opinions.review("support", row.id, "pin", reason="sure", if_match=opinion.etag)
    assert held.opinions.review("support", row.id, "pin", reason="sure").review == "pinned"
    assert [one.cause for one in held.opinions.revisions("support", row.id, limit=1)][-2:] == ["edited", "pinned"]
