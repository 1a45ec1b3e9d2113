"""Writing relationships. A restated one gets a proof. A new value of a single-valued relation ends the former one."""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection

from banks.entities.names.normalise import identity_key
from banks.entities.types import Resolved
from banks.enums import Kind
from banks.facts import PreparedFact
from banks.lifecycle.closing import Closing
from banks.lifecycle.relations import is_single_valued, name_relation
from banks.models import Bank, Corpus, Relationship, RelationshipSource
from banks.text_index.write import add_numbered_texts, number_texts, retire_texts
from banks.types import FoundRelationship, StoredUnit
from banks.vectors import use_slot, write_vector
from providers.embedding.vector import Vector
from tenants.identifiers import uuid7

LONGEST_VALUE = 500
MOST_WORDS = 12  # of a text that states one relationship and nothing else
SENTENCE_BREAK = re.compile(r"[.!?\n]\s*\S")

INSERT_RELATIONSHIPS = """
INSERT INTO banks_relationship (
    tenant_id, bank_id, id, subject_id, relation, object_id, value, text, {vector},
    valid_from, valid_until, mentioned_at, recorded_at, close_reason, proof_count, number
)
SELECT %(tenant_id)s, %(bank_id)s, id, subject_id, relation, object_id, value, text, embedding::vector,
    valid_from, valid_until, mentioned_at, %(now)s, '', 1, number
FROM unnest(
    %(id)s::uuid[], %(subject_id)s::uuid[], %(relation)s::text[], %(object_id)s::uuid[], %(value)s::text[],
    %(text)s::text[], %(embedding)s::text[], %(valid_from)s::timestamptz[], %(valid_until)s::timestamptz[],
    %(mentioned_at)s::timestamptz[], %(number)s::int[]
) AS given (id, subject_id, relation, object_id, value, text, embedding, valid_from, valid_until, mentioned_at, number)
ON CONFLICT (subject_id, relation, object_id, value) WHERE expired_at IS NULL
DO UPDATE SET
    proof_count = banks_relationship.proof_count + 1,
    mentioned_at = greatest(banks_relationship.mentioned_at, excluded.mentioned_at),
    valid_until = CASE
        WHEN excluded.valid_until >= banks_relationship.valid_from THEN excluded.valid_until
        WHEN banks_relationship.valid_from IS NULL AND excluded.valid_until IS NOT NULL THEN excluded.valid_until
        ELSE banks_relationship.valid_until
    END
RETURNING id, subject_id, relation, object_id, value, xmax = 0
"""

# An end in the past closes; one in the future is scheduled.
END_RELATIONSHIPS = """
UPDATE banks_relationship AS stated SET
    valid_until = greatest(least(ended.since, stated.valid_until), stated.valid_from),
    superseded_by_id = ended.successor_id,
    expired_at = CASE WHEN NOT least(ended.since, stated.valid_until) > %(now)s THEN %(now)s::timestamptz END,
    close_reason = CASE WHEN NOT least(ended.since, stated.valid_until) > %(now)s THEN 'update' ELSE '' END
FROM unnest(%(id)s::uuid[], %(successor_id)s::uuid[], %(since)s::timestamptz[]) AS ended (id, successor_id, since)
WHERE stated.tenant_id = %(tenant_id)s AND stated.id = ended.id AND stated.expired_at IS NULL
RETURNING stated.id, stated.expired_at IS NOT NULL
"""

# The successor is valid since the former value ended, if it has no beginning of its own.
BEGIN_RELATIONSHIPS = """
UPDATE banks_relationship AS stated SET valid_from = begun.since
FROM unnest(%(successor_id)s::uuid[], %(since)s::timestamptz[]) AS begun (id, since)
WHERE stated.tenant_id = %(tenant_id)s AND stated.id = begun.id AND stated.valid_from IS NULL
  AND (stated.valid_until IS NULL OR stated.valid_until >= begun.since)
"""

Key = tuple[UUID, str, UUID | None, str]


@dataclass(frozen=True, eq=False)
class StatedRelationship:
    """A relationship with its resolved entities, as one unit states it."""

    unit_id: UUID
    found: FoundRelationship
    vector: Vector
    subject_id: UUID
    object_id: UUID | None
    mentioned_at: datetime
    is_whole_unit: bool = False

    @property
    def key(self) -> Key:
        value = "" if self.object_id else self.found.object[:LONGEST_VALUE]
        return self.subject_id, name_relation(self.found.relation), self.object_id, value

    @property
    def since(self) -> datetime:
        """When it begins: the stated beginning, else the time when it was said."""
        return self.found.valid_from or self.mentioned_at


@dataclass(frozen=True)
class End:
    """A relationship that ends at `since`, when `successor_id` begins. The unit `unit_id` states the successor."""

    relationship_id: UUID
    since: datetime
    successor_id: UUID
    unit_id: UUID | None


def store_relationships(
    bank: Bank,
    facts: Sequence[PreparedFact],
    units: Sequence[StoredUnit],
    resolved: Sequence[Resolved],
    *,
    now: datetime,
) -> list[Closing]:
    """Returns closings for units that state only a relationship that ended.

    Call inside a tenant transaction that holds `lock_memory(bank)`.
    """
    stated = list_stated(facts, units, resolved)
    if not stated:
        return []
    closed = find_closed(bank, stated)
    new = [one for one in stated if one.key not in closed]
    ids = closed | insert(bank, new, now=now)
    store_sources(bank, stated, ids)
    ends = list(find_ends(bank, new, ids))
    end_relationships(bank, ends, now=now)
    return find_closings(bank, ends)


def list_stated(
    facts: Sequence[PreparedFact], units: Sequence[StoredUnit], resolved: Sequence[Resolved]
) -> list[StatedRelationship]:
    """The relationships whose subject and object are entities of the fact; the object may also be a value."""
    entities = {(one.naming.unit_id, identity_key(one.name)): one.entity_id for one in resolved}
    stated = []
    for prepared, unit in zip(facts, units, strict=True):
        fact = prepared.fact
        for found, vector in zip(fact.relationships, prepared.relationship_vectors, strict=True):
            subject_id = entities.get((unit.id, find_identity(found.subject)))
            object_id = None if found.object_is_value else entities.get((unit.id, find_identity(found.object)))
            if subject_id and (object_id or found.object_is_value):
                is_whole = len(fact.relationships) == 1 and fact.kind is not Kind.EVENT and is_short(fact.text)
                stated.append(
                    StatedRelationship(unit.id, found, vector, subject_id, object_id, fact.mentioned_at, is_whole)
                )
    return stated


def find_identity(name: str) -> str:
    return identity_key(name) if any(character.isalnum() for character in name) else ""


def is_short(text: str) -> bool:
    return len(text.split()) <= MOST_WORDS and SENTENCE_BREAK.search(text.strip()) is None


def find_closed(bank: Bank, stated: Sequence[StatedRelationship]) -> dict[Key, UUID]:
    """Closed relationships that are restated for their own time. They get a proof and stay closed."""
    rows = Relationship.objects.of_bank(bank).filter(
        subject_id__in={one.subject_id for one in stated},
        relation__in={one.key[1] for one in stated},
        close_reason=Relationship.CloseReason.UPDATE,
    )
    ended = {
        (row.subject_id, row.relation, row.object_id, row.value): row
        for row in rows.defer("embedding", "second_embedding").order_by("valid_until")
    }
    return {
        one.key: row.id
        for one in stated
        if (row := ended.get(one.key)) and row.valid_until and one.since <= row.valid_until
    }


def insert(bank: Bank, stated: Sequence[StatedRelationship], *, now: datetime) -> dict[Key, UUID]:
    distinct = list({one.key: one for one in stated}.values())
    if not distinct:
        return {}
    columns: dict[str, list[Any]] = {
        "id": [uuid7() for _ in distinct],
        "subject_id": [one.key[0] for one in distinct],
        "relation": [one.key[1] for one in distinct],
        "object_id": [one.key[2] for one in distinct],
        "value": [one.key[3] for one in distinct],
        "text": [one.found.text for one in distinct],
        "embedding": [write_vector(one.vector) for one in distinct],
        "valid_from": [one.found.valid_from for one in distinct],
        "valid_until": [one.found.valid_until for one in distinct],
        "mentioned_at": [one.mentioned_at for one in distinct],
        "number": [*number_texts(bank, Corpus.RELATIONSHIP, [one.found.text for one in distinct])],
    }
    with connection.cursor() as cursor:
        cursor.execute(
            use_slot(bank, INSERT_RELATIONSHIPS),
            {"tenant_id": bank.tenant_id, "bank_id": bank.id, "now": now, **columns},
        )
        rows = cursor.fetchall()
    add_numbered_texts(bank, Corpus.RELATIONSHIP, [row[0] for row in rows if row[-1]])
    return {(subject, relation, thing, value): row_id for row_id, subject, relation, thing, value, _ in rows}


def store_sources(bank: Bank, stated: Sequence[StatedRelationship], ids: dict[Key, UUID]) -> None:
    rows = {(ids[one.key], one.unit_id): one.is_whole_unit for one in stated}
    RelationshipSource.objects.for_tenant(bank.tenant_id).bulk_create(
        [
            RelationshipSource(relationship_id=relationship_id, unit_id=unit_id, is_whole_unit=is_whole)
            for (relationship_id, unit_id), is_whole in sorted(rows.items())
        ],
        ignore_conflicts=True,
    )


def find_ends(bank: Bank, stated: Sequence[StatedRelationship], ids: dict[Key, UUID]) -> Iterator[End]:
    """The older of two values of a single-valued relation ends when the newer began. The dates decide which is older,
    so a backdated value ends at once. Values that one unit states stand beside each other.
    """
    single = sorted((one for one in stated if is_single_valued(one.found.relation)), key=lambda one: one.since)
    if not single:
        return
    held = Relationship.objects.of_bank(bank).current()
    rows = held.filter(subject_id__in={one.subject_id for one in single}, relation__in={one.key[1] for one in single})
    current = {row.id: row for row in rows.defer("embedding", "second_embedding").order_by("id")}
    units = read_stating_units(bank, current)
    ended: set[UUID] = set()
    for one in single:
        own_id = ids[one.key]
        others = [
            row
            for row in current.values()
            if (row.subject_id, row.relation) == one.key[:2]
            and row.id not in {own_id, *ended}
            and one.unit_id not in units.get(row.id, ())
        ]
        newer = [row for row in others if find_beginning(row) > one.since]
        for row in others:
            if row not in newer:
                ended.add(row.id)
                yield End(row.id, one.since, own_id, one.unit_id)
        if newer and own_id not in ended and own_id in current:
            follower = min(newer, key=find_beginning)
            ended.add(own_id)
            yield End(own_id, find_beginning(follower), follower.id, next(iter(units.get(follower.id, ())), None))


def find_beginning(row: Relationship) -> datetime:
    return row.valid_from or row.mentioned_at


def read_stating_units(bank: Bank, relationship_ids: Collection[UUID]) -> dict[UUID, list[UUID]]:
    """The units that state each relationship, the newest first."""
    rows = RelationshipSource.objects.for_tenant(bank.tenant_id).filter(relationship_id__in=relationship_ids)
    units: dict[UUID, list[UUID]] = {}
    for relationship_id, unit_id in rows.order_by("-unit__mentioned_at").values_list("relationship_id", "unit_id"):
        units.setdefault(relationship_id, []).append(unit_id)
    return units


def end_relationships(bank: Bank, ends: Sequence[End], *, now: datetime) -> None:
    if not ends:
        return
    given: dict[str, Any] = {
        "tenant_id": bank.tenant_id,
        "now": now,
        "id": [one.relationship_id for one in ends],
        "successor_id": [one.successor_id for one in ends],
        "since": [one.since for one in ends],
    }
    with connection.cursor() as cursor:
        cursor.execute(END_RELATIONSHIPS, given)
        closed = [relationship_id for relationship_id, is_closed in cursor.fetchall() if is_closed]
        cursor.execute(BEGIN_RELATIONSHIPS, given)
    retire_texts(bank, Corpus.RELATIONSHIP, closed)


def find_closings(bank: Bank, ends: Sequence[End]) -> list[Closing]:
    """Units that state an ended relationship and nothing else end with it."""
    by_id = {one.relationship_id: one for one in ends if one.unit_id}
    if not by_id:
        return []
    rows = RelationshipSource.objects.for_tenant(bank.tenant_id).filter(
        relationship_id__in=by_id, is_whole_unit=True, unit__expired_at=None
    )
    return [
        Closing(unit_id, by.unit_id, by.since)
        for unit_id, relationship_id in rows.order_by("unit_id").values_list("unit_id", "relationship_id")
        if (by := by_id[relationship_id]).unit_id and by.unit_id != unit_id
    ]
