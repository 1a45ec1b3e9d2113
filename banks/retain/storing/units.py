"""Writing units in bulk. A fact that is there already gets another proof, not another row."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection

from banks.lifecycle.deciding.settle import Settled
from banks.lifecycle.prove import prove_units
from banks.models import Bank, Corpus, UnitMetadata, UnitSource, UnitTag
from banks.retain.prepared import Identity, PreparedFact
from banks.text_index.write import add_numbered_texts, number_texts
from banks.vector_index.literal import write_vector
from tenants.identifiers import uuid7

# One row a fact from parallel arrays: a statement a batch, whatever its size. In the order of their identity, so that
# two batches with the same facts wait for each other instead of locking each other out.
INSERT_UNITS = """
INSERT INTO banks_memoryunit (
    tenant_id, bank_id, id, network, kind, text, content_hash, tags_hash, dimensions, context, embedding,
    occurred_start, occurred_end, mentioned_at, confidence, importance, valid_from, valid_until, recorded_at,
    updated_at, review, close_reason, access_count, proof_count, number
)
SELECT %(tenant_id)s, %(bank_id)s, id, network, kind, text, content_hash, tags_hash, dimensions::jsonb, context,
    embedding::vector, occurred_start, occurred_end, mentioned_at, confidence, importance, valid_from, valid_until,
    %(now)s, %(now)s, '', '', 0, 1, number
FROM unnest(
    %(id)s::uuid[], %(network)s::text[], %(kind)s::text[], %(text)s::text[], %(content_hash)s::bytea[],
    %(tags_hash)s::bytea[], %(dimensions)s::text[], %(context)s::text[], %(embedding)s::text[],
    %(occurred_start)s::timestamptz[], %(occurred_end)s::timestamptz[], %(mentioned_at)s::timestamptz[],
    %(confidence)s::float8[], %(importance)s::float8[], %(valid_from)s::timestamptz[],
    %(valid_until)s::timestamptz[], %(number)s::int[]
) AS fact (
    id, network, kind, text, content_hash, tags_hash, dimensions, context, embedding,
    occurred_start, occurred_end, mentioned_at, confidence, importance, valid_from, valid_until, number
)
ORDER BY network, content_hash, tags_hash
ON CONFLICT (bank_id, network, content_hash, tags_hash) WHERE expired_at IS NULL DO UPDATE SET
    proof_count = banks_memoryunit.proof_count + 1,
    mentioned_at = greatest(banks_memoryunit.mentioned_at, excluded.mentioned_at),
    updated_at = excluded.updated_at
RETURNING id, network, content_hash, tags_hash, xmax = 0
"""

INSERT_SOURCES = """
INSERT INTO banks_unitsource (id, tenant_id, unit_id, role, message_id, chunk_id, start, "end")
SELECT id, %(tenant_id)s, unit_id, role, message_id, chunk_id, start, "end"
FROM unnest(
    %(id)s::uuid[], %(unit_id)s::uuid[], %(role)s::text[], %(message_id)s::uuid[], %(chunk_id)s::uuid[],
    %(start)s::int[], %(end)s::int[]
) AS source (id, unit_id, role, message_id, chunk_id, start, "end")
"""


@dataclass(frozen=True)
class StoredUnit:
    """What became of a fact: a new unit, or another proof of one that was there.

    `entity_ids` are those that a new unit speaks of, `closed` the units that it superseded.
    """

    id: UUID
    is_new: bool
    entity_ids: tuple[UUID, ...] = ()
    closed: tuple[UUID, ...] = ()


@dataclass(frozen=True)
class Told:
    """A fact, and the unit that holds it: with more to it, where the fact is a part."""

    fact: PreparedFact
    unit_id: UUID
    in_part: bool

    @property
    def role(self) -> UnitSource.Role:
        return UnitSource.Role.IN_PART if self.in_part else UnitSource.Role.SAID


def store_units(
    bank: Bank, facts: Sequence[PreparedFact], *, now: datetime, settled: Settled | None = None
) -> list[StoredUnit]:
    """One for each fact, in order; the same unit where two say the same. New ones are in the text index.

    Call inside a tenant transaction that holds `lock_memory(bank)`.
    """
    settled = settled or Settled()
    hosts = settled.twins | find_repeated(facts, settled)
    new = [place for place in range(len(facts)) if place not in settled.homes and place not in hosts]
    stored = insert(bank, [facts[place] for place in new], now=now)
    units = {place: stored[facts[place].identity] for place in new}
    units |= {place: StoredUnit(unit_id, is_new=False) for place, unit_id in settled.homes.items()}
    for place, host in hosts.items():
        units[place] = replace(units[hosts.get(host, host)], is_new=False)
    told = [place for place in range(len(facts)) if place not in settled.unproven]
    again = {place: units[place].id for place in told if place in settled.homes or place in hosts}
    prove_units(bank, facts, again, now=now)
    store_sources(bank, [Told(facts[place], units[place].id, place in settled.in_part) for place in told])
    store_labels(bank, [facts[place] for place in told], [units[place] for place in told])
    return [units[place] for place in range(len(facts))]


def find_repeated(facts: Sequence[PreparedFact], settled: Settled) -> dict[int, int]:
    """Places of facts that the batch has in the same words before, with the place of the first."""
    places = [place for place in range(len(facts)) if place not in settled.homes and place not in settled.twins]
    first = {facts[place].identity: place for place in reversed(places)}
    return {place: first[facts[place].identity] for place in places if first[facts[place].identity] != place}


def insert(bank: Bank, facts: Sequence[PreparedFact], *, now: datetime) -> dict[Identity, StoredUnit]:
    if not facts:
        return {}
    columns: dict[str, list[Any]] = {}
    for row in (build_row(fact) for fact in facts):
        for name, value in row.items():
            columns.setdefault(name, []).append(value)
    columns["number"] = [*number_texts(bank, Corpus.UNIT, [fact.fact.text for fact in facts])]
    with connection.cursor() as cursor:
        cursor.execute(INSERT_UNITS, {"tenant_id": bank.tenant_id, "bank_id": bank.id, "now": now, **columns})
        rows = cursor.fetchall()
    add_numbered_texts(bank, Corpus.UNIT, [unit_id for unit_id, *_, is_new in rows if is_new])
    return {
        Identity(network, bytes(words), bytes(tags)): StoredUnit(unit_id, is_new)
        for unit_id, network, words, tags, is_new in rows
    }


def build_row(prepared: PreparedFact) -> dict[str, Any]:
    fact = prepared.fact
    return {
        "id": uuid7(),
        "network": prepared.identity.network,
        "kind": fact.kind.value,
        "text": fact.text,
        "content_hash": prepared.identity.words,
        "tags_hash": prepared.identity.tags,
        "dimensions": json.dumps({name: value for name, value in asdict(fact.dimensions).items() if value}),
        "context": prepared.context,
        "embedding": write_vector(prepared.vector),
        "occurred_start": fact.occurred_start,
        "occurred_end": fact.occurred_end if fact.occurred_start else None,  # "until 2020" says not when it began
        "mentioned_at": fact.mentioned_at,
        "confidence": fact.confidence,
        "importance": fact.importance,
        "valid_from": fact.occurred_start or fact.valid_from,
        "valid_until": fact.valid_until,
    }


def store_sources(bank: Bank, told: Sequence[Told]) -> None:
    rows = [(one, source) for one in told for source in one.fact.sources]
    if not rows:
        return
    columns: dict[str, Any] = {
        "id": [uuid7() for _ in rows],
        "unit_id": [one.unit_id for one, _ in rows],
        "role": [one.role.value for one, _ in rows],
        "message_id": [source.message_id for _, source in rows],
        "chunk_id": [source.chunk_id for _, source in rows],
        "start": [source.start for _, source in rows],
        "end": [source.end for _, source in rows],
    }
    with connection.cursor() as cursor:
        cursor.execute(INSERT_SOURCES, {"tenant_id": bank.tenant_id, **columns})


def store_labels(bank: Bank, facts: Sequence[PreparedFact], units: Sequence[StoredUnit]) -> None:
    pairs = list(zip(facts, units, strict=True))
    tags = {(unit.id, tag) for fact, unit in pairs for tag in fact.tags}
    values = {(unit.id, *entry) for fact, unit in pairs for entry in fact.metadata.items()}
    UnitTag.objects.for_tenant(bank.tenant_id).bulk_create(
        [UnitTag(unit_id=unit_id, bank_id=bank.id, tag=tag) for unit_id, tag in sorted(tags)], ignore_conflicts=True
    )
    UnitMetadata.objects.for_tenant(bank.tenant_id).bulk_create(
        [
            UnitMetadata(unit_id=unit_id, bank_id=bank.id, key=key, value=value)
            for unit_id, key, value in sorted(values)
        ],
        ignore_conflicts=True,
    )
