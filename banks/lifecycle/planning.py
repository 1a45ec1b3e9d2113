"""Planning a batch of facts before the write: candidates, decisions, vectors of merged texts, names to resolve.

No transaction is open while a model works. `reconcile_plan` checks the plan against the memory under the bank's lock.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from uuid import UUID

from banks.entities.mentions import build_mention, list_named_entities
from banks.entities.resolution.identifier import Identified, Identifier, Identities, NameQuestion, find_questions
from banks.entities.types import Naming
from banks.enums import Network
from banks.facts import PreparedFact
from banks.lifecycle.candidates import KnownUnit, find_candidates, read_units, write_relation
from banks.lifecycle.decisions import Action, AddEverything, Decision, Judge, LifecycleQuestion
from banks.lifecycle.relations import name_relation
from banks.models import Bank
from banks.types import ExtractedFact
from banks.vectors import embed_texts
from providers.embedding.protocol import Embedder
from providers.usage import Usage
from tenants.transactions import tenant_transaction

NO_UNIT = UUID(int=0)


@dataclass(frozen=True)
class Plan:
    """One decision for each fact. `identities` are a model's answers about names that the rules leave open."""

    decisions: tuple[Decision, ...]
    judge: str
    usage: Usage = field(default_factory=Usage)
    identities: Identities = field(default_factory=dict)


@dataclass(frozen=True)
class Planners:
    """The engine's judge and identifier, and the embedder of merged texts."""

    judge: Judge
    identifier: Identifier | None
    embedder: Embedder


def plan_facts(
    bank: Bank,
    facts: Sequence[PreparedFact],
    planners: Planners,
    *,
    speakers: frozenset[str],
    seen: frozenset[UUID] = frozenset(),
) -> Plan:
    """Call outside of transactions. `store_facts` takes the plan, in the transaction of the write.

    `seen` are the units whose effects the facts name. The judge is asked about others only.
    """
    judge = planners.judge
    if not judge.needs_candidates and planners.identifier is None:
        return plan_to_add(facts)
    with tenant_transaction(bank.tenant_id):
        candidates = find_candidates(bank, facts, seen=seen) if judge.needs_candidates else [[] for _ in facts]
        units = read_units(bank, {effect.unit_id for one in facts for effect in one.fact.effects})
        questions = list_name_questions(bank, facts, speakers) if planners.identifier else []
    named = [decide_by_effects(one.fact, units) for one in facts]
    open_candidates = [
        [] if decision.action is Action.NONE else known for decision, known in zip(named, candidates, strict=True)
    ]
    judged = judge.judge([build_question(one.fact, known) for one, known in zip(facts, open_candidates, strict=True)])
    decided = map(unite, named, judged.decisions)
    shown = {unit.tags_hash for known in open_candidates for unit in known}
    allowed = [restrict(decision, fact, shown) for decision, fact in zip(decided, facts, strict=True)]
    decisions, embedding_usage = embed_merged_texts(bank, allowed, planners.embedder)
    identified = identify(questions, planners.identifier)
    usage = judged.usage + embedding_usage + identified.usage
    return Plan(tuple(decisions), judge.name, usage, identified.identities)


def decide_by_effects(fact: ExtractedFact, units: Mapping[UUID, KnownUnit]) -> Decision:
    """A fact that repeats one unit and ends another is stored."""
    by_kind: dict[str, list[KnownUnit]] = {"ends": [], "corrects": [], "repeats": []}
    for effect in fact.effects:
        if effect.unit_id in units:
            by_kind[effect.kind].append(units[effect.unit_id])
    ended = tuple(by_kind["ends"] + by_kind["corrects"])
    if ended:
        return Decision(Action.INVALIDATE, ended, reason="update" if by_kind["ends"] else "correction")
    same = tuple(unit for unit in by_kind["repeats"] if unit.network == fact.network)
    return Decision(Action.NONE, same[:1]) if same else Decision()


def unite(named: Decision, judged: Decision) -> Decision:
    """The effects that the author of the facts named count first. Units that the judge ends as well end too."""
    if named.action is Action.ADD:
        return judged
    if named.action is judged.action is Action.INVALIDATE:
        return replace(named, targets=(*named.targets, *judged.targets))
    return named


def build_question(fact: ExtractedFact, known: Sequence[KnownUnit]) -> LifecycleQuestion:
    relations = [write_relation(one.subject, name_relation(one.relation), one.object) for one in fact.relationships]
    return LifecycleQuestion(
        fact.rendered_text, fact.mentioned_at, tuple(known), fact.occurred_start, fact.occurred_end, tuple(relations)
    )


def plan_to_add(facts: Sequence[PreparedFact]) -> Plan:
    """The plan of the built-in engine, and of callers who ask no judge."""
    return Plan(tuple(Decision() for _ in facts), AddEverything.name)


def restrict(decision: Decision, fact: PreparedFact, shown: Collection[bytes]) -> Decision:
    """An opinion is never merged: its wording is its history, and a person may have approved it.

    A fact under other tags is no proof of a unit. Otherwise a caller who may see one of the tags would see the unit.
    `shown` are the tags of all units that the judge saw: a merged text may repeat words of any of them.
    """
    if decision.action not in {Action.NONE, Action.MERGE}:
        return decision
    targets = tuple(target for target in decision.targets if target.tags_hash == fact.identity.tags)
    is_visible = set(shown) <= {b"", fact.identity.tags}
    can_merge = decision.text and fact.fact.network is not Network.OPINION and is_visible
    if not targets or (decision.action is Action.MERGE and not can_merge):
        return Decision()
    return replace(decision, targets=targets)


def embed_merged_texts(bank: Bank, decisions: Sequence[Decision], embedder: Embedder) -> tuple[list[Decision], Usage]:
    merges = {place: decision for place, decision in enumerate(decisions) if decision.action is Action.MERGE}
    if not merges:
        return list(decisions), Usage()
    embedded = embed_texts(bank.tenant_id, embedder, [one.text for one in merges.values()])
    vectors = dict(zip(merges, embedded.vectors, strict=True))
    merged = [replace(one, vector=vectors[place]) if place in merges else one for place, one in enumerate(decisions)]
    return merged, embedded.usage


def list_name_questions(bank: Bank, facts: Sequence[PreparedFact], speakers: frozenset[str]) -> list[NameQuestion]:
    mentions = []
    for one in facts:
        naming = Naming(NO_UNIT, one.fact.entities, one.fact.mentioned_at, speakers)
        mentions += [(build_mention(naming, entity), one.fact.text) for entity in list_named_entities(naming)]
    return find_questions(bank, mentions)


def identify(questions: Sequence[NameQuestion], identifier: Identifier | None) -> Identified:
    if not questions or identifier is None:
        return Identified({}, Usage())
    return identifier.identify(questions)
