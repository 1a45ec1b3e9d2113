from typing import ClassVar, Self

from django.db import models
from django.db.models import Q

from banks.models import Bank, MemoryUnit
from banks.models.of_bank import OfBankQuerySet
from banks.words import Network
from reflection.models.opinion_revision import OpinionRevision
from tenants.scoping import TenantOwned


class RevisionEvidenceQuerySet(OfBankQuerySet["RevisionEvidence"]):
    def standing(self) -> Self:
        return self.filter(taken_back=False, fact__isnull=False)

    def deleted(self) -> Self:
        """Their facts were deleted, and what they did is not yet taken back."""
        return self.filter(fact=None, taken_back=False)

    def corrected(self) -> Self:
        """Their facts turned out never to have been so, and what they did is not yet taken back.

        A telling of the agent is closed the same way when it becomes part of an opinion: that is no fact.
        """
        facts = (Network.WORLD, Network.EXPERIENCE)
        reason = MemoryUnit.CloseReason.CORRECTION
        return self.filter(
            taken_back=False, fact__network__in=facts, fact__close_reason=reason, fact__expired_at__isnull=False
        )


RevisionEvidenceManager = models.Manager.from_queryset(RevisionEvidenceQuerySet)


class RevisionEvidence(TenantOwned):
    """What one step of an opinion came from: facts, or a telling of the agent that became part of it."""

    bank = models.ForeignKey(Bank, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="+")
    # With the opinion itself, though the revision knows it: where both go in one statement with the fact, a row that
    # waits for its revision's cascade is checked against what is gone already.
    opinion = models.ForeignKey(MemoryUnit, on_delete=models.DO_NOTHING, db_constraint=False, related_name="+")
    revision = models.ForeignKey(
        OpinionRevision, on_delete=models.DO_NOTHING, db_constraint=False, related_name="grounds"
    )
    fact = models.ForeignKey(
        MemoryUnit,
        null=True,
        on_delete=models.DO_NOTHING,
        db_constraint=False,
        related_name="+",
        help_text="Null after its deletion.",
    )
    bears = models.BooleanField(
        default=True, help_text="False: it was in view when the step was worded, and did not move the opinion."
    )
    taken_back = models.BooleanField(
        default=False, help_text="It was deleted, corrected or edited since, and what it did was taken back."
    )

    objects: ClassVar[RevisionEvidenceManager["RevisionEvidence"]] = RevisionEvidenceManager()

    class Meta:
        constraints = (models.UniqueConstraint(fields=["revision", "fact"], name="revision_evidence_once"),)
        indexes = (
            models.Index(fields=["bank", "id"], name="revision_evidence_of_bank"),  # an export
            models.Index(  # what a deletion left behind
                fields=["bank"], condition=Q(fact=None, taken_back=False), name="revision_evidence_gone"
            ),
        )

    def __str__(self) -> str:
        return f"{self.revision_id} {self.fact_id}"
