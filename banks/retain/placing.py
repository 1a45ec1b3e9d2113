"""Placing messages: each message joins an open episode of its thread or begins a new one."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

import numpy as np
from django.db import connection

from banks.chunking.turns import LONGEST_PAUSE
from banks.locking import lock_memory
from banks.models import Bank, Episode, Message
from banks.models.bank import CENTROID_COLUMNS
from banks.retain.episodes import OpenEpisode, Segmentation, segment
from banks.types import Turn
from providers.embedding.vector import Vector
from tenants.identifiers import uuid7

Sent = tuple[datetime, str, str, str]
PLACED = ("ended_at", "message_count", *CENTROID_COLUMNS)  # of an episode that a message joins

# `ended_at >= since` follows from `started_at >= since`. It is there because the index is on `ended_at`.
LINK_IN_TIME = """
UPDATE banks_episode AS episode SET previous_id = placed.previous_id
FROM (
    SELECT id, lag(id) OVER (ORDER BY started_at, id) AS previous_id
    FROM banks_episode
    WHERE tenant_id = %(tenant_id)s AND bank_id = %(bank_id)s AND thread = %(thread)s
      AND ended_at >= %(since)s AND started_at >= %(since)s
) AS placed
WHERE episode.tenant_id = %(tenant_id)s AND episode.id = placed.id
  AND placed.previous_id IS NOT NULL AND episode.previous_id IS DISTINCT FROM placed.previous_id
"""


def build_turn(message: Message) -> Turn:
    return Turn(role=message.role, speaker=message.speaker, text=message.content, said_at=message.said_locally)  # type: ignore[arg-type]  # a check constraint knows the roles


def place_messages(bank: Bank, thread: str, messages: Sequence[Message], vectors: Sequence[Vector]) -> None:
    """Call inside a tenant transaction. Calls wait for each other, so that no call splits a topic, and for writers that
    change all episodes of the bank, such as an import: two writers of several rows would deadlock.

    A message that was sent before joins its former episode, so that it adds proof and no unit.
    """
    lock_memory(bank)
    placed = find_former_places(bank, thread, messages)
    new = [place for place, message in enumerate(messages) if message.id not in placed]
    if new:
        placed |= place_new(bank, thread, [messages[place] for place in new], [vectors[place] for place in new])
    for episode_id in dict.fromkeys(placed.values()):
        ids = [message_id for message_id, wanted in placed.items() if wanted == episode_id]
        Message.objects.for_tenant(bank.tenant_id).filter(id__in=ids).update(episode=episode_id)


def place_new(bank: Bank, thread: str, messages: Sequence[Message], vectors: Sequence[Vector]) -> dict[UUID, UUID]:
    """The episodes of the messages. New episodes are stored."""
    open_rows = find_open_episodes(bank, thread, messages[0])
    turns = [build_turn(message) for message in messages]
    result = segment(turns, vectors, open_episodes=[reopen(bank, row) for row in open_rows])
    episodes = save_episodes(bank, thread, open_rows, result, turns)
    return {messages[one.turn_index].id: episodes[one.episode].id for one in result.placements}


def find_former_places(bank: Bank, thread: str, messages: Sequence[Message]) -> dict[UUID, UUID]:
    """The episodes of messages that were sent before: the same thread, time, speaker and words.

    Several equal messages keep their order.
    """
    rows = Message.objects.for_tenant(bank.tenant_id).filter(
        bank=bank, thread=thread, said_at__in={message.said_at for message in messages}, episode__isnull=False
    )
    former: defaultdict[Sent, list[UUID]] = defaultdict(list)
    for row in rows.order_by("id"):
        former[identify(row)].append(row.episode_id)  # type: ignore[arg-type]  # the filter excludes null
    seen: Counter[Sent] = Counter()
    known: dict[UUID, UUID] = {}
    for message in messages:
        if episodes := former.get(identify(message)):
            known[message.id] = episodes[seen[identify(message)] % len(episodes)]
            seen[identify(message)] += 1
    return known


def identify(message: Message) -> Sent:
    return message.said_at, message.role, message.speaker, message.content


def find_open_episodes(bank: Bank, thread: str, first: Message) -> list[Episode]:
    """The episodes that the first message may continue, the current one last."""
    rows = Episode.objects.of_bank(bank).filter(thread=thread)
    recent = rows.filter(ended_at__gte=first.said_at - LONGEST_PAUSE, started_at__lte=first.said_at)
    return list(recent.exclude(**{bank.centroid_column: None}).order_by("ended_at", "id"))


def reopen(bank: Bank, row: Episode) -> OpenEpisode:
    latest = Message.objects.for_tenant(row.tenant_id).filter(episode=row).latest("said_at", "id")
    topic = np.asarray(getattr(row, bank.centroid_column), np.float32)
    return OpenEpisode(id=str(row.id), size=row.message_count, latest=build_turn(latest), topic=topic)


def save_episodes(
    bank: Bank, thread: str, open_rows: Sequence[Episode], result: Segmentation, turns: Sequence[Turn]
) -> list[Episode]:
    """One row for each episode of the segmentation, in its order. Rows without a new turn stay unchanged."""
    rows = list(open_rows)
    for index, episode in enumerate(result.episodes):
        times = [turns[placement.turn_index].said_at for placement in result.placements if placement.episode == index]
        if index >= len(rows):
            rows.append(Episode(id=uuid7(), tenant_id=bank.tenant_id, bank=bank, thread=thread))
            rows[index].started_at, rows[index].ended_at = min(times), max(times)
        if times:
            rows[index].ended_at = max(rows[index].ended_at, *times)  # a late message may be older
            rows[index].message_count = episode.size
            rows[index].set_centroid(bank, episode.topic)
            rows[index].save(update_fields=PLACED if index < len(open_rows) else None)
    if begun := rows[len(open_rows) :]:
        link_in_time(bank, thread, since=min(row.started_at for row in begun))
    return rows


def link_in_time(bank: Bank, thread: str, *, since: datetime) -> None:
    """Link each episode since then to the episode that began before it, whatever the order of arrival."""
    rows = Episode.objects.of_bank(bank).filter(thread=thread)
    earlier = rows.filter(started_at__lt=since).order_by("-started_at").values_list("started_at", flat=True)
    first = earlier.first() or since
    with connection.cursor() as cursor:
        cursor.execute(
            LINK_IN_TIME, {"tenant_id": bank.tenant_id, "bank_id": bank.id, "thread": thread, "since": first}
        )
