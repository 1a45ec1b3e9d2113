"""Weighing: new facts move the opinions that they bear on, by a model's verdicts (formulas 25 and 26)."""

import logging
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, fields, replace
from datetime import datetime
from uuid import UUID

from banks.locking import lock_memory
from banks.models import Bank, MemoryUnit
from banks.vectors import embed_texts
from providers.embedding.protocol import Embedder
from providers.embedding.vector import Vector
from providers.usage import Usage
from reflection.models import OpinionRevision
from reflection.opinions.candidate_pairs import plan_weighing, read_current, read_questions
from reflection.opinions.claims import Verdict
from reflection.opinions.confidence import choose_step, move, start_reversed
from reflection.opinions.entities import NewWording
from reflection.opinions.evidence import add_evidence, list_fresh
from reflection.opinions.merging import replace_opinion
from reflection.opinions.revisions import Author, Before, Step, write_step
from reflection.opinions.rewording import find_with_text, reword, set_confidence
from reflection.opinions.tags import UNTAGGED, Tags, may_read, read_tags
from reflection.opinions.verdicts import Assessment, Assessor, OpinionQuestion
from tenants.transactions import tenant_transaction

logger = logging.getLogger(__name__)

BATCH = 100  # facts
MOST_PAIRS = 200  # of a step: some ten calls of a model
MOST_STEPS = 5  # of a batch: each of its facts has met its ten nearest opinions by then
MOST_PARTS = 8  # of a step, by the tags of the opinions and their facts
ROUNDS = 3  # an opinion that others change in the meantime is weighed again, this often
Cause = OpinionRevision.Cause
KEPT_TEXT = "The text stays: a new one may quote memories under tags that the opinion does not have."
HIDDEN_REASON = "The reason is not kept: it may quote memories under other tags."


@dataclass(frozen=True)
class Tools:
    """`write` opens the transaction of every write: an operation's is fenced."""

    assessor: Assessor
    embedder: Embedder
    write: Callable[[], AbstractContextManager[object]]


@dataclass(frozen=True)
class Reinforced:
    """Counts of pairs: weighed, moved an opinion, without a readable verdict (`undecided`), and not weighed at all
    because of a bound (`left_out`). `calls` are those of the assessor.
    """

    weighed: int = 0
    moved: int = 0
    undecided: int = 0
    left_out: int = 0
    steps: int = 0
    calls: int = 0
    usage: Usage = field(default_factory=Usage)

    def __add__(self, other: "Reinforced") -> "Reinforced":
        return Reinforced(*(getattr(self, one.name) + getattr(other, one.name) for one in fields(self)))


def reinforce_opinions(
    bank: Bank, fact_ids: Sequence[UUID], tools: Tools, *, now: datetime, only: UUID | None = None
) -> Reinforced:
    """Call outside of transactions. A second run changes nothing: no fact moves an opinion twice.

    With `only` the facts are weighed on that opinion alone.
    """
    total = Reinforced()
    for start in range(0, len(fact_ids), BATCH):
        total += reinforce_batch(bank, fact_ids[start : start + BATCH], tools, now=now, only=only)
    return total


def reinforce_batch(
    bank: Bank, fact_ids: Sequence[UUID], tools: Tools, *, now: datetime, only: UUID | None = None
) -> Reinforced:
    """Step by step, up to the bound on steps. Pairs beyond it are counted."""
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
            parts = list(group_by_tags(questions, read_all_tags(bank, questions)))
        changed = set[UUID]()
        for part in parts:
            done, disturbing = weigh_part(bank, part, tools, now=now)
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


def weigh_part(
    bank: Bank, questions: Sequence[OpinionQuestion], tools: Tools, *, now: datetime
) -> tuple[Reinforced, set[UUID]]:
    """The counts, and the opinions that others changed in the meantime. Those were not moved."""
    answered = tools.assessor.assess(questions)
    texts = [one.text for one in answered.assessments if one.text]
    embedded = embed_texts(bank.tenant_id, tools.embedder, texts) if texts else None
    vectors = dict(zip(texts, embedded.vectors, strict=True)) if embedded else {}
    author = Author(bank, tools.assessor.name, now)
    moved, changed = apply(author, dict(zip(questions, answered.assessments, strict=True)), vectors, tools)
    done = Reinforced(
        weighed=sum(len(question.facts) for question in questions),
        moved=moved,
        undecided=sum(one.undecided for one in answered.assessments),
        calls=answered.usage.calls,
        usage=answered.usage + (embedded.usage if embedded else Usage()),
    )
    return done, changed


def apply(
    author: Author, weighed: Mapping[OpinionQuestion, Assessment], vectors: Mapping[str, Vector], tools: Tools
) -> tuple[int, set[UUID]]:
    """The number of revisions, and the opinions without one because they, or a fact of theirs, changed meanwhile.

    An assessment may repeat any fact of its question, so it is void where one of them is gone. `vectors` are those of
    the new texts.
    """
    decided = [question for question, one in weighed.items() if one.changes_opinion]
    if not decided:
        return 0, set()
    bank, moved, changed = author.bank, 0, set[UUID]()
    with tools.write():
        lock_memory(bank)
        texts = read_current(bank, [fact.id for question in decided for fact in question.facts])
        scope = read_scope(bank, weighed)
        for question in decided:
            opinion = MemoryUnit.objects.of_bank(bank).current().filter(id=question.opinion_id).first()
            if opinion is None or opinion.review == MemoryUnit.Review.PINNED:
                continue
            is_there = all(texts.get(fact.id) == fact.text for fact in question.facts)
            if opinion.text != question.text or not is_there:
                changed.add(opinion.id)
            else:
                moved += take_steps(author, opinion, question, weighed[question], scope, vectors)
    return moved, changed


def take_steps(
    author: Author,
    opinion: MemoryUnit,
    question: OpinionQuestion,
    given: Assessment,
    scope: "Scope",
    vectors: Mapping[str, Vector],
) -> int:
    """One revision for each fact with a verdict, in their order. Returns their number.

    The new text comes with the last verdict against the opinion. Tags may forbid the text, or the reasons.
    """
    may_reason, may_reword = scope.may_reason(question), scope.may_reword(question)
    in_view = tuple(fact.id for fact in question.facts)
    fresh = list_fresh(author.bank, opinion.id, in_view)
    alpha = choose_step(author.bank)
    steps = [
        Step(Cause(verdict.value), author.actor, reason if may_reason else HIDDEN_REASON, alpha, (fact.id,), in_view)
        for fact, verdict, reason in zip(question.facts, given.verdicts, given.reasons, strict=True)
        if verdict and verdict is not Verdict.NEUTRAL and fact.id in fresh
    ]
    worded = next((step for step in reversed(steps) if given.text and step.cause is not Cause.REINFORCE), None)
    against = sum(step.cause is Cause.CONTRADICT for step in steps)
    for step in steps:
        if step is worded and may_reword and given.is_reversed:
            new = NewText(given.text, vectors[given.text], start_reversed(against, step=alpha))
            reverse(author, opinion, step, new)
        elif step is worded and not may_reword:
            take_step(author, opinion, replace(step, reasoning=f"{step.reasoning} {KEPT_TEXT}".strip()))
        elif step is worded:
            take_step(author, opinion, step, given.text, vectors[given.text])
        else:
            take_step(author, opinion, step)
    return len(steps)


def take_step(author: Author, opinion: MemoryUnit, step: Step, text: str = "", vector: Vector | None = None) -> None:
    """With a text the opinion is reworded, or gives way to another opinion that has this text."""
    bank, before, verdict = author.bank, Before.of(opinion), Verdict(step.cause.value)
    confidence = move(before.confidence, verdict, step=step.step or 0.0)
    other = find_with_text(bank, opinion, text) if text else None
    if text and other is None:
        opinion.confidence = confidence
        reword(bank, opinion, NewWording(text, opinion.text, step.in_view), vector=vector)
    else:
        set_confidence(opinion, confidence, now=author.now)
    if verdict is Verdict.REINFORCE:
        add_evidence(bank, opinion.id, step.evidence)
    write_step(bank, opinion, before, step)
    if other is not None:
        replace_opinion(author, other, opinion)


@dataclass(frozen=True)
class NewText:
    text: str
    vector: Vector
    confidence: float


def reverse(author: Author, opinion: MemoryUnit, step: Step, new: NewText) -> None:
    """The opinion turns into its opposite, or gives way to another opinion that has this text."""
    bank, before = author.bank, Before.of(opinion)
    if find_with_text(bank, opinion, new.text) is not None:
        take_step(author, opinion, step, new.text, new.vector)
        return
    opinion.confidence = new.confidence
    reword(bank, opinion, NewWording(new.text, opinion.text, step.in_view), vector=new.vector)
    add_evidence(bank, opinion.id, step.evidence)
    write_step(bank, opinion, before, replace(step, cause=Cause.REVISED, step=None))


TagsOf = Mapping[UUID, Tags]


def read_all_tags(bank: Bank, questions: Collection[OpinionQuestion]) -> dict[UUID, Tags]:
    """Of the opinions and of their facts."""
    ids = {one_id for one in questions for one_id in (one.opinion_id, *(fact.id for fact in one.facts))}
    return read_tags(bank, ids)


def group_by_tags(questions: Sequence[OpinionQuestion], tags: TagsOf) -> Iterator[Sequence[OpinionQuestion]]:
    """Questions for one call: opinions with the same tags, and with the same tags of facts that not all their readers
    may see. A model's answer may repeat any text of the call.

    Beyond a few parts the rest is asked together, and `Scope` decides what is kept of the answer.
    """
    alike: dict[tuple[Tags, frozenset[Tags]], list[OpinionQuestion]] = {}
    for question in questions:
        own = tags.get(question.opinion_id, UNTAGGED)
        foreign = frozenset(one for one in list_fact_tags(question, tags) if not may_read(own, one))
        alike.setdefault((own, foreign), []).append(question)
    largest = sorted(alike.values(), key=len, reverse=True)
    yield from largest[:MOST_PARTS]
    if rest := [question for part in largest[MOST_PARTS:] for question in part]:
        yield rest


def list_fact_tags(question: OpinionQuestion, tags: TagsOf) -> list[Tags]:
    return [tags.get(fact.id, UNTAGGED) for fact in question.facts]


@dataclass(frozen=True)
class Scope:
    """The tags of everything that was asked in one call."""

    said: frozenset[Tags]
    tags: TagsOf

    def may_reword(self, question: OpinionQuestion) -> bool:
        """Whether all readers of the opinion may see every text of the call."""
        own = self.tags.get(question.opinion_id, UNTAGGED)
        return all(may_read(own, one) for one in self.said)

    def may_reason(self, question: OpinionQuestion) -> bool:
        """The same for readers of the opinion and all its facts: only they are shown the reason."""
        seen = {self.tags.get(question.opinion_id, UNTAGGED), *list_fact_tags(question, self.tags)}
        return all(any(may_read(own, one) for own in seen) for one in self.said)


def read_scope(bank: Bank, questions: Collection[OpinionQuestion]) -> Scope:
    tags = read_all_tags(bank, questions)
    own = {tags.get(question.opinion_id, UNTAGGED) for question in questions}
    return Scope(frozenset(own.union(*(list_fact_tags(question, tags) for question in questions))), tags)
