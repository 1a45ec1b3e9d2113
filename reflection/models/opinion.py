from typing import Any, ClassVar, Self

from django.contrib.postgres.aggregates import ArrayAgg
from django.db import models
from django.db.models import Case, ExpressionWrapper, F, Max, OuterRef, Q, Subquery, Value, When
from django.db.models.functions import Abs, Coalesce, Greatest

from banks.models import MemoryUnit
from banks.models.unit import UnitQuerySet
from banks.words import Network
from reflection.models.opinion_revision import OpinionRevision

Cause = OpinionRevision.Cause

BY_PEOPLE = OpinionRevision.BY_PEOPLE
REWORDING = (*OpinionRevision.EVIDENTIAL, Cause.REVISED)  # what gives it another text, besides people
MUCH = 0.2  # of confidence, since the last review: more than one step of evidence
ROUNDING = 1e-9  # 0.85 - 0.65 is a little less than 0.2


class Concern(models.TextChoices):
    """Why a person should look at an opinion: the gravest reason counts."""

    CONTRADICTED = "contradicted"
    CHANGED = "changed"
    NEW = "new"


# The urgency of each begins here and grows with how far the confidence moved, which is 1 at most.
URGENCY = {Concern.CONTRADICTED: 30.0, Concern.CHANGED: 20.0, Concern.NEW: 10.0}
NOTHING = 0.0


class OpinionQuerySet(UnitQuerySet):
    def held(self) -> Self:
        """What the agent believes now, in banks that are there."""
        return self.filter(expired_at=None, bank__deleted_at=None)

    def with_urgency(self) -> Self:
        """How urgently each wants a review, as `urgency`: 0 where it wants none.

        All that happened since the last review counts, or since its formation: also another text, with whichever
        confidence. What contradicted a text that the agent itself gave up does not stand against the present one. One
        look at the revisions of each.
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
    # without evidence it is the same in other words
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
    """A memory unit that is a belief: what people review."""

    objects: ClassVar[OpinionManager] = OpinionManager()

    class Meta:
        proxy = True

    def __str__(self) -> str:
        return self.text[:80]
