"""The write of one passage's facts: units, whom they speak of, and what they are linked to."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from uuid import UUID

from django.utils import timezone

from banks.entities.named import Naming, Resolved
from banks.entities.record import record_mentions
from banks.entities.spoken_of import find_new_names, read_spoken_of
from banks.lifecycle.close import close_units
from banks.lifecycle.closings import Closed, Closing, build_closings
from banks.lifecycle.deciding.known_units import KnownUnit
from banks.lifecycle.deciding.plan import Plan, plan_by_rules
from banks.lifecycle.deciding.settle import Settled, settle
from banks.lifecycle.prove import merge_units, note_tellings
from banks.links.causal import link_by_cause
from banks.links.semantic import link_by_meaning
from banks.locking import lock_memory
from banks.models import Bank, Corpus
from banks.retain.prepared import PreparedFact
from banks.retain.relationships.store import StoredRelationships, store_relationships
from banks.retain.storing.units import StoredUnit, store_units
from banks.text_index.write import replacing_texts, retire_texts


def store_facts(
    bank: Bank, prepared: Sequence[PreparedFact], *, speakers: frozenset[str], plan: Plan | None = None
) -> list[StoredUnit]:
    """One for each fact, in order. Call inside a tenant transaction.

    `plan` is what `plan_facts` decided before the transaction; without one the rules decide here, and no LLM is asked.
    A unit that was there already is only proven once more.
    """
    if not prepared:
        return []
    lock_memory(bank)
    now = timezone.now()
    plan = plan or plan_by_rules(bank, prepared)
    settled = settle(bank, prepared, plan)
    units = store_units(bank, prepared, now=now, settled=settled)
    reword_units(bank, prepared, settled, actor=plan.judge)
    resolved = record_entities(bank, prepared, units, settled, plan, speakers=speakers)
    told = store_relationships(bank, prepared, units, resolved, now=now, actor=plan.judge)
    closings = [*list_refuted(prepared, units, settled, plan), *told.closings]
    closed = close_units(bank, closings, now=now, actor=plan.judge)
    new_ids = [unit.id for unit in units if unit.is_new]
    link_by_cause(bank, [one.fact for one in prepared], [unit.id for unit in units])
    link_by_meaning(bank, new_ids)
    retire_closed(bank, told, closed)
    return complete(units, resolved, closings, closed)


def reword_units(bank: Bank, prepared: Sequence[PreparedFact], settled: Settled, *, actor: str) -> None:
    ids = [settled.homes[place] for place in settled.merged]
    if ids:
        with replacing_texts(bank, Corpus.UNIT, ids):
            merge_units(bank, prepared, settled.merged)
    note_tellings(bank, prepared, settled, actor=actor)


def retire_closed(bank: Bank, told: StoredRelationships, closed: Closed) -> None:
    if closed.unit_ids:
        retire_texts(bank, Corpus.UNIT, closed.unit_ids)
    if over := [*told.closed_ids, *closed.relationship_ids]:
        retire_texts(bank, Corpus.RELATIONSHIP, over)


def record_entities(
    bank: Bank,
    prepared: Sequence[PreparedFact],
    units: Sequence[StoredUnit],
    settled: Settled,
    plan: Plan,
    *,
    speakers: frozenset[str],
) -> list[Resolved]:
    """Whom the new units speak of, and the names that a merged text brought; with those that the others had before."""
    before = read_spoken_of(bank, {unit.id for unit in units if not unit.is_new})
    namings = [
        Naming(unit.id, one.fact.entities, one.fact.mentioned_at, speakers)
        for one, unit in zip(prepared, units, strict=True)
        if unit.is_new
    ]
    namings += [
        Naming(units[place].id, find_new_names(prepared[place].fact.entities, before, units[place].id), now, speakers)
        for place, now in list_merged_moments(prepared, settled)
    ]
    return [*before, *record_mentions(bank, namings, identities=plan.identities)]


def list_merged_moments(prepared: Sequence[PreparedFact], settled: Settled) -> list[tuple[int, datetime]]:
    return [(place, prepared[place].fact.mentioned_at) for place in settled.merged]


def list_refuted(
    prepared: Sequence[PreparedFact], units: Sequence[StoredUnit], settled: Settled, plan: Plan
) -> list[Closing]:
    return [
        closing
        for place, refuted in settled.refuted.items()
        for closing in build_closings(
            units[place].id, view(units[place].id, prepared[place]), refuted, plan.rulings[place].reason
        )
    ]


def view(unit_id: UUID, prepared: PreparedFact) -> KnownUnit:
    fact = prepared.fact
    return KnownUnit(
        unit_id,
        fact.network.value,
        fact.kind.value,
        fact.text,
        prepared.identity.words,
        fact.mentioned_at,
        fact.occurred_start,
        prepared.identity.tags,
    )


def complete(
    units: Sequence[StoredUnit], resolved: Sequence[Resolved], closings: Sequence[Closing], closed: Closed
) -> list[StoredUnit]:
    """By unit first: a passage of two megabytes has thousands, and as many names."""
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
