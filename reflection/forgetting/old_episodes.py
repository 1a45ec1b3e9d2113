"""Old episodes in short: one summary for a month of a thread under the same tags, which names what it sums up."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import islice
from uuid import UUID

from django.db.models import Count, Max, QuerySet
from django.db.models.functions import TruncMonth

from banks.models import Bank, Episode, UnitSource
from banks.retain.prepared import PreparedFact
from banks.retain.storing.units import store_units
from banks.retain.types import ExtractedFact
from banks.words import Network
from providers.embedding.vector import Vector
from reflection.forgetting.episode_tags import read_episode_tags
from reflection.opinions.tagging import UNTAGGED, Tags

OLD = timedelta(days=60)
LEAST_EPISODES = 3
MOST_EPISODES = 60  # of one summary: the rest of a busy month gets another
MOST_LOOKED_AT = 1_000  # of one thread and month
MOST_SUMMARIES = 20  # of one night


@dataclass(frozen=True)
class Month:
    """Episodes of one thread and month, under the same tags, that no summary names yet, in their order."""

    thread: str
    month: datetime
    episodes: tuple[Episode, ...]
    tags: Tags = UNTAGGED

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
        .order_by("month", "thread")
    )
    months = (one for group in groups for one in build_months(bank, open_ones, group["thread"], group["month"]))
    return list(islice(months, MOST_SUMMARIES))


def build_months(bank: Bank, open_ones: QuerySet[Episode], thread: str, month: datetime) -> Iterator[Month]:
    """By their tags; few episodes of a busy month may be under some of them, and wait."""
    rows = open_ones.filter(thread=thread, started_at__gte=month, started_at__lt=next_month(month))
    episodes = list(rows.defer("embedding", "centroid").order_by("started_at", "id")[:MOST_LOOKED_AT])
    tags = read_episode_tags(bank, [episode.id for episode in episodes])
    by_tags: dict[Tags, list[Episode]] = {}
    for episode in episodes:
        if episode.id in tags:
            by_tags.setdefault(tags[episode.id], []).append(episode)
    for common, group in by_tags.items():
        if len(group) >= LEAST_EPISODES:
            yield Month(thread, month, tuple(group[:MOST_EPISODES]), common)


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
    (unit,) = store_units(bank, [PreparedFact(fact, vector, (), tags=tuple(sorted(month.tags)))], now=now)
    UnitSource.objects.for_tenant(bank.tenant_id).bulk_create(
        [UnitSource(unit_id=unit.id, role=UnitSource.Role.SUMMARISES, episode_id=one) for one in month.episode_ids]
    )
    return unit.id


def is_as_told(bank: Bank, month: Month) -> bool:
    """Whether every episode is there, with the words and tags that it had, and no other run has told of it
    meanwhile.
    """
    if read_episode_tags(bank, month.episode_ids) != dict.fromkeys(month.episode_ids, month.tags):
        return False
    rows = Episode.objects.for_tenant(bank.tenant_id).filter(id__in=month.episode_ids)
    told = {episode.id: episode.narrative for episode in month.episodes}
    return dict(rows.exclude(id__in=find_named(bank)).values_list("id", "narrative")) == told


def find_named(bank: Bank) -> QuerySet[UnitSource, UUID | None]:
    """Episodes that a summary names."""
    named = UnitSource.objects.for_tenant(bank.tenant_id).filter(episode__isnull=False, role="summarises")
    return named.values_list("episode_id", flat=True)
