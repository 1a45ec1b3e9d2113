"""Proof of a unit: the fact was said again, restated in other words, or merged into a fuller text."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from uuid import UUID

from django.db import connection

from banks.facts import PreparedFact, hash_words
from banks.lifecycle.decisions import Decision
from banks.lifecycle.reconciling import ReconciledPlan
from banks.models import Bank, UnitChange
from banks.vectors import use_slot, write_vector

PROVE = """
UPDATE banks_memoryunit AS unit SET
    proof_count = unit.proof_count + proof.times,
    mentioned_at = greatest(unit.mentioned_at, proof.at),
    updated_at = %(now)s
FROM unnest(%(id)s::uuid[], %(times)s::int[], %(at)s::timestamptz[]) AS proof (id, times, at)
WHERE unit.tenant_id = %(tenant_id)s AND unit.id = proof.id
"""

RESTATEMENT = "also_told"  # its key in the history

REWORD = """
UPDATE banks_memoryunit AS unit SET
    text = merged.text, speaker = '', role = '', search_text = '',
    content_hash = merged.content_hash,
    {vector} = merged.embedding::vector, {other} = NULL,
    dimensions = unit.dimensions || merged.dimensions::jsonb
FROM unnest(%(id)s::uuid[], %(text)s::text[], %(content_hash)s::bytea[], %(embedding)s::text[], %(dimensions)s::text[])
    AS merged (id, text, content_hash, embedding, dimensions)
WHERE unit.tenant_id = %(tenant_id)s AND unit.id = merged.id
"""


def prove_units(bank: Bank, facts: Sequence[PreparedFact], known_ids: Mapping[int, UUID], *, now: datetime) -> None:
    """Count one proof for each place in `known_ids`. Call inside a tenant transaction, after `lock_memory`."""
    times = Counter(known_ids.values())
    if not times:
        return
    latest = {unit_id: facts[place].fact.mentioned_at for place, unit_id in sort_by_mention(facts, known_ids)}
    with connection.cursor() as cursor:
        cursor.execute(
            PROVE,
            {
                "tenant_id": bank.tenant_id,
                "now": now,
                "id": list(times),
                "times": list(times.values()),
                "at": [latest[unit_id] for unit_id in times],
            },
        )


def sort_by_mention(facts: Sequence[PreparedFact], known_ids: Mapping[int, UUID]) -> list[tuple[int, UUID]]:
    return sorted(known_ids.items(), key=lambda item: facts[item[0]].fact.mentioned_at)


def merge_units(bank: Bank, facts: Sequence[PreparedFact], merged: Mapping[int, Decision]) -> None:
    """Give each unit its merged text. Its date stays: both texts are about the same day."""
    if not merged:
        return
    targets = [decision.targets[0] for decision in merged.values()]
    vectors = [
        facts[place].vector if decision.vector is None else decision.vector for place, decision in merged.items()
    ]
    with connection.cursor() as cursor:
        cursor.execute(
            use_slot(bank, REWORD),
            {
                "tenant_id": bank.tenant_id,
                "id": [target.id for target in targets],
                "text": [decision.text for decision in merged.values()],
                "content_hash": [
                    hash_words(decision.text, target.occurred_start)
                    for decision, target in zip(merged.values(), targets, strict=True)
                ],
                "embedding": [write_vector(vector) for vector in vectors],
                "dimensions": [write_dimensions(facts[place], decision) for place, decision in merged.items()],
            },
        )


def write_dimensions(fact: PreparedFact, decision: Decision) -> str:
    known = {name: value for name, value in asdict(fact.fact.dimensions).items() if value}
    return json.dumps(known | ({"what": decision.text} if "what" in known else {}))


def note_restatements(bank: Bank, facts: Sequence[PreparedFact], reconciled: ReconciledPlan, *, actor: str) -> None:
    """One row for each merge, and one for each wording that is new."""
    rows = [
        UnitChange(
            unit_id=reconciled.known_ids[place],
            action=UnitChange.Action.MERGED,
            before={"text": decision.targets[0].text},
            after={"text": decision.text},
            actor=actor,
            reason="merged with a fuller text",
        )
        for place, decision in reconciled.merged.items()
    ]
    rows += [
        UnitChange(
            unit_id=unit_id,
            action=UnitChange.Action.MERGED,
            after={RESTATEMENT: text},
            actor=actor,
            reason="restated in other words",
        )
        for unit_id, text in find_new_restatements(bank, facts, reconciled)
    ]
    UnitChange.objects.for_tenant(bank.tenant_id).bulk_create(rows)


def find_new_restatements(
    bank: Bank, facts: Sequence[PreparedFact], reconciled: ReconciledPlan
) -> list[tuple[UUID, str]]:
    stated = {
        (reconciled.known_ids[place], facts[place].fact.rendered_text)
        for place in reconciled.restated - reconciled.unproven
    }
    if not stated:
        return []
    rows = UnitChange.objects.for_tenant(bank.tenant_id).filter(unit_id__in={unit_id for unit_id, _ in stated})
    noted: set[tuple[UUID, str]] = set()
    for unit_id, before, after in rows.values_list("unit_id", "before", "after"):
        noted |= {(unit_id, before.get("text", "")), (unit_id, after.get(RESTATEMENT, ""))}
    return sorted(stated - noted)
