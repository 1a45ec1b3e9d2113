"""The page of one memory: its sources, links and history, and when it was true and known."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_GET

from banks.enums import FACTUAL
from banks.lifecycle.history import read_history
from banks.models import Bank, MemoryUnit, Message, UnitChange, UnitSource
from banks.models.bank import VECTOR_COLUMNS
from memoryplatform.dashboard.access import BankRequest, bank_page
from memoryplatform.dashboard.documents import passage_address
from memoryplatform.dashboard.texts import Part, compare, mark_excerpt
from memoryplatform.operations.account.access import Right
from memoryplatform.operations.banks.profile import bank_transaction
from memoryplatform.operations.conversations import read_neighbours
from memoryplatform.operations.memories import single
from memoryplatform.operations.memories.described_units import DescribedLink
from memoryplatform.operations.memories.superseding import BY_HAND
from memoryplatform.operations.opinions.shown import list_moved_opinions

BEGINNING = 600  # characters of a long memory that are shown first
NEAR = 300  # characters of a message beside a source
MOST_LINKS = 12
LINK_WORDS = {
    ("semantic", "out"): "Similar",
    ("semantic", "in"): "Similar",
    ("causes", "out"): "Causes",
    ("causes", "in"): "Caused by",
    ("caused_by", "out"): "Caused by",
    ("caused_by", "in"): "Causes",
    ("enables", "out"): "Enables",
    ("enables", "in"): "Enabled by",
    ("prevents", "out"): "Prevents",
    ("prevents", "in"): "Prevented by",
}
CHANGE_WORDS = {
    "edited": "Edited",
    "merged": "Said again",
    "invalidated": "Ended by hand",
    "superseded": "Replaced by a newer memory",
    "scheduled": "An end is scheduled",
    "restored": "Restored",
}
END_WORDS = {
    "update": "true once, and no longer",
    "correction": "never true",
    "source_removed": "the source was removed",
}
MOVE_WORDS = {  # of an opinion by a memory
    "formed": "Formed from it",
    "reinforce": "Reinforced by it",
    "weaken": "Weakened by it",
    "contradict": "Contradicted by it",
    "revised": "Reworded after it",
}
TITLES = {
    "close_reason": "Why it ended",
    "occurred_start": "Happened from",
    "occurred_end": "Happened until",
    "valid_from": "True from",
    "valid_until": "True until",
}
MOMENTS = {"occurred_start", "occurred_end", "mentioned_at", "valid_until", "expired_at", "valid_from"}


@bank_page(Right.VIEW)
@require_GET
def memory(request: BankRequest, memory_id: UUID) -> HttpResponse:
    access = request.access.to_bank()
    with bank_transaction(access, request.bank.bank_id) as bank:
        unit = single.get_unit(bank, memory_id)
        described = single.show(bank, unit).described
        history = read_history(bank, unit)
        near = read_neighbours(bank, [one.message for one in described.sources if one.message])
        moved = list_moved_opinions(bank, unit)
        by_hand = UnitSource.objects.for_tenant(bank.tenant_id).filter(message__thread__startswith=BY_HAND)
        newest_id = unit.superseded_by_id or unit.id
        others_named = [one.after.get("superseded_by") or one.before.get("superseded_by") for one in history.changes]
        stored = {
            str(one)
            for one in MemoryUnit.objects.of_bank(bank)
            .filter(id__in=filter(None, others_named))
            .values_list("id", flat=True)
        }
        is_replaced_by_hand = by_hand.filter(unit_id=newest_id).exists()
        others = (
            MemoryUnit.objects.of_bank(bank)
            .defer(*VECTOR_COLUMNS)
            .in_bulk([one.other_unit_id for one in described.sources if one.other_unit_id])
        )
    whole = request.GET.get("all") == "1" or len(unit.text) <= BEGINNING
    context = {
        "unit": unit,
        "described": described,
        "text": unit.text if whole else unit.text[:BEGINNING].rstrip(),
        "is_cut": not whole,
        "is_long": len(unit.text) > BEGINNING,
        "bar": build_bar(unit, timezone.now()),
        "true_since": find_true_since(unit),
        "sources": [show_source(bank, one, near, others) for one in described.sources],
        "links": name_links(described.links),
        "history": history,
        "changes": [show_change(one, stored) for one in reversed(history.changes)],
        "is_factual": unit.network in FACTUAL,
        "successor": next(iter(history.superseded_by), None),
        "replaced": next((one for one in history.supersedes if one.superseded_by_id == unit.id), None),
        "is_replaced_by_hand": is_replaced_by_hand,
        "moved": [(MOVE_WORDS.get(one.revision.cause, "Moved by it"), one) for one in moved],
    }
    return render(request, "dashboard/memories/memory.html", context)


def name_links(links: Sequence[DescribedLink]) -> list[tuple[str, DescribedLink]]:
    """The strongest links in words. Two memories that are similar in both directions are listed once."""
    named: dict[tuple[str, UUID], tuple[str, DescribedLink]] = {}
    for one in links:
        word = LINK_WORDS[one.type, one.direction]
        named.setdefault((word, one.unit.id), (word, one))
    return list(named.values())[:MOST_LINKS]


@dataclass(frozen=True)
class Lane:
    """A bar in hundredths of the width. An open side has no known date."""

    x: float
    width: float
    open_left: bool
    open_right: bool


@dataclass(frozen=True)
class Bar:
    """When a memory was true in the world, and when it was known. All places are in hundredths of the width."""

    true: Lane | None  # None: it never was
    known: Lane
    said: float
    now: float
    start: datetime
    end: datetime


def find_true_since(unit: MemoryUnit) -> datetime | None:
    """An event is not true before it happens. None: no start is known."""
    return unit.valid_from or unit.occurred_start


def build_bar(unit: MemoryUnit, now: datetime) -> Bar:
    given = [
        unit.valid_from,
        unit.valid_until,
        unit.occurred_start,
        unit.recorded_at,
        unit.expired_at,
        unit.mentioned_at,
    ]
    moments = [one for one in given if one] + [now]
    start, end = min(moments), max(moments)
    room = max((end - start) * 0.06, timedelta(hours=1))
    start, end = start - room, end + room

    def place(moment: datetime) -> float:
        return round((moment - start) / (end - start) * 100, 2)

    def lane(begin: datetime | None, stop: datetime | None, *, last: datetime) -> Lane:
        left, right = place(begin) if begin else 0.0, place(stop or last)
        return Lane(left, max(right - left, 0.6), begin is None, stop is None)

    never = unit.close_reason == MemoryUnit.CloseReason.CORRECTION
    true = None if never else lane(find_true_since(unit), unit.valid_until, last=end)
    return Bar(
        true, lane(unit.recorded_at, unit.expired_at, last=end), place(unit.mentioned_at), place(now), start, end
    )


def show_source(
    bank: Bank, source: UnitSource, near: dict[UUID, list[Message]], others: dict[UUID, MemoryUnit]
) -> dict[str, Any]:
    shown: dict[str, Any] = {"row": source, "unit": others.get(source.other_unit_id) if source.other_unit_id else None}
    if source.message:
        quoted = mark_excerpt(source.message.content, source.start, source.end)
        around = near.get(source.message.id, [source.message])
        shown["messages"] = [
            (one, quoted if one.id == source.message.id else [Part(one.content[:NEAR])], one.id == source.message.id)
            for one in around
        ]
        shown["address"] = conversation_address(bank, source, source.message, came_from=source.unit_id)
        shown["is_by_hand"] = source.message.thread.startswith(BY_HAND)
    elif source.chunk:
        shown["parts"] = mark_excerpt(source.chunk.text, source.start, source.end)
        shown["document"] = source.chunk.document
        shown["address"] = passage_address(bank, source, source.chunk, came_from=source.unit_id)
    return shown


def conversation_address(bank: Bank, source: UnitSource, message: Message, *, came_from: UUID) -> str:
    """The message in its conversation, with the words of the source marked.

    The page leads back to the memory or opinion that the reader came from.
    """
    place = {
        "thread": message.thread,
        "message": str(message.id),
        "from": str(came_from),
        "quoted": str(source.unit_id),
    }
    return f"{reverse('conversation', args=[bank.bank_id])}?{urlencode(place)}#m-{message.id}"


def show_change(change: UnitChange, stored: Collection[str]) -> dict[str, Any]:
    """`stored` are the ids of newer memories that are still there."""
    fields: list[tuple[str, list[Part] | None, Any, Any]] = []
    for name in {**change.before, **change.after}:
        before, after = change.before.get(name), change.after.get(name)
        if name == "text":
            fields.append(("Text", compare(str(before or ""), str(after or "")), None, None))
        elif name not in {"search_text", "superseded_by", "expired_at"} and (before or "") != (after or ""):
            title = TITLES.get(name) or name.replace("_", " ").capitalize()
            fields.append((title, None, show_value(name, before), show_value(name, after)))
    other = change.after.get("superseded_by") or change.before.get("superseded_by")
    return {
        "row": change,
        "title": CHANGE_WORDS[change.action],
        "fields": fields,
        "other_id": other if other in stored else None,
    }


def show_value(name: str, value: Any) -> Any:
    """A moment stays one, so that the page writes it in the reader's zone."""
    if name in MOMENTS and isinstance(value, str):
        try:
            return datetime.fromisoformat(value)
        except ValueError:
            return value
    if name == "close_reason":
        return END_WORDS.get(value, value)
    if isinstance(value, dict):
        return ", ".join(f"{key}={held}" for key, held in value.items())
    return ", ".join(map(str, value)) if isinstance(value, list) else value
