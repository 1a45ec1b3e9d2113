"""Opinions, their revisions, and the evidence of each revision."""

from typing import Any, ClassVar, Self

from django.contrib.postgres.aggregates import ArrayAgg
from django.db import models
from django.db.models import Case, ExpressionWrapper, F, Max, OuterRef, Q, Subquery, Value, When
from django.db.models.functions import Abs, Coalesce, Greatest

from banks.enums import Network
from banks.models import Bank, MemoryUnit
from banks.models.of_bank import OfBankManager, OfBankQuerySet
from banks.models.unit import UnitQuerySet
from tenants.scoping import TenantOwned


class OpinionRevision(TenantOwned):
    """One step of an opinion's history: text and confidence before and after, cause and evidence."""

    class Cause(models.TextChoices):
        FORMED = "formed"
        RESTATED = "restated"  # another opinion that says the same was closed into it
        REVISED = "revised"  # the agent changed its mind
        REINFORCE = "reinforce"  # the verdict on a new fact (formula 26), as the next two
        WEAKEN = "weaken"
        CONTRADICT = "contradict"
        WITHDRAWN = "withdrawn"  # evidence was deleted, corrected or edited, and its effect withdrawn
        REOPENED = "reopened"  # its text went back, which ends a review mark
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

    objects: ClassVar[OfBankManager["OpinionRevision"]] = OfBankManager()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["opinion", "number"], name="opinion_revision_once"),
            # The same evidence does not move an opinion twice.
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
        indexes = (models.Index(fields=["bank", "id"], name="opinion_revisions_of_bank"),)  # the newest changes

    def __str__(self) -> str:
        return f"{self.opinion_id} {self.number} {self.cause}"


class RevisionEvidenceQuerySet(OfBankQuerySet["RevisionEvidence"]):
    def standing(self) -> Self:
        return self.filter(taken_back=False, fact__isnull=False)

    def effective(self) -> Self:
        """Standing evidence that formed or moved an opinion."""
        return self.standing().filter(bears=True)

    def deleted(self) -> Self:
        """The fact was deleted, and its effect is not withdrawn yet."""
        return self.filter(fact=None, taken_back=False)

    def corrected(self) -> Self:
        """The fact was corrected, and its effect is not withdrawn yet.

        A statement of the agent that became part of an opinion is closed the same way, and is no fact.
        """
        facts = (Network.WORLD, Network.EXPERIENCE)
        reason = MemoryUnit.CloseReason.CORRECTION
        return self.filter(
            taken_back=False, fact__network__in=facts, fact__close_reason=reason, fact__expired_at__isnull=False
        )


RevisionEvidenceManager = models.Manager.from_queryset(RevisionEvidenceQuerySet)


class RevisionEvidence(TenantOwned):
    """Evidence of one revision: a fact, or a statement of the agent that became part of the opinion."""

    bank = models.ForeignKey(Bank, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="+")
    # Redundant with the revision: where one statement deletes the opinion and the fact, this row must cascade from the
    # opinion directly, or its check fails.
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
            models.Index(  # lost evidence
                fields=["bank"], condition=Q(fact=None, taken_back=False), name="revision_evidence_gone"
            ),
        )

    def __str__(self) -> str:
        return f"{self.revision_id} {self.fact_id}"


Cause = OpinionRevision.Cause

BY_PEOPLE = OpinionRevision.BY_PEOPLE
REWORDING = (*OpinionRevision.EVIDENTIAL, Cause.REVISED)  # causes that may change the text, besides people's edits
MUCH = 0.2  # of confidence, since the last review: more than one step of evidence
ROUNDING = 1e-9  # 0.85 - 0.65 is a little less than 0.2


class Concern(models.TextChoices):
    """Why an opinion needs review. The gravest reason counts."""

    CONTRADICTED = "contradicted"
    CHANGED = "changed"
    NEW = "new"


# The urgency starts here and grows with the change of confidence, which is 1 at most.
URGENCY = {Concern.CONTRADICTED: 30.0, Concern.CHANGED: 20.0, Concern.NEW: 10.0}
NOTHING = 0.0


class OpinionQuerySet(UnitQuerySet):
    def held(self) -> Self:
        """Current opinions in banks that are not deleted."""
        return self.filter(expired_at=None, bank__deleted_at=None)

    def with_urgency(self) -> Self:
        """Annotates `urgency`: 0 where no review is needed.

        Everything since the last review, or since the formation, counts, a new text too. A contradiction of a text that
        the agent has given up does not count. One pass over the revisions of each opinion.
        """
        return self.annotate(urgency=Coalesce(Subquery(build_urgency()), URGENCY[Concern.NEW]))

    def needing_review(self) -> Self:
        return self.with_urgency().filter(urgency__gt=NOTHING)

    def concerning(self, concern: Concern) -> Self:
        least = URGENCY[concern]
        return self.with_urgency().filter(urgency__gte=least, urgency__lt=least + 10.0)


def build_urgency() -> models.QuerySet[Any, Any]:
    by_people = Q(cause__in=BY_PEOPLE)
    is_reworded = Q(cause=Cause.REOPENED) | (Q(cause__in=REWORDING, withdrawn=False) & ~Q(text_before=F("text_after")))
    # without evidence it is a rephrasing
    is_changed_mind = Q(cause=Cause.REVISED, withdrawn=False, evidence__isnull=False) & ~Q(text_before=F("text_after"))
    seen = ArrayAgg("confidence_after", filter=Q(number=1) | by_people, order_by="-number")
    way = ExpressionWrapper(OuterRef("confidence") - F("seen__0"), output_field=models.FloatField())
    steps = OpinionRevision.objects.filter(opinion=OuterRef("pk")).order_by().values("opinion")
    known = steps.annotate(
        seen=seen,
        reviewed=Coalesce(Max("number", filter=by_people), 0),
        reworded=Coalesce(Max("number", filter=is_reworded), 0),
        contradicted=Coalesce(Max("number", filter=Q(cause=Cause.CONTRADICT, withdrawn=False)), 0),
        given_up=Coalesce(Max("number", filter=is_changed_mind), 0),
    ).annotate(moved=Abs(way))
    urgency = Case(
        When(contradicted__gt=Greatest("reviewed", "given_up"), then=URGENCY[Concern.CONTRADICTED] + F("moved")),
        When(
            Q(moved__gte=MUCH - ROUNDING) | Q(reworded__gt=F("reviewed")),
            then=URGENCY[Concern.CHANGED] + F("moved"),
        ),
        When(reviewed=0, then=Value(URGENCY[Concern.NEW])),
        default=Value(NOTHING),
        output_field=models.FloatField(),
    )
    return known.annotate(urgency=urgency).values("urgency")


class OpinionManager(models.Manager.from_queryset(OpinionQuerySet)):  # type: ignore[misc]  # made at run time
    def get_queryset(self) -> OpinionQuerySet:
        opinions: OpinionQuerySet = super().get_queryset().filter(network=Network.OPINION)
        return opinions


class Opinion(MemoryUnit):
    """A memory unit of the opinion network, as people review it."""

    objects: ClassVar[OpinionManager] = OpinionManager()

    class Meta:
        proxy = True

    def __str__(self) -> str:
        return self.text[:80]
