"""The write of one passage's facts: units, whom they speak of, and what they are linked to."""

from collections.abc import Sequence

from django.utils import timezone

from banks.entities.named import Naming
from banks.entities.record import record_mentions
from banks.links.causal import link_by_cause
from banks.links.semantic import link_by_meaning
from banks.locking import lock_memory
from banks.models import Bank
from banks.retain.prepared import PreparedFact
from banks.retain.store_relationships import store_relationships
from banks.retain.store_units import StoredUnit, store_units


def store_facts(bank: Bank, prepared: Sequence[PreparedFact], *, speakers: frozenset[str]) -> list[StoredUnit]:
    """Call inside a tenant transaction. A unit that was there already is only proven once more."""
    lock_memory(bank)
    now = timezone.now()
    units = store_units(bank, prepared, now=now)
    facts = [one.fact for one in prepared]
    resolved = record_mentions(
        bank,
        [
            Naming(unit.id, fact.entities, fact.mentioned_at, speakers)
            for fact, unit in zip(facts, units, strict=True)
            if unit.is_new
        ],
    )
    store_relationships(bank, prepared, units, resolved, now=now)
    link_by_cause(bank, facts, [unit.id for unit in units])
    link_by_meaning(bank, [unit.id for unit in units if unit.is_new])
    return units
