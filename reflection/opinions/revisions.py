"""Revisions: every change of an opinion is a row of its history. Rows are added; only lost evidence changes them."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from uuid import UUID

from django.db.models import Exists, Max, OuterRef, Q

from banks.models import Bank, MemoryUnit, UnitSource
from reflection.models import OpinionRevision, RevisionEvidence
from reflection.models.opinions import REWORDING
from tenants.webhook_outbox import Event, announce


@dataclass(frozen=True)
class Author:
    """The bank, the actor and the time of a call that changes opinions."""

    bank: Bank
    actor: str
    now: datetime


@dataclass(frozen=True)
class Step:
    """One change of an opinion.

    `evidence` are the facts behind it, `in_view` further facts that its author saw. `lost` are facts behind an earlier
    step that this one withdraws: they may be weighed again.
    """

    cause: OpinionRevision.Cause
    actor: str
    reasoning: str = ""
    step: float | None = None
    evidence: tuple[UUID, ...] = ()
    in_view: tuple[UUID, ...] = ()
    lost: tuple[UUID, ...] = ()


@dataclass(frozen=True)
class Before:
    """The text and confidence of an opinion before a change."""

    text: str
    confidence: float

    @classmethod
    def of(cls, opinion: MemoryUnit) -> "Before":
        return cls(opinion.text, opinion.confidence or 0.0)


Cause = OpinionRevision.Cause
RETAIN = "retain"  # the actor of opinions that the agent said in a retained conversation
SAID = Step(Cause.FORMED, RETAIN)


def write_formed(bank: Bank, opinions: Sequence[MemoryUnit], steps: Mapping[UUID, Step] | None = None) -> None:
    """The first revision of each; without a step the agent said it. Call inside a tenant transaction, after
    `lock_memory`.
    """
    known = steps or {}
    store_revisions(bank, [build_revision(bank, one, 1, known.get(one.id, SAID)) for one in opinions])


def write_step(bank: Bank, opinion: MemoryUnit, before: Before, step: Step) -> OpinionRevision:
    """Call inside a tenant transaction, after `lock_memory`, with the unit as it is after the change.

    An opinion without a history gets its formation first. A rewording that no person wrote ends an approval.
    """
    number = count_steps(bank, [opinion.id]).get(opinion.id, 0)
    if number == 0:
        write_formed(bank, [MemoryUnit(id=opinion.id, text=before.text, confidence=before.confidence)])
        number = 1
    revision, grounds = build_revision(bank, opinion, number + 1, step, before)
    store_revisions(bank, [(revision, grounds)])
    if step.cause in REWORDING and before.text != opinion.text and opinion.review == MemoryUnit.Review.APPROVED:
        opinion.review = ""
        opinion.save(update_fields=["review"])
    return revision


Grounded = tuple[OpinionRevision, list[RevisionEvidence]]  # a revision with its evidence


def build_revision(bank: Bank, opinion: MemoryUnit, number: int, step: Step, before: Before | None = None) -> Grounded:
    """The evidence that bears on the opinion, then the evidence in view, then the lost one."""
    revision = OpinionRevision(
        bank=bank,
        opinion=opinion,
        number=number,
        cause=step.cause,
        confidence_before=before.confidence if before else None,
        confidence_after=opinion.confidence or 0.0,
        text_before=before.text if before else "",
        text_after=opinion.text,
        step=step.step,
        evidence_id=next(iter(step.evidence or step.lost), None),
        reasoning=step.reasoning,
        actor=step.actor,
    )
    build = partial(RevisionEvidence, bank=bank, opinion_id=opinion.id, revision=revision)
    return revision, [
        *(build(fact_id=fact_id) for fact_id in step.evidence),
        *(build(fact_id=fact_id, bears=False) for fact_id in step.in_view if fact_id not in step.evidence),
        *(build(fact_id=fact_id, bears=False, taken_back=True) for fact_id in step.lost),
    ]


def store_revisions(bank: Bank, given: Sequence[Grounded]) -> None:
    """Stores the revisions with their evidence, and announces them to webhooks."""
    if not given:
        return
    revisions = [revision for revision, _ in given]
    OpinionRevision.objects.for_tenant(bank.tenant_id).bulk_create(revisions)
    RevisionEvidence.objects.for_tenant(bank.tenant_id).bulk_create([row for _, grounds in given for row in grounds])
    changes = [
        {
            "opinion_id": str(row.opinion_id),
            "revision": row.number,
            "cause": str(row.cause),
            "confidence": row.confidence_after,
        }
        for row in revisions
    ]
    announce(bank.tenant_id, Event("opinion.changed", bank.bank_id, {"changes": changes}))


def add_missing_evidence(bank: Bank) -> None:
    """Completes an imported bank: revisions of an old export have no evidence rows.

    A verdict rests on the fact in its own column. Every other fact behind an opinion counts as evidence of its
    formation. Call inside a tenant transaction, after `lock_memory`.
    """
    revisions, known = OpinionRevision.objects.of_bank(bank), RevisionEvidence.objects.of_bank(bank)
    build, stored = partial(RevisionEvidence, bank=bank), RevisionEvidence.objects.for_tenant(bank.tenant_id)
    resting = revisions.filter(Q(cause__in=OpinionRevision.EVIDENTIAL) | Q(evidence__isnull=False))
    stored.bulk_create(
        build(opinion_id=one.opinion_id, revision=one, fact_id=one.evidence_id, taken_back=one.withdrawn)
        for one in resting.exclude(Exists(known.filter(revision=OuterRef("pk"))))
    )
    formed = dict(revisions.filter(number=1).values_list("opinion_id", "id"))
    sources = UnitSource.objects.for_tenant(bank.tenant_id).filter(role=UnitSource.Role.EVIDENCE, unit__in=formed)
    explained = known.filter(opinion_id=OuterRef("unit_id"), fact_id=OuterRef("other_unit_id"))
    pairs = sources.exclude(Exists(explained)).values_list("unit_id", "other_unit_id").distinct()
    stored.bulk_create(build(opinion_id=one, revision_id=formed[one], fact_id=fact) for one, fact in pairs if fact)


def count_steps(bank: Bank, opinion_ids: Collection[UUID]) -> dict[UUID, int]:
    """The number of each opinion's newest revision."""
    rows = OpinionRevision.objects.of_bank(bank).filter(opinion_id__in=opinion_ids)
    return dict(rows.values("opinion_id").annotate(newest=Max("number")).values_list("opinion_id", "newest"))


def read_revisions(bank: Bank, opinion_id: UUID) -> list[OpinionRevision]:
    """The oldest first."""
    return list(OpinionRevision.objects.of_bank(bank).filter(opinion_id=opinion_id).order_by("number"))
