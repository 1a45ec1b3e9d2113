"""The newest revision and the evidence of each opinion of a list page, in a fixed number of statements."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import (
    Case,
    Count,
    Exists,
    Expression,
    F,
    IntegerField,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Value,
    When,
    Window,
)
from django.db.models.functions import RowNumber

from banks.enums import Network
from banks.models import Chunk, MemoryUnit, Message, UnitSource
from reflection.models import Opinion, OpinionRevision, RevisionEvidence
from reflection.models.opinions import BY_PEOPLE
from reflection.opinions.history import FORMATION, OPPOSING, filter_worded, find_wording_step
from tenants.platform_admin import PLATFORM

MOST_EVIDENCE = 3  # of each kind beside an opinion; its own page has more


@dataclass(frozen=True)
class ShownEvidence:
    """Evidence of an opinion: a fact, or the message or chunk in which the agent said it."""

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
    """`seen` is the confidence at the last review, or at the formation. Evidence of former texts is not counted."""

    newest: OpinionRevision | None
    seen: float | None
    supporting: int
    opposing: int
    grounds: tuple[ShownEvidence, ...]


@dataclass(frozen=True)
class NewestRows:
    """The newest rows of an opinion, and their total."""

    rows: tuple[Any, ...] = ()
    total: int = 0


def read_standings(opinions: Sequence[Opinion]) -> dict[UUID, Standing]:
    ids = [opinion.pk for opinion in opinions]
    steps = OpinionRevision.objects.using(PLATFORM).filter(opinion_id__in=ids)
    newest = {step.opinion_id: step for step in steps.order_by("opinion_id", "-number").distinct("opinion_id")}
    reviewed = steps.filter(cause__in=BY_PEOPLE) | steps.filter(number=1)
    seen = dict(reviewed.order_by("number").values_list("opinion_id", "confidence_after"))
    wording_steps = read_wording_steps(steps)
    sources = read_sources(ids, wording_steps)
    against, deciding = read_opposing(steps, wording_steps)
    return {
        one: Standing(
            newest.get(one),
            seen.get(one),
            sources[one].total + deciding[one].total,
            against[one].total,
            (
                *map(oppose, against[one].rows),
                *(ShownEvidence("supports", step.evidence) for step in deciding[one].rows),
                *map(support, sources[one].rows),
            ),
        )
        for one in ids
    }


def read_wording_steps(steps: QuerySet[OpinionRevision]) -> dict[UUID, int]:
    """By opinion the number of the revision that gave it its present text."""
    worded: defaultdict[UUID, list[OpinionRevision]] = defaultdict(list)
    for step in filter_worded(steps):
        worded[step.opinion_id].append(step)
    return {opinion_id: find_wording_step(some) for opinion_id, some in worded.items()}


def build_wording_step(wording_steps: Mapping[UUID, int], owner: str) -> Expression:
    whens = [
        When(**{owner: opinion_id}, then=Value(wording_step))
        for opinion_id, wording_step in wording_steps.items()
        if wording_step > FORMATION
    ]
    return Case(*whens, default=Value(FORMATION), output_field=IntegerField())


def read_sources(ids: Sequence[UUID], wording_steps: Mapping[UUID, int]) -> defaultdict[UUID, NewestRows]:
    """The support of each present text: without evidence of former texts and withdrawn evidence. Messages and chunks
    count where the agent said the present text in them.
    """
    rows = (
        UnitSource.objects.using(PLATFORM)
        .filter(unit_id__in=ids)
        .annotate(wording_step=build_wording_step(wording_steps, "unit_id"))
    )
    evidence = RevisionEvidence.objects.using(PLATFORM).filter(
        opinion_id=OuterRef("unit_id"), fact_id=OuterRef("other_unit_id"), bears=True, fact__isnull=False
    )
    counted = evidence.filter(taken_back=False).exclude(revision__cause__in=OPPOSING).order_by("-revision__number")
    joined = rows.annotate(
        step=Subquery(counted.values("revision__number")[:1]),
        any_step=Subquery(evidence.values("revision__number")[:1]),
    )
    counting = joined.filter(
        Q(any_step=None, wording_step__lte=FORMATION) | Q(step__gte=F("wording_step")) | Q(Exists(find_said_since()))
    )
    return take_newest(
        counting.select_related("other_unit", "message", "chunk").defer(
            "other_unit__embedding", "other_unit__second_embedding", "chunk__embedding", "chunk__second_embedding"
        ),
        "unit_id",
    )


def find_said_since() -> QuerySet[UnitSource]:
    """The same message or chunk, as the source of a statement that brought the present text or came after it."""
    statements = RevisionEvidence.objects.using(PLATFORM).filter(
        opinion_id=OuterRef(OuterRef("unit_id")),
        revision__number__gte=OuterRef(OuterRef("wording_step")),
        bears=True,
        taken_back=False,
    )
    place = Q(message_id=OuterRef("message_id")) | Q(chunk_id=OuterRef("chunk_id"))
    return UnitSource.objects.using(PLATFORM).filter(
        place, unit_id__in=statements.values("fact_id"), unit__network=Network.OPINION
    )


def read_opposing(
    steps: QuerySet[OpinionRevision], wording_steps: Mapping[UUID, int]
) -> tuple[defaultdict[UUID, NewestRows], defaultdict[UUID, NewestRows]]:
    """Verdicts against the present text, and the one against the former text that brought the present one."""
    rows = steps.filter(cause__in=OPPOSING, withdrawn=False, evidence__isnull=False).annotate(
        wording_step=build_wording_step(wording_steps, "opinion_id")
    )
    joined = rows.select_related("evidence").defer("evidence__embedding", "evidence__second_embedding")
    against, deciding = joined.filter(number__gt=F("wording_step")), joined.filter(number=F("wording_step"))
    return take_newest(against, "opinion_id"), take_newest(deciding, "opinion_id")


def take_newest(rows: QuerySet[Any], owner: str) -> defaultdict[UUID, NewestRows]:
    placed = rows.annotate(
        place=Window(RowNumber(), partition_by=F(owner), order_by=F("id").desc()),
        total=Window(Count("*"), partition_by=F(owner)),
    )
    found: defaultdict[UUID, NewestRows] = defaultdict(NewestRows)
    for row in placed.filter(place__lte=MOST_EVIDENCE).order_by("place"):
        found[getattr(row, owner)] = NewestRows((*found[getattr(row, owner)].rows, row), row.total)
    return found


def support(source: UnitSource) -> ShownEvidence:
    return ShownEvidence("supports" if source.other_unit else "said", source.other_unit, source.message, source.chunk)


def oppose(step: OpinionRevision) -> ShownEvidence:
    return ShownEvidence(step.cause, step.evidence)
