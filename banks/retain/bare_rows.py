"""Rows that an import brought without vectors, and the texts to embed for them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db import connection
from psycopg import sql

from banks.document_pieces import is_of_ready_facts, read_context
from banks.embedding_texts import build_chunk_text, build_entity_text, build_episode_text, list_line_texts
from banks.models import Bank, Chunk, ChunkPart, Entity, Episode, MemoryUnit, Relationship
from banks.models.bank import CENTROID_COLUMNS, VECTOR_COLUMNS
from banks.vectors import write_vector
from providers.embedding.vector import Vector
from tenants.scoping import TenantQuerySet

BARE_MODELS = (MemoryUnit, Chunk, Episode, Relationship, Entity)
BareModel = type[MemoryUnit] | type[Chunk] | type[Episode] | type[Relationship] | type[Entity]

FILL = sql.SQL("""
UPDATE {table} AS bare SET {vector} = given.vector::vector, {other} = NULL
FROM unnest(%s::uuid[], %s::text[]) AS given (id, vector)
WHERE bare.tenant_id = %s AND bare.bank_id = %s AND bare.id = given.id AND bare.{vector} IS NULL
""")
# A new turn is compared with the mean vector of the episode's turns. The mean of its chunks is the best substitute.
FILL_TOPICS = """
UPDATE banks_episode AS episode SET {centroid} = coalesce(passages.mean, episode.{vector})
FROM banks_episode AS same LEFT JOIN LATERAL (
    SELECT avg(chunk.{vector}) AS mean FROM banks_chunk AS chunk
    WHERE chunk.tenant_id = same.tenant_id AND chunk.episode_id = same.id
) AS passages ON true
WHERE same.id = episode.id AND episode.tenant_id = %s AND episode.bank_id = %s AND episode.{centroid} IS NULL
  AND coalesce(passages.mean, episode.{vector}) IS NOT NULL
"""


@dataclass(frozen=True)
class BareRow:
    """`texts` are those to embed."""

    id: UUID
    texts: tuple[str, ...]


def count_bare_rows(bank: Bank) -> int:
    """Call inside a tenant transaction."""
    return sum(find_bare(bank, model).count() for model in BARE_MODELS)


def find_bare_rows(bank: Bank, model: BareModel, *, after: UUID, most: int) -> list[BareRow]:
    """In the order of their ids, without the rows that need no vector. Call inside a tenant transaction."""
    rows = find_bare(bank, model).order_by("id")
    if model is Chunk:
        rows = rows.select_related("document").defer("document__text")
    while found := list(rows.filter(id__gt=after)[:most]):
        if wanted := [row for row in found if wants_vector(row)]:
            return [BareRow(row.id, texts) for row, texts in zip(wanted, list_texts(bank, wanted), strict=True)]
        after = found[-1].id
    return []


def find_bare(bank: Bank, model: BareModel) -> TenantQuerySet[Any]:
    return model.objects.for_tenant(bank.tenant_id).filter(bank=bank, **{bank.vector_column: None})


def wants_vector(row: MemoryUnit | Chunk | Episode | Relationship | Entity) -> bool:
    """False for a chunk of ready facts: the units of the facts have vectors."""
    if not isinstance(row, Chunk) or row.episode_id is not None:
        return True
    return row.document is not None and not is_of_ready_facts(row.document, row.start)


def list_texts(
    bank: Bank, rows: Sequence[MemoryUnit | Chunk | Episode | Relationship | Entity]
) -> list[tuple[str, ...]]:
    """The texts that retain embeds for each row. Call inside a tenant transaction."""
    ends = read_line_ends(bank, [row.id for row in rows if isinstance(row, Chunk) and row.episode_id])
    return [
        list_line_texts(row.text, ends[row.id], context=row.context)
        if isinstance(row, Chunk) and row.id in ends
        else (build_text(row),)
        for row in rows
    ]


def read_line_ends(bank: Bank, chunk_ids: Iterable[UUID]) -> dict[UUID, list[int]]:
    """Where the lines of a conversation's chunks end. Call inside a tenant transaction."""
    parts = ChunkPart.objects.for_tenant(bank.tenant_id).filter(chunk_id__in=list(chunk_ids))
    ends: dict[UUID, list[int]] = {}
    for chunk_id, end in parts.order_by("end").values_list("chunk_id", "end"):
        ends.setdefault(chunk_id, []).append(end)
    return ends


def build_text(row: MemoryUnit | Chunk | Episode | Relationship | Entity) -> str:
    if isinstance(row, MemoryUnit):
        return row.rendered_text
    if isinstance(row, Chunk):
        context = read_context(row.document, row.start) if row.document else row.context
        return build_chunk_text(row.text, heading=row.heading, context=context)
    if isinstance(row, Episode):
        return build_episode_text(row.narrative, thread=row.thread)
    if isinstance(row, Entity):
        return build_entity_text(row.name, row.summary)
    return row.text


def store_bare_vectors(bank: Bank, model: BareModel, rows: Sequence[BareRow], vectors: Sequence[Vector]) -> None:
    """Call inside a tenant transaction. A row that got a vector meanwhile keeps it."""
    statement = FILL.format(
        table=sql.Identifier(model._meta.db_table),
        vector=sql.Identifier(bank.vector_column),
        other=sql.Identifier(bank.other_vector_column),
    )
    ids, written = [row.id for row in rows], [write_vector(vector) for vector in vectors]
    with connection.cursor() as cursor:
        cursor.execute(statement.as_string(), [ids, written, bank.tenant_id, bank.id])


def fill_topics(bank: Bank, slot: int) -> None:
    """Call inside a tenant transaction, after `lock_memory`, when the chunks have their vectors."""
    statement = FILL_TOPICS.format(vector=VECTOR_COLUMNS[slot], centroid=CENTROID_COLUMNS[slot])
    with connection.cursor() as cursor:
        cursor.execute(statement, [bank.tenant_id, bank.id])
