from typing import ClassVar, Self

from django.db import models
from django.db.models import Q

from banks.models import Bank, MemoryUnit
from banks.models.of_bank import OfBankQuerySet
from tenants.scoping import TenantOwned


class OpinionRevisionQuerySet(OfBankQuerySet["OpinionRevision"]):
    def without_evidence(self) -> Self:
        """Moved by a fact that was deleted since, and not yet taken back."""
        return self.filter(cause__in=OpinionRevision.EVIDENTIAL, evidence=None, withdrawn=False)


OpinionRevisionManager = models.Manager.from_queryset(OpinionRevisionQuerySet)


class OpinionRevision(TenantOwned):
    """One step of an opinion: what it was, what it became, and because of what. The last one is what it is now."""

    class Cause(models.TextChoices):
        FORMED = "formed"
        RESTATED = "restated"  # another that says the same was closed into it
        REVISED = "revised"  # "Previously I thought ... but now ..."
        REINFORCE = "reinforce"  # the verdicts on a new fact (formula 26)
        WEAKEN = "weaken"
        CONTRADICT = "contradict"
        WITHDRAWN = "withdrawn"  # evidence was deleted, corrected or edited, and what it had done was taken back
        REOPENED = "reopened"  # its text went back under a mark that a person had given it, and the mark is gone
        EDITED = "edited"  # by a person, as all below
        APPROVED = "approved"
        PINNED = "pinned"
        UNPINNED = "unpinned"
        RETIRED = "retired"
        RESTORED = "restored"

    EVIDENTIAL = (Cause.REINFORCE, Cause.WEAKEN, Cause.CONTRADICT)
    BY_PEOPLE = (Cause.EDITED, Cause.APPROVED, Cause.PINNED, Cause.UNPINNED, Cause.RETIRED, Cause.RESTORED)

    bank = models.ForeignKey(Bank, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="+")
    opinion = models.ForeignKey(
        MemoryUnit, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="+"
    )
    number = models.PositiveIntegerField(help_text="From 1, without gaps.")
    cause = models.CharField(max_length=12, choices=Cause)
    confidence_before = models.FloatField(null=True)
    confidence_after = models.FloatField()
    text_before = models.TextField(blank=True)
    text_after = models.TextField()
    step = models.FloatField(null=True, help_text="The alpha of formula 26 that was in force.")
    evidence = models.ForeignKey(
        MemoryUnit,
        null=True,
        on_delete=models.DO_NOTHING,
        db_constraint=False,
        related_name="+",
        help_text="The first that is left of it; all are rows of their own.",
    )
    withdrawn = models.BooleanField(
        default=False, help_text="Its evidence was deleted, corrected or edited; a later revision took it back."
    )
    reasoning = models.TextField(blank=True)
    actor = models.CharField(max_length=200, help_text="Who or what did it: a person, an API key's prefix, an engine.")
    created_at = models.DateTimeField(auto_now_add=True)

    objects: ClassVar[OpinionRevisionManager["OpinionRevision"]] = OpinionRevisionManager()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["opinion", "number"], name="opinion_revision_once"),
            # The same evidence does not move an opinion twice, whoever brings it and however often.
            models.UniqueConstraint(
                fields=["opinion", "evidence"],
                condition=Q(cause__in=["reinforce", "weaken", "contradict"], withdrawn=False),
                name="opinion_evidence_once",
            ),
            models.CheckConstraint(
                condition=Q(confidence_after__range=(0.0, 1.0))
                & (Q(confidence_before=None) | Q(confidence_before__range=(0.0, 1.0))),
                name="opinion_confidence_in_range",
            ),
            models.CheckConstraint(
                condition=Q(number=1, confidence_before=None) | Q(number__gt=1, confidence_before__isnull=False),
                name="opinion_begins_with_its_formation",
            ),
        )
        indexes = (
            models.Index(fields=["bank", "id"], name="opinion_revisions_of_bank"),  # what changed lately
            models.Index(  # what a deletion left behind
                fields=["bank"],
                condition=Q(evidence=None, withdrawn=False, cause__in=["reinforce", "weaken", "contradict"]),
                name="opinion_evidence_gone",
            ),
        )

    def __str__(self) -> str:
        return f"{self.opinion_id} {self.number} {self.cause}"
