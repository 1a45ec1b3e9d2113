"""Old episodes in short: one summary for a month of a thread, which names the episodes that it sums up."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from uuid import UUID

from django.db.models import Count, Max, QuerySet
from django.db.models.functions import TruncMonth

from banks.models import Bank, Episode, UnitSource
from banks.retain.prepared import PreparedFact
from banks.retain.store_units import store_units
from banks.retain.types import ExtractedFact, Network
from providers.embedding.vector import Vector

OLD = timedelta(days=60)
LEAST_EPISODES = 3
MOST_EPISODES = 60  # of one summary: the rest of a busy month gets another
MOST_SUMMARIES = 20  # of one night


@dataclass(frozen=True)
class Month:
    """Episodes of one thread and month that no summary names yet, in their order."""

    thread: str
    month: datetime
    episodes: tuple[Episode, ...]

    @property
    def episode_ids(self) -> tuple[UUID, ...]:
        return tuple(episode.id for episode in self.episodes)


def find_months(bank: Bank, *, now: datetime) -> list[Month]:
    """Call inside a tenant transaction."""
    episodes = Episode.objects.of_bank(bank).exclude(narrative="")
    open_ones = episodes.exclude(id__in=find_named(bank))
    groups = (
        open_ones.annotate(month=TruncMonth("started_at", tzinfo=UTC))
        .values("thread", "month")
        .annotate(count=Count("id"), last=Max("ended_at"))
        .filter(count__gte=LEAST_EPISODES, last__lt=now - OLD)
        .order_by("month", "thread")[:MOST_SUMMARIES]
    )
    return [build_month(open_ones, group["thread"], group["month"]) for group in groups]


def build_month(open_ones: QuerySet[Episode], thread: str, month: datetime) -> Month:
    rows = open_ones.filter(thread=thread, started_at__gte=month, started_at__lt=next_month(month))
    return Month(thread, month, tuple(rows.defer("embedding", "centroid").order_by("started_at", "id")[:MOST_EPISODES]))


def next_month(month: datetime) -> datetime:
    return (month + timedelta(days=32)).replace(day=1)


def store_summary(bank: Bank, month: Month, text: str, vector: Vector, *, now: datetime) -> UUID | None:
    """None where its episodes are no longer what was summed up, or are summed up already: another night sees to that.

    Call inside a tenant transaction, after `lock_memory`.
    """
    if not is_as_told(bank, month):
        return None
    fact = ExtractedFact(
        text,
        Network.OBSERVATION,
        month.episodes[-1].ended_at,
        occurred_start=month.episodes[0].started_at,
        occurred_end=month.episodes[-1].ended_at,
    )
    (unit,) = store_units(bank, [PreparedFact(fact, vector, ())], now=now)
    UnitSource.objects.for_tenant(bank.tenant_id).bulk_create(
        [UnitSource(unit_id=unit.id, role=UnitSource.Role.SUMMARISES, episode_id=one) for one in month.episode_ids]
    )
    return unit.id


def is_as_told(bank: Bank, month: Month) -> bool:
    """Whether every episode is there, with the words that it had, and no other run has told of it meanwhile."""
    rows = Episode.objects.for_tenant(bank.tenant_id).filter(id__in=month.episode_ids)
    told = {episode.id: episode.narrative for episode in month.episodes}
    return dict(rows.exclude(id__in=find_named(bank)).values_list("id", "narrative")) == told


def find_named(bank: Bank) -> QuerySet[UnitSource, UUID | None]:
    """Episodes that a summary names."""
    named = UnitSource.objects.for_tenant(bank.tenant_id).filter(episode__isnull=False, role="summarises")
    return named.values_list("episode_id", flat=True)
