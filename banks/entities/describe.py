"""What is known of an entity, in its own row: attributes, a few plain sentences, and a vector of both."""

import json
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection
from django.db.models import Q
from django.utils import timezone

from banks.embedding_texts import build_entity_text
from banks.entities.yet_to_come import begins_after, tell_with_day
from banks.locking import lock_memory
from banks.models import Bank, Entity, Relationship
from banks.vector_index.literal import write_vector
from providers.embedding.protocol import Embedder
from providers.embedding.vector import Vector
from providers.usage import Usage
from tenants.transactions import tenant_transaction

MOST_RELATIONSHIPS = 8
MOST_UNITS = 3
LONGEST_UNIT = 200  # characters: a summary is not a copy
LONGEST_SUMMARY = 900
CHARACTERS_OF_A_VALUE = 200
MOST_ROUNDS = 3  # whoever is spoken of so fast that each of them comes too late is described after the next retain

# What has begun first; of that the most proven, then the most recent: what is told often is what somebody is known for.
# An event has its day in itself.
FIND_UNITS = """
SELECT wanted.id, told.text, CASE WHEN told.is_ahead AND told.occurred_start IS NULL THEN told.valid_from END
FROM unnest(%(ids)s::uuid[]) AS wanted (id)
CROSS JOIN LATERAL (
    SELECT unit.text, unit.proof_count, unit.mentioned_at, unit.id, unit.valid_from, unit.occurred_start,
        unit.valid_from IS NOT NULL AND unit.valid_from > %(now)s AS is_ahead
    FROM banks_mention AS mention
    JOIN banks_memoryunit AS unit ON unit.tenant_id = mention.tenant_id AND unit.id = mention.unit_id
    WHERE mention.tenant_id = %(tenant_id)s AND mention.entity_id = wanted.id
      AND unit.expired_at IS NULL AND unit.network IN ('world', 'experience')
    ORDER BY is_ahead, unit.proof_count DESC, unit.importance DESC, unit.mentioned_at DESC, unit.id
    LIMIT %(most)s
) AS told
ORDER BY wanted.id, told.is_ahead, told.proof_count DESC, told.mentioned_at DESC, told.id
"""

WRITE = """
UPDATE banks_entity AS entity SET
    summary = described.summary, attributes = described.attributes::jsonb, embedding = described.embedding::vector
FROM unnest(%(id)s::uuid[], %(summary)s::text[], %(attributes)s::text[], %(embedding)s::text[])
    AS described (id, summary, attributes, embedding)
WHERE entity.tenant_id = %(tenant_id)s AND entity.bank_id = %(bank_id)s AND entity.id = described.id
"""


@dataclass(frozen=True)
class Description:
    entity_id: UUID
    name: str
    attributes: Mapping[str, str | list[str]]
    summary: str

    @property
    def embedding_text(self) -> str:
        return build_entity_text(self.name, self.summary)


def describe_entities(bank: Bank, entity_ids: Collection[UUID], embedder: Embedder) -> Usage:
    """Bring them up to date. Call outside of transactions, after the facts about them are committed.

    Nothing is locked while the embedder works: what was deleted or told meanwhile is described in another round.
    """
    usage = Usage()
    left = set(entity_ids)
    for _ in range(MOST_ROUNDS):
        if not left:
            break
        with tenant_transaction(bank.tenant_id):
            descriptions = build_descriptions(bank, left)
        batch = embedder.embed_documents([description.embedding_text for description in descriptions])
        usage += batch.usage
        with tenant_transaction(bank.tenant_id):
            lock_memory(bank)
            left = write_what_holds(bank, descriptions, batch.vectors)
    return usage


def write_what_holds(bank: Bank, descriptions: Sequence[Description], vectors: Sequence[Vector]) -> set[UUID]:
    """Those of whom by now something else is known are not written, but returned. Call after `lock_memory`."""
    known = {one.entity_id: one for one in build_descriptions(bank, [one.entity_id for one in descriptions])}
    pairs = zip(descriptions, vectors, strict=True)
    holding = [(one, vector) for one, vector in pairs if known.get(one.entity_id) == one]
    write_descriptions(bank, [one for one, _ in holding], [vector for _, vector in holding])
    return set(known) - {one.entity_id for one, _ in holding}


def build_descriptions(bank: Bank, entity_ids: Collection[UUID]) -> list[Description]:
    """A fixed number of queries for any number of entities; those that are gone are left out."""
    now = timezone.now()
    entities = list(Entity.objects.of_bank(bank).filter(id__in=entity_ids).order_by("id"))
    told = read_relationships(bank, entity_ids)
    units = read_units(bank, [entity.id for entity in entities], now=now)
    return [
        Description(
            entity.id,
            entity.name,
            build_attributes(entity.id, [row for row in told[entity.id] if not begins_after(row.valid_from, now)]),
            build_summary(told[entity.id], units[entity.id], now=now),
        )
        for entity in entities
    ]


def read_relationships(bank: Bank, entity_ids: Collection[UUID]) -> dict[UUID, list[Relationship]]:
    """Under both of their entities, the most proven and newest first."""
    rows = Relationship.objects.for_tenant(bank.tenant_id).current().filter(bank=bank)
    held = rows.filter(Q(subject_id__in=entity_ids) | Q(object_id__in=entity_ids)).select_related("object")
    told: defaultdict[UUID, list[Relationship]] = defaultdict(list)
    for row in held.defer("embedding").order_by("-proof_count", "-mentioned_at", "id"):
        told[row.subject_id].append(row)
        if row.object_id and row.object_id != row.subject_id:
            told[row.object_id].append(row)
    return told


def read_units(bank: Bank, entity_ids: Sequence[UUID], *, now: datetime) -> dict[UUID, list[str]]:
    told: defaultdict[UUID, list[str]] = defaultdict(list)
    given: dict[str, Any] = {"tenant_id": bank.tenant_id, "ids": list(entity_ids), "most": MOST_UNITS, "now": now}
    with connection.cursor() as cursor:
        cursor.execute(FIND_UNITS, given)
        for entity_id, text, begins in cursor.fetchall():
            told[entity_id].append(tell_with_day(shorten(text), begins) if begins else shorten(text))
    return told


def build_attributes(entity_id: UUID, told: Sequence[Relationship]) -> dict[str, str | list[str]]:
    """By relation; a list where several hold at a time. `told` is what holds."""
    values: defaultdict[str, list[str]] = defaultdict(list)
    for row in told:
        value = (row.object.name if row.object else row.value)[:CHARACTERS_OF_A_VALUE]
        if row.subject_id == entity_id and value not in values[row.relation]:
            values[row.relation].append(value)
    return {relation: held[0] if len(held) == 1 else held for relation, held in sorted(values.items())}


def build_summary(told: Sequence[Relationship], units: Sequence[str], *, now: datetime) -> str:
    """What holds of it, then what will with its day, then what was told of it most and last."""
    held = [row.text for row in told if not begins_after(row.valid_from, now)]
    coming = [tell_with_day(row.text, row.valid_from) for row in told if row.valid_from and row.valid_from > now]
    sentences = [*held, *coming][:MOST_RELATIONSHIPS] + list(units)
    summary = ""
    for sentence in dict.fromkeys(sentences):
        if len(summary) + len(sentence) < LONGEST_SUMMARY:
            summary = f"{summary} {sentence}".strip()
    return summary


def shorten(text: str) -> str:
    flat = " ".join(text.split())
    return (
        flat if len(flat) <= LONGEST_UNIT else f"{flat[:LONGEST_UNIT].rpartition(' ')[0] or flat[:LONGEST_UNIT]}\u2026"
    )


def write_descriptions(bank: Bank, descriptions: Sequence[Description], vectors: Sequence[Vector]) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            WRITE,
            {
                "tenant_id": bank.tenant_id,
                "bank_id": bank.id,
                "id": [one.entity_id for one in descriptions],
                "summary": [one.summary for one in descriptions],
                "attributes": [json.dumps(one.attributes) for one in descriptions],
                "embedding": [write_vector(vector) for vector in vectors],
            },
        )
