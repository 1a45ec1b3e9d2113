"""Counts of a bank: memories, links, work, documents, tags, and memories over time."""

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Case, Count, F, Max, When
from django.db.models.functions import Coalesce, TruncDay, TruncHour, TruncMinute

from banks.enums import Network
from banks.models import Bank, Document, Link, MemoryUnit, UnitTag
from banks.models.unit import UnitQuerySet
from memoryplatform.operations.models import Operation
from reflection.models import MentalModel, ObservedEntity

# Opinions are not counted as known: routes of their own show them.
KNOWN = (Network.EXPERIENCE.value, Network.OBSERVATION.value, Network.WORLD.value)
MEMORIES, MENTAL_MODELS = "memories", "mental_models"
STEPS = {
    "minute": (TruncMinute, timedelta(minutes=1)),
    "hour": (TruncHour, timedelta(hours=1)),
    "day": (TruncDay, timedelta(days=1)),
}
# period: (its step, how many of them)
PERIODS = {
    "1h": ("minute", 60),
    "12h": ("hour", 12),
    "1d": ("hour", 24),
    "7d": ("day", 7),
    "30d": ("day", 30),
    "90d": ("day", 90),
}
TIME_FIELDS = ("created_at", "mentioned_at", "occurred_start")


@dataclass(frozen=True)
class UnitCounts:
    """Counts of current units. Opinions are counted apart."""

    by_network: Mapping[str, int]
    newest: datetime | None
    newest_observation: datetime | None
    opinions: int

    @property
    def total(self) -> int:
        return sum(self.by_network.values())

    @property
    def observations(self) -> int:
        return self.by_network.get(Network.OBSERVATION.value, 0)


@dataclass(frozen=True)
class LinkCounts:
    """Stored links by the network of their source. Neighbours by entity and by time are derived, and not counted."""

    by_network_and_type: Mapping[str, Mapping[str, int]]

    @property
    def by_network(self) -> dict[str, int]:
        return {network: sum(found.values()) for network, found in self.by_network_and_type.items()}

    @property
    def by_type(self) -> dict[str, int]:
        counts: defaultdict[str, int] = defaultdict(int)
        for found in self.by_network_and_type.values():
            for link_type, count in found.items():
                counts[link_type] += count
        return dict(counts)

    @property
    def total(self) -> int:
        return sum(self.by_network.values())


@dataclass(frozen=True)
class WorkCounts:
    by_status: Mapping[str, int]
    stale_entities: int

    @property
    def pending(self) -> int:
        return sum(self.by_status.get(status, 0) for status in Operation.UNFINISHED)

    @property
    def failed(self) -> int:
        return self.by_status.get(Operation.Status.FAILED, 0)


@dataclass(frozen=True)
class BankStats:
    bank_id: str
    units: UnitCounts
    links: LinkCounts
    work: WorkCounts
    documents: int


def count_bank(bank: Bank) -> BankStats:
    """Call inside a tenant transaction."""
    documents = Document.objects.of_bank(bank).count()
    return BankStats(bank.bank_id, count_units(bank), count_links(bank), count_work(bank), documents)


def find_known_units(bank: Bank) -> UnitQuerySet:
    return MemoryUnit.objects.of_bank(bank).current().filter(network__in=KNOWN)


def count_units(bank: Bank) -> UnitCounts:
    rows = find_known_units(bank).order_by().values("network").annotate(count=Count("*"), newest=Max("recorded_at"))
    counts, newest = {}, {}
    for row in rows:
        counts[row["network"]], newest[row["network"]] = row["count"], row["newest"]
    opinions = MemoryUnit.objects.of_bank(bank).current().filter(network=Network.OPINION)
    last = max(newest.values(), default=None)
    return UnitCounts(counts, last, newest.get(Network.OBSERVATION.value), opinions.count())


@dataclass(frozen=True)
class Growth:
    """Current memories of a network, and those of them that each of the last days brought."""

    network: str
    total: int
    days: tuple[int, ...]

    @property
    def new(self) -> int:
        return sum(self.days)


def count_growth(bank: Bank, *, now: datetime, days: int) -> list[Growth]:
    """All four networks, in one pass over the bank. Call inside a tenant transaction."""
    since = cut_down(now, "day") - timedelta(days=days - 1)
    bucket = Case(When(recorded_at__gte=since, then=TruncDay("recorded_at")))
    units = MemoryUnit.objects.of_bank(bank).current().order_by().annotate(bucket=bucket)
    rows = units.values_list("network", "bucket").annotate(count=Count("*"))
    counts = {(network, day and day.date()): count for network, day, count in rows}
    last_days = [(since + timedelta(days=place)).date() for place in range(days)]
    return [
        Growth(
            network,
            sum(count for (name, _), count in counts.items() if name == network),
            tuple(counts.get((network, day), 0) for day in last_days),
        )
        for network in Network.values
    ]


def count_links(bank: Bank) -> LinkCounts:
    rows = Link.objects.for_tenant(bank.tenant_id).filter(source__bank=bank, source__network__in=KNOWN)
    counts: defaultdict[str, dict[str, int]] = defaultdict(dict)
    for network, link_type, count in rows.order_by().values_list("source__network", "type").annotate(count=Count("*")):
        counts[network][link_type] = count
    return LinkCounts(dict(counts))


def count_work(bank: Bank) -> WorkCounts:
    operations = Operation.objects.for_tenant(bank.tenant_id).filter(bank=bank).order_by()
    by_status = dict(operations.values_list("status").annotate(count=Count("*")))
    return WorkCounts(by_status, ObservedEntity.objects.of_bank(bank).stale().count())


def count_by_time(bank: Bank, *, now: datetime, period: str, time_field: str) -> list[dict[str, Any]]:
    """Every step of the period, including empty ones, with its start as `time` and the count of each network.

    Call inside a tenant transaction.
    """
    name, steps = PERIODS[period]
    cut, step = STEPS[name]
    last = cut_down(now, name)
    times = [last - step * back for back in reversed(range(steps))]
    moment = F("recorded_at") if time_field == "created_at" else Coalesce(time_field, "recorded_at")
    units = find_known_units(bank).annotate(moment=moment).filter(moment__gte=times[0], moment__lt=last + step)
    rows = units.order_by().annotate(bucket=cut("moment")).values_list("bucket", "network").annotate(count=Count("*"))
    counts = {(bucket, network): count for bucket, network, count in rows}
    return [{"time": time} | {network: counts.get((time, network), 0) for network in KNOWN} for time in times]


def cut_down(moment: datetime, step: str) -> datetime:
    rest = {"minute": {}, "hour": {"minute": 0}, "day": {"minute": 0, "hour": 0}}[step]
    return moment.replace(second=0, microsecond=0, **rest)  # type: ignore[arg-type]  # each of them is an int


@dataclass(frozen=True)
class TagCount:
    tag: str
    count: int


def find_tags(bank: Bank, *, source: str, pattern: str) -> list[TagCount]:
    """Tags of current memories or of mental models, the most used first. `*` in the pattern matches anything.

    Call inside a tenant transaction.
    """
    found = count_tags(bank) if source == MEMORIES else count_model_tags(bank)
    return [one for one in found if not pattern or matches_pattern(one.tag.casefold(), pattern.casefold())]


def count_tags(bank: Bank) -> list[TagCount]:
    rows = UnitTag.objects.for_tenant(bank.tenant_id).filter(
        bank_id=bank.id, unit__expired_at=None, unit__network__in=KNOWN
    )
    counted = rows.order_by().values_list("tag").annotate(count=Count("*")).order_by("-count", "tag")
    return [TagCount(*row) for row in counted]


def count_model_tags(bank: Bank) -> list[TagCount]:
    counted = Counter(tag for model in MentalModel.objects.of_bank(bank).only("tags") for tag in model.tags)
    return [TagCount(tag, count) for tag, count in sorted(counted.items(), key=lambda one: (-one[1], one[0]))]


def matches_pattern(text: str, pattern: str) -> bool:
    """Matches part by part from the left. A regular expression with many stars could take exponential time."""
    first, *middle = pattern.split("*")
    if not middle:
        return text == pattern
    last = middle.pop()
    if not (text.startswith(first) and text.endswith(last) and len(text) >= len(first) + len(last)):
        return False
    rest = text[len(first) : len(text) - len(last)]
    for part in filter(None, middle):
        _, found, rest = rest.partition(part)
        if not found:
            return False
    return True
