"""Single memories, their graph and their tags, through Hindsight's client."""

from datetime import UTC, datetime
from uuid import uuid4

import pytest
from hindsight_client import Hindsight
from hindsight_client_api.exceptions import ApiException
from hindsight_client_api.models.update_memory_request import UpdateMemoryRequest

from banks.models import MemoryUnit
from memoryplatform.operations.banks.stats import matches_pattern
from tests.compat.hindsight.conftest import Run
from tests.retrieval.memory import Memory


@pytest.fixture
def boat(memory: Memory) -> MemoryUnit:
    return memory.unit("Bob has a red boat", days=2, tags=["sea"], about=[memory.entity("Bob")])


def test_memories_are_listed_with_their_fields(client: Hindsight, memory: Memory, boat: MemoryUnit) -> None:
    memory.unit("I think that Bob loves it", network="opinion", confidence=0.8)
    listed = client.list_memories("support")
    assert (listed.total, listed.limit, listed.offset) == (1, 100, 0)
    (item,) = listed.items
    assert (item.id, item.text, item.fact_type) == (str(boat.id), "Bob has a red boat", "world")
    assert (item.entities, item.tags, item.state) == ("Bob", ["sea"], "valid")


def test_a_list_is_filtered_and_paged(client: Hindsight, memory: Memory, boat: MemoryUnit) -> None:
    lake = memory.unit("Carol has a lake", days=1, occurred_start=datetime(2026, 1, 1, tzinfo=UTC))
    seen = memory.unit("I saw a boat", network="experience", days=3)
    every = [str(lake.id), str(boat.id), str(seen.id)]  # newest first
    assert [item.id for item in client.list_memories("support").items] == every
    page = client.list_memories("support", limit=1, offset=1)
    assert ([item.id for item in page.items], page.total) == (every[1:2], 3)
    assert client.list_memories("support", limit=0).items == []
    assert [item.id for item in client.list_memories("support", type="experience").items] == [str(seen.id)]
    assert client.list_memories("support", type="opinion").items == []
    assert [item.id for item in client.list_memories("support", search_query="lake").items] == [str(lake.id)]
    assert [item.id for item in client.list_memories("support", tags=["sea"], tags_match="exact").items] == every[1:2]
    by_time = client.list_memories("support", time_field="mentioned_at", start_date="2026-06-13T00:00:00Z")
    assert [item.id for item in by_time.items] == [str(lake.id), str(boat.id)]
    assert [item.id for item in client.list_memories("support", time_field="occurred_start").items] == [str(lake.id)]


def test_a_memory_is_shown_corrected_closed_and_restored(client: Hindsight, run: Run, boat: MemoryUnit) -> None:
    where = ("support", str(boat.id))
    assert run(client.memory.get_memory(*where))["entities"] == ["Bob"]
    edit = UpdateMemoryRequest(text="Bob has a blue boat", reason="wrong colour")
    assert run(client.memory.update_memory(*where, edit))["text"] == "Bob has a blue boat"
    closed = run(client.memory.update_memory(*where, UpdateMemoryRequest(state="invalidated", reason="sold")))
    assert (closed["state"], closed["invalidation_reason"]) == ("invalidated", "sold")
    assert client.list_memories("support").total == 0
    assert client.list_memories("support", state="invalidated").total == 1
    both = UpdateMemoryRequest(state="valid", context="a letter")
    restored = run(client.memory.update_memory(*where, both))
    assert (restored["state"], restored["context"]) == ("valid", "a letter")
    history = run(client.memory.get_observation_history(*where))
    assert [change["reason"] for change in history][-2:] == ["sold", "wrong colour"]
    assert [change["previous_text"] for change in history][-2:] == ["Bob has a blue boat", "Bob has a red boat"]
    assert history[0]["changed_at"] >= history[-1]["changed_at"]
    assert history[-1]["previous_tags"] == ["sea"]


def test_derived_memories_can_not_be_edited(client: Hindsight, run: Run, memory: Memory) -> None:
    observation = memory.unit("Bob is a man of the sea", network="observation")
    with pytest.raises(ApiException, match="Only world and experience facts") as refused:
        run(client.memory.update_memory("support", str(observation.id), UpdateMemoryRequest(text="No.")))
    assert refused.value.status == 400


def test_a_wrong_state_is_refused_and_entities_are_not_set(client: Hindsight, run: Run, boat: MemoryUnit) -> None:
    where = ("support", str(boat.id))
    for change, status in ((UpdateMemoryRequest(state="gone"), 422), (UpdateMemoryRequest(entities=["Al"]), 501)):
        with pytest.raises(ApiException) as refused:
            run(client.memory.update_memory(*where, change))
        assert refused.value.status == status


def test_memories_are_cleared_by_type(client: Hindsight, run: Run, memory: Memory, boat: MemoryUnit) -> None:
    memory.unit("I saw a boat", network="experience")
    gone = run(client.memory.clear_bank_memories("support", type="experience"))
    assert (gone.success, gone.deleted_count) == (True, 1)
    assert [item.id for item in client.list_memories("support").items] == [str(boat.id)]
    assert run(client.memory.clear_bank_memories("support")).deleted_count == 1
    assert client.list_memories("support").total == 0


def test_the_graph_shows_memories_and_the_links_between_them(
    client: Hindsight, run: Run, memory: Memory, boat: MemoryUnit
) -> None:
    lake = memory.unit("Carol has a lake")
    memory.link(boat, lake, weight=0.5)
    graph = run(client.memory.get_graph("support"))
    assert {node.data.id for node in graph.nodes} == {str(boat.id), str(lake.id)}
    (edge,) = graph.edges
    assert (edge.data.source, edge.data.target, edge.data.weight) == (str(boat.id), str(lake.id), 0.5)
    assert (graph.total_units, len(graph.table_rows)) == (2, 2)
    alone = run(client.memory.get_graph("support", tags=["sea"]))
    assert ([node.data.id for node in alone.nodes], alone.edges) == ([str(boat.id)], [])


def test_tags_are_counted_and_searched_with_wildcards(
    client: Hindsight, run: Run, memory: Memory, boat: MemoryUnit
) -> None:
    memory.unit("Bob is at sea", tags=["sea", "user:bob"])
    memory.unit("I think that he likes it", network="opinion", confidence=0.8, tags=["mood"])
    listed = run(client.memory.list_tags("support"))
    assert [(item.tag, item.count) for item in listed.items] == [("sea", 2), ("user:bob", 1)]
    assert [item.tag for item in run(client.memory.list_tags("support", q="USER:*")).items] == ["user:bob"]
    page = run(client.memory.list_tags("support", limit=1, offset=1))
    assert ([item.tag for item in page.items], page.total) == (["user:bob"], 2)


@pytest.mark.parametrize(
    ("pattern", "matching", "other"),
    [
        ("sea", "sea", "seaside"),
        ("sea*", "seaside", "overseas"),
        ("*-fred", "user-fred", "user-freda"),
        ("tag*-2", "tag-1-2", "tag-2-1"),
        ("ab*ba", "abba", "aba"),
        ("a*b*c", "a-b-c", "a-c-b"),
        ("*", "", None),
    ],
)
def test_a_star_matches_anything(pattern: str, matching: str, other: str | None) -> None:
    assert matches_pattern(matching, pattern)
    assert other is None or not matches_pattern(other, pattern)


def test_a_memory_that_is_not_there(client: Hindsight, run: Run, memory: Memory) -> None:
    with pytest.raises(ApiException) as refused:
        run(client.memory.get_memory("support", str(uuid4())))
    assert refused.value.status == 404
