"""Documents, chunks, episodes and messages over HTTP."""

from uuid import uuid4

import pytest

from banks.models import Bank, Chunk, ChunkPart, Document
from banks.types import Source
from tenants.models import Tenant
from tenants.transactions import tenant_transaction
from tests.api.conftest import Caller
from tests.factories import make_bank
from tests.memory_factories import make_chunk, make_document, make_episode, make_message, make_row
from tests.stored_facts import NOON, store_fact

DOCUMENT = "/v1/banks/support/documents/notes/2024/may.md"


@pytest.fixture
def bank(alice: Tenant) -> Bank:
    return make_bank(alice, bank_id="support")


@pytest.fixture
def document(alice: Tenant, bank: Bank) -> Document:
    fields = {"document_id": "notes/2024/may.md", "text": "Alice sings. Bob paints.", "tags": ["team"]}
    return make_document(alice, bank=bank, metadata={"by": "Carol"}, **fields)


def fill(tenant: Tenant, document: Document) -> list[Chunk]:
    texts = ["Alice sings.", "Bob paints."]
    chunks = [
        make_chunk(tenant, bank=document.bank, document=document, position=place, text=text, start=13 * place)
        for place, text in enumerate(texts)
    ]
    for chunk in chunks:
        store_fact(document.bank, chunk.text, sources=[Source(0, len(chunk.text), chunk_id=chunk.id)])
    return chunks


def test_a_document_id_may_have_slashes(call: Caller, alice: Tenant, document: Document) -> None:
    fill(alice, document)
    shown = call("GET", DOCUMENT).json()
    assert (shown["id"], shown["bank_id"], shown["version"]) == ("notes/2024/may.md", "support", 1)
    assert (shown["original_text"], shown["text_length"]) == (document.text, 24)
    assert (shown["tags"], shown["document_metadata"]) == (["team"], {"by": "Carol"})
    assert (shown["memory_unit_count"], shown["nodes_by_fact_type"], shown["chunk_count"]) == (2, {"world": 2}, 2)


def test_documents_are_listed_with_the_number_of_their_memories(
    call: Caller, alice: Tenant, document: Document
) -> None:
    fill(alice, document)
    make_document(alice, bank=document.bank, document_id="empty")
    page = call("GET", "/v1/banks/support/documents").json()
    assert [(row["id"], row["memory_unit_count"], row["text_length"]) for row in page["items"]] == [
        ("empty", 0, 6),
        ("notes/2024/may.md", 2, 24),
    ]
    assert page["total"] == 2


def test_the_chunks_of_a_document_come_in_the_order_of_its_text(
    call: Caller, alice: Tenant, document: Document
) -> None:
    fill(alice, document)
    first = call("GET", f"{DOCUMENT}/chunks?limit=1").json()
    rest = call("GET", f"{DOCUMENT}/chunks?limit=1&cursor={first['next_cursor']}").json()
    shown = first["items"] + rest["items"]
    assert [(chunk["chunk_index"], chunk["chunk_text"]) for chunk in shown] == [(0, "Alice sings."), (1, "Bob paints.")]
    assert (first["total"], rest["next_cursor"], shown[0]["document_id"]) == (2, None, "notes/2024/may.md")


def test_the_next_page_continues_even_if_the_last_chunk_was_deleted(
    call: Caller, alice: Tenant, document: Document
) -> None:
    for place in range(5):
        make_chunk(alice, bank=document.bank, document=document, position=place, text=f"chunk {place}")
    cursor = call("GET", f"{DOCUMENT}/chunks?limit=3").json()["next_cursor"]
    with tenant_transaction(alice.id):
        Chunk.objects.for_tenant(alice.id).filter(text="chunk 2").delete()
    rest = call("GET", f"{DOCUMENT}/chunks?cursor={cursor}").json()
    assert [chunk["chunk_text"] for chunk in rest["items"]] == ["chunk 3", "chunk 4"]
    assert call("GET", f"{DOCUMENT}/chunks?cursor=3").status_code == 422
    make_document(alice, bank=document.bank, document_id="other")
    assert call("GET", f"/v1/banks/support/documents/other/chunks?cursor={cursor}").status_code == 422


def test_a_deleted_document_takes_memories_that_rest_on_it_alone(
    call: Caller, alice: Tenant, document: Document
) -> None:
    fill(alice, document)
    message = make_message(alice, bank=document.bank)
    store_fact(document.bank, "Alice sings.", sources=[Source(0, 1, message_id=message.id)])
    receipt = call("DELETE", DOCUMENT).json()
    assert (receipt["success"], receipt["document_id"]) == (True, "notes/2024/may.md")
    assert (receipt["memory_units_deleted"], receipt["chunks_deleted"]) == (1, 2)
    assert [unit["text"] for unit in call("GET", "/v1/banks/support/memories").json()["items"]] == ["Alice sings."]
    for method in ("GET", "DELETE"):
        response = call(method, DOCUMENT)
        assert (response.status_code, response.json()["code"]) == (404, "document_not_found")
    with tenant_transaction(alice.id):
        assert not Chunk.objects.for_tenant(alice.id).exists()


def test_a_chunk_says_which_characters_of_which_message_it_holds(call: Caller, alice: Tenant, bank: Bank) -> None:
    episode = make_episode(alice, bank=bank)
    chunk = make_chunk(alice, bank=bank, episode=episode, text="Alice: hello", heading="May 1, 2024")
    message = make_message(alice, bank=bank, episode=episode, content="hello")
    spans = {"message_start": 0, "message_end": 5, "start": 7, "end": 12}
    make_row(ChunkPart, alice, chunk=chunk, message=message, **spans)
    shown = call("GET", f"/v1/banks/support/chunks/{chunk.id}").json()
    assert (shown["chunk_text"], shown["heading"], shown["document_id"]) == ("Alice: hello", "May 1, 2024", None)
    assert shown["episode_id"] == str(episode.id)
    assert shown["parts"] == [{"message_id": str(message.id), **spans}]


def test_an_episode_comes_with_its_messages_in_order(call: Caller, alice: Tenant, bank: Bank) -> None:
    episode = make_episode(alice, bank=bank, narrative="They met.")
    for minute, content in ((2, "second"), (1, "first")):
        make_message(alice, bank=bank, episode=episode, content=content, said_at=NOON.replace(minute=minute))
    shown = call("GET", f"/v1/banks/support/episodes/{episode.id}").json()
    assert (shown["narrative"], [message["content"] for message in shown["messages"]]) == (
        "They met.",
        ["first", "second"],
    )
    message = call("GET", f"/v1/banks/support/messages/{shown['messages'][0]['id']}").json()
    assert (message["content"], message["episode_id"]) == ("first", str(episode.id))


@pytest.mark.parametrize("what", ["message", "episode", "chunk"])
def test_missing_objects_are_not_found(call: Caller, bank: Bank, what: str) -> None:
    response = call("GET", f"/v1/banks/support/{what}s/{uuid4()}")
    assert (response.status_code, response.json()["code"]) == (404, f"{what}_not_found")


@pytest.mark.parametrize("document_id", ["a%00b", "%F0%9F%8E%89", "x/chunks", "%2e%2e"])
def test_an_odd_document_id_is_not_found(call: Caller, bank: Bank, document_id: str) -> None:
    assert call("GET", f"/v1/banks/support/documents/{document_id}").status_code == 404


@pytest.mark.parametrize("document_id", ["a\nb", " plan", "plan ", "a\x07b"])
def test_ids_that_no_path_could_name_are_refused(call: Caller, document_id: str) -> None:
    answer = call("POST", "/v1/banks/support/memories", {"items": [{"content": "Some.", "document_id": document_id}]})
    assert answer.status_code == 422
