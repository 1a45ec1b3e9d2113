"""The timeline of a bank: memories and how long they were true, at any point in time and of knowledge."""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from django.http import Http404, HttpResponse, QueryDict
from django.shortcuts import render
from django.utils import timezone
from django.utils.dateparse import parse_datetime
from django.views.decorators.http import require_GET

from banks.enums import Network
from banks.errors import EntityNotFound
from banks.models import Entity
from memoryplatform.dashboard.access import BankRequest, bank_page, wants_part
from memoryplatform.dashboard.faults import list_choice_faults, read_id, write_fault
from memoryplatform.operations.account.access import Right
from memoryplatform.operations.entities import get_entity
from memoryplatform.operations.timeline import (
    Pinned,
    State,
    Timeline,
    TimelineFilter,
    TimelineItem,
    choose_step,
    find_extent,
    find_recorded_extent,
    find_row,
    pin,
    read_timeline,
)
from tenants.transactions import tenant_transaction

LANES = ("network", "entity")
MOMENTS = {"from": "Start", "to": "End", "as_of": "What was true", "known_at": "What the agent knew"}
SHORTEST, LONGEST = timedelta(minutes=1), timedelta(days=365 * 300)
EARLIEST, LATEST = datetime(1000, 1, 1, tzinfo=UTC), datetime(3000, 1, 1, tzinfo=UTC)
MOST_LANES = 8
SAID = {"opinion": "formed", "observation": "noted"}  # others are said, and the agent hears them
AROUND = timedelta(days=14)  # before and after a pinned memory
FAR = timedelta(days=365 * 10)  # an end that is later would leave the rest of the window in a corner
Extent = tuple[datetime, datetime] | None


@bank_page(Right.VIEW)
@require_GET
def timeline(request: BankRequest) -> HttpResponse:
    bank, query, now = request.bank, request.GET, timezone.now()
    with tenant_transaction(bank.tenant_id):
        try:
            entity = get_entity(bank, entity_id) if (entity_id := read_id(query.get("entity", ""))) else None
        except EntityNotFound as missing:
            raise Http404(str(missing)) from None
        extent = find_extent(bank, entity.id if entity else None)
        row = find_row(bank, memory_id) if (memory_id := read_id(query.get("memory", ""))) else None
        wanted = read_filter(query, surround(row) if row else widen(extent), entity)
        pinned = pin(bank, row, wanted, now) if row else None
        found = read_timeline(bank, wanted) if extent else Timeline()
        recorded = find_recorded_extent(bank, entity.id if entity else None)
    context = {
        "entity": entity,
        "faults": list_faults(query),
        "is_empty": extent is None,
        "wanted": wanted,
        "found": found,
        "total": len(found.items) or sum(bucket.total for bucket in found.buckets),
        "networks": [(one.value, not wanted.networks or one.value in wanted.networks) for one in Network],
        "lanes": query.get("lanes") if query.get("lanes") in LANES else LANES[0],
        "pinned": pinned,
        "precision": choose_precision(pinned),
        "said": SAID.get(pinned.item.network, "said") if pinned else "",
        "heard": SAID.get(pinned.item.network, "heard") if pinned else "",
        "is_now": wanted.as_of is None and wanted.known_at is None,
        "is_pin_missing": bool(query.get("memory")) and row is None,
        "unpinned": drop(query, "memory", "from", "to"),
        "without_known_at": drop(query, "known_at"),
        "data": describe(found, wanted, pinned, now) | describe_ranges(extent, recorded, now),
    }
    return render(request, f"dashboard/timeline/{'result' if wants_part(request) else 'page'}.html", context)


def read_filter(query: QueryDict, window: tuple[datetime, datetime], entity: Entity | None) -> TimelineFilter:
    """Nonsense counts as not given, and `list_faults` names it. The window is taken where the address has none."""
    start, end = read_window(query) or window
    return TimelineFilter(
        start,
        end,
        as_of=read_moment(query.get("as_of", "")),
        known_at=read_moment(query.get("known_at", "")),
        networks=tuple(one for one in Network.values if one in query.getlist("network")),
        entity_id=entity.id if entity else None,
        with_closed=query.get("closed") != "no",
    )


def list_faults(query: QueryDict) -> list[str]:
    """A sentence for each value of the address that can't be read."""
    given = [(query.get(name, ""), label) for name, label in MOMENTS.items() if query.get(name, "").strip()]
    unread = [(label, written) for written, label in given if not read_moment(written)]
    unread += [("Network", one) for one in query.getlist("network") if one.strip() and one not in Network.values]
    if (entity := query.get("entity", "")) and not read_id(entity):
        unread.append(("Entity", entity))
    faults = [write_fault(label, written) for label, written in unread]
    faults += list_choice_faults(query, {"lanes": ("Lanes", LANES)})
    if read_moment(query.get("from", "")) and read_moment(query.get("to", "")) and not read_window(query):
        faults.append("A window ends after it begins, and covers from a minute to 300 years.")
    return faults


def read_window(query: QueryDict) -> tuple[datetime, datetime] | None:
    start, end = read_moment(query.get("from", "")), read_moment(query.get("to", ""))
    return (start, end) if start and end and SHORTEST <= end - start <= LONGEST else None


def widen(extent: tuple[datetime, datetime] | None) -> tuple[datetime, datetime]:
    first, last = extent or (timezone.now() - timedelta(days=7), timezone.now())
    margin = max((last - first) * 0.04, timedelta(minutes=30))
    return first - margin, last + 2 * margin


def surround(row: dict[str, Any]) -> tuple[datetime, datetime]:
    """The window that opens for a pinned memory: it was said, happened, became true and ended inside."""
    moments = [row["happened_at"], row["mentioned_at"], row["valid_from"] or row["happened_at"]]
    if (end := row["valid_until"]) and end - min(moments) < FAR:
        moments.append(end)
    margin = max((max(moments) - min(moments)) * 0.2, AROUND)
    return min(moments) - margin, max(moments) + margin


def choose_precision(pinned: Pinned | None) -> str:
    """Two times of nearly the same day are told apart by the hour."""
    if pinned is None:
        return "day"
    moments = [pinned.turned_at, pinned.item.learned_at if pinned.is_learned_later else None]
    is_near = any(one and abs(one - pinned.at) < timedelta(days=1) for one in moments)
    return "full" if is_near else "day"


def drop(query: QueryDict, *names: str) -> str:
    """The query of the address without these parameters."""
    kept = query.copy()
    for name in names:
        kept.pop(name, None)
    return kept.urlencode()


def read_moment(text: str) -> datetime | None:
    """Without a zone it is UTC."""
    try:
        moment = parse_datetime(text.strip())
    except ValueError:
        return None
    if moment is None:
        return None
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return aware if EARLIEST < aware < LATEST else None


def describe(
    found: Timeline,
    wanted: TimelineFilter,
    pinned: Pinned | None,
    now: datetime,
) -> dict[str, Any]:
    """The values for static/pages/timeline.js. Times are milliseconds."""
    every = [*found.items, *found.hidden, *([pinned.item] if pinned else [])]
    return {
        "from": write(wanted.start),
        "to": write(wanted.end),
        "now": write(now),
        "as_of": write(wanted.as_of),
        "known_at": write(wanted.known_at),
        "step": choose_step(wanted.end - wanted.start).total_seconds() * 1000,
        "items": [describe_item(one) for one in found.items],
        "buckets": [{"from": write(one.start), "to": write(one.end), "counts": one.counts} for one in found.buckets],
        "entities": choose_lanes(found),
        "learned": sorted({write(one.learned_at) for one in every}),
        "changes": list_changes(every),
        "pinned": describe_item(pinned.item) | describe_hiding(pinned) if pinned else None,
    }


def describe_hiding(pinned: Pinned) -> dict[str, bool]:
    return {"is_hidden": pinned.is_hidden, "is_unknown": pinned.state == State.UNKNOWN}


def describe_ranges(extent: Extent, recorded: Extent, now: datetime) -> dict[str, Any]:
    """The whole chart, and the ends of each slider: a slider covers the times at which its answer changes."""
    first, last = extent or (now, now)
    known_first, known_last = recorded or (now, now)
    margin = max((known_last - known_first) * 0.02, timedelta(hours=1))
    return {
        "first": write(first),
        "last": write(max(last, now)),
        "ranges": {
            "as_of": [write(first - timedelta(hours=1)), write(max(last, now))],
            "known_at": [write(known_first - margin), write(min(known_last + margin, now))],
        },
    }


def describe_item(one: TimelineItem) -> dict[str, Any]:
    return {
        "id": str(one.id),
        "text": one.text,
        "network": one.network,
        "at": write(one.happened_at),
        "ended": write(one.happened_until),
        "said": write(one.said_at),
        "learned": write(one.learned_at),
        "since": write(one.since),
        "true_from": write(one.true_from),
        "is_said": one.began_at is None,
        "until": write(one.until),
        "closed": one.close_reason,
        "entities": [str(entity_id) for entity_id in one.entity_ids],
    }


def choose_lanes(found: Timeline) -> list[dict[str, str]]:
    """The entities with the most items of the window."""
    counts: dict[UUID, int] = {}
    for item in found.items:
        for entity_id in item.entity_ids:
            counts[entity_id] = counts.get(entity_id, 0) + 1
    most = sorted(counts, key=lambda one: (-counts[one], found.entities[one]))[:MOST_LANES]
    return [{"id": str(one), "name": found.entities[one]} for one in most]


def list_changes(every: list[TimelineItem]) -> list[float]:
    """The times at which something became true or ended."""
    moments = {write(one.since or one.happened_at) for one in every} | {write(one.until) for one in every}
    return sorted(one for one in moments if one is not None)


def write(moment: datetime | None) -> float | None:
    return None if moment is None else round(moment.timestamp() * 1000)
