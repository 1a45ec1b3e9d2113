"""A bank that believes: facts with real vectors, opinions formed on them, and what became of them."""

from collections.abc import Collection, Sequence
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any
from uuid import UUID

from django.utils import timezone

from banks.models import Bank, MemoryUnit
from banks.retain.prepared import PreparedFact, Source
from banks.retain.storing.facts import store_facts
from banks.retain.types import ExtractedFact, FoundEntity
from banks.words import EntityKind, Network
from providers.registry import get_embedder
from providers.usage import Usage
from reflection.models import OpinionRevision
from reflection.opinions.forming.form import Claims, Formation, form_opinions
from reflection.opinions.history.replay import replay
from reflection.opinions.types import CandidateOpinion, FormedOpinion, Verdict
from reflection.opinions.weighing.assessing import Assessment, Assessments, OpinionQuestion
from reflection.opinions.weighing.reinforcing import Reinforced, Tools, reinforce_opinions
from tenants.transactions import tenant_transaction

NOON = datetime(2025, 5, 1, 12, tzinfo=UTC)


def see(
    bank: Bank, text: str, *names: str, sources: Sequence[Source] = (), tags: Sequence[str] = (), **fields: Any
) -> UUID:
    """The id of the unit that a fact became."""
    entities = tuple(FoundEntity(name, EntityKind.PRODUCT) for name in names)
    usual: dict[str, Any] = {"network": Network.WORLD, "mentioned_at": NOON, "entities": entities}
    fact = ExtractedFact(text=text, **(usual | fields))
    vector = get_embedder().embed_documents([text]).vectors[0]
    with tenant_transaction(bank.tenant_id):
        prepared = PreparedFact(fact, vector, tuple(sources), tags=tuple(tags))
        (unit,) = store_facts(bank, [prepared], speakers=frozenset())
    return unit.id


def form(bank: Bank, *candidates: CandidateOpinion) -> list[FormedOpinion]:
    return list(try_to_form(bank, *candidates))


def try_to_form(
    bank: Bank,
    *candidates: CandidateOpinion,
    shown: Collection[UUID] = (),
    question: str = "",
    by_tags: bool = False,
) -> Formation:
    return form_opinions(
        bank,
        Claims(candidates, dict.fromkeys(shown), question, by_tags=by_tags),
        embedder=get_embedder(),
        write=lambda: tenant_transaction(bank.tenant_id),
        actor="test",
        now=timezone.now(),
    )


def believe(bank: Bank, text: str, *evidence: UUID, confidence: float = 0.7, **fields: Any) -> FormedOpinion:
    (formed,) = form(bank, CandidateOpinion(text, confidence, "because", evidence, **fields))
    return formed


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
    """The revisions add up to the row, number by number."""
    opinion, steps = read_opinion(bank, opinion_id), read_steps(bank, opinion_id)
    state = replay(steps)
    assert (state.text, state.confidence, state.review) == (opinion.text, opinion.confidence, opinion.review)
    assert [step.number for step in steps] == list(range(1, len(steps) + 1))
    for before, after in pairwise(steps):
        assert before.confidence_after == after.confidence_before
        assert before.text_after == after.text_before


class Said:
    """An assessor that says what it is told to, by the fact's text; neutral otherwise."""

    name = "said"

    def __init__(self, verdicts: dict[str, str], *, texts: dict[str, str] | None = None) -> None:
        self.verdicts = verdicts
        self.texts = texts or {}
        self.asked: list[OpinionQuestion] = []

    def assess(self, questions: Sequence[OpinionQuestion]) -> Assessments:
        self.asked += questions
        return Assessments(tuple(map(self.answer, questions)), Usage(calls=1))

    def answer(self, question: OpinionQuestion) -> Assessment:
        verdicts = tuple(Verdict(self.verdicts.get(fact.text, "neutral")) for fact in question.facts)
        reasons = tuple(f"as {fact.text} shows" for fact in question.facts)
        texts = [self.texts[fact.text] for fact in question.facts if fact.text in self.texts]
        return Assessment(verdicts, reasons, texts[-1] if texts else "")


def learn(bank: Bank, assessor: Any, *fact_ids: UUID) -> Reinforced:
    tools = Tools(assessor, get_embedder(), lambda: tenant_transaction(bank.tenant_id))
    return reinforce_opinions(bank, fact_ids, tools, now=timezone.now() + timedelta(seconds=1))
