"""Placing messages: each joins an open episode of its thread or begins one."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

import numpy as np
from django.db import connection

from banks.models import Bank, Episode, Message
from banks.retain.episodes import OpenEpisode, Segmentation, segment
from banks.retain.episodes.segment import LONGEST_GAP
from banks.retain.types import Turn
from providers.embedding.vector import Vector
from tenants.identifiers import uuid7


@dataclass(frozen=True)
class Placed:
    """The messages of one call that ended up in one episode, in their order."""

    episode_id: UUID
    message_ids: tuple[UUID, ...]


def build_turn(message: Message) -> Turn:
    return Turn(role=message.role, speaker=message.speaker, text=message.content, said_at=message.said_locally)  # type: ignore[arg-type]  # a check constraint knows the roles


def place_messages(bank: Bank, thread: str, messages: Sequence[Message], vectors: Sequence[Vector]) -> list[Placed]:
    """Call inside a tenant transaction. Calls for the same thread wait for each other, so that none splits a topic."""
    lock_thread(bank, thread)
    open_rows = find_open_episodes(bank, thread, messages[0])
    turns = [build_turn(message) for message in messages]
    result = segment(turns, vectors, open_episodes=[reopen(row) for row in open_rows])
    episodes = save_episodes(bank, thread, open_rows, result, turns)
    placed = group_by_episode(messages, result, episodes)
    for group in placed:
        Message.objects.for_tenant(bank.tenant_id).filter(id__in=group.message_ids).update(episode=group.episode_id)
    return placed


def lock_thread(bank: Bank, thread: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [f"episodes:{bank.id}:{thread}"])


def find_open_episodes(bank: Bank, thread: str, first: Message) -> list[Episode]:
    """Those that the first message may continue, the current one last."""
    rows = Episode.objects.for_tenant(bank.tenant_id).filter(bank=bank, thread=thread)
    recent = rows.filter(ended_at__gte=first.said_at - LONGEST_GAP, started_at__lte=first.said_at)
    return list(recent.order_by("ended_at", "id"))


def reopen(row: Episode) -> OpenEpisode:
    latest = Message.objects.for_tenant(row.tenant_id).filter(episode=row).latest("said_at", "id")
    return OpenEpisode(
        id=str(row.id), size=row.message_count, latest=build_turn(latest), topic=np.asarray(row.centroid, np.float32)
    )


def save_episodes(
    bank: Bank, thread: str, open_rows: Sequence[Episode], result: Segmentation, turns: Sequence[Turn]
) -> list[Episode]:
    """One row for each episode of the segmentation, in its order; those without a new turn are left as they are."""
    rows = list(open_rows)
    before = rows[-1].id if rows else find_last_episode(bank, thread)
    for index, episode in enumerate(result.episodes):
        times = [turns[placement.turn_index].said_at for placement in result.placements if placement.episode == index]
        if index >= len(rows):
            rows.append(Episode(id=uuid7(), tenant_id=bank.tenant_id, bank=bank, thread=thread, previous_id=before))
            rows[index].started_at = min(times)
            before = rows[index].id
        if times:
            rows[index].ended_at = max(times)
            rows[index].message_count, rows[index].centroid = episode.size, episode.topic
            rows[index].save()
    return rows


def find_last_episode(bank: Bank, thread: str) -> UUID | None:
    rows = Episode.objects.for_tenant(bank.tenant_id).filter(bank=bank, thread=thread)
    return rows.order_by("-ended_at", "-id").values_list("id", flat=True).first()


def group_by_episode(messages: Sequence[Message], result: Segmentation, episodes: Sequence[Episode]) -> list[Placed]:
    groups: dict[int, list[UUID]] = {}
    for placement in result.placements:
        groups.setdefault(placement.episode, []).append(messages[placement.turn_index].id)
    return [Placed(episodes[index].id, tuple(ids)) for index, ids in groups.items()]
