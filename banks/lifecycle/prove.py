"""Writing down that something was told again: as it was, in other words, or with more to it."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from uuid import UUID

from django.db import connection

from banks.lifecycle.deciding.plan import Ruling
from banks.lifecycle.deciding.settle import Settled
from banks.models import Bank, UnitChange
from banks.retain.prepared import PreparedFact, hash_telling
from banks.vector_index.literal import write_vector

PROVE = """
UPDATE banks_memoryunit AS unit SET
    proof_count = unit.proof_count + told.times,
    mentioned_at = greatest(unit.mentioned_at, told.at),
    updated_at = %(now)s
FROM unnest(%(id)s::uuid[], %(times)s::int[], %(at)s::timestamptz[]) AS told (id, times, at)
WHERE unit.tenant_id = %(tenant_id)s AND unit.id = told.id
"""

HEARD = "also_told"

REWORD = """
UPDATE banks_memoryunit AS unit SET
    text = merged.text,
    content_hash = merged.content_hash,
    embedding = merged.embedding::vector,
    dimensions = unit.dimensions || merged.dimensions::jsonb
FROM unnest(%(id)s::uuid[], %(text)s::text[], %(content_hash)s::bytea[], %(embedding)s::text[], %(dimensions)s::text[])
    AS merged (id, text, content_hash, embedding, dimensions)
WHERE unit.tenant_id = %(tenant_id)s AND unit.id = merged.id
"""


def prove_units(bank: Bank, facts: Sequence[PreparedFact], homes: Mapping[int, UUID], *, now: datetime) -> None:
    """Call inside a tenant transaction, after `lock_memory`, with the facts that count as proof."""
    times = Counter(homes.values())
    if not times:
        return
    latest = {unit_id: facts[place].fact.mentioned_at for place, unit_id in by_mention(facts, homes)}
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


def by_mention(facts: Sequence[PreparedFact], homes: Mapping[int, UUID]) -> list[tuple[int, UUID]]:
    return sorted(homes.items(), key=lambda item: facts[item[0]].fact.mentioned_at)


def merge_units(bank: Bank, facts: Sequence[PreparedFact], merged: Mapping[int, Ruling]) -> None:
    """Give each unit the text that tells both. Its date stays: the texts were told of the same day."""
    if not merged:
        return
    targets = [ruling.targets[0] for ruling in merged.values()]
    vectors = [facts[place].vector if ruling.vector is None else ruling.vector for place, ruling in merged.items()]
    with connection.cursor() as cursor:
        cursor.execute(
            REWORD,
            {
                "tenant_id": bank.tenant_id,
                "id": [target.id for target in targets],
                "text": [ruling.text for ruling in merged.values()],
                "content_hash": [
                    hash_telling(ruling.text, target.occurred_start, target.mentioned_at)
                    for ruling, target in zip(merged.values(), targets, strict=True)
                ],
                "embedding": [write_vector(vector) for vector in vectors],
                "dimensions": [describe_dimensions(facts[place], ruling) for place, ruling in merged.items()],
            },
        )


def describe_dimensions(fact: PreparedFact, ruling: Ruling) -> str:
    told = {name: value for name, value in asdict(fact.fact.dimensions).items() if value}
    return json.dumps(told | ({"what": ruling.text} if "what" in told else {}))


def note_tellings(bank: Bank, facts: Sequence[PreparedFact], settled: Settled, *, actor: str) -> None:
    """A row for each text that took another in, and one for each wording that was heard for the first time."""
    rows = [
        UnitChange(
            unit_id=settled.homes[place],
            action=UnitChange.Action.MERGED,
            before={"text": ruling.targets[0].text},
            after={"text": ruling.text},
            actor=actor,
            reason="told with more to it",
        )
        for place, ruling in settled.merged.items()
    ]
    rows += [
        UnitChange(
            unit_id=unit_id,
            action=UnitChange.Action.MERGED,
            after={HEARD: text},
            actor=actor,
            reason="told again in other words",
        )
        for unit_id, text in find_unheard(bank, facts, settled)
    ]
    UnitChange.objects.for_tenant(bank.tenant_id).bulk_create(rows)


def find_unheard(bank: Bank, facts: Sequence[PreparedFact], settled: Settled) -> list[tuple[UUID, str]]:
    told = {(settled.homes[place], facts[place].fact.text) for place in settled.reworded - settled.unproven}
    if not told:
        return []
    rows = UnitChange.objects.for_tenant(bank.tenant_id).filter(unit_id__in={unit_id for unit_id, _ in told})
    heard: set[tuple[UUID, str]] = set()
    for unit_id, before, after in rows.values_list("unit_id", "before", "after"):
        heard |= {(unit_id, before.get("text", "")), (unit_id, after.get(HEARD, ""))}
    return sorted(told - heard)
