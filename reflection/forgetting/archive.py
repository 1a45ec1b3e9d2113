"""The part of the archive that is deleted with memories: everything that no other memory was taken from.

Messages are append-only, so a message is deleted whole or stays. Chunks, episodes and documents may be shortened.
"""

from collections.abc import Collection
from dataclasses import dataclass, field
from uuid import UUID

from django.db import connection

from banks.lifecycle.deleting import Removed, clear_transcript_search_texts, delete_chunks, delete_units
from banks.models import Bank, Chunk, ChunkPart, Document, Episode, Message, UnitSource
from reflection.forgetting.shortened_texts import blank_documents, remove_episodes, shorten_chunks, shorten_episodes

# A unit rests on a chunk if it quotes the chunk itself, or characters of a message that stand in the chunk. A source
# without characters covers the whole message.
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
class ArchiveSources:
    """Messages and chunks that some memories were taken from."""

    message_ids: frozenset[UUID] = frozenset()
    chunk_ids: frozenset[UUID] = frozenset()


@dataclass(frozen=True)
class DeletedArchive:
    """`empty_documents` have no text left. They still exist, since operations may name them."""

    removed: Removed = field(default_factory=Removed)
    messages: int = 0
    empty_documents: tuple[Document, ...] = ()


def find_archive_sources(bank: Bank, unit_ids: Collection[UUID]) -> ArchiveSources:
    """Call inside a tenant transaction, before the units are deleted."""
    sources = UnitSource.objects.for_tenant(bank.tenant_id).filter(unit_id__in=unit_ids, message__isnull=False)
    messages = sources.values_list("message_id", flat=True).distinct()
    return ArchiveSources(frozenset(one for one in messages if one), read_chunk_ids(bank, CHUNKS_OF_UNITS, unit_ids))


def lock_documents(bank: Bank, unit_ids: Collection[UUID]) -> None:
    """Locks the documents of these units. Call before `lock_memory`: retain takes the locks in this order."""
    chunk_ids = read_chunk_ids(bank, CHUNKS_OF_UNITS, unit_ids)
    rows = Document.objects.for_tenant(bank.tenant_id).select_for_update().order_by("id")
    list(rows.filter(id__in=find_document_ids(bank, chunk_ids)).values_list("id", flat=True))


def delete_archive(bank: Bank, sources: ArchiveSources) -> DeletedArchive:
    """Call inside a tenant transaction, after `lock_memory` and after the units were deleted."""
    clear_transcript_search_texts(bank, sources.chunk_ids)
    chunk_ids = find_bare_chunks(bank, sources.chunk_ids)
    message_ids = find_bare_messages(bank, sources.message_ids) | find_companions(bank, chunk_ids)
    chunk_ids |= find_hollow_chunks(bank, message_ids)
    document_ids = find_document_ids(bank, chunk_ids)
    gone = list(
        Chunk.objects.for_tenant(bank.tenant_id).filter(id__in=chunk_ids).defer("embedding", "second_embedding")
    )
    removed = delete_chunks(bank, chunk_ids)
    shorten_chunks(bank, message_ids)
    removed += delete_messages(bank, message_ids)
    return DeletedArchive(removed, len(message_ids), blank_documents(bank, document_ids, gone))


def delete_messages(bank: Bank, message_ids: Collection[UUID]) -> Removed:
    """Deletes episodes that consist of these messages, and summaries of every episode that contained one of them."""
    rows = Message.objects.of_bank(bank).filter(id__in=message_ids)
    episode_ids = {one for one in rows.values_list("episode_id", flat=True) if one}
    rows.delete()
    removed = delete_units(bank, find_summaries(bank, episode_ids))
    left = Message.objects.for_tenant(bank.tenant_id).filter(episode_id__in=episode_ids)
    remaining = {one for one in left.values_list("episode_id", flat=True) if one}
    shorten_episodes(bank, Episode.objects.for_tenant(bank.tenant_id).filter(id__in=remaining))
    remove_episodes(bank, episode_ids - remaining)
    return removed


def find_summaries(bank: Bank, episode_ids: Collection[UUID]) -> set[UUID]:
    sources = UnitSource.objects.for_tenant(bank.tenant_id).filter(
        episode_id__in=episode_ids, role=UnitSource.Role.SUMMARISES
    )
    return set(sources.values_list("unit_id", flat=True))


def find_document_ids(bank: Bank, chunk_ids: Collection[UUID]) -> set[UUID]:
    rows = Chunk.objects.for_tenant(bank.tenant_id).filter(id__in=chunk_ids, document__isnull=False)
    return {one for one in rows.values_list("document_id", flat=True) if one}


def find_bare_messages(bank: Bank, message_ids: Collection[UUID]) -> set[UUID]:
    """Messages that no unit rests on."""
    sources = UnitSource.objects.for_tenant(bank.tenant_id).filter(message_id__in=message_ids)
    return set(message_ids) - set(sources.values_list("message_id", flat=True))


def find_bare_chunks(bank: Bank, chunk_ids: Collection[UUID]) -> set[UUID]:
    """Chunks that no unit rests on. Recall would return them as raw passages."""
    return set(chunk_ids) - read_chunk_ids(bank, CHUNKS_WITH_UNITS, chunk_ids)


def find_companions(bank: Bank, chunk_ids: Collection[UUID]) -> set[UUID]:
    """Messages that stand in these chunks and in no other, and that no unit rests on."""
    parts = ChunkPart.objects.for_tenant(bank.tenant_id)
    inside = set(parts.filter(chunk_id__in=chunk_ids).values_list("message_id", flat=True))
    elsewhere = parts.filter(message_id__in=inside).exclude(chunk_id__in=chunk_ids)
    return find_bare_messages(bank, inside - set(elsewhere.values_list("message_id", flat=True)))


def find_hollow_chunks(bank: Bank, message_ids: Collection[UUID]) -> set[UUID]:
    """Chunks that consist of these messages alone."""
    parts = ChunkPart.objects.for_tenant(bank.tenant_id)
    holding = set(parts.filter(message_id__in=message_ids).values_list("chunk_id", flat=True))
    others = parts.filter(chunk_id__in=holding).exclude(message_id__in=message_ids)
    return holding - set(others.values_list("chunk_id", flat=True))


def read_chunk_ids(bank: Bank, statement: str, ids: Collection[UUID]) -> frozenset[UUID]:
    with connection.cursor() as cursor:
        cursor.execute(statement, {"tenant_id": bank.tenant_id, "ids": list(ids)})
        return frozenset(chunk_id for (chunk_id,) in cursor.fetchall())
