"""Memories over time: when they happened, how long they were true, and when the bank learned them."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Any
from uuid import UUID

from django.core.cache import cache
from django.db.models import Count, DateTimeField, DurationField, F, Func, Max, Min, Q, Value
from django.db.models.functions import Left

from banks.enums import Kind
from banks.former_values import read_former_values
from banks.models import Bank, MemoryUnit, Mention
from banks.models.unit import HAPPENED_AT, UnitQuerySet
from banks.rendering import render_text
from memoryplatform.operations.memories.memory_filter import MemoryFilter, find_units, select_true_at

MOST_ITEMS = 500  # a window with more memories is shown as counts by step
MOST_EARLIER = 60  # states that began before the window
LOOKED_BACK = 1_000  # memories before the window among which they are found
LONGEST_TEXT = 240
SECONDS_KEPT = 60  # of counts: a window of 100,000 memories takes a scan of all of them
BUCKETS = 80
ORIGIN = datetime(2001, 1, 1, tzinfo=UTC)  # a Monday
MINUTE, DAY = timedelta(minutes=1), timedelta(days=1)
STEPS = (
    MINUTE, 5 * MINUTE, 15 * MINUTE, 60 * MINUTE, 180 * MINUTE, 360 * MINUTE, 720 * MINUTE,
    DAY, 2 * DAY, 7 * DAY, 28 * DAY, 91 * DAY, 365 * DAY, 1825 * DAY,
)  # fmt: skip
MOMENTS = ("occurred_start", "occurred_end", "mentioned_at", "valid_from", "valid_until")
COLUMNS = (
    "id", "network", "kind", "speaker", "occurred_start", "occurred_end", "mentioned_at",
    "valid_from", "valid_until", "recorded_at", "expired_at", "close_reason", "happened_at", "start_of_text",
)  # fmt: skip


@dataclass(frozen=True)
class TimelineFilter:
    """The window is [start, end). Without `as_of` the whole history is shown, with closed memories if `with_closed`."""

    start: datetime
    end: datetime
    as_of: datetime | None = None
    known_at: datetime | None = None
    networks: tuple[str, ...] = ()
    entity_id: UUID | None = None
    with_closed: bool = True


@dataclass(frozen=True)
class TimelineItem:
    """`since` and `until` are the bar of a state. An event has none.

    The bar of a state without a known start begins when it was said. An end that was not known at `known_at` is open.
    """

    id: UUID
    text: str
    network: str
    happened_at: datetime
    happened_until: datetime | None
    said_at: datetime
    learned_at: datetime
    since: datetime | None
    until: datetime | None
    close_reason: str
    closed_at: datetime | None
    true_from: datetime | None
    began_at: datetime | None  # true_from, else the start of the event
    entity_ids: tuple[UUID, ...] = ()

    @property
    def is_over(self) -> bool:
        return bool(self.close_reason)


@dataclass(frozen=True)
class Bucket:
    start: datetime
    end: datetime
    counts: dict[str, int]

    @property
    def total(self) -> int:
        return sum(self.counts.values())


@dataclass(frozen=True)
class Timeline:
    """Either items or buckets. `hidden` are items of the window that were not true or not known then."""

    items: list[TimelineItem] = field(default_factory=list)
    hidden: list[TimelineItem] = field(default_factory=list)
    buckets: list[Bucket] = field(default_factory=list)
    entities: dict[UUID, str] = field(default_factory=dict)


class State(StrEnum):
    """The answer for one memory at the time of the sliders."""

    UNKNOWN = "unknown"  # not known yet
    NEVER = "never"  # corrected
    EARLY = "early"  # not true yet
    OVER = "over"  # no longer true
    CLOSED = "closed"  # no longer held, without an end in the world
    ASSUMED = "assumed"  # said later; no start is known
    HELD = "held"


@dataclass(frozen=True)
class Pinned:
    """A memory that stays in sight. `at` is the time that the state is about, `turned_at` the time that explains it."""

    item: TimelineItem
    is_hidden: bool
    state: State
    at: datetime
    turned_at: datetime | None
    day_before: datetime | None  # of learning it; None where it is not known yet
    is_learned_later: bool = False  # `as_of` shows it although it was learned later


class DateBin(Func):
    function = "date_bin"
    output_field = DateTimeField()


def find_extent(bank: Bank, entity_id: UUID | None = None) -> tuple[datetime, datetime] | None:
    """From the first to the last memory, of the entity if one is given. Call inside a tenant transaction.

    The times at which things were said count, and events not too far before and after them: a year of birth would
    otherwise leave the rest of the history in a corner.
    """
    units = find_units(bank, MemoryFilter(state="all", entity_id=entity_id)).annotate(happened_at=HAPPENED_AT)
    said = units.order_by("mentioned_at").values_list("mentioned_at", flat=True)
    first, last = said.first(), said.last()
    if first is None or last is None:
        return None
    around = max(last - first, 7 * DAY)
    happened = units.order_by("happened_at").values_list("happened_at", flat=True)
    earliest = happened.filter(happened_at__gte=first - around).first() or first
    latest = happened.filter(happened_at__lte=last + around).last() or last
    return min(first, earliest), max(last, latest)


def find_recorded_extent(bank: Bank, entity_id: UUID | None = None) -> tuple[datetime, datetime] | None:
    """From the first to the last time at which something was recorded. Call inside a tenant transaction."""

    def find() -> tuple[datetime, datetime] | None:
        units = find_units(bank, MemoryFilter(state="all", entity_id=entity_id)).order_by()
        found = units.aggregate(first=Min("recorded_at"), last=Max("recorded_at"))
        return (found["first"], found["last"]) if found["first"] else None

    return cache.get_or_set(f"recorded:{bank.tenant_id}:{bank.id}:{entity_id}", find, SECONDS_KEPT)


def read_timeline(bank: Bank, wanted: TimelineFilter) -> Timeline:
    """Call inside a tenant transaction."""
    every = find_units(bank, MemoryFilter(state="all", entity_id=wanted.entity_id)).alias(happened_at=HAPPENED_AT)
    if wanted.networks:
        every = every.filter(network__in=wanted.networks)
    within = every.filter(happened_at__gte=wanted.start, happened_at__lt=wanted.end)
    rows = list(read_columns(within).order_by("happened_at", "id")[: MOST_ITEMS + 1])
    if len(rows) > MOST_ITEMS:
        key = f"timeline:{bank.tenant_id}:{bank.id}:{hashlib.sha256(repr(wanted).encode()).hexdigest()}"
        counted = cache.get_or_set(key, lambda: count_buckets(select_held(within, wanted), wanted), SECONDS_KEPT)
        return Timeline(buckets=counted or [])
    rows = [*find_earlier(every, wanted), *rows]
    found = MemoryUnit.objects.of_bank(bank).filter(id__in=[row["id"] for row in rows])
    held = set(select_held(found, wanted).values_list("id", flat=True))
    mentions, names = read_mentions(bank, held)
    former = read_former_values(bank.tenant_id, held, wanted.known_at) if wanted.known_at else {}
    items = [build_item(row, wanted.known_at, mentions.get(row["id"], ()), former.get(row["id"], {})) for row in rows]
    return Timeline(
        [one for one in items if one.id in held], [one for one in items if one.id not in held], entities=names
    )


def find_row(bank: Bank, unit_id: UUID) -> dict[str, Any] | None:
    """The columns of one memory. Call inside a tenant transaction, as the next."""
    found: dict[str, Any] | None = read_columns(MemoryUnit.objects.of_bank(bank).filter(id=unit_id)).first()
    return found


def pin(bank: Bank, row: dict[str, Any], wanted: TimelineFilter, now: datetime) -> Pinned:
    """Filters by network and entity do not hide it; the sliders and `with_closed` do."""
    former = read_former_values(bank.tenant_id, [row["id"]], wanted.known_at) if wanted.known_at else {}
    item = build_item(row, wanted.known_at, (), former.get(row["id"], {}))
    unit = MemoryUnit.objects.of_bank(bank).filter(id=item.id)
    at = wanted.as_of or wanted.known_at or now
    state, turned_at = judge(item, wanted, at)
    is_hidden = not select_held(unit, wanted).exists()
    is_learned_later = wanted.as_of is not None and item.learned_at > wanted.as_of and not is_hidden
    day_before = None if state == State.UNKNOWN else item.learned_at - DAY
    return Pinned(item, is_hidden, state, at, turned_at, day_before, is_learned_later)


def judge(item: TimelineItem, wanted: TimelineFilter, at: datetime) -> tuple[State, datetime | None]:
    """The same rules as `select_held`, with the reason: the first that holds."""
    known_at, began, until = wanted.known_at or item.learned_at, item.began_at, item.until
    reasons = (
        (item.learned_at > known_at, State.UNKNOWN, item.said_at if item.said_at > known_at else item.learned_at),
        (item.close_reason == MemoryUnit.CloseReason.CORRECTION, State.NEVER, item.closed_at),
        (began is not None and began > at, State.EARLY, began),
        (until is not None and until <= at, State.OVER, until),
        (item.is_over and wanted.as_of is None, State.CLOSED, item.closed_at),
        (began is None and item.said_at > at, State.ASSUMED, item.said_at),
    )
    return next(((state, moment) for holds, state, moment in reasons if holds), (State.HELD, began))


def select_held(units: UnitQuerySet, wanted: TimelineFilter) -> UnitQuerySet:
    """Units that were true at `as_of`, as known at `known_at`. An event was not true before it happened."""
    if wanted.as_of is not None:
        true = select_true_at(units, wanted.as_of, known_at=wanted.known_at)
        return true.exclude(valid_from=None, occurred_start__gt=wanted.as_of)
    if wanted.known_at is not None:
        return units.filter(recorded_at__lte=wanted.known_at) if wanted.with_closed else units.known_at(wanted.known_at)
    return units if wanted.with_closed else units.current()


def read_columns(units: UnitQuerySet) -> Any:
    """Texts may be long, so only their starts are read."""
    return units.annotate(start_of_text=Left("text", LONGEST_TEXT), happened_at=HAPPENED_AT).values(*COLUMNS)


def find_earlier(units: UnitQuerySet, wanted: TimelineFilter) -> list[dict[str, Any]]:
    """States that began before the window and reach into it. Only the nearest memories are looked at."""
    before = units.alias(happened_at=HAPPENED_AT).filter(happened_at__lt=wanted.start)
    nearest = before.order_by("-happened_at", "-id").values("id")[:LOOKED_BACK]
    reaching = Q(valid_until__gt=wanted.start) | Q(valid_until=None, valid_from__isnull=False)
    rows = units.filter(reaching, id__in=nearest, kind=Kind.CONVERSATION)
    return list(read_columns(rows).order_by("-happened_at", "-id")[:MOST_EARLIER])[::-1]


def read_mentions(bank: Bank, ids: Iterable[UUID]) -> tuple[dict[UUID, tuple[UUID, ...]], dict[UUID, str]]:
    rows = Mention.objects.for_tenant(bank.tenant_id).filter(unit_id__in=ids).order_by("id")
    mentions: dict[UUID, tuple[UUID, ...]] = {}
    names: dict[UUID, str] = {}
    for unit_id, entity_id, name in rows.values_list("unit_id", "entity_id", "entity__name"):
        mentions[unit_id] = (*mentions.get(unit_id, ()), entity_id)
        names[entity_id] = name
    return mentions, names


def build_item(
    row: dict[str, Any], known_at: datetime | None, entity_ids: tuple[UUID, ...], former: dict[str, Any]
) -> TimelineItem:
    """`former` are the values at `known_at` of what has changed since: a wording, or an end that was not known."""
    was_closed = known_at is None or row["expired_at"] is None or row["expired_at"] <= known_at
    row = row | restore(former)
    until = row["valid_until"] if was_closed or "valid_until" in former else None
    is_state = row["kind"] == Kind.CONVERSATION
    return TimelineItem(
        id=row["id"],
        text=render_text(row["speaker"], row["start_of_text"]),
        network=row["network"],
        happened_at=row["happened_at"],
        happened_until=row["occurred_end"],
        said_at=row["mentioned_at"],
        learned_at=row["recorded_at"],
        since=(row["valid_from"] or row["happened_at"]) if is_state else None,
        until=until,
        close_reason=row["close_reason"] if was_closed else "",
        closed_at=row["expired_at"] if was_closed else None,
        true_from=row["valid_from"],
        began_at=row["valid_from"] or row["occurred_start"],
        entity_ids=entity_ids,
    )


def restore(former: dict[str, Any]) -> dict[str, Any]:
    """The columns of a row that differ, as the row has them."""
    found = {name: read_moment(former[name]) for name in MOMENTS if name in former}
    found |= {"speaker": former["speaker"]} if "speaker" in former else {}
    return found | ({"start_of_text": former["text"][:LONGEST_TEXT]} if "text" in former else {})


def read_moment(written: str | None) -> datetime | None:
    return datetime.fromisoformat(written) if written else None


def choose_step(length: timedelta) -> timedelta:
    return next((step for step in STEPS if length / step <= BUCKETS), STEPS[-1])


def count_buckets(units: UnitQuerySet, wanted: TimelineFilter) -> list[Bucket]:
    """The number of units by step and network, without empty steps."""
    step = choose_step(wanted.end - wanted.start)
    begin = DateBin(Value(step, DurationField()), HAPPENED_AT, Value(ORIGIN, DateTimeField()))
    rows = units.order_by().annotate(begin=begin).values_list("begin", "network").annotate(count=Count("*"))
    found: dict[datetime, dict[str, int]] = {}
    for start, network, count in rows.order_by(F("begin")):
        found.setdefault(start, {})[network] = count
    return [Bucket(start, start + step, counts) for start, counts in found.items()]
