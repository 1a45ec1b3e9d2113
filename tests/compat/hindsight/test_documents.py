"""Documents, their chunks and the entities in them, through Hindsight's client."""

from typing import Any
from uuid import uuid4

import pytest
from hindsight_client import Hindsight
from hindsight_client_api.exceptions import ApiException

from banks.models import CoOccurrence
from tenants.models import Tenant
from tests.compat.hindsight.conftest import MakeClient, Run
from tests.factories import make_tenant
from tests.memory_factories import make_chunk, make_document, make_row
from tests.retrieval.memory import Memory

LETTER = "Alice moved to Lisbon. She works at Google."


@pytest.fixture
def letter(client: Hindsight) -> str:
    client.retain("new", LETTER, document_id="letters/1", tags=["travel"], metadata={"source": "mail"})
    return "letters/1"


def test_a_document_is_listed_shown_and_deleted(client: Hindsight, run: Run, letter: str) -> None:
    listed = run(client.documents.list_documents("new"))
    (item,) = listed.items
    assert (listed.total, item.id, item.tags, item.text_length) == (1, letter, ["travel"], len(LETTER))
    shown = run(client.documents.get_document("new", letter))
    assert (shown.original_text, shown.bank_id) == (LETTER, "new")
    assert shown.document_metadata == {"source": "mail"}
    assert shown.memory_unit_count == sum(shown.nodes_by_fact_type.values()) > 0
    gone = run(client.documents.delete_document("new", letter))
    assert (gone.success, gone.document_id, gone.memory_units_deleted) == (True, letter, shown.memory_unit_count)
    assert client.list_memories("new").total == 0
    with pytest.raises(ApiException) as refused:
        run(client.documents.get_document("new", letter))
    assert refused.value.status == 404


def test_chunks_are_listed_and_shown_without_naming_the_bank(client: Hindsight, run: Run, letter: str) -> None:
    listed = run(client.documents.list_document_chunks("new", letter))
    (chunk,) = listed.items
    assert (listed.total, chunk.chunk_index, chunk.chunk_text) == (1, 0, LETTER)
    shown = run(client.documents.get_chunk(chunk.chunk_id))
    assert (shown.document_id, shown.bank_id, shown.chunk_text) == (letter, "new", LETTER)
    with pytest.raises(ApiException) as refused:
        run(client.documents.get_chunk(str(uuid4())))
    assert refused.value.status == 404


def test_a_chunk_of_another_tenant_or_bank_is_not_there(
    client: Hindsight, make_client: MakeClient, run: Run, memory: Memory, alice: Tenant
) -> None:
    chunk = make_chunk(alice, bank=memory.bank)
    assert run(client.documents.get_chunk(str(chunk.id))).document_id == ""
    for other in (make_client(make_tenant("charlie")), make_client(alice, banks=["mine"])):
        with pytest.raises(ApiException) as refused:
            run(other.documents.get_chunk(str(chunk.id)))
        assert (refused.value.status, "support" in str(refused.value)) == (404, False)


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ({"tags": ["a"]}, {"one", "both"}),
        ({"tags": ["a", "b"], "tags_match": "any_strict"}, {"one", "both"}),
        ({"tags": ["a", "b"], "tags_match": "all_strict"}, {"both"}),
        ({"tags": ["a"], "tags_match": "exact"}, {"one"}),
        ({"tags": ["b"], "tags_match": "any"}, {"both", "none"}),
        ({"tags": ["a", "b"], "tags_match": "all"}, {"both", "none"}),
    ],
)
def test_documents_are_chosen_by_their_tags(
    client: Hindsight, run: Run, memory: Memory, wanted: dict[str, Any], found: set[str]
) -> None:
    for name, own in {"one": ["a"], "both": ["a", "b"], "none": []}.items():
        make_document(memory.tenant, bank=memory.bank, document_id=name, tags=own)
    listed = run(client.documents.list_documents("support", **wanted))
    assert {item.id for item in listed.items} == found
    assert listed.total == len(found)


def test_documents_are_searched_by_their_id_and_time(
    client: Hindsight, run: Run, memory: Memory, alice: Tenant
) -> None:
    for name in ("letters/1", "notes/1"):
        make_document(alice, bank=memory.bank, document_id=name)
    assert [item.id for item in run(client.documents.list_documents("support", q="NOTE")).items] == ["notes/1"]
    future: dict[str, Any] = {"time_field": "created_at", "start_date": "2100-01-01T00:00:00Z"}
    assert run(client.documents.list_documents("support", **future)).items == []


def test_entities_are_listed_by_their_weight_and_shown(client: Hindsight, run: Run, memory: Memory) -> None:
    bob = memory.entity("Bob", mention_count=2)
    carol = memory.entity("Carol", mention_count=5)
    memory.unit("Bob is at sea", about=[bob], tags=["sea"])
    memory.unit("Bob is a sailor", about=[bob], network="observation")
    listed = run(client.entities.list_entities("support"))
    assert [item.canonical_name for item in listed.items] == ["Carol", "Bob"]
    assert listed.total == 2
    tagged = run(client.entities.list_entities("support", tags=["sea"], tags_match="any_strict"))
    assert [item.canonical_name for item in tagged.items] == ["Bob"]
    shown = run(client.entities.get_entity("support", str(bob.id)))
    assert (shown.canonical_name, shown.mention_count) == ("Bob", 2)
    assert [observation.text for observation in shown.observations] == ["Bob is a sailor"]
    assert run(client.entities.get_entity("support", str(carol.id))).observations == []
    with pytest.raises(ApiException) as refused:
        run(client.entities.list_entities("support", tag_groups='[{"tags": ["sea"]}]'))
    assert refused.value.status == 501


def test_the_entity_graph_has_co_occurrences(client: Hindsight, run: Run, memory: Memory, alice: Tenant) -> None:
    first, second = sorted([memory.entity("Bob"), memory.entity("Carol")], key=lambda entity: entity.id)
    make_row(CoOccurrence, alice, first=first, second=second, count=3)
    graph = run(client.entities.get_entity_graph("support"))
    assert {node.data.label for node in graph.nodes} == {"Bob", "Carol"}
    (edge,) = graph.edges
    assert (edge.data.source, edge.data.target, edge.data.weight) == (str(first.id), str(second.id), 3)
    assert (graph.total_entities, graph.total_edges) == (2, 1)
    assert run(client.entities.get_entity_graph("support", min_count=4)).edges == []
    assert run(client.entities.get_entity_graph("support", limit=1)).edges == []
