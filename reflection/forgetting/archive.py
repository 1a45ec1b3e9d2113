"""What of the archive goes with deleted memories: all that nothing else was taken from.

Messages are append-only, so one goes whole or stays. Chunks, episodes and documents that are left are told again
without what went.
"""

from collections.abc import Collection
from dataclasses import dataclass, field
from uuid import UUID

from banks.lifecycle.delete import Removed, delete_chunks, delete_units
from banks.models import Bank, Chunk, Document, Episode, Message, UnitSource
from reflection.forgetting.shortening import blank_documents, remove_episodes, shorten_chunks, shorten_episodes
from reflection.forgetting.told_from import (
    ToldFrom,
    find_bare_chunks,
    find_bare_messages,
    find_companions,
    find_document_ids,
    find_hollow_chunks,
)


@dataclass(frozen=True)
class Forgotten:
    """`empty_documents` have nothing left to tell; they are still there, since operations may name them."""

    removed: Removed = field(default_factory=Removed)
    messages: int = 0
    empty_documents: tuple[Document, ...] = ()


def forget_archive(bank: Bank, told_from: ToldFrom) -> Forgotten:
    """Call inside a tenant transaction, after `lock_memory` and after the units were deleted."""
    chunk_ids = find_bare_chunks(bank, told_from.chunk_ids)
    message_ids = find_bare_messages(bank, told_from.message_ids) | find_companions(bank, chunk_ids)
    chunk_ids |= find_hollow_chunks(bank, message_ids)
    document_ids = find_document_ids(bank, chunk_ids)
    gone = list(Chunk.objects.for_tenant(bank.tenant_id).filter(id__in=chunk_ids).defer("embedding"))
    removed = delete_chunks(bank, chunk_ids)
    shorten_chunks(bank, message_ids)
    removed += forget_messages(bank, message_ids)
    return Forgotten(removed, len(message_ids), blank_documents(bank, document_ids, gone))


def forget_messages(bank: Bank, message_ids: Collection[UUID]) -> Removed:
    """With episodes that were made of them alone, and with summaries of every episode that had one of them."""
    rows = Message.objects.of_bank(bank).filter(id__in=message_ids)
    episode_ids = {one for one in rows.values_list("episode_id", flat=True) if one}
    rows.delete()
    removed = delete_units(bank, find_summaries(bank, episode_ids))
    left = Message.objects.for_tenant(bank.tenant_id).filter(episode_id__in=episode_ids)
    still_told = {one for one in left.values_list("episode_id", flat=True) if one}
    shorten_episodes(bank, Episode.objects.for_tenant(bank.tenant_id).filter(id__in=still_told))
    remove_episodes(bank, episode_ids - still_told)
    return removed


def find_summaries(bank: Bank, episode_ids: Collection[UUID]) -> set[UUID]:
    sources = UnitSource.objects.for_tenant(bank.tenant_id).filter(
        episode_id__in=episode_ids, role=UnitSource.Role.SUMMARISES
    )
    return set(sources.values_list("unit_id", flat=True))
