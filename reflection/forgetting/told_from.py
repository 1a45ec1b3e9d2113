"""What of the archive memories were taken from, by the characters that they quote."""

from collections.abc import Collection
from dataclasses import dataclass
from uuid import UUID

from django.db import connection

from banks.models import Bank, Chunk, ChunkPart, Document, UnitSource

# A unit rests on a chunk if it quotes the chunk itself, or characters of a message that stand in it. A source without
# characters means all of the message.
CHUNKS = """
SELECT DISTINCT resting.chunk_id FROM (
    SELECT source.unit_id, source.chunk_id
    FROM banks_unitsource AS source
    WHERE source.tenant_id = %(tenant_id)s AND source.chunk_id IS NOT NULL
    UNION ALL
    SELECT source.unit_id, part.chunk_id
    FROM banks_unitsource AS source
    JOIN banks_chunkpart AS part ON part.tenant_id = source.tenant_id AND part.message_id = source.message_id
     AND coalesce(source.start, 0) < part.message_end
     AND coalesce(source."end", part.message_end) > part.message_start
    WHERE source.tenant_id = %(tenant_id)s
) AS resting WHERE {column} = ANY(%(ids)s)
"""
CHUNKS_OF_UNITS = CHUNKS.format(column="resting.unit_id")
CHUNKS_WITH_UNITS = CHUNKS.format(column="resting.chunk_id")


@dataclass(frozen=True)
class ToldFrom:
    message_ids: frozenset[UUID] = frozenset()
    chunk_ids: frozenset[UUID] = frozenset()


def find_told_from(bank: Bank, unit_ids: Collection[UUID]) -> ToldFrom:
    """Call inside a tenant transaction, before the units are deleted."""
    sources = UnitSource.objects.for_tenant(bank.tenant_id).filter(unit_id__in=unit_ids, message__isnull=False)
    messages = sources.values_list("message_id", flat=True).distinct()
    return ToldFrom(frozenset(one for one in messages if one), read_chunk_ids(bank, CHUNKS_OF_UNITS, unit_ids))


def lock_documents(bank: Bank, unit_ids: Collection[UUID]) -> None:
    """Those that the units were taken from, before `lock_memory`: retain takes the two in this order."""
    chunk_ids = read_chunk_ids(bank, CHUNKS_OF_UNITS, unit_ids)
    rows = Document.objects.for_tenant(bank.tenant_id).select_for_update().order_by("id")
    list(rows.filter(id__in=find_document_ids(bank, chunk_ids)).values_list("id", flat=True))


def find_document_ids(bank: Bank, chunk_ids: Collection[UUID]) -> set[UUID]:
    rows = Chunk.objects.for_tenant(bank.tenant_id).filter(id__in=chunk_ids, document__isnull=False)
    return {one for one in rows.values_list("document_id", flat=True) if one}


def find_bare_messages(bank: Bank, message_ids: Collection[UUID]) -> set[UUID]:
    """Those that no unit rests on."""
    sources = UnitSource.objects.for_tenant(bank.tenant_id).filter(message_id__in=message_ids)
    return set(message_ids) - set(sources.values_list("message_id", flat=True))


def find_bare_chunks(bank: Bank, chunk_ids: Collection[UUID]) -> set[UUID]:
    """Those that no unit rests on: recall would bring them as raw passages."""
    return set(chunk_ids) - read_chunk_ids(bank, CHUNKS_WITH_UNITS, chunk_ids)


def find_companions(bank: Bank, chunk_ids: Collection[UUID]) -> set[UUID]:
    """Messages that stand in these chunks and in no other, and that no unit rests on."""
    parts = ChunkPart.objects.for_tenant(bank.tenant_id)
    inside = set(parts.filter(chunk_id__in=chunk_ids).values_list("message_id", flat=True))
    elsewhere = parts.filter(message_id__in=inside).exclude(chunk_id__in=chunk_ids)
    return find_bare_messages(bank, inside - set(elsewhere.values_list("message_id", flat=True)))


def find_hollow_chunks(bank: Bank, message_ids: Collection[UUID]) -> set[UUID]:
    """Chunks that are made of these messages alone."""
    parts = ChunkPart.objects.for_tenant(bank.tenant_id)
    holding = set(parts.filter(message_id__in=message_ids).values_list("chunk_id", flat=True))
    others = parts.filter(chunk_id__in=holding).exclude(message_id__in=message_ids)
    return holding - set(others.values_list("chunk_id", flat=True))


def read_chunk_ids(bank: Bank, statement: str, ids: Collection[UUID]) -> frozenset[UUID]:
    with connection.cursor() as cursor:
        cursor.execute(statement, {"tenant_id": bank.tenant_id, "ids": list(ids)})
        return frozenset(chunk_id for (chunk_id,) in cursor.fetchall())
