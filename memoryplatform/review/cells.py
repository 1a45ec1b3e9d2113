"""How an opinion looks in a row of the list."""

from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from django.utils.html import format_html

from memoryplatform.review.standing import Standing
from reflection.models import OpinionRevision
from reflection.models.opinion import Concern

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
    """With how far it moved since the last review, or since it was formed."""
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
    """The bank, and under it whose it is; either narrows the list."""
    tenant = {"tenant": opinion.tenant.slug}
    return format_html(
        '<span class="review-place"><a href="?{}">{}</a><a class="text-subtle" href="?{}">{}</a></span>',
        urlencode(tenant | {"bank": opinion.bank.bank_id}),
        opinion.bank.bank_id,
        urlencode(tenant),
        opinion.tenant.name,
    )
