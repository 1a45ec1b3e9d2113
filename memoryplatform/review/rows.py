"""The list of opinions in the admin: its cells, filters and order."""

from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from django.db.models import Exists, Model, OuterRef, QuerySet
from django.http import HttpRequest
from django.utils.html import format_html
from unfold.contrib.filters.admin import DropdownFilter
from unfold.sections import TemplateSection
from unfold.views import ChangeList

from banks.enums import Network
from banks.models import MemoryUnit, UnitSource
from memoryplatform.review.standing import Standing, read_standings
from reflection.models import OpinionRevision
from reflection.models.opinions import Concern, OpinionQuerySet

Cause = OpinionRevision.Cause

CONCERNS = {Concern.CONTRADICTED.value: "danger", Concern.CHANGED.value: "warning", Concern.NEW.value: "info"}
STATES = {"approved": "success", "pinned": "primary", "retired": "danger"}
CAUSES = {
    Cause.CONTRADICT.value: "danger",
    Cause.WEAKEN.value: "warning",
    Cause.REINFORCE.value: "success",
    Cause.FORMED.value: "info",
}
UNMOVED = 0.005  # shows as 0.00


def show_confidence(confidence: float, seen: float | None) -> str:
    """With the change since the last review, or since the formation."""
    moved = confidence - (confidence if seen is None else seen)
    if abs(moved) < UNMOVED:
        return format_html('<span class="review-number">{}</span>', f"{confidence:.2f}")
    return format_html(
        '<span class="review-number">{}</span> <span class="review-{}" title="since the last review">{}{}</span>',
        f"{confidence:.2f}",
        "up" if moved > 0 else "down",
        "▲" if moved > 0 else "▼",
        f"{abs(moved):.2f}",
    )


def show_grounds(standing: Standing) -> str:
    if not standing.opposing:
        return f"{standing.supporting} for"
    return f"{standing.supporting} for, {standing.opposing} against"


def show_moment(moment: datetime) -> str:
    return format_html('<span class="review-when">{}</span> <span>{}</span>', f"{moment:%Y-%m-%d}", f"{moment:%H:%M}")


def show_place(opinion: Any) -> str:
    """The bank and its tenant, each as a link that filters the list."""
    tenant = {"tenant": opinion.tenant.slug}
    return format_html(
        '<span class="review-place"><a href="?{}">{}</a><a class="text-subtle" href="?{}">{}</a></span>',
        urlencode(tenant | {"bank": opinion.bank.bank_id}),
        opinion.bank.bank_id,
        urlencode(tenant),
        opinion.tenant.name,
    )


class OpinionList(ChangeList):
    def get_results(self, request: HttpRequest) -> None:
        super().get_results(request)
        rows: list[Any] = list(self.result_list)
        standings = read_standings(rows)
        for row in rows:
            row.standing = standings[row.pk]
        self.result_list: Any = rows


class GroundsSection(TemplateSection):
    """The evidence of an opinion."""

    template_name = "admin/reflection/opinion/grounds.html"

    def get_context_data(self, _request: HttpRequest, instance: Model) -> dict[str, Any]:
        return {"grounds": getattr(instance, "standing").grounds}  # noqa: B009  # set by the list


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
    """Default: opinions that need review, the most urgent first."""

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
    """By the network of a supporting fact."""

    title = "network of its evidence"
    parameter_name = "evidence"

    def lookups(self, _request: HttpRequest, _model_admin: Any) -> list[tuple[str, str]]:
        facts = (Network.WORLD, Network.EXPERIENCE)
        return [(network.value, network.label) for network in facts]

    def queryset(self, _request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        sources = UnitSource.objects.filter(unit=OuterRef("pk"), other_unit__network=self.value())
        return queryset.filter(Exists(sources)) if self.value() else queryset
