"""All edges that leave some units, found with one statement: stored links, shared entities, nearness in time."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from uuid import UUID

from banks.models import Bank
from retrieval.deadline import Deadline
from retrieval.filters.own import list_owners
from retrieval.filters.scope import Scope
from retrieval.graph.rules import NEIGHBOURS, EdgeType, NeighbourRules
from retrieval.graph.spreading import Edge
from retrieval.graph.weights import weigh_shared_entity, weigh_time
from retrieval.lookups.arrays import write_ids
from retrieval.lookups.one_trip import Row
from retrieval.lookups.reading import read_rows

EDGE_TYPES = {kind.value: kind for kind in EdgeType}  # calling the class takes five times as long
# As the index `unit_by_time` has it.
HAPPENED_AT = "CASE WHEN unit.occurred_start IS NULL THEN unit.mentioned_at ELSE unit.occurred_start END"

# Both ends are visible. An entity's neighbours are listed once, not once for each unit that mentions it; the newest
# are those with the greatest ids (UUIDv7), which the index of mentions gives in order.
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


@dataclass
class Neighbourhood:
    """The rows of one hop, before they are edges."""

    links: list[Edge] = field(default_factory=list)
    mentions: dict[UUID, list[UUID]] = field(default_factory=lambda: defaultdict(list))
    mention_counts: dict[UUID, int] = field(default_factory=dict)
    mentioned_by: dict[UUID, list[UUID]] = field(default_factory=lambda: defaultdict(list))
    seconds_apart: list[tuple[UUID, UUID, float]] = field(default_factory=list)


@dataclass(frozen=True)
class EdgeFinder:
    """Callable once a hop, as spreading asks for edges."""

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
        around = sort_out(rows)
        return [*around.links, *list_entity_edges(around, self.rules), *list_time_edges(around, self.rules)]


@lru_cache(maxsize=64)
def write_leaving(scope: Scope, rules: NeighbourRules) -> str:
    return LEAVING.format(scope=scope, rules=rules, happened_at=HAPPENED_AT)


def sort_out(rows: Iterable[Row]) -> Neighbourhood:
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
