"""What stands beside each opinion of a page: its newest step and the evidence, with a fixed number of statements."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Count, F, QuerySet, Window
from django.db.models.functions import RowNumber

from banks.models import MemoryUnit, Message, UnitSource
from reflection.models import Opinion, OpinionRevision
from reflection.models.opinion import BY_PEOPLE, URGENCY, Concern
from tenants.platform_admin import PLATFORM

MOST_EVIDENCE = 3  # of each kind beside an opinion; its own page has more
AGAINST = (OpinionRevision.Cause.WEAKEN, OpinionRevision.Cause.CONTRADICT)


@dataclass(frozen=True)
class Ground:
    """One thing that speaks for or against an opinion: a fact, or the message that it was said in."""

    bearing: str
    unit: MemoryUnit | None = None
    message: Message | None = None

    @property
    def text(self) -> str:
        return self.unit.text if self.unit else self.message.content if self.message else ""

    @property
    def at(self) -> datetime | None:
        return self.unit.mentioned_at if self.unit else self.message.said_at if self.message else None


@dataclass(frozen=True)
class Standing:
    """`seen` is the confidence at the last review, or at the formation."""

    newest: OpinionRevision | None
    seen: float | None
    supporting: int
    opposing: int
    grounds: tuple[Ground, ...]


@dataclass(frozen=True)
class Few:
    """Some rows of an opinion, and how many there are."""

    rows: tuple[Any, ...] = ()
    total: int = 0


def read_standings(opinions: Sequence[Opinion]) -> dict[UUID, Standing]:
    ids = [opinion.pk for opinion in opinions]
    steps = OpinionRevision.objects.using(PLATFORM).filter(opinion_id__in=ids)
    newest = {step.opinion_id: step for step in steps.order_by("opinion_id", "-number").distinct("opinion_id")}
    reviewed = steps.filter(cause__in=BY_PEOPLE) | steps.filter(number=1)
    seen = dict(reviewed.order_by("number").values_list("opinion_id", "confidence_after"))
    sources, against = read_sources(ids), read_against(steps)
    return {
        one: Standing(
            newest.get(one),
            seen.get(one),
            sources[one].total,
            against[one].total,
            (*map(oppose, against[one].rows), *map(support, sources[one].rows)),
        )
        for one in ids
    }


def read_sources(ids: Sequence[UUID]) -> defaultdict[UUID, Few]:
    rows = UnitSource.objects.using(PLATFORM).filter(unit_id__in=ids)
    return take_newest(rows.select_related("other_unit", "message").defer("other_unit__embedding"), "unit_id")


def read_against(steps: QuerySet[OpinionRevision]) -> defaultdict[UUID, Few]:
    rows = steps.filter(cause__in=AGAINST, withdrawn=False, evidence__isnull=False)
    return take_newest(rows.select_related("evidence").defer("evidence__embedding"), "opinion_id")


def take_newest(rows: QuerySet[Any], owner: str) -> defaultdict[UUID, Few]:
    placed = rows.annotate(
        place=Window(RowNumber(), partition_by=F(owner), order_by=F("id").desc()),
        total=Window(Count("*"), partition_by=F(owner)),
    )
    found: defaultdict[UUID, Few] = defaultdict(Few)
    for row in placed.filter(place__lte=MOST_EVIDENCE).order_by("place"):
        found[getattr(row, owner)] = Few((*found[getattr(row, owner)].rows, row), row.total)
    return found


def support(source: UnitSource) -> Ground:
    return Ground("supports" if source.other_unit else "said", source.other_unit, source.message)


def oppose(step: OpinionRevision) -> Ground:
    return Ground(step.cause, step.evidence)


def find_concern(urgency: float) -> Concern | None:
    """The gravest reason to look at it."""
    return next((concern for concern, least in URGENCY.items() if urgency >= least), None)
