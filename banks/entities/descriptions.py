"""Descriptions of entities: attributes, a few sentences and a vector, from current facts."""

import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection
from django.db.models import Q
from django.utils import timezone

from banks.embedding_texts import build_entity_text
from banks.enums import FACTUAL
from banks.locking import lock_memory
from banks.models import Bank, Entity, MemoryUnit, Mention, Relationship
from banks.models.bank import place_vector
from banks.rendering import RENDERED_TEXT
from banks.vectors import use_slot, write_vector
from providers.embedding.protocol import Embedder
from providers.embedding.vector import Vector
from providers.usage import Usage
from tenants.transactions import tenant_transaction
from timewords.rendering import write_day_first

MOST_RELATIONSHIPS = 8
MOST_UNITS = 3
LONGEST_UNIT = 200  # characters: a summary is not a copy
LONGEST_SUMMARY = 900
CHARACTERS_OF_A_VALUE = 200
MOST_ROUNDS = 3  # after that, the next retain describes an entity whose facts change all the time

# Units that have begun come first, then the most proven and the most recent ones. A unit without an occurrence that
# begins in the future gets its date.
FIND_UNITS = f"""
SELECT wanted.id, best.text, CASE WHEN best.is_ahead AND best.occurred_start IS NULL THEN best.valid_from END
FROM unnest(%(ids)s::uuid[]) AS wanted (id)
CROSS JOIN LATERAL (
    SELECT {RENDERED_TEXT.format(unit="unit")} AS text, unit.proof_count, unit.mentioned_at, unit.id, unit.valid_from,
        unit.occurred_start,
        unit.valid_from IS NOT NULL AND unit.valid_from > %(now)s AS is_ahead
    FROM banks_mention AS mention
    JOIN banks_memoryunit AS unit ON unit.tenant_id = mention.tenant_id AND unit.id = mention.unit_id
    WHERE mention.tenant_id = %(tenant_id)s AND mention.entity_id = wanted.id
      AND unit.expired_at IS NULL AND unit.network IN ('world', 'experience')
    ORDER BY is_ahead, unit.proof_count DESC, unit.importance DESC, unit.mentioned_at DESC, unit.id
    LIMIT %(most)s
) AS best
ORDER BY wanted.id, best.is_ahead, best.proof_count DESC, best.mentioned_at DESC, best.id
"""  # noqa: S608  # the fragment is a constant of ours

WRITE = """
UPDATE banks_entity AS entity SET
    summary = described.summary, attributes = described.attributes::jsonb,
    {vector} = described.embedding::vector, {other} = NULL
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
    """Describe the entities again. Call outside of transactions, after the facts about them are committed.

    Nothing is locked while the embedder works. If facts of an entity change meanwhile, another round describes it.
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
            left = write_unchanged(bank, descriptions, batch.vectors)
    return usage


def write_unchanged(bank: Bank, descriptions: Sequence[Description], vectors: Sequence[Vector]) -> set[UUID]:
    """Write the descriptions that still fit the facts. Returns the other entities. Call after `lock_memory`."""
    known = {one.entity_id: one for one in build_descriptions(bank, [one.entity_id for one in descriptions])}
    pairs = zip(descriptions, vectors, strict=True)
    fitting = [(one, vector) for one, vector in pairs if known.get(one.entity_id) == one]
    write_descriptions(bank, [one for one, _ in fitting], [vector for _, vector in fitting])
    return set(known) - {one.entity_id for one, _ in fitting}


def build_descriptions(bank: Bank, entity_ids: Collection[UUID]) -> list[Description]:
    """A fixed number of queries for any number of entities. Deleted entities are left out."""
    now = timezone.now()
    entities = list(Entity.objects.of_bank(bank).filter(id__in=entity_ids).order_by("id"))
    stated = read_relationships(bank, entity_ids)
    units = read_units(bank, [entity.id for entity in entities], now=now)
    return [
        Description(
            entity.id,
            entity.name,
            build_attributes(entity.id, [row for row in stated[entity.id] if not begins_after(row.valid_from, now)]),
            build_summary(stated[entity.id], units[entity.id], now=now),
        )
        for entity in entities
    ]


def read_relationships(bank: Bank, entity_ids: Collection[UUID]) -> dict[UUID, list[Relationship]]:
    """The current relationships, under both of their entities, the most proven and newest first."""
    rows = Relationship.objects.for_tenant(bank.tenant_id).current().filter(bank=bank)
    held = rows.filter(Q(subject_id__in=entity_ids) | Q(object_id__in=entity_ids)).select_related("object")
    stated: defaultdict[UUID, list[Relationship]] = defaultdict(list)
    for row in held.defer("embedding", "second_embedding").order_by("-proof_count", "-mentioned_at", "id"):
        stated[row.subject_id].append(row)
        if row.object_id and row.object_id != row.subject_id:
            stated[row.object_id].append(row)
    return stated


def read_units(bank: Bank, entity_ids: Sequence[UUID], *, now: datetime) -> dict[UUID, list[str]]:
    texts: defaultdict[UUID, list[str]] = defaultdict(list)
    given: dict[str, Any] = {"tenant_id": bank.tenant_id, "ids": list(entity_ids), "most": MOST_UNITS, "now": now}
    with connection.cursor() as cursor:
        cursor.execute(FIND_UNITS, given)
        for entity_id, text, begins in cursor.fetchall():
            texts[entity_id].append(add_beginning(shorten(text), begins) if begins else shorten(text))
    return texts


def build_attributes(entity_id: UUID, held: Sequence[Relationship]) -> dict[str, str | list[str]]:
    """The values by relation; a list if several hold at a time. `held` are the relationships that have begun."""
    values: defaultdict[str, list[str]] = defaultdict(list)
    for row in held:
        value = (row.object.name if row.object else row.value)[:CHARACTERS_OF_A_VALUE]
        if row.subject_id == entity_id and value not in values[row.relation]:
            values[row.relation].append(value)
    return {relation: found[0] if len(found) == 1 else found for relation, found in sorted(values.items())}


def build_summary(stated: Sequence[Relationship], units: Sequence[str], *, now: datetime) -> str:
    """The relationships that have begun, then the future ones with their date, then the units."""
    held = [row.text for row in stated if not begins_after(row.valid_from, now)]
    coming = [add_beginning(row.text, row.valid_from) for row in stated if row.valid_from and row.valid_from > now]
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
            use_slot(bank, WRITE),
            {
                "tenant_id": bank.tenant_id,
                "bank_id": bank.id,
                "id": [one.entity_id for one in descriptions],
                "summary": [one.summary for one in descriptions],
                "attributes": [json.dumps(one.attributes) for one in descriptions],
                "embedding": [write_vector(vector) for vector in vectors],
            },
        )


def begins_after(valid_from: datetime | None, now: datetime) -> bool:
    return valid_from is not None and valid_from > now


def add_beginning(text: str, begins: datetime) -> str:
    """For example "Lena works at Lidl (from 1 June 2027).". A text with the year in it stays unchanged."""
    if str(begins.year) in text:
        return text
    own = text.rstrip()
    end = own[-1:] if own.endswith((".", "!")) else ""
    return f"{own.removesuffix(end)} (from {write_day_first(begins)}){end}"


def forget_descriptions(
    bank: Bank, unit: MemoryUnit, *, networks: Collection[str], relationships: Iterable[Relationship] = ()
) -> None:
    """Clear the descriptions of the entities that the unit mentions, and of those in relationships that changed with
    it. `networks` are the unit's, now and before: only facts describe an entity.

    Call inside a tenant transaction, after `lock_memory`.
    """
    entity_ids = {one for row in relationships for one in (row.subject_id, row.object_id) if one is not None}
    if FACTUAL.intersection(networks):
        mentions = Mention.objects.for_tenant(bank.tenant_id).filter(unit=unit)
        entity_ids |= set(mentions.values_list("entity_id", flat=True))
    empty_descriptions(bank, entity_ids)


def empty_descriptions(bank: Bank, entity_ids: Collection[UUID]) -> None:
    Entity.objects.of_bank(bank).filter(id__in=entity_ids).update(summary="", attributes={}, **place_vector(bank, None))
