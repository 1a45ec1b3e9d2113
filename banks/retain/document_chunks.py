"""The chunks of a document follow its text: known ones stay, and those that it lost are deleted with their memories."""

import re
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from banks.chunking.spans import CHUNK_SIZE, ChunkSpan, hash_chunk, heading
from banks.chunking.text import chunk_text
from banks.document_pieces import Piece, find_piece, list_former_labels, list_pieces
from banks.lifecycle.deleting import Removed, delete_chunks
from banks.locking import lock_memory
from banks.models import Bank, Chunk, Document
from banks.models.bank import VECTOR_COLUMNS
from banks.retain.document_versions import DocumentVersion, load_document
from banks.retain.relabeling import relabel_units
from banks.retain.transcript_chunks import cut_transcript

BATCH = 500  # chunks in one statement
NOT_BLANK = re.compile(r"\S")


@dataclass(frozen=True)
class CutText:
    """The chunks of a text. `pieces` are those of the document, as it stores them."""

    text: str
    pieces: list[Any]
    spans: list[ChunkSpan]


def cut_document(bank: Bank, document: Document) -> CutText:
    """Call outside transactions: ten megabytes take half a minute."""
    spans = cut_pieces(document.text, list_pieces(document), size=bank.chunk_size or CHUNK_SIZE)
    return CutText(document.text, document.pieces, spans)


def update_document(source: DocumentVersion, cut: CutText) -> Removed:
    """Cut the newest text into chunks and hand on the newest labels. Call inside a tenant transaction.

    `cut` is that of the document as it was read last. It is made again if another call has changed the document since.
    """
    document = load_document(source, lock=True)
    if (document.text, document.pieces) != (cut.text, cut.pieces):
        cut = cut_document(source.bank, document)
    removed = update_chunks(source.bank, document, cut.spans)
    former = {labels.context for labels in list_former_labels(document)}
    removed += relabel_units(source.bank, document)
    if former - {list_pieces(document)[0].labels.context}:
        clear_vectors(document)
    return removed


def update_chunks(bank: Bank, document: Document, spans: Sequence[ChunkSpan]) -> Removed:
    """Chunks of ready facts stay. Call inside a tenant transaction that has the document locked."""
    pieces = list_pieces(document)
    rows = list(Chunk.objects.for_tenant(bank.tenant_id).filter(document=document))
    ready = {chunk.id for chunk in rows if find_piece(pieces, chunk.start).is_ready}
    starts_of_facts = sorted(chunk.start for chunk in rows if chunk.id in ready)
    cut = [chunk for chunk in rows if chunk.id not in ready]
    wanted = {
        bytes(chunk.content_hash): chunk
        for place, span in enumerate(spans)
        for chunk in [build_chunk(document, pieces, span, place + bisect_left(starts_of_facts, span.start))]
    }
    removed = remove_chunks(bank, [chunk for chunk in cut if bytes(chunk.content_hash) not in wanted])
    write_chunks(bank, cut, wanted)
    return removed


def write_chunks(bank: Bank, known: Iterable[Chunk], wanted: Mapping[bytes, Chunk]) -> dict[bytes, UUID]:
    """Move the known chunks with a wanted hash to their new places, and store the others. Returns the ids by hash."""
    table = Chunk.objects.for_tenant(bank.tenant_id)
    there = {bytes(chunk.content_hash): chunk for chunk in known}
    moved = [chunk for content_hash, chunk in there.items() if content_hash in wanted]
    for chunk in moved:
        new = wanted[bytes(chunk.content_hash)]
        chunk.position, chunk.start, chunk.end = new.position, new.start, new.end
    table.bulk_update(moved, ["position", "start", "end"], batch_size=BATCH)
    table.bulk_create(chunk for content_hash, chunk in wanted.items() if content_hash not in there)
    return {content_hash: there.get(content_hash, chunk).id for content_hash, chunk in wanted.items()}


def cut_pieces(text: str, pieces: Sequence[Piece], *, size: int) -> list[ChunkSpan]:
    """No chunk reaches from one piece into the next: it would have two dates."""
    return [
        ChunkSpan(piece.start + span.start, piece.start + span.end)
        for piece in pieces
        if not piece.is_ready
        for span in cut_text(text[piece.start : piece.end], piece.said_at, is_transcript=piece.is_transcript, size=size)
    ]


def cut_text(text: str, said_at: datetime, *, is_transcript: bool, size: int) -> list[ChunkSpan]:
    """`size` is the most characters of a chunk. A transcript is cut between its turns."""
    return cut_transcript(text, said_at) if is_transcript else chunk_text(text, size=size)


def build_chunk(document: Document, pieces: list[Piece], span: ChunkSpan, position: int) -> Chunk:
    piece, text = find_piece(pieces, span.start), span.read(document.text)
    is_whole_piece = not any(
        NOT_BLANK.search(document.text, *bounds) for bounds in ((piece.start, span.start), (span.end, piece.end))
    )
    return Chunk(
        bank_id=document.bank_id,
        document=document,
        position=position,
        start=span.start,
        end=span.end,
        heading="" if is_whole_piece else heading(piece.said_at),
        text=text,
        content_hash=bytes.fromhex(hash_chunk(text)),
        said_at=piece.said_at,
    )


def remove_chunks(bank: Bank, chunks: Sequence[Chunk]) -> Removed:
    """Also deletes the units without any other source. Call inside a tenant transaction."""
    if not chunks:
        return Removed()
    lock_memory(bank)
    return delete_chunks(bank, [chunk.id for chunk in chunks])


def clear_vectors(document: Document) -> None:
    """A chunk's vector depends on the context. `embed_bare_chunks` makes the vectors again after the commit."""
    first = list_pieces(document)[0]
    rows = Chunk.objects.for_tenant(document.tenant_id).filter(document=document, start__lt=first.end)
    rows.update(**dict.fromkeys(VECTOR_COLUMNS))
