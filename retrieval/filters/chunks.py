"""What a chunk must meet to be searched, and to stand in an answer by itself, as SQL over the alias `chunk`."""

from dataclasses import replace

from psycopg import sql

from retrieval.filters.joining import all_of
from retrieval.filters.own import is_own
from retrieval.filters.tags import text_array
from retrieval.filters.types import Filters, TimeRange
from retrieval.filters.units import happened_within
from retrieval.types import PointInTime

CHUNK = sql.Identifier("chunk")
OF_DOCUMENT = sql.SQL("""EXISTS (
    SELECT FROM banks_document AS document
    WHERE document.id = chunk.document_id AND document.document_id = ANY({document_ids})
)""")


def build_chunk_condition(filters: Filters, moment: PointInTime) -> sql.Composable:
    """The chunk is this bank's, was there at `known_at`, was said by `as_of`, and is of the documents asked for."""
    conditions = [is_own(CHUNK), *happened_within("said_at", filters.mentioned, row=CHUNK)]
    if moment.known_at is not None:
        conditions.append(sql.SQL("chunk.created_at <= {}").format(sql.Literal(moment.known_at)))
    if moment.as_of is not None:
        conditions.append(sql.SQL("chunk.said_at <= {}").format(sql.Literal(moment.as_of)))
    if filters.document_ids:
        conditions.append(OF_DOCUMENT.format(document_ids=text_array(filters.document_ids)))
    return all_of(conditions)


def can_stand_alone(filters: Filters) -> bool:
    """Only under filters that a chunk can meet itself (`build_chunk_condition`).

    It has no network, tags, metadata, mentions or occurrence, nor what a filter to come may ask for.
    """
    return replace(filters, mentioned=TimeRange(), document_ids=()) == Filters()
