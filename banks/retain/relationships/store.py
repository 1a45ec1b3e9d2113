"""Writing relationships: said again they are proven, and another value of a relation that has one closes the former."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection

from banks.entities.named import Resolved
from banks.entities.names.normalise import identity_key
from banks.lifecycle.closings import Closing
from banks.models import Bank, Corpus, RelationshipSource
from banks.retain.prepared import PreparedFact
from banks.retain.relationships.close import close_former
from banks.retain.relationships.denied import deny_announced
from banks.retain.relationships.relations import TakenBack, holds_one_value
from banks.retain.relationships.told_relationship import Key, News, Told, is_no_news
from banks.retain.relationships.units_of_one_relationship import begin_successors, find_units_that_told_only_it
from banks.retain.storing.units import StoredUnit
from banks.text_index.write import add_numbered_texts, number_texts
from banks.vector_index.literal import write_vector
from tenants.identifiers import uuid7

INSERT_RELATIONSHIPS = """
INSERT INTO banks_relationship (
    tenant_id, bank_id, id, subject_id, relation, object_id, value, text, embedding,
    valid_from, valid_until, mentioned_at, recorded_at, close_reason, proof_count, number
)
SELECT %(tenant_id)s, %(bank_id)s, id, subject_id, relation, object_id, value, text, embedding::vector,
    valid_from, valid_until, mentioned_at, %(now)s, '', 1, number
FROM unnest(
    %(id)s::uuid[], %(subject_id)s::uuid[], %(relation)s::text[], %(object_id)s::uuid[], %(value)s::text[],
    %(text)s::text[], %(embedding)s::text[], %(valid_from)s::timestamptz[], %(valid_until)s::timestamptz[],
    %(mentioned_at)s::timestamptz[], %(number)s::int[]
) AS told (id, subject_id, relation, object_id, value, text, embedding, valid_from, valid_until, mentioned_at, number)
ON CONFLICT (subject_id, relation, object_id, value) WHERE expired_at IS NULL
DO UPDATE SET
    proof_count = banks_relationship.proof_count + 1,
    mentioned_at = greatest(banks_relationship.mentioned_at, excluded.mentioned_at)
RETURNING id, subject_id, relation, object_id, value, xmax = 0
"""


@dataclass(frozen=True)
class StoredRelationships:
    """`closings` are for units that told nothing but a relationship that is over."""

    closed_ids: tuple[UUID, ...] = ()
    closings: tuple[Closing, ...] = ()


def store_relationships(
    bank: Bank,
    facts: Sequence[PreparedFact],
    units: Sequence[StoredUnit],
    resolved: Sequence[Resolved],
    *,
    now: datetime,
    actor: str,
) -> StoredRelationships:
    """Call inside a tenant transaction that holds the bank's entities locked."""
    told = list_told(facts, units, resolved)
    if not told:
        return StoredRelationships()
    news = store_told(bank, [one for one in told if not isinstance(one.found, TakenBack)], now=now)
    ended = close_former(bank, news, now=now, actor=actor)
    ended = deny_announced(bank, told, ended, now=now, actor=actor)
    closings = [*ended.closings, *find_units_that_told_only_it(bank, ended.over)]
    pairs = zip(facts, units, strict=True)
    alone = {unit.id: one.fact.text for one, unit in pairs if unit.is_new and len(one.fact.relationships) == 1}
    begin_successors(bank, ended.over, news, alone)
    return StoredRelationships(ended.closed_ids, tuple(closings))


def store_told(bank: Bank, told: Sequence[Told], *, now: datetime) -> list[News]:
    """Returns those of relations that hold one value."""
    distinct = list_distinct(told)
    if not distinct:
        return []
    ids = insert(bank, distinct, now=now)
    rows = {(ids[one.key], one.unit_id) for one in told}
    RelationshipSource.objects.for_tenant(bank.tenant_id).bulk_create(
        [
            RelationshipSource(relationship_id=relationship_id, unit_id=unit_id)
            for relationship_id, unit_id in sorted(rows)
        ],
        ignore_conflicts=True,
    )
    return [News(ids[one.key], one) for one in distinct if holds_one_value(one.found.relation)]


def list_distinct(told: Sequence[Told]) -> list[Told]:
    """Each once, as it was told last; what is no news takes no news away."""
    distinct: dict[Key, Told] = {}
    for one in told:
        if one.key not in distinct or not is_no_news(one):
            distinct[one.key] = one
    return list(distinct.values())


def list_told(facts: Sequence[PreparedFact], units: Sequence[StoredUnit], resolved: Sequence[Resolved]) -> list[Told]:
    """Without those whose subject, or whose object where it is no value, is not among the entities of the fact."""
    entities = {(one.naming.unit_id, identity_key(one.name)): one.entity_id for one in resolved}
    told = []
    for prepared, unit in zip(facts, units, strict=True):
        for found, vector in zip(prepared.fact.relationships, prepared.relationship_vectors, strict=True):
            subject_id = entities.get((unit.id, find_identity(found.subject)))
            object_id = None if found.object_is_value else entities.get((unit.id, find_identity(found.object)))
            is_any = isinstance(found, TakenBack) and not found.object
            if subject_id and (object_id or found.object_is_value or is_any):
                told.append(Told(unit.id, found, vector, subject_id, object_id, prepared.fact.mentioned_at))
    return told


def find_identity(name: str) -> str:
    return identity_key(name) if any(character.isalnum() for character in name) else ""


def insert(bank: Bank, told: Sequence[Told], *, now: datetime) -> dict[Key, UUID]:
    columns: dict[str, list[Any]] = {
        "id": [uuid7() for _ in told],
        "subject_id": [one.key[0] for one in told],
        "relation": [one.key[1] for one in told],
        "object_id": [one.key[2] for one in told],
        "value": [one.key[3] for one in told],
        "text": [one.found.text for one in told],
        "embedding": [write_vector(one.vector) for one in told],
        "valid_from": [one.found.valid_from for one in told],
        "valid_until": [one.found.valid_until for one in told],
        "mentioned_at": [one.mentioned_at for one in told],
        "number": [*number_texts(bank, Corpus.RELATIONSHIP, [one.found.text for one in told])],
    }
    with connection.cursor() as cursor:
        cursor.execute(INSERT_RELATIONSHIPS, {"tenant_id": bank.tenant_id, "bank_id": bank.id, "now": now, **columns})
        rows = cursor.fetchall()
    add_numbered_texts(bank, Corpus.RELATIONSHIP, [row[0] for row in rows if row[-1]])
    return {(subject, relation, thing, value): row_id for row_id, subject, relation, thing, value, _ in rows}
