"""Which opinions the list shows."""

from typing import Any

from django.db.models import Exists, OuterRef, QuerySet
from django.http import HttpRequest
from unfold.contrib.filters.admin import DropdownFilter

from banks.models import MemoryUnit, UnitSource
from banks.words import Network
from reflection.models.opinion import Concern, OpinionQuerySet

NEEDS_REVIEW = "needs_review"
RETIRED = "retired"
HELD = "held"
EVERY = "all"
QUEUES = (
    (NEEDS_REVIEW, "Needs review"),
    (Concern.CONTRADICTED.value, "Contradicted"),
    (Concern.CHANGED.value, "Much changed"),
    (Concern.NEW.value, "New"),
    (HELD, "All that are held"),
    (RETIRED, "Retired"),
    (EVERY, "All, also superseded ones"),
)


class QueueFilter(DropdownFilter):
    """Without a choice what needs review, the most urgent first."""

    title = "queue"
    parameter_name = "queue"
    all_option = None

    def lookups(self, _request: HttpRequest, _model_admin: Any) -> tuple[tuple[str, str], ...]:
        return QUEUES

    def value(self) -> str:
        chosen = super().value()
        return chosen if chosen in dict(QUEUES) else NEEDS_REVIEW

    def queryset(self, _request: HttpRequest, queryset: OpinionQuerySet) -> OpinionQuerySet:
        chosen = self.value()
        if chosen == RETIRED:
            return queryset.filter(review=MemoryUnit.Review.RETIRED).with_urgency().order_by("-id")
        if chosen == EVERY:
            return queryset.with_urgency().order_by("-id")
        held = queryset.held()
        if chosen == HELD:
            return held.with_urgency().order_by("-id")
        waiting = held.needing_review() if chosen == NEEDS_REVIEW else held.concerning(Concern(chosen))
        return waiting.order_by("-urgency", "-id")


class ReviewFilter(DropdownFilter):
    title = "review"
    parameter_name = "review"

    def lookups(self, _request: HttpRequest, _model_admin: Any) -> list[tuple[str, str]]:
        return [("none", "Not reviewed"), *MemoryUnit.Review.choices]

    def queryset(self, _request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        chosen = self.value()
        return queryset.filter(review="" if chosen == "none" else chosen) if chosen else queryset


class EvidenceFilter(DropdownFilter):
    """By the network of a fact that speaks for it."""

    title = "network of its evidence"
    parameter_name = "evidence"

    def lookups(self, _request: HttpRequest, _model_admin: Any) -> list[tuple[str, str]]:
        facts = (Network.WORLD, Network.EXPERIENCE)
        return [(network.value, network.label) for network in facts]

    def queryset(self, _request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        sources = UnitSource.objects.filter(unit=OuterRef("pk"), other_unit__network=self.value())
        return queryset.filter(Exists(sources)) if self.value() else queryset
