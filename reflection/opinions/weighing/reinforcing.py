"""New facts move the opinions that they bear on (formulas 25 and 26)."""

import logging
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from datetime import datetime
from uuid import UUID

from banks.locking import lock_memory
from banks.models import Bank, MemoryUnit
from banks.retain.types import ExtractedFact
from banks.retain.vectors import embed_texts, forget_vectors
from banks.words import Network
from providers.embedding.protocol import Embedder
from providers.embedding.vector import Vector
from providers.usage import Usage
from reflection.models import OpinionRevision
from reflection.opinions.evidence import add_evidence
from reflection.opinions.forming.uniting import Union, give_way
from reflection.opinions.history.revisions import Before, Step, write_step
from reflection.opinions.history.rewording import find_with_words, reword, set_confidence
from reflection.opinions.moving import choose_step, move
from reflection.opinions.naming_anew import NewWords
from reflection.opinions.repeating import list_fresh
from reflection.opinions.types import Verdict
from reflection.opinions.weighing.asking_apart import part_by_tags, read_all_tags, read_asked
from reflection.opinions.weighing.assessing import Assessment, Assessments, Assessor, NewFact, OpinionQuestion
from reflection.opinions.weighing.bearing import plan_weighing, read_questions
from reflection.opinions.weighing.bearing_rows import read_current
from reflection.opinions.weighing.new_words import find_invented, is_of_the_same
from tenants.transactions import tenant_transaction

logger = logging.getLogger(__name__)

BATCH = 100  # facts
MOST_PAIRS = 200  # of a step: some ten calls of an LLM
MOST_STEPS = 5  # of a batch: each of its facts has met its ten nearest opinions by then
KEPT = "Its words stay: they would tell what was said under tags that it does not have."
UNTOLD = "The reason is not kept: it may tell what was said under other tags."
ROUNDS = 3  # an opinion that others change meanwhile is weighed anew, so often


@dataclass(frozen=True)
class Tools:
    """`write` opens the transaction of every write: an operation's is fenced."""

    assessor: Assessor
    embedder: Embedder
    write: Callable[[], AbstractContextManager[object]]


@dataclass(frozen=True)
class Reinforced:
    """How many pairs were weighed, how many of them moved an opinion, and how many had no readable verdict.

    `by_others` had one from another than the assessor that was chosen, `left_out` were not weighed at all: beyond the
    bound on steps. `calls` are those of the assessor.
    """

    weighed: int = 0
    moved: int = 0
    undecided: int = 0
    by_others: int = 0
    left_out: int = 0
    steps: int = 0
    calls: int = 0
    usage: Usage = field(default_factory=Usage)

    def __add__(self, other: "Reinforced") -> "Reinforced":
        return Reinforced(
            self.weighed + other.weighed,
            self.moved + other.moved,
            self.undecided + other.undecided,
            self.by_others + other.by_others,
            self.left_out + other.left_out,
            self.steps + other.steps,
            self.calls + other.calls,
            self.usage + other.usage,
        )


@dataclass(frozen=True, eq=False)
class Weighed:
    """A question with its answer, and the vector of the text that the answer gave the opinion."""

    question: OpinionQuestion
    assessment: Assessment
    vector: Vector | None = None


def reinforce_opinions(
    bank: Bank, fact_ids: Sequence[UUID], tools: Tools, *, now: datetime, only: UUID | None = None
) -> Reinforced:
    """Call outside of transactions. Again after a crash it comes to the same: no fact moves an opinion twice.

    With `only` the facts are weighed on that opinion alone.
    """
    total = Reinforced()
    for start in range(0, len(fact_ids), BATCH):
        total += reinforce_batch(bank, fact_ids[start : start + BATCH], tools, now=now, only=only)
    return total


def reinforce_batch(
    bank: Bank, fact_ids: Sequence[UUID], tools: Tools, *, now: datetime, only: UUID | None = None
) -> Reinforced:
    """Step by step until all is weighed that the bound on steps allows; what it leaves out is counted."""
    with tenant_transaction(bank.tenant_id):
        plan = plan_weighing(bank, fact_ids, most=MOST_STEPS * MOST_PAIRS, only=only)
    if plan.left_out:
        logger.warning("Of %d facts %d pairs with opinions are not weighed.", len(fact_ids), plan.left_out)
    total, waiting = Reinforced(left_out=plan.left_out), list(plan.pairs)
    disturbed: Counter[UUID] = Counter()
    while waiting:
        step, waiting = waiting[:MOST_PAIRS], waiting[MOST_PAIRS:]
        with tenant_transaction(bank.tenant_id):
            questions = read_questions(bank, step)
            parts = part_by_tags(questions, read_all_tags(bank, questions))
        changed = set[UUID]()
        for part in parts:
            done, disturbing = take_one_step(bank, part, tools, now=now)
            total += done
            changed |= disturbing
        if questions:
            total += Reinforced(steps=1)
            disturbed.update(changed)
            unsettled = [one for one in step if one.opinion_id in changed]
            again = [one for one in unsettled if disturbed[one.opinion_id] < ROUNDS]
            total += Reinforced(left_out=len(unsettled) - len(again))
            waiting = [*again, *waiting]
    return total


def take_one_step(
    bank: Bank, questions: Sequence[OpinionQuestion], tools: Tools, *, now: datetime
) -> tuple[Reinforced, set[UUID]]:
    """What it did, and the opinions that others changed meanwhile: they were not moved."""
    answered = tools.assessor.assess(questions)
    weighed, usage = embed_rewordings(bank, questions, answered, tools)
    moved, changed = apply(bank, weighed, tools, now=now)
    done = Reinforced(
        weighed=sum(len(question.facts) for question in questions),
        moved=moved,
        undecided=sum(len(one.undecided) for one in answered.assessments),
        by_others=sum(len(one.by) for one in answered.assessments),
        calls=answered.usage.calls,
        usage=answered.usage + usage,
    )
    return done, changed


def embed_rewordings(
    bank: Bank, questions: Sequence[OpinionQuestion], answered: Assessments, tools: Tools
) -> tuple[list[Weighed], Usage]:
    texts = [one.text for one in answered.assessments if one.text]
    embedded = embed_texts(bank.tenant_id, tools.embedder, texts) if texts else None
    vectors = iter(embedded.vectors if embedded else ())
    weighed = [
        Weighed(question, one, next(vectors) if one.text else None)
        for question, one in zip(questions, answered.assessments, strict=True)
    ]
    return weighed, embedded.usage if embedded else Usage()


def apply(bank: Bank, weighed: Sequence[Weighed], tools: Tools, *, now: datetime) -> tuple[int, set[UUID]]:
    """How many steps were taken, and the opinions that took none: they, or one of the facts, say something else by now.

    An answer is made from all the facts of its question: where one of them is gone, so is what it may hold of that one.
    """
    bearing = [one for one in weighed if set(one.assessment.verdicts) - {Verdict.NEUTRAL}]
    if not bearing:
        return 0, set()
    moved = 0
    changed: set[UUID] = set()
    with tools.write():
        lock_memory(bank)
        there = read_there(bank, bearing)
        asked = read_asked(bank, [one.question for one in weighed])
        for one in bearing:
            opinion = MemoryUnit.objects.of_bank(bank).current().filter(id=one.question.opinion_id).first()
            if opinion is None or opinion.review == MemoryUnit.Review.PINNED:
                continue
            if opinion.text != one.question.text or not there.issuperset(one.question.facts):
                changed.add(opinion.id)
            else:
                told = one if asked.may_reason(one.question) else leave_out_reasons(one)
                may_reword = asked.may_reword(one.question)
                moved += take_steps(bank, opinion, told, actor=tools.assessor.name, now=now, may_reword=may_reword)
        rewritten = [ExtractedFact(one.assessment.text, Network.OPINION, now) for one in bearing if one.assessment.text]
        forget_vectors(bank.tenant_id, tools.embedder, rewritten)
    return moved, changed


def read_there(bank: Bank, weighed: Sequence[Weighed]) -> set[NewFact]:
    """The facts that nobody deleted, closed or reworded meanwhile."""
    facts = {fact for one in weighed for fact in one.question.facts}
    texts = read_current(bank, [fact.id for fact in facts])
    return {fact for fact in facts if texts.get(fact.id) == fact.text}


def leave_out_reasons(weighed: Weighed) -> Weighed:
    reasons = (UNTOLD,) * len(weighed.assessment.reasons)
    return replace(weighed, assessment=replace(weighed.assessment, reasons=reasons))


def take_steps(
    bank: Bank, opinion: MemoryUnit, weighed: Weighed, *, actor: str, now: datetime, may_reword: bool = True
) -> int:
    """One for each fact that bears on it, in their order. The new text comes with the last that speaks against it,
    unless the opinion may not be reworded: then that one says so.
    """
    given, facts = weighed.assessment, weighed.question.facts
    fresh = list_fresh(bank, opinion.id, [fact.id for fact in facts])
    in_view = tuple(fact.id for fact in facts)
    alpha = choose_step(bank)
    steps = [
        Step(OpinionRevision.Cause(verdict.value), given.by.get(place, actor), reason, alpha, (fact.id,), in_view)
        for place, (fact, verdict, reason) in enumerate(zip(facts, given.verdicts, given.reasons, strict=True))
        if verdict is not Verdict.NEUTRAL and fact.id in fresh
    ]
    opposing = [step for step in steps if step.cause is not OpinionRevision.Cause.REINFORCE]
    worded = opposing[-1] if opposing and has_fitting_words(bank, opinion, weighed) else None
    for step in steps:
        if step is worded and not may_reword:
            take_step(bank, opinion, replace(step, reasoning=f"{step.reasoning} {KEPT}".strip()), None, now=now)
        else:
            take_step(bank, opinion, step, weighed if step is worded else None, now=now)
    return len(steps)


def has_fitting_words(bank: Bank, opinion: MemoryUnit, weighed: Weighed) -> bool:
    """Whether the answer has a new text that the opinion may get: else it keeps its own."""
    text, vector = weighed.assessment.text, weighed.vector
    if vector is None or not is_of_the_same(opinion, vector):
        return False
    return not find_invented(bank, opinion, text, weighed.question.facts)


def take_step(bank: Bank, opinion: MemoryUnit, step: Step, rewording: Weighed | None, *, now: datetime) -> None:
    verdict = Verdict(step.cause.value)
    before = Before.of(opinion)
    confidence = move(before.confidence, verdict, step=step.step or 0.0)
    text = rewording.assessment.text if rewording else opinion.text
    other = find_with_words(bank, opinion, text) if rewording else None
    if rewording and other is None:
        opinion.confidence = confidence
        reword(bank, opinion, NewWords(text, opinion.text, step.in_view), vector=rewording.vector)
    else:
        set_confidence(opinion, confidence, now=now)
    if verdict is Verdict.REINFORCE:
        add_evidence(bank, opinion.id, step.evidence)
    write_step(bank, opinion, before, step)
    if other is not None:
        give_way(bank, other, opinion, Union(step.actor, now))
