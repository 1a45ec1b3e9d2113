"""The chat: talk to an agent whose memory is this bank, and see what it recalls and retains."""

from collections.abc import Generator
from typing import cast
from uuid import UUID

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST
from rest_framework import serializers

from banks.models import MemoryUnit
from memoryplatform.api.serializers import Input, check_input
from memoryplatform.dashboard.access import BankRequest, bank_page
from memoryplatform.dashboard.playgrounds.questions import suggest
from memoryplatform.dashboard.playgrounds.reflect import PageStream, open_stream
from memoryplatform.operations.account.access import Right
from memoryplatform.operations.account.own_llm import find_llm
from memoryplatform.operations.chat import ChatTurn, Retaining, open_turn, read_chat
from memoryplatform.operations.conversations import list_threads, read_units_of
from memoryplatform.operations.models import Operation
from memoryplatform.operations.running.kind_names import RETAIN
from memoryplatform.server.event_stream import encode_event
from providers.llm.protocol import Task
from reflection.reflect.types import Event
from tenants.identifiers import uuid7
from tenants.models import User
from tenants.transactions import tenant_transaction

LONGEST = 8_000  # characters of a message
MOST_CHATS = 20  # earlier ones that are listed


class TurnInput(Input):
    chat = serializers.UUIDField()
    text = serializers.CharField(max_length=LONGEST)


def name_thread(chat_id: UUID) -> str:
    """Threads of other sources have other names, so no chat can write into them."""
    return f"chat-{chat_id}"


def read_chat_id(text: str) -> UUID:
    """A new chat for an address without an id, or with one that can't be read."""
    try:
        return UUID(text)
    except ValueError:
        return uuid7()


@never_cache
@bank_page(Right.WRITE)
@require_GET
def chat(request: BankRequest) -> HttpResponse:
    chat_id = read_chat_id(request.GET.get("chat", ""))
    with tenant_transaction(request.access.tenant_id):
        messages = read_chat(request.bank, name_thread(chat_id))
        page = list_threads(request.bank, only_chats=True, limit=MOST_CHATS)
        sources = read_units_of(request.bank, messages)
    context = {
        "chat_id": chat_id,
        "speaker": name_speaker(request),
        "talk": messages,
        "left": list({one.unit_id: one.unit for found in sources.values() for one in found}.values())[::-1],
        "questions": [] if messages else suggest(request.bank).for_chat,
        "chats": [(one.name.removeprefix("chat-"), one) for one in page.threads],
        "model": getattr(find_llm(request.access.tenant_id, Task.REFLECT), "model_id", ""),
    }
    return render(request, "dashboard/playgrounds/chat.html", context)


@bank_page(Right.WRITE)
@require_POST
def say(request: BankRequest) -> HttpResponse:
    return open_stream(request, lambda: encode_turn(start_turn(request)))


def start_turn(request: BankRequest) -> Generator[Event | Retaining, None, None]:
    given = check_input(TurnInput, {name: request.POST.get(name, "") for name in ("chat", "text")}).validated_data
    turn = ChatTurn(name_thread(given["chat"]), name_speaker(request), given["text"])
    return open_turn(request.access.to_bank(), request.bank.bank_id, turn)


def name_speaker(request: BankRequest) -> str:
    user = cast("User", request.user)
    return user.name or user.email.partition("@")[0]


def encode_turn(events: Generator[Event | Retaining, None, None]) -> Generator[bytes, None, None]:
    stream = PageStream()
    try:
        for event in events:
            if isinstance(event, Retaining):
                yield encode_event("retaining", {"operation_id": event.operation.id})
            else:
                yield from stream.encode(event)
    finally:
        events.close()


@never_cache
@bank_page(Right.WRITE)
@require_GET
def retained(request: BankRequest, operation_id: UUID) -> HttpResponse:
    """The state of one retain. It asks for itself again until the operation has ended."""
    bank = request.bank
    with tenant_transaction(bank.tenant_id):
        rows = Operation.objects.for_tenant(bank.tenant_id).filter(bank=bank, kind=RETAIN)
        operation = rows.filter(id=operation_id).first()
        if operation is None:
            raise Http404
        result = operation.result or {}
        units = list(MemoryUnit.objects.of_bank(bank).filter(id__in=result.get("unit_ids", [])).order_by("id"))
    context = {"operation": operation, "units": units, "result": result}
    return render(request, "dashboard/playgrounds/retained.html", context)
