from uuid import UUID

from hypothesis import given, settings
from hypothesis import strategies as st

from retrieval.channels.graph import MULTIPLIERS, NEIGHBOURS, SPREAD, Edge, EdgeType, spread, weigh_shared_entity
from tests.retrieval.channels.naive_spreading import naive_spread

IDS = [UUID(int=number) for number in range(1, 16)]
ids = st.sampled_from(IDS)
edges = st.builds(Edge, ids, ids, st.sampled_from(EdgeType), st.sampled_from([0.3, 0.5, 0.7, 0.9, 1.0]))
entries = st.dictionaries(ids, st.sampled_from([0.5, 0.6, 0.8, 1.0]), max_size=5)


class CountedEdges:
    """Finds the edges in a list, and counts the calls."""

    def __init__(self, edges: list[Edge]) -> None:
        self.edges = edges
        self.calls = 0

    def __call__(self, nodes: list[UUID]) -> list[Edge]:
        self.calls += 1
        return [edge for edge in self.edges if edge.source in nodes]


@settings(max_examples=300, deadline=None, derandomize=True)
@given(entries, st.lists(edges, max_size=60), st.integers(1, 20))
def test_it_has_one_right_answer(start: dict[UUID, float], graph: list[Edge], nodes: int) -> None:
    found = spread(start, CountedEdges(graph), nodes=nodes)
    assert list(found.items()) == list(naive_spread(start, graph, nodes=nodes).items())


@settings(max_examples=50, deadline=None, derandomize=True)
@given(entries, st.lists(edges, max_size=60))
def test_a_hop_asks_once_and_there_are_five_at_most(start: dict[UUID, float], graph: list[Edge]) -> None:
    finder = CountedEdges(graph)
    spread(start, finder, nodes=1000)
    assert finder.calls <= SPREAD.most_hops


def test_activation_falls_along_every_kind_of_edge() -> None:
    assert all(SPREAD.decay * multiplier < 1 for multiplier in MULTIPLIERS.values())
    assert set(MULTIPLIERS) == set(EdgeType)


def test_an_entity_that_is_skipped_could_not_have_given_anything() -> None:
    factor = SPREAD.decay * MULTIPLIERS[EdgeType.ENTITY]
    assert weigh_shared_entity(NEIGHBOURS.most_mentions + 1) * factor < SPREAD.cut_off
    assert weigh_shared_entity(NEIGHBOURS.most_mentions) * factor >= SPREAD.cut_off


def test_a_node_keeps_its_highest_activation() -> None:
    near, far, end = IDS[:3]
    graph = [
        Edge(near, end, EdgeType.SEMANTIC, 0.3),
        Edge(near, far, EdgeType.CAUSES, 1.0),
        Edge(far, end, EdgeType.CAUSES, 1.0),
    ]
    assert spread({near: 1.0}, CountedEdges(graph), nodes=10)[end] == 1.0 * 0.8 * 1.2 * 0.8 * 1.2


def test_units_below_the_cut_off_are_not_reached() -> None:
    assert spread({IDS[0]: 0.5}, CountedEdges([Edge(IDS[0], IDS[1], EdgeType.TEMPORAL, 0.3)]), nodes=10) == {
        IDS[0]: 0.5
    }
