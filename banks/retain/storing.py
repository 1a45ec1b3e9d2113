"""The write of one passage's facts: units with their sources and labels, entities, relationships, closings, links."""

import json
from collections.abc import Sequence
from dataclasses import asdict, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection
from django.utils import timezone

from banks.entities.mentions import find_new_names, read_mentions, record_mentions
from banks.entities.types import Naming, Resolved
from banks.facts import Identity, PreparedFact
from banks.lifecycle.candidates import KnownUnit
from banks.lifecycle.closing import Closed, Closing, build_closings, close_units, expire_overdue
from banks.lifecycle.planning import Plan, plan_to_add
from banks.lifecycle.proving import merge_units, note_restatements, prove_units
from banks.lifecycle.reconciling import ReconciledPlan, reconcile_plan
from banks.lifecycle.relationships import store_relationships
from banks.links import link_by_cause, link_by_meaning
from banks.locking import lock_memory
from banks.models import Bank, Corpus, UnitMetadata, UnitSource, UnitTag
from banks.text_index.write import add_numbered_texts, number_texts, replacing_texts
from banks.types import StoredUnit
from banks.vectors import use_slot, write_vector
from tenants.identifiers import uuid7

# One statement for a batch of any size. The rows have the order of their identity. So two batches with the same facts
# wait for each other and can't deadlock.
INSERT_UNITS = """
INSERT INTO banks_memoryunit (
    tenant_id, bank_id, id, network, kind, text, speaker, role, search_text, content_hash, tags_hash, dimensions,
    context, {vector}, occurred_start, occurred_end, mentioned_at, confidence, importance, valid_from, valid_until,
    recorded_at, updated_at, review, close_reason, access_count, proof_count, number
)
SELECT %(tenant_id)s, %(bank_id)s, id, network, kind, text, speaker, role, search_text, content_hash, tags_hash,
    dimensions::jsonb, context, embedding::vector, occurred_start, occurred_end, mentioned_at, confidence, importance,
    valid_from, valid_until,
    %(now)s, %(now)s, '', '', 0, 1, number
FROM unnest(
    %(id)s::uuid[], %(network)s::text[], %(kind)s::text[], %(text)s::text[], %(speaker)s::text[],
    %(role)s::text[], %(search_text)s::text[], %(content_hash)s::bytea[], %(tags_hash)s::bytea[],
    %(dimensions)s::text[], %(context)s::text[], %(embedding)s::text[],
    %(occurred_start)s::timestamptz[], %(occurred_end)s::timestamptz[], %(mentioned_at)s::timestamptz[],
    %(confidence)s::float8[], %(importance)s::float8[], %(valid_from)s::timestamptz[],
    %(valid_until)s::timestamptz[], %(number)s::int[]
) AS fact (
    id, network, kind, text, speaker, role, search_text, content_hash, tags_hash, dimensions, context, embedding,
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


def store_facts(
    bank: Bank, prepared: Sequence[PreparedFact], *, speakers: frozenset[str], plan: Plan | None = None
) -> list[StoredUnit]:
    """One unit for each fact, in order. A known unit gets another proof.

    `plan` is the result of `plan_facts` before the transaction; without a plan every fact is added. Call inside a
    tenant transaction.
    """
    if not prepared:
        return []
    lock_memory(bank)
    now = timezone.now()
    plan = plan or plan_to_add(prepared)
    expire_overdue(bank, now=now, actor=plan.judge)
    reconciled = reconcile_plan(bank, prepared, plan)
    units = store_units(bank, prepared, now=now, reconciled=reconciled)
    merge_texts(bank, prepared, reconciled, actor=plan.judge)
    resolved = record_entities(bank, prepared, units, reconciled, plan, speakers=speakers)
    ended = store_relationships(bank, prepared, units, resolved, now=now)
    closings = [*list_contradicted(prepared, units, reconciled, plan), *ended]
    closed = close_units(bank, closings, now=now, actor=plan.judge)
    link_by_cause(
        bank,
        [
            (unit.id, units[cause.target].id, cause)
            for one, unit in zip(prepared, units, strict=True)
            for cause in one.fact.causes
        ],
    )
    link_by_meaning(bank, [unit.id for unit in units if unit.is_new])
    return complete(units, resolved, closings, closed)


def store_units(
    bank: Bank, facts: Sequence[PreparedFact], *, now: datetime, reconciled: ReconciledPlan | None = None
) -> list[StoredUnit]:
    """One unit for each fact, in order; the same unit for two equal facts. New units are added to the text index.

    Call inside a tenant transaction that holds `lock_memory(bank)`.
    """
    reconciled = reconciled or ReconciledPlan()
    repeated = find_repeated(facts, reconciled)
    new = [place for place in range(len(facts)) if place not in reconciled.known_ids and place not in repeated]
    stored = insert(bank, [facts[place] for place in new], now=now)
    units = {place: stored[facts[place].identity] for place in new}
    units |= {place: StoredUnit(unit_id, is_new=False) for place, unit_id in reconciled.known_ids.items()}
    units |= {place: replace(units[first], is_new=False) for place, first in repeated.items()}
    proving = [place for place in range(len(facts)) if place not in reconciled.unproven]
    again = {place: units[place].id for place in proving if place in reconciled.known_ids or place in repeated}
    prove_units(bank, facts, again, now=now)
    pairs = [(facts[place], units[place].id) for place in proving]
    store_sources(bank, pairs)
    store_labels(bank, pairs)
    return [units[place] for place in range(len(facts))]


def find_repeated(facts: Sequence[PreparedFact], reconciled: ReconciledPlan) -> dict[int, int]:
    """The places of facts that repeat an earlier fact of the batch, with the place of that fact."""
    places = [place for place in range(len(facts)) if place not in reconciled.known_ids]
    first = {facts[place].identity: place for place in reversed(places)}
    return {place: first[facts[place].identity] for place in places if first[facts[place].identity] != place}


def insert(bank: Bank, facts: Sequence[PreparedFact], *, now: datetime) -> dict[Identity, StoredUnit]:
    if not facts:
        return {}
    columns: dict[str, list[Any]] = {}
    for row in (build_row(fact) for fact in facts):
        for name, value in row.items():
            columns.setdefault(name, []).append(value)
    texts = [one.fact.search_text or one.fact.rendered_text for one in facts]
    columns["number"] = [*number_texts(bank, Corpus.UNIT, texts)]
    with connection.cursor() as cursor:
        cursor.execute(
            use_slot(bank, INSERT_UNITS), {"tenant_id": bank.tenant_id, "bank_id": bank.id, "now": now, **columns}
        )
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
        "speaker": fact.speaker,
        "role": fact.role,
        "search_text": fact.search_text,
        "content_hash": prepared.identity.words,
        "tags_hash": prepared.identity.tags,
        "dimensions": json.dumps({name: value for name, value in asdict(fact.dimensions).items() if value}),
        "context": prepared.context,
        "embedding": write_vector(prepared.vector),
        "occurred_start": fact.occurred_start,
        "occurred_end": fact.occurred_end if fact.occurred_start else None,  # an end without a start is no occurrence
        "mentioned_at": fact.mentioned_at,
        "confidence": fact.confidence,
        "importance": fact.importance,
        "valid_from": fact.occurred_start or fact.valid_from,
        "valid_until": fact.valid_until,
    }


def store_sources(bank: Bank, pairs: Sequence[tuple[PreparedFact, UUID]]) -> None:
    rows = [(unit_id, source) for fact, unit_id in pairs for source in fact.sources]
    if not rows:
        return
    columns: dict[str, Any] = {
        "id": [uuid7() for _ in rows],
        "unit_id": [unit_id for unit_id, _ in rows],
        "role": [UnitSource.Role.SAID.value for _ in rows],
        "message_id": [source.message_id for _, source in rows],
        "chunk_id": [source.chunk_id for _, source in rows],
        "start": [source.start for _, source in rows],
        "end": [source.end for _, source in rows],
    }
    with connection.cursor() as cursor:
        cursor.execute(INSERT_SOURCES, {"tenant_id": bank.tenant_id, **columns})


def store_labels(bank: Bank, pairs: Sequence[tuple[PreparedFact, UUID]]) -> None:
    tags = {(unit_id, tag) for fact, unit_id in pairs for tag in fact.tags}
    values = {(unit_id, *entry) for fact, unit_id in pairs for entry in fact.metadata.items()}
    if tags:
        UnitTag.objects.for_tenant(bank.tenant_id).bulk_create(
            [UnitTag(unit_id=unit_id, bank_id=bank.id, tag=tag) for unit_id, tag in sorted(tags)],
            ignore_conflicts=True,
        )
    if values:
        UnitMetadata.objects.for_tenant(bank.tenant_id).bulk_create(
            [
                UnitMetadata(unit_id=unit_id, bank_id=bank.id, key=key, value=value)
                for unit_id, key, value in sorted(values)
            ],
            ignore_conflicts=True,
        )


def merge_texts(bank: Bank, prepared: Sequence[PreparedFact], reconciled: ReconciledPlan, *, actor: str) -> None:
    ids = [reconciled.known_ids[place] for place in reconciled.merged]
    if ids:
        with replacing_texts(bank, Corpus.UNIT, ids):
            merge_units(bank, prepared, reconciled.merged)
    note_restatements(bank, prepared, reconciled, actor=actor)


def record_entities(
    bank: Bank,
    prepared: Sequence[PreparedFact],
    units: Sequence[StoredUnit],
    reconciled: ReconciledPlan,
    plan: Plan,
    *,
    speakers: frozenset[str],
) -> list[Resolved]:
    """The entities of new units, the new ones of merged texts, and those that known units mention already."""
    before = read_mentions(bank, {unit.id for unit in units if not unit.is_new})
    namings = [
        Naming(unit.id, one.fact.entities, one.fact.mentioned_at, speakers)
        for one, unit in zip(prepared, units, strict=True)
        if unit.is_new
    ]
    for place in reconciled.merged:
        fact, unit_id = prepared[place].fact, units[place].id
        namings.append(Naming(unit_id, find_new_names(fact.entities, before, unit_id), fact.mentioned_at, speakers))
    return [*before, *record_mentions(bank, namings, identities=plan.identities)]


def list_contradicted(
    prepared: Sequence[PreparedFact], units: Sequence[StoredUnit], reconciled: ReconciledPlan, plan: Plan
) -> list[Closing]:
    return [
        closing
        for place, contradicted in reconciled.contradicted.items()
        for closing in build_closings(
            units[place].id,
            describe_new_unit(units[place].id, prepared[place]),
            contradicted,
            plan.decisions[place].reason,
        )
    ]


def describe_new_unit(unit_id: UUID, prepared: PreparedFact) -> KnownUnit:
    fact = prepared.fact
    return KnownUnit(
        unit_id,
        fact.network.value,
        fact.kind.value,
        fact.rendered_text,
        prepared.identity.words,
        fact.mentioned_at,
        fact.occurred_start,
        prepared.identity.tags,
        fact.occurred_end,
    )


def complete(
    units: Sequence[StoredUnit], resolved: Sequence[Resolved], closings: Sequence[Closing], closed: Closed
) -> list[StoredUnit]:
    """Group by unit first, for speed: a passage of two megabytes has thousands of units and names."""
    entity_ids: dict[UUID, dict[UUID, None]] = {}
    for one in resolved:
        entity_ids.setdefault(one.naming.unit_id, {})[one.entity_id] = None
    successors = {(closing.successor_id, closing.unit_id) for closing in closings}
    return [
        replace(
            unit,
            entity_ids=tuple(entity_ids.get(unit.id, ())),
            closed=tuple(unit_id for unit_id in closed.unit_ids if (unit.id, unit_id) in successors),
        )
        for unit in units
    ]
