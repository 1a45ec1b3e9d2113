"""The graph channel: spreading activation over the memory graph (formula 12).

One statement a hop finds all edges that leave some units: stored links, shared entities, and nearness in time.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from enum import StrEnum
from functools import lru_cache
from math import sqrt
from typing import NamedTuple, Protocol, TypeVar
from uuid import UUID

from banks.models import Bank
from providers.deadline import Deadline
from retrieval.channels.lookups import BankQuery
from retrieval.filters.conditions import list_owners
from retrieval.filters.scope import Scope
from retrieval.statements import Row, read_rows, write_ids
from retrieval.types import CorpusHit, Hit


class EdgeType(StrEnum):
    SEMANTIC = "semantic"
    CAUSES = "causes"
    CAUSED_BY = "caused_by"
    ENABLES = "enables"
    PREVENTS = "prevents"
    ENTITY = "entity"
    TEMPORAL = "temporal"


# Formula 12 wants causes and shared entities above 1 and the rest at most 1. Times the decay all stay below 1, so that
# activation only falls along a path.
MULTIPLIERS: Mapping[EdgeType, float] = {
    EdgeType.CAUSES: 1.2,
    EdgeType.CAUSED_BY: 1.2,
    EdgeType.ENABLES: 1.2,
    EdgeType.PREVENTS: 1.2,
    EdgeType.ENTITY: 1.1,
    EdgeType.SEMANTIC: 1.0,
    EdgeType.TEMPORAL: 0.8,
}


MOST_HOPS = 5
# A hop is a statement. A small budget has eight for the whole recall: the bank, the nearest rows, the words, the units
# behind both, the window, two hops, and the candidates.
FEW_NODES, FEW_HOPS = 200, 2


@dataclass(frozen=True)
class SpreadRules:
    """TEMPR 3.1.3: 5 entry points at a cosine of 0.5, decay 0.8, cut-off 0.1. The best `frontier` nodes spread."""

    entry_points: int = 5
    least_entry_cosine: float = 0.5
    decay: float = 0.8
    cut_off: float = 0.1
    most_hops: int = MOST_HOPS
    frontier: int = 20
    multipliers: Mapping[EdgeType, float] = field(default_factory=lambda: MULTIPLIERS)


@dataclass(frozen=True)
class NeighbourRules:
    """Derived neighbours of a node: the newest units of each of its entities, and the nearest in time within a day."""

    newest_of_entity: int = 20
    nearest_in_time: int = 10
    time_span: timedelta = timedelta(hours=24)
    least_time_weight: float = 0.3  # TEMPR 2.4.1
    hub: int = 10  # an entity with this many mentions has the weight 0.71
    most_mentions: int = 764  # with more the weight is so small that no activation above the cut-off passes

    @property
    def time_span_seconds(self) -> float:
        return self.time_span.total_seconds()


SPREAD = SpreadRules()
NEIGHBOURS = NeighbourRules()
EDGE_TYPES = {kind.value: kind for kind in EdgeType}  # a look-up here is five times as fast as EdgeType(value)
# The expression of the index `unit_by_time`.
HAPPENED_AT = "CASE WHEN unit.occurred_start IS NULL THEN unit.mentioned_at ELSE unit.occurred_start END"

# Both ends of an edge are visible. An entity's neighbours are listed once, not once for each unit that mentions it. The
# newest have the greatest ids (UUIDv7), and the index of mentions is in that order.
LEAVING = """
WITH frontier AS MATERIALIZED (
    SELECT unit.id, {happened_at} AS at
    FROM banks_memoryunit AS unit WHERE {scope.unit} AND unit.id = ANY($3::uuid[])
), mentioned AS MATERIALIZED (
    SELECT mention.unit_id, mention.entity_id, entity.mention_count
    FROM frontier JOIN banks_mention AS mention ON mention.unit_id = frontier.id AND mention.tenant_id = $1
    JOIN banks_entity AS entity
      ON entity.id = mention.entity_id AND entity.tenant_id = $1 AND entity.mention_count <= {rules.most_mentions}
)
SELECT link.type, frontier.id, link.target_id, link.weight
FROM frontier JOIN banks_link AS link ON link.source_id = frontier.id
JOIN banks_memoryunit AS unit ON unit.id = link.target_id WHERE {scope.unit}
UNION ALL
SELECT CASE link.type WHEN 'causes' THEN 'caused_by' WHEN 'caused_by' THEN 'causes' ELSE link.type END,
    frontier.id, link.source_id, link.weight
FROM frontier JOIN banks_link AS link ON link.target_id = frontier.id
JOIN banks_memoryunit AS unit ON unit.id = link.source_id WHERE {scope.unit}
UNION ALL
SELECT 'mentions', mentioned.unit_id, mentioned.entity_id, mentioned.mention_count FROM mentioned
UNION ALL
SELECT 'mentioned_by', entity.entity_id, newest.unit_id, NULL
FROM (SELECT DISTINCT entity_id FROM mentioned) AS entity
CROSS JOIN LATERAL (
    SELECT mention.unit_id FROM banks_mention AS mention JOIN banks_memoryunit AS unit ON unit.id = mention.unit_id
    WHERE mention.entity_id = entity.entity_id AND {scope.unit}
    ORDER BY mention.unit_id DESC LIMIT {rules.newest_of_entity}
) AS newest
UNION ALL
SELECT 'temporal', frontier.id, near.id, near.seconds
FROM frontier CROSS JOIN LATERAL (
    SELECT beside.id, abs(extract(epoch FROM beside.at - frontier.at))::float8 AS seconds FROM ((
        SELECT unit.id, {happened_at} AS at FROM banks_memoryunit AS unit
        WHERE {scope.unit} AND ({happened_at}, unit.id) > (frontier.at, frontier.id)
          AND {happened_at} < frontier.at + make_interval(secs => {rules.time_span_seconds})
        ORDER BY {happened_at}, unit.id LIMIT {rules.nearest_in_time}
    ) UNION ALL (
        SELECT unit.id, {happened_at} AS at FROM banks_memoryunit AS unit
        WHERE {scope.unit} AND ({happened_at}, unit.id) < (frontier.at, frontier.id)
          AND {happened_at} > frontier.at - make_interval(secs => {rules.time_span_seconds})
        ORDER BY {happened_at} DESC, unit.id DESC LIMIT {rules.nearest_in_time}
    )) AS beside ORDER BY seconds, beside.id LIMIT {rules.nearest_in_time}
) AS near
"""


def search_graph(nearest: Sequence[CorpusHit], query: BankQuery) -> list[Hit]:
    """Units tied to the nearest ones, by their activation."""
    entries = {hit.id: hit.score for hit in list_entry_points(nearest)}
    rules = replace(SPREAD, most_hops=FEW_HOPS if query.limits.nodes <= FEW_NODES else MOST_HOPS)
    find_edges = EdgeFinder(query.bank, query.scope, query.deadline)
    activation = spread(entries, find_edges, nodes=query.limits.nodes, rules=rules)
    return [Hit("unit", unit_id, value) for unit_id, value in activation.items()]


class Scored(Protocol):
    @property
    def score(self) -> float: ...


T = TypeVar("T", bound=Scored)


def list_entry_points(nearest: Sequence[T]) -> list[T]:
    return [hit for hit in nearest[: SPREAD.entry_points] if hit.score >= SPREAD.least_entry_cosine]


class Edge(NamedTuple):
    """A named tuple: a hop makes a thousand edges, each in a fifth of the time that a dataclass takes."""

    source: UUID
    target: UUID
    type: EdgeType
    weight: float


Activation = dict[UUID, float]
FindEdges = Callable[[list[UUID]], Iterable[Edge]]  # the edges that leave these units


def spread(
    entries: Mapping[UUID, float], find_edges: FindEdges, *, nodes: int, rules: SpreadRules = SPREAD
) -> Activation:
    """Each node's highest activation over all hops; one call of `find_edges` a hop.

    The best `frontier` nodes whose activation rose in the last hop spread on, ties by id. The walk ends after
    `most_hops`, if no activation rises, or with the hop that reaches `nodes`, of which the best are kept.
    """
    activation = dict(entries)
    risen: Iterable[UUID] = entries
    for _ in range(rules.most_hops):
        frontier = best_of(risen, activation, rules.frontier)
        if not frontier or len(activation) >= nodes:
            break
        risen = raise_neighbours(activation, find_edges(frontier), rules)
    kept = best_of(activation, activation, nodes)
    return {node: activation[node] for node in kept}


def raise_neighbours(activation: Activation, edges: Iterable[Edge], rules: SpreadRules) -> set[UUID]:
    """A(j, t + 1) = max over edges (i, j) of A(i, t) * weight * decay * multiplier, if that is more than before."""
    before = dict(activation)
    risen = set()
    decay, multipliers, cut_off = rules.decay, rules.multipliers, rules.cut_off
    for source, target, kind, weight in edges:
        value = before[source] * weight * decay * multipliers[kind]
        if value >= cut_off and value > activation.get(target, 0.0):
            activation[target] = value
            risen.add(target)
    return risen


def best_of(nodes: Iterable[UUID], activation: Activation, count: int) -> list[UUID]:
    return sorted(nodes, key=lambda node: (-activation[node], node))[:count]


@dataclass
class Neighbourhood:
    """The rows of one hop."""

    links: list[Edge] = field(default_factory=list)
    mentions: dict[UUID, list[UUID]] = field(default_factory=lambda: defaultdict(list))
    mention_counts: dict[UUID, int] = field(default_factory=dict)
    mentioned_by: dict[UUID, list[UUID]] = field(default_factory=lambda: defaultdict(list))
    seconds_apart: list[tuple[UUID, UUID, float]] = field(default_factory=list)


@dataclass(frozen=True)
class EdgeFinder:
    """Called once a hop."""

    bank: Bank
    scope: Scope
    deadline: Deadline
    rules: NeighbourRules = NEIGHBOURS

    def __call__(self, unit_ids: Sequence[UUID]) -> list[Edge]:
        rows = read_rows(
            self.bank.tenant_id,
            write_leaving(self.scope, self.rules),
            (*list_owners(self.bank), write_ids(unit_ids)),
            within_seconds=self.deadline.next_share(),
            keeps_plan=True,
        )
        around = group_rows(rows)
        return [*around.links, *list_entity_edges(around, self.rules), *list_time_edges(around, self.rules)]


@lru_cache(maxsize=64)
def write_leaving(scope: Scope, rules: NeighbourRules) -> str:
    return LEAVING.format(scope=scope, rules=rules, happened_at=HAPPENED_AT)


def group_rows(rows: Iterable[Row]) -> Neighbourhood:
    around = Neighbourhood()
    for kind, source, target, value in rows:
        match kind:
            case "mentions":
                around.mentions[target].append(source)
                around.mention_counts[target] = int(value)
            case "mentioned_by":
                around.mentioned_by[source].append(target)
            case "temporal":
                around.seconds_apart.append((source, target, value))
            case _:
                around.links.append(Edge(source, target, EDGE_TYPES[kind], value))
    return around


def list_entity_edges(around: Neighbourhood, rules: NeighbourRules) -> Iterator[Edge]:
    for entity_id, sources in around.mentions.items():
        weight = weigh_shared_entity(around.mention_counts[entity_id], rules)
        for source in sources:
            for target in around.mentioned_by[entity_id]:
                if target != source:
                    yield Edge(source, target, EdgeType.ENTITY, weight)


def list_time_edges(around: Neighbourhood, rules: NeighbourRules) -> Iterator[Edge]:
    for source, target, seconds in around.seconds_apart:
        yield Edge(source, target, EdgeType.TEMPORAL, weigh_time(seconds, rules))


def weigh_shared_entity(mentions: int, rules: NeighbourRules = NEIGHBOURS) -> float:
    """1 / sqrt(1 + mentions / hub): an entity that every unit mentions says little."""
    return 1 / sqrt(1 + mentions / rules.hub)


def weigh_time(seconds: float, rules: NeighbourRules = NEIGHBOURS) -> float:
    """TEMPR 2.4.1: max(0.3, 1 - dt / 24 h)."""
    return max(rules.least_time_weight, 1 - seconds / rules.time_span.total_seconds())
