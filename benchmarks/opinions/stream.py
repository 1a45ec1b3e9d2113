"""One opinion and a stream of facts, passed through retain and the assessment of evidence."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from uuid import UUID

from django.utils import timezone

from banks.enums import EntityKind, Network
from banks.models import Bank, MemoryUnit
from banks.retain.input import RetainItem
from banks.types import ExtractedFact, FoundEntity
from benchmarks.tenant import make_access, make_bank, perform_now, retain_now
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.models import Operation
from providers.registry import get_embedder
from reflection.models import OpinionRevision
from reflection.opinions.claims import Verdict
from reflection.opinions.history import replay
from reflection.opinions.verdicts import Assessment, Assessments, OpinionQuestion
from reflection.opinions.weighing import Tools, reinforce_opinions
from tenants.transactions import tenant_transaction

BEGAN = datetime(2025, 1, 6, 9, tzinfo=UTC)
FERRY = FoundEntity("Faro ferry", EntityKind.PRODUCT)
OPINION = "I think that the Faro ferry is reliable."
START = 0.7
FACTS = (
    "The Faro ferry was reliable and punctual in January.",
    "The Faro ferry has a blue hull.",
    "The Faro ferry won a prize for its excellent service.",
    "The Faro ferry was reliable and punctual in January.",
    "The Faro ferry failed again and again in March.",
    "The Faro ferry was not reliable in April.",
    "The Faro ferry could be unreliable in summer.",
    "The Faro ferry was reliable again in May.",
)
VERDICTS = {
    FACTS[0]: Verdict.REINFORCE,
    FACTS[2]: Verdict.REINFORCE,
    FACTS[4]: Verdict.WEAKEN,
    FACTS[5]: Verdict.CONTRADICT,
    FACTS[7]: Verdict.REINFORCE,
}


class FixedAssessor:
    """Fixed verdicts by the text of a fact. The suite measures the consequences of a verdict, not the verdict."""

    name = "fixed"

    def assess(self, questions: Sequence[OpinionQuestion]) -> Assessments:
        return Assessments(tuple(map(assess_one, questions)))


def assess_one(question: OpinionQuestion) -> Assessment:
    verdicts = tuple(VERDICTS.get(fact.text, Verdict.NEUTRAL) for fact in question.facts)
    return Assessment(verdicts, ("",) * len(verdicts))


@dataclass(frozen=True)
class Point:
    """The opinion after one fact. `verdict` is empty if the fact did not move the opinion."""

    fact: str
    verdict: str
    confidence: float
    text: str


def replay_stream(facts: tuple[str, ...] = FACTS) -> tuple[list[Point], bool]:
    """The opinion after each fact, and whether its revisions add up to its final state."""
    access = make_access()
    bank = make_bank(access, "opinions")
    tell(access, bank, OPINION, Network.OPINION, at=BEGAN)
    points = [read_point(bank, "", seen=1)]
    for place, fact in enumerate(facts, start=1):
        seen = len(read_steps(bank))
        tell(access, bank, fact, Network.WORLD, at=BEGAN + timedelta(days=14 * place))
        points.append(read_point(bank, fact, seen=seen))
    state, opinion = replay(read_steps(bank)), read_opinion(bank)
    return points, (state.text, state.confidence) == (opinion.text, opinion.confidence)


def tell(access: BankAccess, bank: Bank, text: str, network: Network, *, at: datetime) -> None:
    confidence = START if network is Network.OPINION else None
    fact = ExtractedFact(text, network, at, entities=(FERRY,), confidence=confidence)
    retain_now(access, bank.bank_id, [RetainItem(at, facts=(fact,))])
    for operation_id in find_pending(access):
        perform_now(access.tenant_id, operation_id)
    tools = Tools(FixedAssessor(), get_embedder(), partial(tenant_transaction, bank.tenant_id))
    reinforce_opinions(bank, find_facts(bank, text), tools, now=timezone.now())


def find_pending(access: BankAccess) -> list[UUID]:
    with tenant_transaction(access.tenant_id):
        rows = Operation.objects.for_tenant(access.tenant_id).filter(kind="consolidate", status="pending")
        return list(rows.order_by("id").values_list("id", flat=True))


def find_facts(bank: Bank, text: str) -> list[UUID]:
    with tenant_transaction(bank.tenant_id):
        facts = MemoryUnit.objects.of_bank(bank).current().filter(network=Network.WORLD, text=text)
        return list(facts.order_by("id").values_list("id", flat=True))


def read_point(bank: Bank, fact: str, *, seen: int) -> Point:
    opinion, steps = read_opinion(bank), read_steps(bank)
    verdict = steps[-1].cause if len(steps) > seen else ""
    return Point(fact, verdict, opinion.confidence or 0.0, opinion.text)


def read_opinion(bank: Bank) -> MemoryUnit:
    with tenant_transaction(bank.tenant_id):
        return MemoryUnit.objects.of_bank(bank).current().get(network=Network.OPINION)


def read_steps(bank: Bank) -> list[OpinionRevision]:
    with tenant_transaction(bank.tenant_id):
        return list(OpinionRevision.objects.of_bank(bank).order_by("opinion", "number"))
