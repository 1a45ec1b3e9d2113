"""Ready facts are archived as a document of their texts, with a chunk for each few of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from banks.models import Bank, Chunk, Document
from banks.retain.archive import append_to, lock_document, save_document
from banks.retain.chunking import heading
from banks.retain.input import RetainItem
from banks.retain.ready_facts.chunks import SEPARATOR, FactChunk, cut_facts, join_facts
from tenants.identifiers import uuid7


@dataclass(frozen=True)
class ArchivedFacts:
    """The chunks with their rows, in the order of the facts, and the rows that the document has lost."""

    document: Document
    chunks: tuple[tuple[UUID, FactChunk], ...]
    dropped: tuple[UUID, ...]


def archive_facts(bank: Bank, item: RetainItem) -> ArchivedFacts:
    """Call inside a tenant transaction.

    A chunk that is no longer wanted is only parted from its document here, which needs no lock on the memory. What
    rests on it goes when the operation runs; until then no later call can take it for one of its own.
    """
    document = lock_document(bank, item)
    before = f"{document.text}{SEPARATOR}" if document.text and item.update_mode == "append" else ""
    chunks = cut_facts(item.facts, offset=len(before), called_at=None if item.is_dated else item.said_at)
    dropped = []
    if before:
        append_to(document, item, join_facts(item.facts))
    else:
        save_document(document, item, join_facts(item.facts))
        dropped = drop_chunks(document, {chunk.content_hash for chunk in chunks})
    ids = place_chunks(document, chunks, before=before, said_at=item.said_at)
    return ArchivedFacts(document, tuple(zip(ids, chunks, strict=True)), tuple(dropped))


def drop_chunks(document: Document, wanted: set[bytes]) -> list[UUID]:
    rows = Chunk.objects.for_tenant(document.tenant_id).filter(document=document)
    unwanted = [row_id for row_id, content_hash in rows.values_list("id", "content_hash") if content_hash not in wanted]
    rows.filter(id__in=unwanted).update(document=None)
    return unwanted


def place_chunks(document: Document, chunks: Sequence[FactChunk], *, before: str, said_at: datetime) -> list[UUID]:
    """The row of each: one that holds the same facts is moved, the others are made, waiting for their facts."""
    rows = Chunk.objects.for_tenant(document.tenant_id).filter(document=document)
    first = rows.filter(start__lt=len(before)).count()
    known = {bytes(row.content_hash): row for row in rows}
    there = dict(known)
    for place, chunk in enumerate(chunks, first):
        row = there.setdefault(chunk.content_hash, build_chunk(document, chunk, said_at=said_at))
        row.position, row.start, row.end = place, chunk.start, chunk.end
    rows.bulk_update(known.values(), ["position", "start", "end"], batch_size=500)
    rows.bulk_create(row for content_hash, row in there.items() if content_hash not in known)
    return [there[chunk.content_hash].id for chunk in chunks]


def build_chunk(document: Document, chunk: FactChunk, *, said_at: datetime) -> Chunk:
    return Chunk(
        id=uuid7(),
        bank_id=document.bank_id,
        document=document,
        heading=heading(said_at),
        text=chunk.text,
        content_hash=chunk.content_hash,
        said_at=said_at,
    )
