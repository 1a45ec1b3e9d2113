"""Included entities, chunks and links reveal no memory that a filter or a moment hides."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

import pytest

from banks.enums import Network
from banks.models import Entity, Mention
from retrieval.filters.types import AllOf, Filters, Not, Tags, TimeRange
from retrieval.recall import RecallTools, recall
from retrieval.types import Include, PointInTime, RecallQuery
from tests.memory_factories import make_episode, make_row
from tests.retrieval.memory import NOW, Memory

QUERY = RecallQuery(
    "Where does Alice move, Lisbon?", NOW, include=Include(entities=500, source_messages=500, neighbours=1)
)


@pytest.fixture
def alice(memory: Memory) -> Entity:
    alice = memory.entity("Alice", summary="moved to Lisbon, and is ill", mention_count=3)
    hers = memory.unit("Alice moved to Lisbon", tags=["ann"], about=[alice])
    memory.metadata(hers, "channel", "mail")
    memory.unit("Alice is ill", tags=["bob"], about=[alice])
    ended = NOW - timedelta(days=5)
    memory.unit(
        "Alice lived in Porto", days=20, about=[alice], valid_until=ended, expired_at=ended, close_reason="update"
    )
    return alice


def ask(memory: Memory, tools: RecallTools, query: RecallQuery) -> list[tuple[str, int]]:
    return [(one.text, one.mention_count) for one in recall(memory.bank, query, tools).included.entities]


@pytest.mark.parametrize(
    ("filters", "mentions"),
    [
        (Filters(tags=Tags(("ann",), "any_strict")), 1),
        (Filters(tags=AllOf((Not(Tags(("bob",), "any_strict")),))), 1),
        (Filters(metadata={"channel": "mail"}), 1),
        (Filters(networks=(Network.WORLD,)), 2),
    ],
)
@pytest.mark.usefixtures("alice")
def test_under_a_filter_an_entity_has_its_name_and_mentions_of_the_results_only(
    memory: Memory, tools: RecallTools, filters: Filters, mentions: int
) -> None:
    assert ask(memory, tools, replace(QUERY, filters=filters)) == [("Alice", mentions)]


@pytest.mark.parametrize("networks", [(), (Network.WORLD, Network.EXPERIENCE, Network.OBSERVATION)])
@pytest.mark.usefixtures("alice")
def test_if_every_fact_is_visible_an_entity_has_its_summary(
    memory: Memory, tools: RecallTools, networks: tuple[Network, ...]
) -> None:
    asked = replace(QUERY, filters=Filters(networks=networks))
    assert ask(memory, tools, asked) == [("Alice: moved to Lisbon, and is ill", 3)]


def test_at_a_past_moment_an_entity_has_the_mentions_valid_then(
    memory: Memory, tools: RecallTools, alice: Entity
) -> None:
    later = memory.unit("Alice moved to Lisbon for good", valid_from=NOW + timedelta(days=9))
    make_row(Mention, memory.tenant, unit=later, entity=alice, name="Alice")
    then, now = (replace(QUERY, moment=PointInTime(as_of=NOW - timedelta(days=days))) for days in (6, 0))
    assert ask(memory, tools, then) == [("Alice", 3)]
    assert ask(memory, tools, now) == [("Alice", 2)]


def list_messages(memory: Memory, tools: RecallTools, filters: Filters) -> Sequence[str]:
    return [one.text for one in recall(memory.bank, replace(QUERY, filters=filters), tools).included.messages]


@pytest.mark.parametrize(
    ("filters", "turns"),
    [
        (Filters(), 2),
        (Filters(networks=(Network.WORLD, Network.EXPERIENCE)), 2),
        (Filters(networks=(Network.WORLD,)), 1),
        (Filters(tags=Tags(("ann",), "any_strict")), 1),
        (Filters(metadata={"user": "ann"}), 1),
        (Filters(entities=("Alice",)), 1),
        (Filters(occurred=TimeRange(NOW)), 1),
        (Filters(mentioned=TimeRange(NOW - timedelta(days=2))), 1),
    ],
)
def test_under_a_filter_no_neighbouring_turns_are_included(
    memory: Memory, tools: RecallTools, filters: Filters, turns: int
) -> None:
    episode = make_episode(memory.tenant, bank=memory.bank)
    hers, his = (
        memory.message(text, episode=episode, said_at=NOW - timedelta(minutes=minutes))
        for minutes, text in ((5, "I moved to Lisbon."), (4, "And I'm ill."))
    )
    ann = memory.unit("Alice moved to Lisbon", tags=["ann"], about=[memory.entity("Alice")], occurred_start=NOW)
    memory.metadata(ann, "user", "ann")
    memory.quote(ann, hers)
    bob = memory.unit("Bob is ill", tags=["bob"], days=3, network="experience")
    memory.quote(bob, his)
    assert list_messages(memory, tools, filters) == ["I moved to Lisbon.", "And I'm ill."][:turns]
