"""The rows of each corpus that a recall may read: bank, filters and point in time, as SQL.

The alias of a row is the name of its corpus.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

from psycopg import sql

from banks.entities.names.normalise import normalise_name
from banks.models import Corpus
from retrieval.filters.conditions import all_of, is_own, text_array
from retrieval.filters.fields import UNIT, apply_to_history, happened_within, occurred_within
from retrieval.filters.moment import build_moment_condition, was_recorded, was_said
from retrieval.filters.tags import FEW, build_tag_condition
from retrieval.filters.tree import build_tree_condition
from retrieval.filters.types import Filters, TimeRange
from retrieval.types import PointInTime

HAS_METADATA = sql.SQL("""EXISTS (
    SELECT FROM banks_unitmetadata AS entry
    WHERE entry.bank_id = $2 AND entry.key = {key} AND entry.value = {value} AND entry.unit_id = unit.id
)""")
# A unit has each pair at most once.
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


def build_unit_condition(filters: Filters, moment: PointInTime) -> sql.Composable:
    """The unit belongs to the bank, the moment shows it, and it passes every filter."""
    conditions = [is_own(UNIT), build_moment_condition(UNIT, moment)]
    if filters.tags is not None:
        conditions.append(build_tag_condition(filters.tags))
    conditions += has_metadata(filters.metadata)
    if filters.entities:
        names = text_array(tuple(normalise_name(name) for name in filters.entities))
        conditions.append(MENTIONS.format(names=names))
    if filters.document_ids:
        conditions.append(RESTS_ON_DOCUMENT.format(document_ids=text_array(filters.document_ids)))
    if filters.where is not None:
        conditions.append(build_tree_condition(filters.where, moment))
    conditions += apply_to_history(list_field_conditions(filters), moment)
    return all_of(conditions)


def list_field_conditions(filters: Filters) -> list[sql.Composable]:
    """Conditions on FIELDS, which an edit may change."""
    conditions: list[sql.Composable] = []
    if filters.networks:
        networks = text_array(tuple(network.value for network in filters.networks))
        conditions.append(sql.SQL("unit.network = ANY({})").format(networks))
    return [*conditions, *occurred_within(filters.occurred), *happened_within("mentioned_at", filters.mentioned)]


def has_metadata(wanted: Mapping[str, str]) -> list[sql.Composable]:
    """A few pairs are subqueries that may use an index; many pairs are one subquery (see `FEW`)."""
    if len(wanted) <= FEW:
        pairs = wanted.items()
        return [HAS_METADATA.format(key=sql.Literal(key), value=sql.Literal(value)) for key, value in pairs]
    keys, values = text_array(tuple(wanted)), text_array(tuple(wanted.values()))
    return [HAS_ALL_METADATA.format(keys=keys, values=values, count=sql.Literal(len(wanted)))]


CHUNK, EPISODE, RELATIONSHIP = sql.Identifier("chunk"), sql.Identifier("episode"), sql.Identifier("relationship")
OF_DOCUMENT = sql.SQL("""EXISTS (
    SELECT FROM banks_document AS document
    WHERE document.id = chunk.document_id AND document.document_id = ANY({document_ids})
)""")


@dataclass(frozen=True)
class Scope:
    """`is_selective`: the filters may leave few of a bank's units."""

    unit: str
    chunk: str
    episode: str
    relationship: str
    chunks_stand_alone: bool
    is_selective: bool

    def of(self, corpus: Corpus) -> str:
        conditions = {
            Corpus.UNIT: self.unit,
            Corpus.CHUNK: self.chunk,
            Corpus.EPISODE: self.episode,
            Corpus.RELATIONSHIP: self.relationship,
        }
        return conditions[corpus]


def build_scope(filters: Filters, moment: PointInTime) -> Scope:
    plain = build_plain_scope(moment)
    if filters == Filters():
        return plain
    return replace(
        plain,
        unit=build_unit_condition(filters, moment).as_string(),
        chunk=build_chunk_condition(filters, moment).as_string(),
        chunks_stand_alone=can_stand_alone(filters),
        is_selective=replace(filters, networks=()) != Filters(),
    )


@lru_cache(maxsize=128)
def build_plain_scope(moment: PointInTime) -> Scope:
    """The scope without filters, which is the same text for every bank."""
    no_filters = Filters()
    return Scope(
        unit=build_unit_condition(no_filters, moment).as_string(),
        chunk=build_chunk_condition(no_filters, moment).as_string(),
        episode=build_episode_condition(moment).as_string(),
        relationship=all_of([is_own(RELATIONSHIP), build_moment_condition(RELATIONSHIP, moment)]).as_string(),
        chunks_stand_alone=True,
        is_selective=False,
    )


def build_chunk_condition(filters: Filters, moment: PointInTime) -> sql.Composable:
    conditions = [
        is_own(CHUNK),
        *happened_within("said_at", filters.mentioned, row=CHUNK),
        was_recorded("chunk", "created_at", moment),
        was_said("chunk", moment),
    ]
    if filters.document_ids:
        conditions.append(OF_DOCUMENT.format(document_ids=text_array(filters.document_ids)))
    return all_of(conditions)


def can_stand_alone(filters: Filters) -> bool:
    """A chunk without units is a result only under filters that it can meet itself (`build_chunk_condition`).

    It has no network, tags, metadata, mentions or occurrence.
    """
    return replace(filters, mentioned=TimeRange(), document_ids=()) == Filters()


def build_episode_condition(moment: PointInTime) -> sql.Composable:
    conditions = [is_own(EPISODE), was_recorded("episode", "created_at", moment)]
    if moment.as_of is not None:
        conditions.append(sql.SQL("episode.started_at <= {}").format(sql.Literal(moment.as_of)))
    return all_of(conditions)
