"""Facts with real vectors, opinions formed on them, and scripted models for matching and verdicts."""

import re
from collections.abc import Collection, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import pairwise
from typing import Any
from uuid import UUID

from django.utils import timezone

from banks.enums import EntityKind, Network
from banks.facts import PreparedFact
from banks.models import Bank, MemoryUnit
from banks.retain.storing import store_facts
from banks.types import ExtractedFact, FoundEntity, Source
from providers.registry import get_embedder
from providers.usage import Usage
from reflection.models import OpinionRevision
from reflection.opinions.adopting import Adopted, RetainedUnits, adopt_opinions
from reflection.opinions.claims import CandidateOpinion, FormedOpinion, Verdict
from reflection.opinions.forming import Claims, Formation, FormingTools, form_opinions
from reflection.opinions.history import replay
from reflection.opinions.matching import MatchQuestion, OpinionMatcher, Relation, Relations
from reflection.opinions.verdicts import Assessment, Assessments, OpinionQuestion
from reflection.opinions.weighing import Reinforced, Tools, reinforce_opinions
from tenants.transactions import tenant_transaction

NOON = datetime(2025, 5, 1, 12, tzinfo=UTC)
FRAME = re.compile(r"^(?:i think that|i think|i believe that|i believe|i find that)\s+", re.IGNORECASE)
DENIAL = re.compile(r"\b(?:not |un(?=reliable|safe|fair))")


class Matched(OpinionMatcher):
    """A matcher that decides simple sentences like a model, and all others by script.

    The same sentence after "I think that" is the same. With a denial in one of the two, or after "Previously I
    thought that", it is the opposite.
    """

    def __init__(self, *, same: Collection[tuple[str, str]] = (), opposite: Collection[tuple[str, str]] = ()) -> None:
        self.same = {frozenset(pair) for pair in same}
        self.opposite = {frozenset(pair) for pair in opposite}
        self.asked: list[MatchQuestion] = []

    def match(self, questions: Sequence[MatchQuestion]) -> Relations:
        self.asked += questions
        pairs = [(question.claim, text) for question in questions for text, _ in question.opinions]
        return Relations({pair: self.relate(*pair) for pair in pairs}, Usage(calls=1))

    def relate(self, claim: str, held: str) -> Relation:
        if frozenset({claim, held}) in self.opposite:
            return Relation.OPPOSITE
        if frozenset({claim, held}) in self.same:
            return Relation.SAME
        one, other = (FRAME.sub("", text) for text in (claim, held))
        if claim.startswith("Previously") and other.strip(".") in claim.partition(", but now")[0]:
            return Relation.OPPOSITE
        if sorted(one.casefold().strip(".").split()) == sorted(other.casefold().strip(".").split()):
            return Relation.SAME
        affirmed, held_so = (DENIAL.sub("", text).replace(" an ", " a ") for text in (one, other))
        return Relation.OPPOSITE if affirmed == held_so else Relation.UNRELATED


SIMPLE = Matched()


def see(
    bank: Bank, text: str, *names: str, sources: Sequence[Source] = (), tags: Sequence[str] = (), **fields: Any
) -> UUID:
    """Store a fact, and return the id of its unit."""
    entities = tuple(FoundEntity(name, EntityKind.PRODUCT) for name in names)
    usual: dict[str, Any] = {"network": Network.WORLD, "mentioned_at": NOON, "entities": entities}
    fact = ExtractedFact(text=text, **(usual | fields))
    vector = get_embedder().embed_documents([text]).vectors[0]
    with tenant_transaction(bank.tenant_id):
        prepared = PreparedFact(fact, vector, tuple(sources), tags=tuple(tags))
        (unit,) = store_facts(bank, [prepared], speakers=frozenset())
    return unit.id


def form(bank: Bank, *candidates: CandidateOpinion, matcher: OpinionMatcher = SIMPLE) -> list[FormedOpinion]:
    return list(try_to_form(bank, *candidates, matcher=matcher))


def try_to_form(
    bank: Bank,
    *candidates: CandidateOpinion,
    shown: Collection[UUID] = (),
    question: str = "",
    by_tags: bool = False,
    matcher: OpinionMatcher = SIMPLE,
) -> Formation:
    return form_opinions(
        bank,
        Claims(candidates, dict.fromkeys(shown), question, by_tags=by_tags),
        FormingTools(matcher, get_embedder(), lambda: tenant_transaction(bank.tenant_id)),
        actor="test",
        now=timezone.now(),
    )


def believe(
    bank: Bank,
    text: str,
    *evidence: UUID,
    confidence: float = 0.7,
    matcher: OpinionMatcher = SIMPLE,
    **fields: Any,
) -> FormedOpinion:
    (formed,) = form(bank, CandidateOpinion(text, confidence, "because", evidence, **fields), matcher=matcher)
    return formed


def adopt(bank: Bank, retained: RetainedUnits, *, matcher: OpinionMatcher | None = SIMPLE) -> Adopted:
    write = partial(tenant_transaction, bank.tenant_id)
    return adopt_opinions(bank, retained, matcher=matcher, write=write, now=timezone.now())


def read_opinion(bank: Bank, opinion_id: UUID) -> MemoryUnit:
    with tenant_transaction(bank.tenant_id):
        return MemoryUnit.objects.of_bank(bank).get(id=opinion_id)


def read_opinions(bank: Bank) -> list[MemoryUnit]:
    with tenant_transaction(bank.tenant_id):
        return list(MemoryUnit.objects.of_bank(bank).current().filter(network="opinion").order_by("id"))


def read_steps(bank: Bank, opinion_id: UUID) -> list[OpinionRevision]:
    with tenant_transaction(bank.tenant_id):
        return list(OpinionRevision.objects.of_bank(bank).filter(opinion_id=opinion_id).order_by("number"))


def list_causes(bank: Bank, opinion_id: UUID) -> list[str]:
    return [step.cause for step in read_steps(bank, opinion_id)]


def check_replay(bank: Bank, opinion_id: UUID) -> None:
    """Check that the revisions add up to the row."""
    opinion, steps = read_opinion(bank, opinion_id), read_steps(bank, opinion_id)
    state = replay(steps)
    assert (state.text, state.confidence, state.review) == (opinion.text, opinion.confidence, opinion.review)
    assert [step.number for step in steps] == list(range(1, len(steps) + 1))
    for before, after in pairwise(steps):
        assert before.confidence_after == after.confidence_before
        assert before.text_after == after.text_before


class Said:
    """An assessor with scripted verdicts by the fact's text; neutral otherwise."""

    name = "said"

    def __init__(
        self, verdicts: dict[str, str], *, texts: dict[str, str] | None = None, is_reversed: bool = False
    ) -> None:
        self.verdicts = verdicts
        self.is_reversed = is_reversed
        self.texts = texts or {}
        self.asked: list[OpinionQuestion] = []

    def assess(self, questions: Sequence[OpinionQuestion]) -> Assessments:
        self.asked += questions
        return Assessments(tuple(map(self.answer, questions)), Usage(calls=1))

    def answer(self, question: OpinionQuestion) -> Assessment:
        verdicts = tuple(Verdict(self.verdicts.get(fact.text, "neutral")) for fact in question.facts)
        reasons = tuple(f"as {fact.text} shows" for fact in question.facts)
        texts = [self.texts[fact.text] for fact in question.facts if fact.text in self.texts]
        return Assessment(verdicts, reasons, texts[-1] if texts else "", self.is_reversed)


def learn(bank: Bank, assessor: Any, *fact_ids: UUID) -> Reinforced:
    tools = Tools(assessor, get_embedder(), lambda: tenant_transaction(bank.tenant_id))
    return reinforce_opinions(bank, fact_ids, tools, now=timezone.now() + timedelta(seconds=1))
