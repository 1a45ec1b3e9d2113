"""In which episode or document each memory was told."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection

from banks.models import Bank
from reflection.reflect.types import Labelled

FIND = """
SELECT message.id, episode.id, episode.started_at, NULL
FROM banks_message AS message
LEFT JOIN banks_episode AS episode ON episode.id = message.episode_id AND episode.tenant_id = %(tenant)s
WHERE message.tenant_id = %(tenant)s AND message.bank_id = %(bank)s AND message.id = ANY(%(messages)s)
UNION ALL
SELECT chunk.id, episode.id, episode.started_at, document.document_id
FROM banks_chunk AS chunk
LEFT JOIN banks_episode AS episode ON episode.id = chunk.episode_id AND episode.tenant_id = %(tenant)s
LEFT JOIN banks_document AS document ON document.id = chunk.document_id AND document.tenant_id = %(tenant)s
WHERE chunk.tenant_id = %(tenant)s AND chunk.bank_id = %(bank)s AND chunk.id = ANY(%(chunks)s)
"""


@dataclass(frozen=True)
class Place:
    episode_id: UUID | None
    started_at: datetime | None
    document_id: str


Places = dict[int, Place]


def find_places(bank: Bank, memories: Sequence[Labelled]) -> Places:
    """By label. Call inside a tenant transaction. A memory with several sources belongs to the first of them."""
    sources = [source for memory in memories for source in memory.item.candidate.sources]
    asked: dict[str, Any] = {
        "tenant": bank.tenant_id,
        "bank": bank.id,
        "messages": [source.message_id for source in sources if source.message_id],
        "chunks": [source.chunk_id for source in sources if source.chunk_id],
    }
    if not sources:
        return {}
    with connection.cursor() as cursor:
        cursor.execute(FIND, asked)
        rows = {row_id: Place(episode_id, at, document or "") for row_id, episode_id, at, document in cursor.fetchall()}
    found: Places = {}
    for memory in memories:
        told = (source.message_id or source.chunk_id for source in memory.item.candidate.sources)
        place = next((rows[one] for one in told if one in rows), None)
        if place is not None:
            found[memory.label] = place
    return found
