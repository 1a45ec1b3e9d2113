"""The opinions of a bank as lists: which are held, which wait for a look, in the order of their last change."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal
from uuid import UUID

from django.db.models import Exists, OuterRef, Q, QuerySet, Subquery

from banks.errors import MemoryNotFound
from banks.models import Bank, MemoryUnit
from banks.models.unit import UnitQuerySet
from banks.words import Network
from memoryplatform.operations.memories.described_units import DescribedUnit, describe_units
from memoryplatform.operations.memories.memory_filter import MemoryFilter, find_units
from memoryplatform.operations.opinions.seen import OF_ALL, TagView
from reflection.models import OpinionRevision
from reflection.opinions.history.revisions import count_steps

Marked = Literal["", "new", "approved", "pinned", "retired", "all"]

MARKED = {"new": "", "approved": "approved", "pinned": "pinned", "retired": "retired"}


@dataclass(frozen=True)
class OpinionFilter:
    """Every condition must hold. Without `review` those that are held: all but the retired."""

    review: Marked = ""
    entity_id: UUID | None = None
    least_confidence: float = 0.0
    words: str = ""
    view: TagView = OF_ALL


@dataclass(frozen=True)
class ListedOpinion:
    """`revision` is the number of the newest, `changed_at` its time. `superseded_by` is only told to who sees that."""

    described: DescribedUnit
    revision: int
    changed_at: datetime
    superseded_by: UUID | None = None

    @property
    def version(self) -> str:
        """What a reviewer sends back: another one as soon as anything has happened to it."""
        return f"{self.described.unit.id.hex}-{self.revision}"


def find_opinions(bank: Bank, wanted: OpinionFilter) -> UnitQuerySet:
    """Call inside a tenant transaction."""
    is_past = wanted.review in {"retired", "all"}
    chosen = MemoryFilter(
        words=wanted.words,
        network=Network.OPINION,
        tags=wanted.view.tags,
        tags_match=wanted.view.tags_match,
        entity_id=wanted.entity_id,
        state="all" if is_past else "current",
    )
    units = find_units(bank, chosen).filter(confidence__gte=wanted.least_confidence)
    if is_past:
        begun = OpinionRevision.objects.of_bank(bank).filter(opinion=OuterRef("pk"))
        units = units.filter(Q(expired_at=None) | Exists(begun))  # what was refused never was an opinion
    if wanted.review in MARKED:
        units = units.filter(review=MARKED[wanted.review])
    return units.exclude(Exists(find_looks(bank))) if wanted.review == "new" else units


def find_looks(bank: Bank) -> QuerySet[OpinionRevision]:
    """Of people at the text that an opinion has now."""
    steps = OpinionRevision.objects.of_bank(bank).filter(cause__in=OpinionRevision.BY_PEOPLE)
    return steps.filter(opinion=OuterRef("pk"), text_after=OuterRef("text"))


def order_by_change(bank: Bank, units: UnitQuerySet) -> UnitQuerySet:
    """The last changed first: ids of revisions grow with time."""
    newest = OpinionRevision.objects.of_bank(bank).filter(opinion=OuterRef("pk")).order_by("-number")
    return units.annotate(changed=Subquery(newest.values("id")[:1])).order_by("-changed", "-id")


def list_opinions(bank: Bank, units: Sequence[MemoryUnit], view: TagView = OF_ALL) -> list[ListedOpinion]:
    """Call inside a tenant transaction. A fixed number of statements for a page."""
    ids = [unit.id for unit in units]
    numbers = count_steps(bank, ids)
    rows = OpinionRevision.objects.of_bank(bank).filter(opinion_id__in=ids).order_by("number")
    times = dict(rows.values_list("opinion_id", "created_at"))
    seen = view.find_seen(bank, {unit.superseded_by_id for unit in units if unit.superseded_by_id})
    return [
        ListedOpinion(
            one,
            numbers.get(one.unit.id, 0),
            times.get(one.unit.id, one.unit.recorded_at),
            one.unit.superseded_by_id if one.unit.superseded_by_id in seen else None,
        )
        for one in describe_units(bank, units)
    ]


def get_opinion(bank: Bank, opinion_id: UUID, view: TagView = OF_ALL) -> MemoryUnit:
    opinions = MemoryUnit.objects.of_bank(bank).filter(network=Network.OPINION)
    opinion = opinions.filter(id=opinion_id).first()
    if opinion is None or opinion_id not in view.find_seen(bank, [opinion_id]):
        raise MemoryNotFound(opinion_id)
    return opinion


def find_revisions(bank: Bank, opinion_id: UUID) -> QuerySet[OpinionRevision]:
    """The oldest first, each with its evidence. Call inside a tenant transaction."""
    get_opinion(bank, opinion_id)
    rows = OpinionRevision.objects.of_bank(bank).filter(opinion_id=opinion_id).select_related("evidence")
    return rows.defer("evidence__embedding").order_by("number")
