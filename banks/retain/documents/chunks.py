"""The chunks of a document as its text has them now: what is new waits to be read, what rested on removed ones goes."""

from bisect import bisect_left
from collections.abc import Sequence

from banks.lifecycle.delete import Removed, delete_chunks
from banks.locking import lock_memory
from banks.models import Bank, Chunk, Document
from banks.retain.chunking import ChunkSpan, chunk_text, hash_chunk, heading
from banks.retain.documents.pieces import Piece, find_piece, list_pieces

Place = tuple[int, ChunkSpan]


def bring_chunks_up_to_date(bank: Bank, document: Document) -> Removed:
    """Chunks of ready facts are left as they are. Call inside a tenant transaction that has the document locked."""
    pieces = list_pieces(document)
    rows = list(Chunk.objects.for_tenant(bank.tenant_id).filter(document=document))
    of_facts = {chunk for chunk in rows if find_piece(pieces, chunk.start).is_ready}
    there = {bytes(chunk.content_hash): chunk for chunk in rows if chunk not in of_facts}
    wanted = place_chunks(document, pieces, sorted(chunk.start for chunk in of_facts))
    removed = remove_chunks(bank, [chunk for content_hash, chunk in there.items() if content_hash not in wanted])
    for content_hash, chunk in there.items():
        if content_hash in wanted:
            move_chunk(chunk, *wanted[content_hash])
    missing = {key: place for key, place in wanted.items() if key not in there}
    Chunk.objects.for_tenant(bank.tenant_id).bulk_create(
        build_chunk(document, pieces, key, *place) for key, place in missing.items()
    )
    return removed


def place_chunks(document: Document, pieces: list[Piece], starts_of_facts: Sequence[int]) -> dict[bytes, Place]:
    """By their hash, with their positions among all chunks of the document."""
    return {
        bytes.fromhex(hash_chunk(span.read(document.text))): (place + bisect_left(starts_of_facts, span.start), span)
        for place, span in enumerate(cut_pieces(document.text, pieces))
    }


def cut_pieces(text: str, pieces: Sequence[Piece]) -> list[ChunkSpan]:
    """No chunk reaches over the seam of what was appended: it would have two dates."""
    return [
        ChunkSpan(piece.start + span.start, piece.start + span.end)
        for piece in pieces
        if not piece.is_ready
        for span in chunk_text(text[piece.start : piece.end])
    ]


def move_chunk(chunk: Chunk, position: int, span: ChunkSpan) -> None:
    if (chunk.position, chunk.start, chunk.end) != (position, span.start, span.end):
        chunk.position, chunk.start, chunk.end = position, span.start, span.end
        chunk.save(update_fields=["position", "start", "end"])


def build_chunk(document: Document, pieces: list[Piece], content_hash: bytes, position: int, span: ChunkSpan) -> Chunk:
    said_at = find_piece(pieces, span.start).said_at
    return Chunk(
        bank_id=document.bank_id,
        document=document,
        position=position,
        start=span.start,
        end=span.end,
        heading=heading(said_at),
        text=span.read(document.text),
        content_hash=content_hash,
        said_at=said_at,
    )


def remove_chunks(bank: Bank, chunks: Sequence[Chunk]) -> Removed:
    """With the units that nothing else speaks for. Call inside a tenant transaction."""
    if not chunks:
        return Removed()
    lock_memory(bank)
    return delete_chunks(bank, [chunk.id for chunk in chunks])
