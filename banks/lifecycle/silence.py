"""A passage whose memory was deleted is no evidence by itself any more: found again, it would tell what was to go."""

from collections.abc import Collection
from typing import Any
from uuid import UUID

from django.db import connection

from banks.models import Bank

# A unit rests on a chunk if it quotes the chunk itself, or characters of a message that stand in it.
SILENCE = """
UPDATE banks_chunk AS chunk SET stands_alone = false
WHERE chunk.tenant_id = %(tenant_id)s AND chunk.bank_id = %(bank_id)s AND chunk.stands_alone AND chunk.id IN (
    SELECT source.chunk_id FROM banks_unitsource AS source
    WHERE source.tenant_id = %(tenant_id)s AND source.unit_id = ANY(%(unit_ids)s)
    UNION
    SELECT part.chunk_id FROM banks_unitsource AS source
    JOIN banks_chunkpart AS part ON part.message_id = source.message_id AND part.tenant_id = %(tenant_id)s
     AND source.start < part.message_end AND source."end" > part.message_start
    WHERE source.tenant_id = %(tenant_id)s AND source.unit_id = ANY(%(unit_ids)s)
)
"""


def silence_chunks(bank: Bank, unit_ids: Collection[UUID]) -> None:
    """The text stays where it was said, and can be read there. Call before the units go, inside their transaction."""
    values: dict[str, Any] = {"tenant_id": bank.tenant_id, "bank_id": bank.id, "unit_ids": list(unit_ids)}
    with connection.cursor() as cursor:
        cursor.execute(SILENCE, values)
