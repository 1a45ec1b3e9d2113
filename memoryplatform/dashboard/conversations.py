"""Pages of conversations: the threads of a bank, and one of them as a chat with its memories."""

from datetime import datetime
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from banks.enums import Network
from banks.models import MemoryUnit, Message
from memoryplatform.dashboard.access import BankRequest, bank_page, wants_part
from memoryplatform.dashboard.faults import read_id, write_fault
from memoryplatform.dashboard.texts import Span, mark_spans
from memoryplatform.operations.account.access import Right
from memoryplatform.operations.conversations import Conversation, list_threads, read_conversation, read_titles
from tenants.transactions import tenant_transaction

THREADS = 30  # of a page
MESSAGES = 60
MEMORIES = 8  # that stand beside a message
PLACES = {"message": "Message", "before": "Earlier", "after": "Later", "from": "Came from", "quoted": "Quoted memory"}
LONG_MESSAGE = 4_000  # characters of a message that the chat shows


@bank_page(Right.VIEW)
@require_GET
def conversations(request: BankRequest) -> HttpResponse:
    """The threads. A link with `thread` shows that one."""
    if "thread" in request.GET:
        return show_conversation(request)
    words = request.GET.get("q", "").replace("\x00", "")[:200]
    with tenant_transaction(request.access.tenant_id):
        before = read_place(request.GET)
        page = list_threads(request.bank, words=words if words.strip() else "", before=before, limit=THREADS)
    unread = request.GET.get("before", "")
    context: dict[str, Any] = {"words": words, "threads": page.threads, "is_later_page": before is not None}
    context["faults"] = [write_fault("Older", unread)] if unread and before is None else []
    if page.has_more:
        last = page.threads[-1]
        place = {"before": last.last_at.isoformat(), "name": last.name}
        context["next"] = "?" + urlencode(({"q": words} if words else {}) | place)
    template = "results" if wants_part(request) else "list"
    answer = render(request, f"dashboard/conversations/{template}.html", context)
    answer["HX-Push-Url"] = f"{request.path}?{urlencode({'q': words})}" if words.strip() else request.path
    return answer


def read_place(given: Any) -> tuple[datetime, str] | None:
    try:
        moment = datetime.fromisoformat(given.get("before", ""))
    except ValueError:
        return None
    return (moment, given.get("name", "").replace("\x00", "")) if moment.tzinfo else None


@bank_page(Right.VIEW)
@require_GET
def conversation(request: BankRequest) -> HttpResponse:
    return show_conversation(request)


def show_conversation(request: BankRequest) -> HttpResponse:
    """A message that is gone, or an id that is none, leads to the end of the thread."""
    thread = request.GET.get("thread", "").replace("\x00", "")
    given = {name: read_id(request.GET.get(name, "")) for name in ("message", "before", "after", "from")}
    with tenant_transaction(request.access.tenant_id):
        came_from = find_unit(request, given.pop("from"))
        known = {name: one for name, one in given.items() if one and is_in_thread(request, thread, one)}
        found = read_conversation(
            request.bank,
            thread,
            around=known.get("message"),
            before=known.get("before"),
            after=known.get("after"),
            limit=MESSAGES,
        )
        title = read_titles(request.bank, [thread])[thread]
    first, last = found.messages[0], found.messages[-1]
    quoted = read_id(request.GET.get("quoted", ""))
    context = {
        "title": title,
        "thread": thread,
        "networks": Network.values,
        "turns": build_turns(found),
        "named": known.get("message"),
        "came_from": came_from,
        "quoted": quoted,
        "faults": [
            write_fault(label, written)
            for name, label in PLACES.items()
            if (written := request.GET.get(name, "")) and not read_id(written)
        ],
        "pin": quoted or (came_from.id if came_from else None),
        "is_lost": bool(given["message"]) and "message" not in known,
        "speakers": list(dict.fromkeys(message.speaker for message in found.messages)),
        "first": first,
        "last": last,
        "memories": len({one.unit_id for sources in found.sources.values() for one in sources}),
        "earlier": "?" + urlencode({"thread": thread, "before": first.id}) if found.has_earlier else "",
        "later": "?" + urlencode({"thread": thread, "after": last.id}) if found.has_later else "",
    }
    return render(request, "dashboard/conversations/conversation.html", context)


def is_in_thread(request: BankRequest, thread: str, message_id: UUID) -> bool:
    return Message.objects.of_bank(request.bank).filter(thread=thread, id=message_id).exists()


def find_unit(request: BankRequest, unit_id: UUID | None) -> MemoryUnit | None:
    rows = MemoryUnit.objects.of_bank(request.bank).only("id", "network", "speaker", "text")
    return rows.filter(id=unit_id).first() if unit_id else None


def build_turns(found: Conversation) -> list[dict[str, Any]]:
    """Each message with its marked spans, its memories, and the episode that begins with it."""
    turns, episode_id = [], None
    for message in found.messages:
        sources = found.sources.get(message.id, [])
        begun = found.episodes.get(message.episode_id) if message.episode_id else None
        content = message.content[:LONG_MESSAGE]
        units = list({one.unit_id: one.unit for one in sources}.values())
        listed = {unit.id for unit in units[:MEMORIES]}
        spans = [
            Span(
                one.start,
                one.end,
                "closed" if one.unit.expired_at else one.unit.network,
                one.unit_id if one.unit_id in listed else None,
            )
            for one in sources
            if one.start is not None and one.end is not None
        ]
        turns.append(
            {
                "message": message,
                "parts": mark_spans(content, spans),
                "is_cut": len(message.content) > LONG_MESSAGE,
                "units": units[:MEMORIES],
                "more_units": max(0, len(units) - MEMORIES),
                "episode": begun if begun and message.episode_id != episode_id else None,
                "is_own": message.role in {"assistant", "tool"},
            }
        )
        episode_id = message.episode_id
    return turns
