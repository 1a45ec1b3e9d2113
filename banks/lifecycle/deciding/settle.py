"""The plan against the memory as it is now, under the bank's lock: what no longer fits falls back to what is safe."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from django.db.models import Q

from banks.lifecycle.deciding.judge import Action
from banks.lifecycle.deciding.known_units import KnownUnit, find_since, read_units
from banks.lifecycle.deciding.plan import Plan, Ruling, build_question
from banks.lifecycle.deciding.rule_judge import decide
from banks.lifecycle.deciding.wording import weighty_words
from banks.models import Bank, MemoryUnit
from banks.retain.prepared import Identity, PreparedFact, hash_telling
from banks.words import Network

UNREAD = ("embedding", "dimensions", "context")  # large, and of no use here


@dataclass(frozen=True)
class Settled:
    """By the places of the facts; a place that is in neither `homes` nor `twins` becomes a unit.

    `homes` are units that tell the fact already, the `reworded` ones in other words; `twins` are places of facts that
    do. Those `in_part` have less to them than what tells them. `merged` units get another text.
    `refuted` are units that the fact excludes. `unproven` facts leave no trace: the agent told what it had from here.
    """

    homes: dict[int, UUID] = field(default_factory=dict)
    twins: dict[int, int] = field(default_factory=dict)
    merged: dict[int, Ruling] = field(default_factory=dict)
    refuted: dict[int, tuple[KnownUnit, ...]] = field(default_factory=dict)
    reworded: frozenset[int] = frozenset()
    in_part: frozenset[int] = frozenset()
    unproven: frozenset[int] = frozenset()


def settle(bank: Bank, facts: Sequence[PreparedFact], plan: Plan) -> Settled:
    """Call inside a tenant transaction, after `lock_memory`. A fixed number of statements for any batch."""
    live = read_units(bank, {target.id for ruling in plan.rulings for target in ruling.targets})
    said = find_said(bank, facts, plan)
    exact = {place: said[fact.identity] for place, fact in enumerate(facts) if fact.identity in said}
    exact |= find_told_before_the_end(bank, facts, open_places=find_open(facts, exact))
    planned, merged = follow(plan, live, said, open_places=find_open(facts, exact))
    since = find_since(bank, plan.newest)
    newcomers = find_among_newcomers(facts, since, open_places=find_open(facts, exact | planned))
    homes = exact | planned | newcomers
    twins = {place: twin for place, twin in find_twin_places(plan).items() if place not in homes}
    reworded = frozenset((planned | newcomers).keys() - merged.keys())
    texts = {unit.id: unit.text for unit in (*live.values(), *since)}
    told_by = {place: texts[homes[place]] for place in reworded}
    told_by |= {place: facts[twin].fact.text for place, twin in twins.items()}
    return Settled(
        homes=homes,
        twins=twins,
        merged=merged,
        refuted=find_refuted(plan, live),
        reworded=reworded,
        in_part=frozenset(place for place, text in told_by.items() if is_part(facts[place].fact.text, text)),
        unproven=frozenset(place for place in homes.keys() - merged.keys() if is_hearsay(facts[place])),
    )


def find_open(facts: Sequence[PreparedFact], homes: dict[int, UUID]) -> set[int]:
    return set(range(len(facts))) - homes.keys()


def is_part(told: str, whole: str) -> bool:
    """Some of its words and no others. That it tells the same is decided elsewhere."""
    words = Counter(weighty_words(told))
    return bool(words) and words < Counter(weighty_words(whole))


def is_hearsay(fact: PreparedFact) -> bool:
    """What the agent says of the world it may have from here. Of what it did itself it is the witness."""
    return fact.is_agents and fact.fact.network is Network.WORLD


def follow(
    plan: Plan, live: dict[UUID, KnownUnit], said: dict[Identity, UUID], *, open_places: set[int]
) -> tuple[dict[int, UUID], dict[int, Ruling]]:
    """The homes that the plan found, and the merges. A unit takes in one fact a batch: a second one would undo it."""
    homes: dict[int, UUID] = {}
    merged: dict[int, Ruling] = {}
    for place in sorted(open_places):
        ruling = plan.rulings[place]
        target = find_unchanged(ruling, live)
        if target is None:
            continue
        if ruling.action is Action.NONE:
            homes[place] = target.id
        elif target.id not in homes.values() and build_merged_identity(target, ruling) not in said:
            homes[place], merged[place] = target.id, ruling
    return homes, merged


def find_twin_places(plan: Plan) -> dict[int, int]:
    return {place: ruling.twin for place, ruling in enumerate(plan.rulings) if ruling.twin is not None}


def find_said(bank: Bank, facts: Sequence[PreparedFact], plan: Plan) -> dict[Identity, UUID]:
    """Live units with the very words of a fact, or of a merged text."""
    wanted = {fact.identity for fact in facts}
    wanted |= {build_merged_identity(target, ruling) for ruling in plan.rulings for target in ruling.targets}
    rows = MemoryUnit.objects.of_bank(bank).current()
    found = rows.filter(
        network__in={one.network for one in wanted}, content_hash__in=list({one.words for one in wanted})
    )
    return {
        Identity(network, bytes(words), bytes(tags)): unit_id
        for unit_id, network, words, tags in found.values_list("id", "network", "content_hash", "tags_hash")
    }


def build_merged_identity(target: KnownUnit, ruling: Ruling) -> Identity:
    text = ruling.text if ruling.action is Action.MERGE else target.text
    words = hash_telling(text, target.occurred_start, target.mentioned_at)
    return Identity(target.network, words, target.tags_hash)


def find_unchanged(ruling: Ruling, live: dict[UUID, KnownUnit]) -> KnownUnit | None:
    """The unit that the ruling is about, if it still says what it said."""
    if ruling.action not in {Action.NONE, Action.MERGE} or not ruling.targets:
        return None
    target = live.get(ruling.targets[0].id)
    return target if target and target.content_hash == ruling.targets[0].content_hash else None


def find_told_before_the_end(bank: Bank, facts: Sequence[PreparedFact], *, open_places: set[int]) -> dict[int, UUID]:
    """Closed units with the words of a fact that was told while they held: it is heard again, not so again."""
    wanted = {facts[place].identity.words for place in open_places}
    if not wanted:
        return {}
    closed = MemoryUnit.objects.of_bank(bank).filter(
        ~Q(close_reason=MemoryUnit.CloseReason.SOURCE_REMOVED), expired_at__isnull=False, content_hash__in=wanted
    )
    ended = {
        Identity(row.network, bytes(row.content_hash), bytes(row.tags_hash)): (row.id, find_last_so(row))
        for row in closed.defer(*UNREAD, *(f"superseded_by__{name}" for name in UNREAD))
        .select_related("superseded_by")
        .order_by("expired_at")
    }
    found = {place: ended.get(facts[place].identity) for place in open_places}
    return {place: end[0] for place, end in found.items() if end and facts[place].fact.mentioned_at <= end[1]}


def find_last_so(unit: MemoryUnit) -> datetime:
    """What was called off before it began may be told anew after that, whatever day it is for."""
    if unit.valid_until is None:
        return unit.mentioned_at
    if unit.valid_until == unit.valid_from and unit.superseded_by:
        return unit.superseded_by.mentioned_at
    return unit.valid_until


def find_among_newcomers(
    facts: Sequence[PreparedFact], newcomers: Sequence[KnownUnit], *, open_places: set[int]
) -> dict[int, UUID]:
    """Units that another worker wrote since the plan was made. Only the rules can be asked here, and only for NONE."""
    found: dict[int, UUID] = {}
    for place in sorted(open_places) if newcomers else ():
        fact = facts[place]
        decision = decide(build_question(fact.fact, [unit for unit in newcomers if may_tell(unit, fact)]))
        if decision.action is Action.NONE:
            found[place] = UUID(decision.targets[0])
    return found


def may_tell(unit: KnownUnit, fact: PreparedFact) -> bool:
    """Whether the unit may be told to whoever may see the fact."""
    return unit.network == fact.fact.network and unit.tags_hash == fact.identity.tags


def find_refuted(plan: Plan, live: dict[UUID, KnownUnit]) -> dict[int, tuple[KnownUnit, ...]]:
    refuted = {
        place: tuple(live[target.id] for target in ruling.targets if target.id in live)
        for place, ruling in enumerate(plan.rulings)
        if ruling.action is Action.INVALIDATE
    }
    return {place: units for place, units in refuted.items() if units}
