"""Chunks, episodes and documents as they read without what was forgotten.

Vectors of what reads otherwise now are forgotten too: they are made anew outside the transaction.
"""

from collections.abc import Collection, Iterable, Sequence
from uuid import UUID

from django.db.models import QuerySet

from banks.lifecycle.blanking import blank
from banks.models import Bank, Chunk, ChunkPart, Corpus, Document, Episode, Message
from banks.retain.archive import hash_text
from banks.retain.chunking import hash_chunk, heading
from banks.retain.conversations.retain import list_turns_once
from banks.retain.episodes import build_narrative
from banks.text_index.write import remove_texts, replacing_texts


def shorten_chunks(bank: Bank, message_ids: Collection[UUID]) -> None:
    """Without the lines of these messages."""
    parts = ChunkPart.objects.for_tenant(bank.tenant_id)
    chunk_ids = set(parts.filter(message_id__in=message_ids).values_list("chunk_id", flat=True))
    with replacing_texts(bank, Corpus.CHUNK, sorted(chunk_ids)):
        for chunk in Chunk.objects.for_tenant(bank.tenant_id).filter(id__in=chunk_ids).defer("embedding"):
            shorten_chunk(
                chunk, list(parts.filter(chunk=chunk).select_related("message").order_by("start")), message_ids
            )


def shorten_chunk(chunk: Chunk, parts: Sequence[ChunkPart], message_ids: Collection[UUID]) -> None:
    """A line is a label and the part; a line break lies between two."""
    lines: list[str] = []
    kept: list[ChunkPart] = []
    begins = position = 0
    for part in parts:
        line, begins = chunk.text[begins : part.end], part.end + 1
        if part.message_id in message_ids:
            continue
        shift = position + len(line) - part.end
        part.start, part.end = part.start + shift, part.end + shift
        lines.append(line)
        kept.append(part)
        position = part.end + 1
    first = kept[0].message
    chunk.text, chunk.embedding = "\n".join(lines), None
    chunk.content_hash = bytes.fromhex(hash_chunk(chunk.text))
    chunk.heading, chunk.said_at = heading(first.said_locally), first.said_at
    chunk.save(update_fields=["text", "embedding", "content_hash", "heading", "said_at"])
    ChunkPart.objects.for_tenant(chunk.tenant_id).bulk_update(kept, ["start", "end"])


def shorten_episodes(bank: Bank, episodes: QuerySet[Episode]) -> None:
    """Each has messages left."""
    rows = list(episodes.defer("embedding", "centroid"))
    with replacing_texts(bank, Corpus.EPISODE, [episode.id for episode in rows]):
        for episode in rows:
            left = Message.objects.for_tenant(bank.tenant_id).filter(episode=episode).order_by("said_at", "id")
            messages = list(left)
            episode.narrative, episode.embedding = build_narrative(list_turns_once(messages)), None
            episode.message_count = len(messages)
            episode.started_at, episode.ended_at = messages[0].said_at, messages[-1].said_at
            episode.save(update_fields=["narrative", "embedding", "message_count", "started_at", "ended_at"])


def remove_episodes(bank: Bank, episode_ids: Collection[UUID]) -> None:
    remove_texts(bank, Corpus.EPISODE, sorted(episode_ids))
    Episode.objects.for_tenant(bank.tenant_id).filter(id__in=episode_ids).delete()


def blank_documents(bank: Bank, document_ids: Collection[UUID], gone: Iterable[Chunk]) -> tuple[Document, ...]:
    """Blanks stand where the forgotten chunks alone stood, so that all others are found where they were.

    Returns the documents that have no chunk left, untouched.
    """
    removed = list(gone)
    empty: list[Document] = []
    for document in Document.objects.for_tenant(bank.tenant_id).filter(id__in=document_ids).order_by("id"):
        left = list(Chunk.objects.for_tenant(bank.tenant_id).filter(document=document).values_list("start", "end"))
        if not left:
            empty.append(document)
            continue
        spans = [(chunk.start, chunk.end) for chunk in removed if chunk.document_id == document.id]
        document.text = blank(document.text, spans, kept=left)
        document.content_hash = hash_text(document.text)
        document.save(update_fields=["text", "content_hash", "updated_at"])
    return tuple(empty)
