"""Writing down what happened to opinions. The rows are the history: they are added, never changed but by deletion."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db.models import Max

from banks.models import Bank, MemoryUnit
from reflection.models import OpinionRevision, RevisionEvidence
from reflection.models.opinion import REWORDING
from tenants.webhooks.announce import Event, announce


@dataclass(frozen=True)
class Step:
    """One change, from what the unit was before to what it is now.

    `evidence` is what it came from, `in_view` what was seen besides by who put it into words. `lost` is what an earlier
    step came from and does no more because of this one: it stays free to be weighed.
    """

    cause: OpinionRevision.Cause
    actor: str
    reasoning: str = ""
    step: float | None = None
    evidence: tuple[UUID, ...] = ()
    in_view: tuple[UUID, ...] = ()
    lost: tuple[UUID, ...] = ()


@dataclass(frozen=True)
class Ground:
    """What an opinion was formed on, and why."""

    evidence: tuple[UUID, ...] = ()
    reasoning: str = ""


UNKNOWN = Ground()
RETAIN = "retain"  # who formed what the agent said


def write_formed(
    bank: Bank, opinions: Sequence[MemoryUnit], *, actor: str, grounds: Mapping[UUID, Ground] | None = None
) -> None:
    """The first revision of each. Call inside a tenant transaction, after `lock_memory`."""
    known = grounds or {}
    given = {opinion.id: known.get(opinion.id, UNKNOWN) for opinion in opinions}
    rows = [
        OpinionRevision(
            bank=bank,
            opinion=opinion,
            number=1,
            cause=OpinionRevision.Cause.FORMED,
            confidence_after=opinion.confidence or 0.0,
            text_after=opinion.text,
            evidence_id=next(iter(given[opinion.id].evidence), None),
            reasoning=given[opinion.id].reasoning,
            actor=actor,
        )
        for opinion in opinions
    ]
    OpinionRevision.objects.for_tenant(bank.tenant_id).bulk_create(rows)
    record_evidence(bank, [build_evidence(bank, row, fact) for row in rows for fact in given[row.opinion_id].evidence])
    tell(bank, rows)


def build_evidence(bank: Bank, revision: OpinionRevision, fact_id: UUID, *, bears: bool = True) -> RevisionEvidence:
    return RevisionEvidence(bank=bank, opinion_id=revision.opinion_id, revision=revision, fact_id=fact_id, bears=bears)


def record_evidence(bank: Bank, rows: Sequence[RevisionEvidence]) -> None:
    if rows:
        RevisionEvidence.objects.for_tenant(bank.tenant_id).bulk_create(rows)


def tell(bank: Bank, revisions: Sequence[OpinionRevision]) -> None:
    changes = [
        {
            "opinion_id": str(row.opinion_id),
            "revision": row.number,
            "cause": str(row.cause),
            "confidence": row.confidence_after,
        }
        for row in revisions
    ]
    if changes:
        announce(bank.tenant_id, Event("opinion.changed", bank.bank_id, {"changes": changes}))


@dataclass(frozen=True)
class Before:
    """What an opinion was, kept while it changes."""

    text: str
    confidence: float

    @classmethod
    def of(cls, opinion: MemoryUnit) -> "Before":
        return cls(opinion.text, opinion.confidence or 0.0)


def write_step(bank: Bank, opinion: MemoryUnit, before: Before, step: Step) -> OpinionRevision:
    """Call inside a tenant transaction, after `lock_memory`, with the unit as it is after the change.

    An opinion without a history (retained a moment ago) gets its beginning first. An approval was of the text that
    it had: it does not stand for another that no person wrote.
    """
    number = count_steps(bank, [opinion.id]).get(opinion.id, 0)
    if number == 0:
        formed = MemoryUnit(id=opinion.id, text=before.text, confidence=before.confidence)
        write_formed(bank, [formed], actor=RETAIN)
        number = 1
    revision: OpinionRevision = OpinionRevision.objects.for_tenant(bank.tenant_id).create(
        bank=bank,
        opinion=opinion,
        number=number + 1,
        cause=step.cause,
        confidence_before=before.confidence,
        confidence_after=opinion.confidence or 0.0,
        text_before=before.text,
        text_after=opinion.text,
        step=step.step,
        evidence_id=next(iter(step.evidence or step.lost), None),
        reasoning=step.reasoning,
        actor=step.actor,
    )
    record_evidence(bank, build_grounds(bank, revision, step))
    if step.cause in REWORDING and before.text != opinion.text and opinion.review == MemoryUnit.Review.APPROVED:
        opinion.review = ""
        opinion.save(update_fields=["review"])
    tell(bank, [revision])
    return revision


def build_grounds(bank: Bank, revision: OpinionRevision, step: Step) -> list[RevisionEvidence]:
    in_view = [fact_id for fact_id in step.in_view if fact_id not in step.evidence]
    lost = [build_evidence(bank, revision, fact_id, bears=False) for fact_id in step.lost]
    for row in lost:
        row.taken_back = True
    return [
        *(build_evidence(bank, revision, fact_id) for fact_id in step.evidence),
        *(build_evidence(bank, revision, fact_id, bears=False) for fact_id in in_view),
        *lost,
    ]


def count_steps(bank: Bank, opinion_ids: Collection[UUID]) -> dict[UUID, int]:
    """The number of each opinion's newest revision. Call inside a tenant transaction."""
    rows = OpinionRevision.objects.of_bank(bank).filter(opinion_id__in=opinion_ids)
    return dict(rows.values("opinion_id").annotate(newest=Max("number")).values_list("opinion_id", "newest"))


def read_revisions(bank: Bank, opinion_id: UUID) -> list[OpinionRevision]:
    """The oldest first. Call inside a tenant transaction."""
    return list(OpinionRevision.objects.of_bank(bank).filter(opinion_id=opinion_id).order_by("number"))
