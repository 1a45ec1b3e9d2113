"""Figures of a tenant's overview: its banks, its recalls, its work, and the first memory that a program stored.

Call each function inside a tenant transaction.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from statistics import quantiles
from typing import Any
from uuid import UUID

from django.core.cache import cache
from django.db.models import Count, OuterRef, Subquery
from django.db.models.functions import Coalesce, Greatest, TruncDay
from django.utils import timezone

from banks.models import Bank, Corpus, CorpusStatistics, MemoryUnit
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.banks.profile import find_banks
from memoryplatform.operations.models import Operation
from memoryplatform.operations.running.kind_names import RETAIN
from retrieval.models import RecallRecord
from tenants.models import UsageRecord
from tenants.usage import list_usage

GROWTH_DAYS = 30
RECALL_DAYS = 14
MOST_LATENCIES = 2_000
MANY_MEMORIES, SECONDS_KEPT = 10_000, 60  # the growth of so many memories is read once in so many seconds
PERCENT = 100


@dataclass(frozen=True)
class BankSummary:
    """`growth` has a count for each of the last 30 days: memories by the day on which they were said."""

    bank: Bank
    memories: int
    growth: tuple[int, ...]
    active_at: datetime


@dataclass(frozen=True)
class RecallDay:
    """`slow` is the 95th percentile of the recalls of the day, in milliseconds. None: none is in the log."""

    day: date
    recalls: int
    slow: float | None


@dataclass(frozen=True)
class RecallFigures:
    """`usual` and `slow` are the median and the 95th percentile of the newest 2,000 recalls, in milliseconds."""

    days: tuple[RecallDay, ...]
    usual: float | None
    slow: float | None

    @property
    def total(self) -> int:
        return sum(one.recalls for one in self.days)


def list_bank_summaries(access: BankAccess, *, words: str = "", limit: int) -> list[BankSummary]:
    """The banks that were used last. The sizes are those of the text index, so no memory is counted."""
    tenant_id = access.tenant_id
    sizes = CorpusStatistics.objects.for_tenant(tenant_id).filter(bank=OuterRef("pk"), corpus=Corpus.UNIT)
    units = MemoryUnit.objects.for_tenant(tenant_id).filter(bank=OuterRef("pk"), number__isnull=False)
    recalls = RecallRecord.objects.for_tenant(tenant_id).filter(bank=OuterRef("pk"))
    rows = find_banks(access, words=words).annotate(
        size=Coalesce(Subquery(sizes.values("texts")[:1]), 0),
        active_at=Greatest(
            "created_at",
            Subquery(units.order_by("-number").values("recorded_at")[:1]),
            Subquery(recalls.order_by("-id").values("recalled_at")[:1]),
        ),
    )
    banks: list[Any] = list(rows.order_by("-active_at", "-id")[:limit])  # with both annotations
    growth = read_growth(tenant_id, banks, size=sum(bank.size for bank in banks))
    return [BankSummary(bank, bank.size, growth[bank.id], bank.active_at) for bank in banks]


def read_growth(tenant_id: UUID, banks: Sequence[Bank], *, size: int) -> dict[UUID, tuple[int, ...]]:
    if size < MANY_MEMORIES:
        return count_growth(tenant_id, banks)
    key = f"growth:{tenant_id}:{hash(tuple(bank.id for bank in banks))}"
    return cache.get_or_set(key, lambda: count_growth(tenant_id, banks), SECONDS_KEPT) or {}


def count_growth(tenant_id: UUID, banks: Sequence[Bank]) -> dict[UUID, tuple[int, ...]]:
    days = list_days(GROWTH_DAYS)
    rows = MemoryUnit.objects.for_tenant(tenant_id).filter(
        bank__in=[bank.id for bank in banks], mentioned_at__gte=datetime.combine(days[0], time.min, UTC)
    )
    counted = rows.order_by().annotate(day=TruncDay("mentioned_at", tzinfo=UTC)).values_list("bank_id", "day")
    counts = {(bank_id, day.date()): count for bank_id, day, count in counted.annotate(count=Count("*"))}
    return {bank.id: tuple(counts.get((bank.id, day), 0) for day in days) for bank in banks}


def measure_recalls(tenant_id: UUID) -> RecallFigures:
    """The volume is that of the usage ledger. The times are those of the recall log."""
    days = list_days(RECALL_DAYS)
    usage = list_usage(tenant_id, since=days[0], until=days[-1], group_by=("day", "kind"))
    volume = {day: one.requests for one in usage for day, kind in [one.group] if kind == UsageRecord.Kind.RECALL}
    logged = RecallRecord.objects.for_tenant(tenant_id).filter(
        recalled_at__gte=datetime.combine(days[0], time.min, UTC), purpose=RecallRecord.Purpose.RECALL
    )
    times: defaultdict[date, list[float]] = defaultdict(list)
    for moment, milliseconds in logged.order_by("-recalled_at").values_list("recalled_at", "milliseconds__total")[
        :MOST_LATENCIES
    ]:
        times[moment.astimezone(UTC).date()].append(float(milliseconds or 0))
    every = [one for found in times.values() for one in found]
    return RecallFigures(
        tuple(RecallDay(day, volume.get(str(day), 0), find_percentile(times[day], 95)) for day in days),
        find_percentile(every, 50),
        find_percentile(every, 95),
    )


def find_percentile(values: Sequence[float], percent: int) -> float | None:
    if len(values) < 2:  # noqa: PLR2004  # quantiles needs two
        return values[0] if values else None
    return quantiles(values, n=PERCENT, method="inclusive")[percent - 1]


def list_days(count: int) -> list[date]:
    """The last days in UTC, today included."""
    today = timezone.now().astimezone(UTC).date()
    return [today - timedelta(days=back) for back in reversed(range(count))]


def find_first_memory(access: BankAccess) -> MemoryUnit | None:
    """A memory that a program stored with a key or as a connected app. None: no program has retained anything."""
    retained = Operation.objects.for_tenant(access.tenant_id).filter(
        kind=RETAIN, status=Operation.Status.COMPLETED, bank__deleted_at=None
    )
    operation = retained.exclude(api_key_prefix="").order_by("-id").first()
    if operation is None or operation.bank_id is None:
        return None
    units = MemoryUnit.objects.for_tenant(access.tenant_id).filter(bank_id=operation.bank_id, number__isnull=False)
    return units.select_related("bank").order_by("-number").first()
