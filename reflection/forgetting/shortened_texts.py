"""Chunks, episodes and documents without the messages and chunks that were deleted from them.

Shortening empties the vectors. They are computed again outside of the transaction.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db import connection
from django.db.models import QuerySet

from banks.chunking.spans import hash_chunk, heading
from banks.document_pieces import hash_text
from banks.lifecycle.deleting import blank
from banks.models import Bank, Chunk, ChunkPart, Corpus, Document, Episode, MemoryUnit, Message, UnitSource
from banks.models.bank import CENTROID_COLUMNS, VECTOR_COLUMNS, place_vector
from banks.retain.bare_rows import list_texts
from banks.retain.conversations import list_turns_once
from banks.retain.episodes import build_narrative
from banks.text_index.write import remove_texts, replacing_texts
from providers.embedding.vector import Vector

# A new message joins a topic by its distance to the mean of the topic's turns. The mean of the chunks that are left
# is close to that.
SET_CENTROIDS = """
UPDATE banks_episode AS episode SET {other} = NULL, {centroid} = coalesce(
    (SELECT avg(chunk.{vector}) FROM banks_chunk AS chunk
     WHERE chunk.tenant_id = episode.tenant_id AND chunk.episode_id = episode.id),
    episode.{vector}
)
WHERE episode.tenant_id = %s AND episode.id = ANY(%s)
"""


def shorten_chunks(bank: Bank, message_ids: Collection[UUID]) -> None:
    """Removes the lines of these messages."""
    parts = ChunkPart.objects.for_tenant(bank.tenant_id)
    chunk_ids = set(parts.filter(message_id__in=message_ids).values_list("chunk_id", flat=True))
    with replacing_texts(bank, Corpus.CHUNK, sorted(chunk_ids)):
        for chunk in (
            Chunk.objects.for_tenant(bank.tenant_id).filter(id__in=chunk_ids).defer("embedding", "second_embedding")
        ):
            shorten_chunk(
                bank, chunk, list(parts.filter(chunk=chunk).select_related("message").order_by("start")), message_ids
            )


def shorten_chunk(bank: Bank, chunk: Chunk, parts: Sequence[ChunkPart], message_ids: Collection[UUID]) -> None:
    """A line is a label and a part. Line breaks separate the lines."""
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
    chunk.text = "\n".join(lines)
    chunk.set_vector(bank, None)
    chunk.content_hash = bytes.fromhex(hash_chunk(chunk.text))
    chunk.heading, chunk.said_at = heading(first.said_locally), first.said_at
    chunk.save(update_fields=["text", *VECTOR_COLUMNS, "content_hash", "heading", "said_at"])
    ChunkPart.objects.for_tenant(chunk.tenant_id).bulk_update(kept, ["start", "end"])


def shorten_episodes(bank: Bank, episodes: QuerySet[Episode]) -> None:
    """Each of the episodes has messages left."""
    rows = list(episodes.defer("embedding", "second_embedding", "centroid", "second_centroid"))
    with replacing_texts(bank, Corpus.EPISODE, [episode.id for episode in rows]):
        for episode in rows:
            left = Message.objects.for_tenant(bank.tenant_id).filter(episode=episode).order_by("said_at", "id")
            messages = list(left)
            episode.narrative = build_narrative(list_turns_once(messages))
            episode.set_vector(bank, None)
            episode.message_count = len(messages)
            episode.started_at, episode.ended_at = messages[0].said_at, messages[-1].said_at
            episode.save(update_fields=["narrative", *VECTOR_COLUMNS, "message_count", "started_at", "ended_at"])
    clear_search_texts(bank, [episode.id for episode in rows])


def clear_search_texts(bank: Bank, episode_ids: Collection[UUID]) -> None:
    """The search text of an answer repeats the question of another message, which may be gone."""
    sources = UnitSource.objects.for_tenant(bank.tenant_id).filter(message__episode_id__in=episode_ids)
    units = MemoryUnit.objects.of_bank(bank).filter(id__in=sources.values("unit_id")).exclude(search_text="")
    ids = sorted(units.values_list("id", flat=True))
    with replacing_texts(bank, Corpus.UNIT, ids):
        MemoryUnit.objects.of_bank(bank).filter(id__in=ids).update(search_text="")


def remove_episodes(bank: Bank, episode_ids: Collection[UUID]) -> None:
    remove_texts(bank, Corpus.EPISODE, sorted(episode_ids))
    Episode.objects.for_tenant(bank.tenant_id).filter(id__in=episode_ids).delete()


def blank_documents(bank: Bank, document_ids: Collection[UUID], gone: Iterable[Chunk]) -> tuple[Document, ...]:
    """Replaces the text of deleted chunks with blanks, so that all other chunks keep their place.

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


@dataclass(frozen=True)
class BareText:
    """A text without a vector. `texts` are embedded; `stored` is the row's text at that time."""

    table: type[Chunk] | type[Episode]
    id: UUID
    texts: tuple[str, ...]
    stored: str


def find_bare_texts(bank: Bank) -> list[BareText]:
    """The retain of a document embeds the document's chunks. Call inside a tenant transaction."""
    chunks = Chunk.objects.of_bank(bank).filter(episode__isnull=False, **{bank.vector_column: None})
    episodes = Episode.objects.of_bank(bank).filter(**{bank.vector_column: None}).exclude(narrative="")
    bare_chunks, bare_episodes = list(chunks.order_by("id")), list(episodes.order_by("id"))
    texts = list_texts(bank, [*bare_chunks, *bare_episodes])
    stored: list[tuple[type[Chunk | Episode], UUID, str]] = [
        *((Chunk, chunk.id, chunk.text) for chunk in bare_chunks),
        *((Episode, episode.id, episode.narrative) for episode in bare_episodes),
    ]
    return [BareText(table, row_id, of_row, text) for (table, row_id, text), of_row in zip(stored, texts, strict=True)]


def store_vectors(bank: Bank, texts: Sequence[BareText], vectors: Sequence[Vector]) -> None:
    """Skips rows whose text has changed since. Call inside a tenant transaction, after `lock_memory`."""
    for one, vector in zip(texts, vectors, strict=True):
        if one.table is Chunk:
            rows = Chunk.objects.for_tenant(bank.tenant_id).filter(id=one.id, text=one.stored)
            rows.update(**place_vector(bank, vector))
        else:
            episodes = Episode.objects.for_tenant(bank.tenant_id).filter(id=one.id, narrative=one.stored)
            episodes.update(**place_vector(bank, vector))
    slot = bank.vector_slot
    statement = SET_CENTROIDS.format(
        vector=bank.vector_column, centroid=CENTROID_COLUMNS[slot], other=CENTROID_COLUMNS[1 - slot]
    )
    with connection.cursor() as cursor:
        cursor.execute(statement, [bank.tenant_id, [one.id for one in texts if one.table is Episode]])
