"""The write of a conversation's chunks, with the messages that their characters come from."""

from collections.abc import Sequence
from uuid import UUID

from django.utils import timezone

from banks.models import Bank, Chunk, ChunkPart, Message
from banks.retain.chunking import TurnChunk, hash_chunk, heading
from providers.embedding.vector import Vector
from tenants.identifiers import uuid7


def store_chunks(
    bank: Bank,
    episode_id: UUID,
    messages: Sequence[Message],
    chunks: Sequence[TurnChunk],
    vectors: Sequence[Vector],
    *,
    context: str,
) -> list[UUID]:
    """Call inside a tenant transaction. Messages that are in a chunk already, from an attempt before, stay there.

    Returns the ids of the chunks that are new.
    """
    if ChunkPart.objects.for_tenant(bank.tenant_id).filter(message__in=messages).exists():
        return []
    first = Chunk.objects.for_tenant(bank.tenant_id).filter(episode_id=episode_id).count()
    rows = [
        Chunk(
            id=uuid7(),
            bank=bank,
            episode_id=episode_id,
            position=first + place,
            heading=heading(messages[chunk.parts[0].turn_index].said_locally),
            context=context,
            text=chunk.text,
            content_hash=bytes.fromhex(hash_chunk(chunk.text)),
            embedding=vector,
            said_at=messages[chunk.parts[0].turn_index].said_at,
            extracted_at=timezone.now(),
        )
        for place, (chunk, vector) in enumerate(zip(chunks, vectors, strict=True))
    ]
    Chunk.objects.for_tenant(bank.tenant_id).bulk_create(rows)
    parts = [
        ChunkPart(
            chunk=row,
            message_id=messages[part.turn_index].id,
            message_start=part.turn_start,
            message_end=part.turn_end,
            start=part.start,
            end=part.end,
        )
        for row, chunk in zip(rows, chunks, strict=True)
        for part in chunk.parts
    ]
    ChunkPart.objects.for_tenant(bank.tenant_id).bulk_create(parts)
    return [row.id for row in rows]
