"""Vectors for passages of conversations and episodes that were told again without what was forgotten."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db import connection

from banks.embedding_texts import build_chunk_text, build_episode_text
from banks.models import Bank, Chunk, Episode
from providers.embedding.vector import Vector

# A topic that is continued is held against the mean of its turns; that of the passages that are left is near to it.
TOPICS = """
UPDATE banks_episode AS episode SET centroid = coalesce(
    (SELECT avg(chunk.embedding) FROM banks_chunk AS chunk
     WHERE chunk.tenant_id = episode.tenant_id AND chunk.episode_id = episode.id),
    episode.embedding
)
WHERE episode.tenant_id = %s AND episode.id = ANY(%s)
"""


@dataclass(frozen=True)
class BareText:
    """`text` is what the vector is made of, `stored` what the row said then."""

    table: type[Chunk] | type[Episode]
    id: UUID
    text: str
    stored: str


def find_bare_texts(bank: Bank) -> list[BareText]:
    """Call inside a tenant transaction. A chunk of a document gets its vector from the retain that reads it."""
    chunks = Chunk.objects.of_bank(bank).filter(episode__isnull=False, embedding=None)
    episodes = Episode.objects.of_bank(bank).filter(embedding=None).exclude(narrative="")
    return [
        *(build_bare_chunk(chunk) for chunk in chunks.order_by("id")),
        *(build_bare_episode(episode) for episode in episodes.order_by("id")),
    ]


def build_bare_chunk(chunk: Chunk) -> BareText:
    text = build_chunk_text(chunk.text, heading=chunk.heading, context=chunk.context)
    return BareText(Chunk, chunk.id, text, chunk.text)


def build_bare_episode(episode: Episode) -> BareText:
    return BareText(Episode, episode.id, build_episode_text(episode.narrative), episode.narrative)


def store_vectors(bank: Bank, texts: Sequence[BareText], vectors: Sequence[Vector]) -> None:
    """Only where the row still says what was embedded. Call inside a tenant transaction, after `lock_memory`."""
    for one, vector in zip(texts, vectors, strict=True):
        if one.table is Chunk:
            rows = Chunk.objects.for_tenant(bank.tenant_id).filter(id=one.id, text=one.stored)
            rows.update(embedding=vector)
        else:
            told = Episode.objects.for_tenant(bank.tenant_id).filter(id=one.id, narrative=one.stored)
            told.update(embedding=vector)
    hold_topics(bank, [one.id for one in texts if one.table is Episode])


def hold_topics(bank: Bank, episode_ids: Sequence[UUID]) -> None:
    with connection.cursor() as cursor:
        cursor.execute(TOPICS, [bank.tenant_id, list(episode_ids)])
