from datetime import timedelta
from typing import Any

from banks.lifecycle.deleting import delete_units
from banks.locking import lock_memory
from retrieval.filters.types import Filters, Tags
from retrieval.types import Channel, PointInTime
from tenants.transactions import tenant_transaction
from tests.retrieval.channels.searching import search
from tests.retrieval.memory import NOW, Memory

QUERY = "green parrot"


def ids(memory: Memory, **fields: Any) -> list[tuple[str, object]]:
    return [(hit.kind, hit.id) for hit in search(Channel.ARCHIVE, memory, QUERY, **fields)]


def found_by_words(memory: Memory) -> set[object]:
    return {hit.id for hit in search(Channel.ARCHIVE_WORDS, memory, QUERY)}


def test_a_chunk_brings_the_units_that_quote_its_messages(memory: Memory) -> None:
    message = memory.message("the green parrot sings")
    memory.chunk(message)
    unit = memory.unit("something else entirely")
    memory.quote(unit, message)
    assert ids(memory) == [("unit", unit.id)]


def test_a_unit_that_quotes_another_part_of_the_message_does_not_come(memory: Memory) -> None:
    message = memory.message("the green parrot sings")
    chunk = memory.chunk(text="the green")
    memory.part(chunk, message, message_start=0, message_end=9, start=0, end=9)
    unit = memory.unit("something else entirely")
    memory.quote(unit, message, start=10, end=16)
    assert ids(memory) == [("chunk", chunk.id)]


def test_a_chunk_of_a_document_brings_the_units_that_quote_it(memory: Memory) -> None:
    chunk = memory.chunk(text="the green parrot sings")
    unit = memory.unit("something else entirely")
    memory.quote(unit, chunk)
    assert ids(memory) == [("unit", unit.id)]


def test_a_chunk_without_units_is_a_result_itself(memory: Memory) -> None:
    chunk = memory.chunk(text="the green parrot sings")
    assert ids(memory) == [("chunk", chunk.id)]


def test_a_chunk_of_superseded_units_is_no_result(memory: Memory) -> None:
    chunk = memory.chunk(text="the green parrot sings")
    memory.quote(memory.unit("old", expired_at=NOW, close_reason="correction"), chunk)
    assert ids(memory) == []


def test_a_chunk_of_a_deleted_memory_is_no_result(memory: Memory) -> None:
    message = memory.message("the green parrot sings")
    of_message, of_document = memory.chunk(message), memory.chunk(text="a green parrot sleeps")
    other = memory.chunk(text="the green parrot eats")
    said, read = memory.unit("one matter"), memory.unit("another matter")
    memory.quote(said, message, start=4, end=9)
    memory.quote(read, of_document)
    with tenant_transaction(memory.bank.tenant_id):
        lock_memory(memory.bank)
        delete_units(memory.bank, {said.id, read.id})
    assert ids(memory) == [("chunk", other.id)]
    assert {of_message.id, of_document.id}.isdisjoint(found_by_words(memory))


def test_a_chunk_still_leads_to_memories_that_were_not_deleted(memory: Memory) -> None:
    chunk = memory.chunk(text="the green parrot sings")
    deleted, kept = memory.unit("one matter"), memory.unit("another matter")
    memory.quote(deleted, chunk)
    memory.quote(kept, chunk)
    with tenant_transaction(memory.bank.tenant_id):
        lock_memory(memory.bank)
        delete_units(memory.bank, {deleted.id})
    assert ids(memory) == [("unit", kept.id)]


def test_an_episode_and_a_relationship_bring_their_units(memory: Memory) -> None:
    episode = memory.episode("all about the green parrot")
    told, related = memory.unit("something else entirely"), memory.unit("another matter")
    memory.quote(told, memory.message("yes", episode=episode))
    memory.relationship("the parrot is green", related)
    assert {hit.id for hit in search(Channel.SUMMARIES, memory, QUERY)} == {told.id, related.id}
    assert ids(memory) == []


def test_a_relationship_that_was_closed_brings_nothing(memory: Memory) -> None:
    memory.relationship("the parrot is green", memory.unit("other"), expired_at=NOW, close_reason="update")
    assert search(Channel.SUMMARIES, memory, QUERY) == []


def test_units_of_one_source_come_in_the_order_of_their_own_nearness(memory: Memory) -> None:
    message = memory.message("the green parrot sings")
    memory.chunk(message)
    far, near = memory.unit("something else entirely"), memory.unit("green parrot")
    for unit in (far, near):
        memory.quote(unit, message)
    assert ids(memory) == [("unit", near.id), ("unit", far.id)]


def test_under_a_filter_of_units_no_chunk_is_a_result_itself(memory: Memory) -> None:
    memory.chunk(text="the green parrot sings")
    assert ids(memory, filters=Filters(tags=Tags(("a",)))) == []


def test_a_chunk_is_evidence_of_its_documents_and_of_its_time_only(memory: Memory) -> None:
    memory.chunk(text="the green parrot sings", said_at=NOW - timedelta(days=3))
    assert ids(memory, filters=Filters(document_ids=("other",))) == []
    assert ids(memory, moment=PointInTime(as_of=NOW - timedelta(days=4))) == []
    assert ids(memory, moment=PointInTime(known_at=NOW - timedelta(days=4))) == []
    assert len(ids(memory, moment=PointInTime(as_of=NOW))) == 1


def test_a_chunk_that_is_not_in_the_text_index_yet_is_found_by_its_vector(memory: Memory) -> None:
    chunk = memory.chunk(text="the green parrot sings", is_indexed=False)
    assert ids(memory) == [("chunk", chunk.id)]


def test_by_words_a_chunk_ranks_by_its_own_score(memory: Memory) -> None:
    messages = memory.message("a parrot is green, green, green"), memory.message("the parrot")
    units = memory.unit("one thing"), memory.unit("another thing")
    for message, unit in zip(messages, units, strict=True):
        memory.chunk(message)
        memory.quote(unit, message)
    assert [hit.id for hit in search(Channel.ARCHIVE_WORDS, memory, QUERY)] == [unit.id for unit in units]
