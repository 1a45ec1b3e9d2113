from banks.vector_index.literal import write_vector
from retrieval.declaration import Declaration
from retrieval.filters.joining import all_of
from retrieval.filters.own import list_owners
from retrieval.filters.types import TimeRange
from retrieval.filters.units import happened_within, occurred_within
from retrieval.lookups.nearest import NoVector
from retrieval.lookups.reading import read_rows
from retrieval.lookups.shared import Asked, Lookups
from retrieval.proximity import CLOSENESS, Dated, Window, score_closeness, spread_in_time
from retrieval.types import Channel, Hit

LEAST_COSINE = 0.4  # TEMPR 3.1.4: what merely happened then is no answer
REACH = 2  # so many times the entry points are read, for what stands beside them in time

# Two branches, so that each has an index of its own. What is told of a unit is worked out after the nearest are
# chosen: a wide window holds most of a bank.
IN_WINDOW = """
SELECT unit.id, unit.distance, unit.began IS NOT NULL,
    extract(epoch FROM coalesce(unit.began + (coalesce(unit.ended, unit.began) - unit.began) / 2, unit.said))::float8
FROM (
    SELECT unit.id, unit.distance, unit.began, unit.ended, unit.said FROM (
        SELECT unit.id, unit.embedding <=> $3::vector AS distance,
            unit.occurred_start AS began, unit.occurred_end AS ended, unit.mentioned_at AS said
        FROM banks_memoryunit AS unit WHERE {scope} AND unit.occurred_start IS NOT NULL AND {occurred}
        UNION ALL
        SELECT unit.id, unit.embedding <=> $3::vector, NULL, NULL, unit.mentioned_at
        FROM banks_memoryunit AS unit WHERE {scope} AND unit.occurred_start IS NULL AND {mentioned}
    ) AS unit
    ORDER BY unit.distance, unit.id LIMIT {limit}
) AS unit
ORDER BY unit.distance, unit.id
"""


def search_temporal(lookups: Lookups) -> list[Hit]:
    """Units of the asked time, by how well they fit into it and how near they are. Nothing without a window."""
    asked = lookups.asked
    if asked.window is None:
        return []
    window = Window.around(asked.window)
    units = find_in_window(asked, TimeRange(window.start, window.end))
    entries = units[: asked.limits.rows // REACH]
    closeness = {unit.id: score_closeness(unit, window) for unit in entries}
    reached = spread_in_time(units, closeness)
    cosines = {unit.id: unit.cosine for unit in units}
    hits = [
        Hit("unit", unit_id, CLOSENESS * close + (1 - CLOSENESS) * cosines[unit_id])
        for unit_id, close in reached.items()
    ]
    return sorted(hits, key=lambda hit: (-hit.score, hit.id))


def find_in_window(asked: Asked, window: TimeRange) -> list[Dated]:
    """The nearest to the query first."""
    if not asked.vector.size:
        raise NoVector
    statement = IN_WINDOW.format(
        scope=asked.scope.unit,
        occurred=all_of(occurred_within(window)).as_string(),
        mentioned=all_of(happened_within("mentioned_at", window)).as_string(),
        limit=asked.limits.rows,
    )
    values = (*list_owners(asked.bank), write_vector(asked.vector))
    rows = read_rows(asked.bank.tenant_id, statement, values, within_seconds=asked.deadline.next_share())
    units = [
        Dated(row_id, 1.0 - distance, middle, has_occurred)
        for row_id, distance, has_occurred, middle in rows
        if distance is not None
    ]
    return units if asked.is_of_whole_time else [unit for unit in units if unit.cosine >= LEAST_COSINE]


TEMPORAL = Declaration(Channel.TEMPORAL, search_temporal, has_statements=True, needs_window=True)
