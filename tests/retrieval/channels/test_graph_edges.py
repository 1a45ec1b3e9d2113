"""The SQL statement finds the same edges as the naive definition, on random memories."""

from datetime import UTC, datetime, timedelta
from itertools import pairwise
from uuid import UUID

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from banks.models import Bank, Entity, Link, MemoryUnit, Mention
from providers.deadline import Deadline
from retrieval.channels.graph import Edge, EdgeFinder, NeighbourRules, spread
from retrieval.filters.scope import build_scope
from retrieval.filters.types import Filters
from retrieval.types import PointInTime
from tenants.identifiers import uuid7
from tenants.transactions import tenant_transaction
from tests.retrieval.channels.naive_spreading import Graph, Node, naive_edges, naive_spread
from tests.retrieval.memory import undone

START = datetime(2026, 1, 1, tzinfo=UTC)
NAMES = ["alice", "bob", "carol"]
RULES = NeighbourRules(newest_of_entity=3, nearest_in_time=3)


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    """Times lie on a coarse grid, so that several units coincide. Ids grow with the time of creation, like UUIDv7."""
    count = draw(st.integers(2, 12))
    nodes = [
        Node(
            uuid7(),
            START + timedelta(hours=draw(st.integers(0, 12)) * 6),
            draw(st.frozensets(st.sampled_from(NAMES), max_size=2)),
            draw(st.integers(0, 4)) > 0,
        )
        for _ in range(count)
    ]
    numbers = st.integers(0, count - 1)
    kinds = st.sampled_from(["semantic", "causes", "caused_by", "enables", "prevents"])
    weights = st.sampled_from([0.3, 0.7, 0.9])
    drawn = draw(st.lists(st.tuples(numbers, numbers, kinds, weights), max_size=10, unique_by=lambda one: one[:3]))
    links = [(nodes[one].id, nodes[two].id, kind, weight) for one, two, kind, weight in drawn if one != two]
    return Graph(nodes, links, {name: draw(st.integers(1, 200)) for name in NAMES})


def write(bank: Bank, graph: Graph) -> None:
    tenant_id = bank.tenant_id
    units = [
        MemoryUnit(
            id=node.id,
            bank=bank,
            network="world",
            text="t",
            content_hash=node.id.bytes,
            # Half of the units have an occurrence; the others only the time of their mention.
            occurred_start=node.at if place % 2 else None,
            mentioned_at=START if place % 2 else node.at,
            recorded_at=START,
            expired_at=None if node.is_visible else START,
            close_reason="" if node.is_visible else "update",
        )
        for place, node in enumerate(graph.nodes)
    ]
    entities = {
        name: Entity(id=uuid7(), bank=bank, name=name, identity=name, kind="PERSON", mention_count=count)
        for name, count in graph.mention_counts.items()
    }
    mentions = [
        Mention(unit_id=node.id, entity=entities[name], name=name) for node in graph.nodes for name in node.entities
    ]
    links = [Link(source_id=one, target_id=two, type=kind, weight=weight) for one, two, kind, weight in graph.links]
    MemoryUnit.objects.for_tenant(tenant_id).bulk_create(units)
    Entity.objects.for_tenant(tenant_id).bulk_create(entities.values())
    Mention.objects.for_tenant(tenant_id).bulk_create(mentions)
    Link.objects.for_tenant(tenant_id).bulk_create(links)


def find_edges(bank: Bank, unit_ids: list[UUID]) -> list[Edge]:
    scope = build_scope(Filters(), PointInTime())
    return EdgeFinder(bank, scope, Deadline(), RULES)(unit_ids)


@settings(max_examples=25, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(graph=graphs())
def test_edges_and_activation_are_those_of_the_definition(bank: Bank, graph: Graph) -> None:
    expected = naive_edges(graph, newest=3, nearest=3)
    entries = {node.id: 0.9 for node in graph.nodes[:2] if node.is_visible}
    with undone(bank):
        write(bank, graph)
        assert set(find_edges(bank, [node.id for node in graph.nodes])) == expected
        found = spread(entries, lambda frontier: find_edges(bank, frontier), nodes=8)
    assert found == pytest.approx(naive_spread(entries, sorted(expected, key=str), nodes=8))


def test_a_hop_is_one_statement_however_many_units_go_on(bank: Bank) -> None:
    nodes = [Node(uuid7(), START + timedelta(hours=hour), frozenset({"alice"})) for hour in range(30)]
    links = [(one.id, two.id, "semantic", 0.8) for one, two in pairwise(nodes)]
    with tenant_transaction(bank.tenant_id):
        write(bank, Graph(nodes, links, {"alice": 30}))
        with CaptureQueriesContext(connection) as captured:
            assert find_edges(bank, [node.id for node in nodes])
    asked = [query for query in captured.captured_queries if "banks_link" in query["sql"]]
    assert len(asked) == 1
