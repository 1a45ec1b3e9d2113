"""In which episode or document each memory was told."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from banks.models import Bank
from reflection.reflect.types import Labelled
from retrieval.filters.own import list_owners
from retrieval.lookups.arrays import write_ids
from retrieval.lookups.reading import read_rows

FIND = """
SELECT message.id, episode.id, episode.started_at, NULL
FROM banks_message AS message
LEFT JOIN banks_episode AS episode ON episode.id = message.episode_id AND episode.tenant_id = $1
WHERE message.tenant_id = $1 AND message.bank_id = $2 AND message.id = ANY($3::uuid[])
UNION ALL
SELECT chunk.id, episode.id, episode.started_at, document.document_id
FROM banks_chunk AS chunk
LEFT JOIN banks_episode AS episode ON episode.id = chunk.episode_id AND episode.tenant_id = $1
LEFT JOIN banks_document AS document ON document.id = chunk.document_id AND document.tenant_id = $1
WHERE chunk.tenant_id = $1 AND chunk.bank_id = $2 AND chunk.id = ANY($4::uuid[])
"""


@dataclass(frozen=True)
class Place:
    episode_id: UUID | None
    started_at: datetime | None
    document_id: str


Places = dict[int, Place]


def find_places(bank: Bank, memories: Sequence[Labelled]) -> Places:
    """By label. A memory with several sources belongs to the first of them."""
    sources = [source for memory in memories for source in memory.item.candidate.sources]
    if not sources:
        return {}
    messages = [source.message_id for source in sources if source.message_id]
    chunks = [source.chunk_id for source in sources if source.chunk_id]
    values = (*list_owners(bank), write_ids(messages), write_ids(chunks))
    found_in = read_rows(bank.tenant_id, FIND, values, within_seconds=None, keeps_plan=True)
    rows = {row_id: Place(episode_id, at, document or "") for row_id, episode_id, at, document in found_in}
    found: Places = {}
    for memory in memories:
        told = (source.message_id or source.chunk_id for source in memory.item.candidate.sources)
        place = next((rows[one] for one in told if one in rows), None)
        if place is not None:
            found[memory.label] = place
    return found
