"""Queues of opinions: the held ones, those that need a review, and the retired ones, with the last steps of each."""

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.core.cache import cache
from django.db.models import F, OuterRef, Q, Subquery, Window
from django.db.models.functions import Coalesce, RowNumber

from banks.enums import Network
from banks.models import Bank, MemoryUnit
from banks.models.bank import VECTOR_COLUMNS
from memoryplatform.operations.memories.memory_filter import MemoryFilter, find_units
from reflection.models import Opinion, OpinionRevision
from reflection.models.opinions import NOTHING, URGENCY, Concern, OpinionQuerySet
from reflection.opinions.history import FORMATION

HELD, NEEDS_REVIEW, RETIRED = "held", "needs_review", "retired"
QUEUES = {
    HELD: "Held",
    NEEDS_REVIEW: "Needs review",
    Concern.CONTRADICTED.value: "Contradicted",
    Concern.CHANGED.value: "Changed since review",
    Concern.NEW.value: "New",
    RETIRED: "Retired",
}
UNREVIEWED = "none"
KEPT_SECONDS = 20
RECENT_STEPS = 40  # of one opinion in a list


@dataclass(frozen=True)
class QueueFilter:
    """All conditions must hold. `review` is a mark, or `none` for opinions without one."""

    queue: str = HELD
    review: str = ""
    entity_id: UUID | None = None
    words: str = ""

    @property
    def is_by_urgency(self) -> bool:
        return self.queue not in {HELD, RETIRED}


@dataclass(frozen=True)
class Place:
    """The end of a page of a queue: the last opinion's newest revision, and its urgency in a queue by urgency."""

    changed: UUID
    urgency: float = NOTHING


def find_concern(urgency: float) -> Concern | None:
    """The gravest reason for a review."""
    return next((concern for concern, least in URGENCY.items() if urgency >= least), None)


def find_queue(bank: Bank, wanted: QueueFilter) -> OpinionQuerySet:
    """The most urgent first, then the last changed: ids of revisions grow with time.

    Call inside a tenant transaction.
    """
    chosen = MemoryFilter(
        words=wanted.words,
        is_typed=True,
        network=Network.OPINION,
        entity_id=wanted.entity_id,
        state="all" if wanted.queue == RETIRED else "current",
    )
    rows: OpinionQuerySet = Opinion.objects.of_bank(bank).filter(id__in=find_units(bank, chosen).values("id"))
    if wanted.queue == RETIRED:
        rows = find_retired(bank, rows)
    if wanted.review:
        rows = rows.filter(review="" if wanted.review == UNREVIEWED else wanted.review)
    rows = rows.with_urgency()
    if wanted.queue == NEEDS_REVIEW:
        rows = rows.needing_review()
    elif wanted.is_by_urgency:
        rows = rows.concerning(Concern(wanted.queue))
    newest = OpinionRevision.objects.of_bank(bank).filter(opinion=OuterRef("pk")).order_by("-number")
    rows = rows.annotate(changed=Coalesce(Subquery(newest.values("id")[:1]), F("id")))
    return rows.order_by(*(["-urgency"] if wanted.is_by_urgency else []), "-changed")


def find_retired(bank: Bank, rows: OpinionQuerySet) -> OpinionQuerySet:
    """By the revisions: they are few, and the closed memories of a bank may be very many."""
    steps = OpinionRevision.objects.of_bank(bank).filter(cause=OpinionRevision.Cause.RETIRED)
    found: OpinionQuerySet = rows.filter(review=MemoryUnit.Review.RETIRED, id__in=steps.values("opinion_id"))
    return found


def cut_page(rows: OpinionQuerySet, after: Place | None, *, by_urgency: bool, size: int) -> list[MemoryUnit]:
    """The opinions after the place: one more than `size` where there is another page."""
    if after and by_urgency:
        rows = rows.filter(Q(urgency__lt=after.urgency) | Q(urgency=after.urgency, changed__lt=after.changed))
    elif after:
        rows = rows.filter(changed__lt=after.changed)
    return list(rows.defer(*VECTOR_COLUMNS)[: size + 1])


def count_queues(bank: Bank) -> dict[str, int]:
    """Of the whole bank, some seconds old at most. Call inside a tenant transaction."""
    found: dict[str, int] | None = cache.get(name_counts(bank))
    if found is None:
        rows: OpinionQuerySet = Opinion.objects.of_bank(bank)
        urgencies = list(rows.current().with_urgency().values_list("urgency", flat=True))
        concerns = [concern for one in urgencies if (concern := find_concern(one))]
        found = {name: concerns.count(Concern(name)) for name in URGENCY} | {
            HELD: len(urgencies),
            NEEDS_REVIEW: len(concerns),
            RETIRED: find_retired(bank, rows).count(),
        }
        cache.set(name_counts(bank), found, KEPT_SECONDS)
    return found


def forget_counts(bank: Bank) -> None:
    cache.delete(name_counts(bank))


def name_counts(bank: Bank) -> str:
    return f"opinion-queues:{bank.id}"


def read_recent_steps(bank: Bank, ids: Collection[UUID]) -> defaultdict[UUID, list[OpinionRevision]]:
    """The last steps of each opinion and its formation, the oldest first, without texts. One statement."""
    last = Window(RowNumber(), partition_by=F("opinion"), order_by=F("number").desc())
    rows = OpinionRevision.objects.of_bank(bank).filter(opinion_id__in=ids).annotate(place=last)
    rows = rows.filter(Q(place__lte=RECENT_STEPS) | Q(number=FORMATION)).defer("text_before", "text_after")
    found: defaultdict[UUID, list[OpinionRevision]] = defaultdict(list)
    for row in rows.order_by("number"):
        found[row.opinion_id].append(row)
    return found


def read_evidence_texts(bank: Bank, steps: Sequence[OpinionRevision]) -> dict[UUID, str]:
    """By fact."""
    ids = {step.evidence_id for step in steps if step.evidence_id}
    return MemoryUnit.objects.of_bank(bank).filter(id__in=ids).read_rendered_texts()
