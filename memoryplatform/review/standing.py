"""What stands beside each opinion of a page: its newest step and the evidence, with a fixed number of statements."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Count, F, OuterRef, Q, QuerySet, Subquery, Window
from django.db.models.functions import Coalesce, RowNumber

from banks.models import Chunk, MemoryUnit, Message, UnitSource
from reflection.models import Opinion, OpinionRevision, RevisionEvidence
from reflection.models.opinion import BY_PEOPLE, URGENCY, Concern
from tenants.platform_admin import PLATFORM

MOST_EVIDENCE = 3  # of each kind beside an opinion; its own page has more
AGAINST = (OpinionRevision.Cause.WEAKEN, OpinionRevision.Cause.CONTRADICT)


@dataclass(frozen=True)
class Ground:
    """One thing that speaks for or against an opinion: a fact, or the message or text that it was said in."""

    bearing: str
    unit: MemoryUnit | None = None
    message: Message | None = None
    chunk: Chunk | None = None

    @property
    def text(self) -> str:
        if self.unit:
            return self.unit.text
        return self.message.content if self.message else self.chunk.text if self.chunk else ""

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
    """What speaks for each as it is now: not what it was formed on before the agent changed its mind, nor what was
    taken back or speaks against it by now.
    """
    rows = UnitSource.objects.using(PLATFORM).filter(unit_id__in=ids)
    evidence = RevisionEvidence.objects.using(PLATFORM).filter(
        opinion_id=OuterRef("unit_id"), fact_id=OuterRef("other_unit_id"), bears=True, fact__isnull=False
    )
    standing = evidence.filter(taken_back=False).exclude(revision__cause__in=AGAINST).order_by("-revision__number")
    turned = OpinionRevision.objects.using(PLATFORM).filter(
        opinion_id=OuterRef("unit_id"), cause=OpinionRevision.Cause.REVISED, withdrawn=False, evidence__isnull=False
    )
    told = rows.annotate(
        step=Subquery(standing.values("revision__number")[:1]),
        any_step=Subquery(evidence.values("revision__number")[:1]),
        turned=Coalesce(Subquery(turned.order_by("-number").values("number")[:1]), 0),
    )
    counting = told.filter(Q(any_step=None) | Q(step__gte=F("turned")))
    return take_newest(
        counting.select_related("other_unit", "message", "chunk").defer("other_unit__embedding", "chunk__embedding"),
        "unit_id",
    )


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
    return Ground("supports" if source.other_unit else "said", source.other_unit, source.message, source.chunk)


def oppose(step: OpinionRevision) -> Ground:
    return Ground(step.cause, step.evidence)


def find_concern(urgency: float) -> Concern | None:
    """The gravest reason to look at it."""
    return next((concern for concern, least in URGENCY.items() if urgency >= least), None)
