"""Conversations: the threads of a bank, the messages of one of them, and the memories that came from each message."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime
from itertools import chain
from uuid import UUID

from django.db.models import Count, Max, Min, Q, Sum
from django.utils.text import Truncator

from banks.errors import MessageNotFound
from banks.models import Bank, Chunk, Corpus, Episode, Message, UnitSource
from banks.models.bank import CENTROID_COLUMNS, VECTOR_COLUMNS
from memoryplatform.operations.memories.memory_filter import find_numbers
from tenants.scoping import TenantQuerySet

NEIGHBOURS = 2  # messages before and after a source that are shown with it
CHAT = re.compile("chat-[0-9a-f-]{36}")  # the thread of a chat of the dashboard
CHATGPT = "chatgpt:"  # before the id of an imported conversation, whose title is the context of its messages
LONGEST_TITLE = 80
SHOWN_SOURCES = 8  # of one memory that are shown with their neighbours


@dataclass(frozen=True)
class Thread:
    name: str
    messages: int
    episodes: int
    first_at: datetime
    last_at: datetime
    speakers: tuple[str, ...] = ()  # of the last episode
    last: Message | None = None
    title: str = ""


@dataclass(frozen=True)
class ThreadPage:
    threads: list[Thread]
    has_more: bool


@dataclass(frozen=True)
class Conversation:
    """Some messages of a thread in the order of time, with what came before and after them."""

    messages: list[Message]
    episodes: dict[UUID, Episode]
    sources: dict[UUID, list[UnitSource]]  # by message, each with its unit
    has_earlier: bool
    has_later: bool


def list_threads(
    bank: Bank,
    *,
    words: str = "",
    before: tuple[datetime, str] | None = None,
    only_chats: bool = False,
    limit: int,
) -> ThreadPage:
    """The newest first. `words` are in the thread's name or in an episode. `before` is the last of the page before.

    A message has an episode as soon as its retain is processed. Call inside a tenant transaction.
    """
    episodes = Episode.objects.of_bank(bank)
    if only_chats:
        episodes = episodes.filter(thread__regex=f"^{CHAT.pattern}$")
    if words:
        found = episodes.filter(number__in=find_numbers(bank, words, corpus=Corpus.EPISODE, is_typed=True))
        episodes = episodes.filter(Q(thread__icontains=words) | Q(thread__in=found.order_by().values("thread")))
    rows = (
        episodes.order_by()
        .values("thread")
        .annotate(messages=Sum("message_count"), episodes=Count("*"), first=Min("started_at"), last=Max("ended_at"))
    )
    if before:
        rows = rows.filter(Q(last__lt=before[0]) | Q(last=before[0], thread__gt=before[1]))
    page = list(rows.order_by("-last", "thread")[: limit + 1])
    shown = page[:limit]
    newest = read_last_messages(bank, [row["thread"] for row in shown])
    titles = read_titles(bank, [row["thread"] for row in shown])
    threads = [
        Thread(
            row["thread"],
            row["messages"],
            row["episodes"],
            row["first"],
            row["last"],
            tuple(dict.fromkeys(message.speaker for message in newest[row["thread"]])),
            next(reversed(newest[row["thread"]]), None),
            titles[row["thread"]],
        )
        for row in shown
    ]
    return ThreadPage(threads, len(page) > limit)


def read_titles(bank: Bank, threads: Collection[str]) -> dict[str, str]:
    """The name of each thread. That of a chat of the dashboard is an id, so its title is what it begins with; an
    imported one has a title of its own.

    Call inside a tenant transaction.
    """
    chats = {one for one in threads if CHAT.fullmatch(one)}
    rows = Message.objects.of_bank(bank).filter(thread__in=chats)  # no query without chats
    contexts = Chunk.objects.of_bank(bank).filter(
        episode__thread__in={one for one in threads if one.startswith(CHATGPT)}
    )
    imported = contexts.exclude(context="").order_by("episode__thread", "id").distinct("episode__thread")
    first = rows.order_by("thread", "said_at", "id").distinct("thread").values_list("thread", "content")
    begun = {
        thread: Truncator(" ".join(content[: LONGEST_TITLE * 2].split())).chars(LONGEST_TITLE)
        for thread, content in chain(first, imported.values_list("episode__thread", "context"))
    }
    return {one: begun.get(one) or one for one in threads}


def read_last_messages(bank: Bank, threads: Collection[str]) -> defaultdict[str, list[Message]]:
    """The messages of the last episode of each thread, in the order of time."""
    episodes = Episode.objects.of_bank(bank).filter(thread__in=threads)
    last = episodes.order_by("thread", "-ended_at", "-id").distinct("thread").values_list("id", flat=True)
    rows = Message.objects.of_bank(bank).filter(episode_id__in=list(last)).order_by("said_at", "id")
    grouped: defaultdict[str, list[Message]] = defaultdict(list)
    for message in rows:
        grouped[message.thread].append(message)
    return grouped


def read_conversation(
    bank: Bank,
    thread: str,
    *,
    around: UUID | None = None,
    before: UUID | None = None,
    after: UUID | None = None,
    limit: int,
) -> Conversation:
    """The last messages of the thread, or those around, before or after a message of it.

    Raises MessageNotFound if there is none. Call inside a tenant transaction.
    """
    rows = Message.objects.of_bank(bank).filter(thread=thread)
    named = around or before or after
    place = rows.filter(id=named).first() if named else None
    if named and place is None:
        raise MessageNotFound(named)
    if place is None:
        found = take_earlier(rows, None, limit + 1)
        messages, has_earlier, has_later = found[-limit:], len(found) > limit, False
    elif before:
        found = take_earlier(rows, place, limit + 1)
        messages, has_earlier, has_later = found[-limit:], len(found) > limit, True
    elif after:
        found = take_later(rows, place, limit + 1)
        messages, has_earlier, has_later = found[:limit], True, len(found) > limit
    else:
        half = limit // 2
        earlier, later = take_earlier(rows, place, half + 1), take_later(rows, place, half + 1)
        messages = [*earlier[-half:], place, *later[:half]]
        has_earlier, has_later = len(earlier) > half, len(later) > half
    if not messages:
        raise MessageNotFound("of this thread")
    ids = {message.episode_id for message in messages if message.episode_id}
    episodes = Episode.objects.of_bank(bank).defer(*VECTOR_COLUMNS, *CENTROID_COLUMNS).in_bulk(ids)
    return Conversation(messages, episodes, read_units_of(bank, messages), has_earlier, has_later)


def take_earlier(rows: TenantQuerySet[Message], place: Message | None, limit: int) -> list[Message]:
    earlier = rows.filter(precedes(place)) if place else rows
    return list(earlier.order_by("-said_at", "-id")[:limit])[::-1]


def take_later(rows: TenantQuerySet[Message], place: Message, limit: int) -> list[Message]:
    return list(rows.filter(follows(place)).order_by("said_at", "id")[:limit])


def precedes(place: Message) -> Q:
    """The first condition says less than the second, and an index serves it."""
    return Q(said_at__lte=place.said_at) & (Q(said_at__lt=place.said_at) | Q(id__lt=place.id))


def follows(place: Message) -> Q:
    return Q(said_at__gte=place.said_at) & (Q(said_at__gt=place.said_at) | Q(id__gt=place.id))


def read_units_of(bank: Bank, messages: Iterable[Message]) -> dict[UUID, list[UnitSource]]:
    """The sources that lead from the messages to units, by message. Call inside a tenant transaction."""
    ids = [message.id for message in messages]
    rows = UnitSource.objects.for_tenant(bank.tenant_id).filter(message_id__in=ids).select_related("unit")
    grouped: defaultdict[UUID, list[UnitSource]] = defaultdict(list)
    for source in rows.defer(*(f"unit__{column}" for column in VECTOR_COLUMNS)).order_by("start", "id"):
        if source.message_id:
            grouped[source.message_id].append(source)
    return dict(grouped)


def read_neighbours(bank: Bank, messages: Iterable[Message]) -> dict[UUID, list[Message]]:
    """Each message among those before and after it in its thread. Call inside a tenant transaction."""
    wanted = list({message.id: message for message in messages}.values())[:SHOWN_SOURCES]
    if not wanted:
        return {}
    parts: list[TenantQuerySet[Message]] = []
    for message in wanted:
        rows = Message.objects.of_bank(bank).filter(thread=message.thread)
        parts += [
            rows.filter(precedes(message)).order_by("-said_at", "-id")[:NEIGHBOURS],
            rows.filter(follows(message)).order_by("said_at", "id")[:NEIGHBOURS],
        ]
    found = list(parts[0].union(*parts[1:], all=True))
    near: dict[UUID, list[Message]] = {}
    for message in wanted:
        same = {one.id: one for one in found if one.thread == message.thread} | {message.id: message}
        ordered = sorted(same.values(), key=lambda one: (one.said_at, one.id))
        place = ordered.index(message)
        near[message.id] = ordered[max(0, place - NEIGHBOURS) : place + NEIGHBOURS + 1]
    return near
