"""What becomes of each fact of a batch, decided before the write, while no transaction is open."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from uuid import UUID

import numpy as np
from django.utils import timezone

from banks.entities.resolution.identifier import Identities
from banks.lifecycle.deciding.judge import Action, Decision, ExistingFact, Judge, LifecycleQuestion, Reason
from banks.lifecycle.deciding.known_units import KnownUnit, find_newest, find_similar
from banks.lifecycle.deciding.rule_judge import RuleJudge, decide
from banks.models import Bank
from banks.retain.prepared import PreparedFact
from banks.retain.types import ExtractedFact
from banks.words import Network
from providers.embedding.vector import Vector
from providers.usage import Usage

MOST_ALIKE = 5  # facts of a batch that one is compared with
BLOCK = 512  # of them at a time, which bounds the memory that it takes
ALIKE = 0.9  # cosine under which no two facts of a batch can say the same in the same words


@dataclass(frozen=True, eq=False)
class Ruling:
    """`targets` as they were when it was decided: the write looks whether they still are.

    `twin` is the place of another fact of the batch that tells this one, too. `vector` is that of a merged text.
    """

    action: Action = Action.ADD
    targets: tuple[KnownUnit, ...] = ()
    reason: Reason = "update"
    text: str = ""
    vector: Vector | None = None
    twin: int | None = None


@dataclass(frozen=True, eq=False)
class Plan:
    """`newest` is the newest unit that was seen: what came after it, the write has to look at itself."""

    rulings: tuple[Ruling, ...]
    newest: UUID
    judge: str
    usage: Usage = field(default_factory=Usage)
    identities: Identities = field(default_factory=dict)


def read_similar(bank: Bank, facts: Sequence[PreparedFact]) -> tuple[UUID, list[list[KnownUnit]]]:
    """Call inside a tenant transaction. In this order: what is written between the two is looked at twice."""
    newest = find_newest(bank, now=timezone.now())
    return newest, find_similar(bank, facts)


def plan_by_rules(bank: Bank, facts: Sequence[PreparedFact]) -> Plan:
    """Inside the transaction of the write, for callers who have planned nothing."""
    newest, similar = read_similar(bank, facts)
    return build_plan(facts, similar, RuleJudge(), newest=newest)


def build_plan(
    facts: Sequence[PreparedFact], similar: Sequence[Sequence[KnownUnit]], judge: Judge, *, newest: UUID
) -> Plan:
    twins = find_twins(facts)
    questions = [
        build_question(fact.fact, () if place in twins else similar[place]) for place, fact in enumerate(facts)
    ]
    decisions = judge.judge(questions)
    rulings = (
        Ruling(Action.NONE, twin=twins[place])
        if place in twins
        else build_ruling(decision, similar[place], facts[place])
        for place, decision in enumerate(decisions.decisions)
    )
    return Plan(tuple(rulings), newest, judge.name, decisions.usage)


def build_question(fact: ExtractedFact, similar: Sequence[KnownUnit]) -> LifecycleQuestion:
    known = tuple(ExistingFact(str(unit.id), unit.text, unit.mentioned_at, unit.occurred_start) for unit in similar)
    return LifecycleQuestion(fact.text, fact.mentioned_at, known, fact.occurred_start)


def build_ruling(decision: Decision, similar: Sequence[KnownUnit], fact: PreparedFact) -> Ruling:
    """An opinion gets no other words from a telling: they are its history, and a person may have vouched for them.

    Told with more to it, it is another one; whether the two are the same is for reflection to say. What is told under
    other tags is no proof of a unit: it would wear the tags of both, and be shown to whoever may see one of them.
    """
    if decision.action is Action.MERGE and fact.fact.network is Network.OPINION:
        return Ruling()
    units = {str(unit.id): unit for unit in similar}
    targets = tuple(units[target] for target in decision.targets)
    if decision.action in {Action.NONE, Action.MERGE}:
        targets = tuple(target for target in targets if target.tags_hash == fact.identity.tags)
        if not targets:
            return Ruling()
    return Ruling(decision.action, targets, decision.reason or "update", decision.text)


def find_twins(facts: Sequence[PreparedFact]) -> dict[int, int]:
    """Facts of the batch that another one tells, too. The same words are found by their hash, later."""
    first = {fact.identity: place for place, fact in reversed(list(enumerate(facts)))}
    places = sorted(first.values())
    twins: dict[int, int] = {}
    hosts: set[int] = set()
    for pair in find_alike([facts[place].vector for place in places]):
        one, other = (places[index] for index in pair)
        for host, twin in ((one, other), (other, one)):
            is_free = host not in twins and twin not in twins and twin not in hosts
            if is_free and is_twin(facts[host], facts[twin]):
                twins[twin] = host
                hosts.add(host)
    return twins


def find_alike(vectors: Sequence[Vector]) -> Iterator[tuple[int, int]]:
    """Pairs that may say the same, block by block; of each only the nearest few, so that a long text stays bounded."""
    if len(vectors) < 2:  # noqa: PLR2004  # two to compare
        return
    matrix = np.stack(vectors)
    matrix = matrix / np.maximum(np.linalg.norm(matrix, axis=1, keepdims=True), np.finfo(np.float32).tiny)
    for start in range(0, len(matrix), BLOCK):
        cosines = matrix[start : start + BLOCK] @ matrix[start:].T
        for row, values in enumerate(cosines):
            near = np.flatnonzero(values[row + 1 :] >= ALIKE)
            nearest = near[np.argsort(-values[row + 1 :][near], kind="stable")[:MOST_ALIKE]]
            yield from ((start + row, start + row + 1 + int(index)) for index in np.sort(nearest))


def is_twin(one: PreparedFact, other: PreparedFact) -> bool:
    first, second = one.identity, other.identity
    if first.network != second.network or first.tags != second.tags or first == second:
        return False
    known = ExistingFact("", one.fact.text, one.fact.mentioned_at, one.fact.occurred_start)
    question = LifecycleQuestion(other.fact.text, other.fact.mentioned_at, (known,), other.fact.occurred_start)
    return decide(question).action is Action.NONE
