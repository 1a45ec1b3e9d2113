"""All that a caller asks of a unit, as one SQL condition over the alias `unit`; whose it must be see `own`."""

from collections.abc import Mapping
from datetime import datetime

from psycopg import sql

from banks.entities.names.normalise import normalise_name
from retrieval.as_known import build_as_known
from retrieval.filters.joining import all_of
from retrieval.filters.moment import build_moment_condition
from retrieval.filters.own import is_own
from retrieval.filters.tags import FEW, build_tag_condition, text_array
from retrieval.filters.types import Filters, TimeRange
from retrieval.types import PointInTime

UNIT = sql.Identifier("unit")
HAS_METADATA = sql.SQL("""EXISTS (
    SELECT FROM banks_unitmetadata AS entry
    WHERE entry.bank_id = $2 AND entry.key = {key} AND entry.value = {value} AND entry.unit_id = unit.id
)""")
# No unit has a pair twice.
HAS_ALL_METADATA = sql.SQL("""(unit.id IN (
    SELECT entry.unit_id FROM unnest({keys}, {values}) AS wanted (key, value)
    JOIN banks_unitmetadata AS entry ON entry.key = wanted.key AND entry.value = wanted.value
    WHERE entry.bank_id = $2 GROUP BY entry.unit_id HAVING count(*) = {count}
) IS TRUE)""")
MENTIONS = sql.SQL("""EXISTS (
    SELECT FROM banks_entityname AS name JOIN banks_mention AS mention ON mention.entity_id = name.entity_id
    WHERE name.bank_id = $2 AND name.normalised_name = ANY({names}) AND mention.unit_id = unit.id
)""")
RESTS_ON_DOCUMENT = sql.SQL("""EXISTS (
    SELECT FROM banks_unitsource AS source
    JOIN banks_chunk AS chunk ON chunk.id = source.chunk_id
    JOIN banks_document AS document ON document.id = chunk.document_id
    WHERE source.unit_id = unit.id AND document.bank_id = $2 AND document.document_id = ANY({document_ids})
)""")
# Most units have not been touched since, and are what they were. The inner `unit` has the fields of then.
WAS = sql.SQL("""CASE WHEN unit.updated_at <= {known} THEN {condition} ELSE EXISTS (
    SELECT FROM (SELECT {columns} FROM (VALUES (1)) AS one {joined}) AS unit WHERE {condition}
) END""")
FIELDS = ("network", "occurred_start", "occurred_end", "mentioned_at")


def build_unit_condition(filters: Filters, moment: PointInTime) -> sql.Composable:
    """The unit is this bank's, visible at the moment, and passes every filter."""
    conditions = [is_own(UNIT), build_moment_condition(UNIT, moment)]
    if filters.tags is not None:
        conditions.append(build_tag_condition(filters.tags))
    conditions += has_metadata(filters.metadata)
    if filters.entities:
        names = text_array(tuple(normalise_name(name) for name in filters.entities))
        conditions.append(MENTIONS.format(names=names))
    if filters.document_ids:
        conditions.append(RESTS_ON_DOCUMENT.format(document_ids=text_array(filters.document_ids)))
    conditions += as_it_was(list_field_conditions(filters), moment)
    return all_of(conditions)


def list_field_conditions(filters: Filters) -> list[sql.Composable]:
    """On what an edit may change: FIELDS."""
    conditions: list[sql.Composable] = []
    if filters.networks:
        networks = text_array(tuple(network.value for network in filters.networks))
        conditions.append(sql.SQL("unit.network = ANY({})").format(networks))
    return [*conditions, *occurred_within(filters.occurred), *happened_within("mentioned_at", filters.mentioned)]


def as_it_was(conditions: list[sql.Composable], moment: PointInTime) -> list[sql.Composable]:
    """Asked of the fields that a result shows under `known_at`."""
    if moment.known_at is None or not conditions:
        return conditions
    known = build_as_known(moment)
    return [
        WAS.format(
            known=sql.Literal(moment.known_at),
            condition=all_of(conditions),
            columns=sql.SQL(", ".join(f"{known.columns[name]} AS {name}" for name in FIELDS)),
            joined=sql.SQL(known.joined),
        )
    ]


def has_metadata(wanted: Mapping[str, str]) -> list[sql.Composable]:
    """A few pairs may each lead to the units by an index; many are looked up together (see `FEW`)."""
    if len(wanted) <= FEW:
        pairs = wanted.items()
        return [HAS_METADATA.format(key=sql.Literal(key), value=sql.Literal(value)) for key, value in pairs]
    keys, values = text_array(tuple(wanted)), text_array(tuple(wanted.values()))
    return [HAS_ALL_METADATA.format(keys=keys, values=values, count=sql.Literal(len(wanted)))]


def occurred_within(wanted: TimeRange) -> list[sql.Composable]:
    """The occurrence and the range share a moment. An end is exclusive; without one it was a moment."""
    conditions: list[sql.Composable] = []
    if wanted.start is not None:
        conditions.append(
            sql.SQL("(unit.occurred_start >= {start} OR unit.occurred_end > {start})").format(
                start=sql.Literal(wanted.start)
            )
        )
    if wanted.end is not None:
        conditions.append(ends_by(sql.SQL("unit.occurred_start"), wanted, wanted.end))
    return conditions


def happened_within(column: str, wanted: TimeRange, *, row: sql.Identifier = UNIT) -> list[sql.Composable]:
    at = sql.SQL("{}.{}").format(row, sql.Identifier(column))
    conditions: list[sql.Composable] = []
    if wanted.start is not None:
        conditions.append(sql.SQL("{} >= {}").format(at, sql.Literal(wanted.start)))
    if wanted.end is not None:
        conditions.append(ends_by(at, wanted, wanted.end))
    return conditions


def ends_by(at: sql.Composable, wanted: TimeRange, end: datetime) -> sql.Composable:
    return sql.SQL("{} <= {}" if wanted.is_moment else "{} < {}").format(at, sql.Literal(end))
