"""Checks the plan against the current memory, under the bank's lock. A decision that no longer fits becomes an ADD."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from django.db.models import Q

from banks.enums import Network
from banks.facts import Identity, PreparedFact, hash_words
from banks.lifecycle.candidates import KnownUnit, read_units
from banks.lifecycle.decisions import Action, Decision
from banks.lifecycle.planning import Plan
from banks.models import Bank, MemoryUnit

UNREAD = (
    "embedding",
    "second_embedding",
    "dimensions",
    "context",
    "search_text",
)  # large columns that nothing here needs


@dataclass(frozen=True)
class ReconciledPlan:
    """The outcome by the places of the facts. A fact without a place in `known_ids` becomes a unit.

    `known_ids` are units that have the fact already, the `restated` ones in other words. `merged` units get another
    text. `contradicted` are units that the fact excludes. `unproven` facts leave no trace: they may be echoes.
    """

    known_ids: dict[int, UUID] = field(default_factory=dict)
    merged: dict[int, Decision] = field(default_factory=dict)
    contradicted: dict[int, tuple[KnownUnit, ...]] = field(default_factory=dict)
    restated: frozenset[int] = frozenset()
    unproven: frozenset[int] = frozenset()


def reconcile_plan(bank: Bank, facts: Sequence[PreparedFact], plan: Plan) -> ReconciledPlan:
    """Call inside a tenant transaction, after `lock_memory`. A fixed number of statements for any batch."""
    current = read_units(bank, {target.id for decision in plan.decisions for target in decision.targets})
    said = find_same_words(bank, facts, plan)
    exact = {place: said[fact.identity] for place, fact in enumerate(facts) if fact.identity in said}
    exact |= find_closed_units(bank, facts, open_places=set(range(len(facts))) - exact.keys())
    planned, merged = follow_plan(plan, current, said, open_places=set(range(len(facts))) - exact.keys())
    known_ids = exact | planned
    return ReconciledPlan(
        known_ids=known_ids,
        merged=merged,
        contradicted=find_contradicted(plan, current),
        restated=frozenset(planned.keys() - merged.keys()),
        unproven=frozenset(place for place in known_ids.keys() - merged.keys() if may_be_echo(facts[place])),
    )


def may_be_echo(fact: PreparedFact) -> bool:
    """The agent may repeat a memory when it talks about the world. Of its own actions it is a witness."""
    return fact.is_agents and fact.fact.network is Network.WORLD


def follow_plan(
    plan: Plan, current: dict[UUID, KnownUnit], said: dict[Identity, UUID], *, open_places: set[int]
) -> tuple[dict[int, UUID], dict[int, Decision]]:
    """The known units that the plan found, and the merges. A unit is merged with one fact of a batch: a second merge
    would undo the first.
    """
    known_ids: dict[int, UUID] = {}
    merged: dict[int, Decision] = {}
    for place in sorted(open_places):
        decision = plan.decisions[place]
        target = find_unchanged(decision, current)
        if target is None:
            continue
        if decision.action is Action.NONE:
            known_ids[place] = target.id
        elif target.id not in known_ids.values() and build_merged_identity(target, decision) not in said:
            known_ids[place], merged[place] = target.id, decision
    return known_ids, merged


def find_same_words(bank: Bank, facts: Sequence[PreparedFact], plan: Plan) -> dict[Identity, UUID]:
    """Current units with exactly the words of a fact, or of a merged text."""
    wanted = {fact.identity for fact in facts}
    wanted |= {build_merged_identity(target, decision) for decision in plan.decisions for target in decision.targets}
    rows = MemoryUnit.objects.of_bank(bank).current()
    found = rows.filter(
        network__in={one.network for one in wanted}, content_hash__in=list({one.words for one in wanted})
    )
    return {
        Identity(network, bytes(words), bytes(tags)): unit_id
        for unit_id, network, words, tags in found.values_list("id", "network", "content_hash", "tags_hash")
    }


def build_merged_identity(target: KnownUnit, decision: Decision) -> Identity:
    text = decision.text if decision.action is Action.MERGE else target.text
    return Identity(target.network, hash_words(text, target.occurred_start), target.tags_hash)


def find_unchanged(decision: Decision, current: dict[UUID, KnownUnit]) -> KnownUnit | None:
    """The unit that the decision is about, if its words are still the same."""
    if decision.action not in {Action.NONE, Action.MERGE} or not decision.targets:
        return None
    target = current.get(decision.targets[0].id)
    return target if target and target.content_hash == decision.targets[0].content_hash else None


def find_closed_units(bank: Bank, facts: Sequence[PreparedFact], *, open_places: set[int]) -> dict[int, UUID]:
    """Closed units with the words of a fact that was said while they were valid. The fact proves them and does not
    make them true again.
    """
    wanted = {facts[place].identity.words for place in open_places}
    if not wanted:
        return {}
    closed = MemoryUnit.objects.of_bank(bank).filter(
        ~Q(close_reason=MemoryUnit.CloseReason.SOURCE_REMOVED), expired_at__isnull=False, content_hash__in=wanted
    )
    ended = {
        Identity(row.network, bytes(row.content_hash), bytes(row.tags_hash)): (row.id, find_end(row))
        for row in closed.defer(*UNREAD).order_by("expired_at")
    }
    found = {place: ended.get(facts[place].identity) for place in open_places}
    return {place: end[0] for place, end in found.items() if end and facts[place].fact.mentioned_at <= end[1]}


def find_end(unit: MemoryUnit) -> datetime:
    return unit.valid_until or unit.mentioned_at


def find_contradicted(plan: Plan, current: dict[UUID, KnownUnit]) -> dict[int, tuple[KnownUnit, ...]]:
    contradicted = {
        place: tuple(current[target.id] for target in decision.targets if target.id in current)
        for place, decision in enumerate(plan.decisions)
        if decision.action is Action.INVALIDATE
    }
    return {place: units for place, units in contradicted.items() if units}
