"""Retaining a document: only chunks whose text is new are read; what rested on removed ones alone goes."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from uuid import UUID

from django.utils import timezone

from banks.lifecycle.deciding import plan_facts
from banks.lifecycle.delete import delete_chunks
from banks.locking import lock_memory
from banks.models import Bank, Chunk, Corpus, Document
from banks.retain.chunking import ChunkSpan, chunk_text, hash_chunk, heading
from banks.retain.extract import read_passage
from banks.retain.instructions import Instructions
from banks.retain.pieces import find_piece, list_pieces
from banks.retain.prepared import Source, list_texts, prepare_facts
from banks.retain.store_facts import store_facts
from banks.retain.tools import Retained, Tools
from banks.retain.types import Passage, Turn
from banks.retain.vectors import embed_texts
from banks.text_index.write import add_texts
from tenants.transactions import tenant_transaction


@dataclass(frozen=True)
class DocumentJob:
    bank: Bank
    document_pk: UUID
    instructions: Instructions = field(default_factory=Instructions)


def retain_document(job: DocumentJob, tools: Tools) -> list[Retained]:
    """Goes on where it was left: a chunk that was extracted is not extracted again."""
    with tools.write():
        if not bring_chunks_up_to_date(job):
            return []
    waiting = load_waiting_chunks(job)
    outcomes = []
    for done, chunk in enumerate(waiting):
        tools.report(done, len(waiting))
        outcomes.append(retain_chunk(job, chunk, tools))
    return outcomes


def bring_chunks_up_to_date(job: DocumentJob) -> bool:
    """False where the document was deleted while it waited: then there is nothing left to do."""
    rows_of_it = Document.objects.for_tenant(job.bank.tenant_id).select_for_update(no_key=True)
    document = rows_of_it.filter(id=job.document_pk).first()
    if document is None:
        return False
    wanted = {
        bytes.fromhex(hash_chunk(span.read(document.text))): (place, span)
        for place, span in enumerate(cut_document(document))
    }
    rows = Chunk.objects.for_tenant(job.bank.tenant_id).filter(document=document)
    there = {bytes(chunk.content_hash): chunk for chunk in rows}
    remove_chunks(job.bank, [chunk for content_hash, chunk in there.items() if content_hash not in wanted])
    for content_hash, chunk in there.items():
        if content_hash in wanted:
            move_chunk(chunk, *wanted[content_hash])
    missing = {key: value for key, value in wanted.items() if key not in there}
    rows.bulk_create([build_chunk(document, job.bank, key, *value) for key, value in missing.items()])
    return True


def cut_document(document: Document) -> list[ChunkSpan]:
    """No chunk reaches over the seam of what was appended: it would have two dates."""
    return [
        ChunkSpan(piece.start + span.start, piece.start + span.end)
        for piece in list_pieces(document)
        for span in chunk_text(document.text[piece.start : piece.end])
    ]


def move_chunk(chunk: Chunk, position: int, span: ChunkSpan) -> None:
    if (chunk.position, chunk.start, chunk.end) != (position, span.start, span.end):
        chunk.position, chunk.start, chunk.end = position, span.start, span.end
        chunk.save(update_fields=["position", "start", "end"])


def build_chunk(document: Document, bank: Bank, content_hash: bytes, position: int, span: ChunkSpan) -> Chunk:
    piece = find_piece(document, span.start)
    return Chunk(
        bank=bank,
        document=document,
        position=position,
        start=span.start,
        end=span.end,
        heading=heading(piece.said_at),
        text=span.read(document.text),
        content_hash=content_hash,
        said_at=piece.said_at,
    )


def remove_chunks(bank: Bank, chunks: Sequence[Chunk]) -> None:
    """With the units that nothing else speaks for. Call inside a tenant transaction."""
    if chunks:
        lock_memory(bank)
        delete_chunks(bank, [chunk.id for chunk in chunks])


def load_waiting_chunks(job: DocumentJob) -> list[Chunk]:
    with tenant_transaction(job.bank.tenant_id):
        rows = Chunk.objects.for_tenant(job.bank.tenant_id).filter(document_id=job.document_pk, extracted_at=None)
        return list(rows.select_related("document").order_by("position"))


def read_piece(job: DocumentJob, chunk: Chunk) -> tuple[datetime, bool]:
    """When the chunk was written, where it was, and whether facts are wanted of it."""
    if chunk.document is None:  # parted from it meanwhile
        return chunk.said_at, job.instructions.infer
    piece = find_piece(chunk.document, chunk.start)
    return piece.said_at, piece.infer


def retain_chunk(job: DocumentJob, chunk: Chunk, tools: Tools) -> Retained:
    said_at, infer = read_piece(job, chunk)
    passage = Passage(
        turns=(Turn(role="user", speaker="", text=chunk.text, said_at=said_at),),
        context=job.instructions.context,
        agent_name=job.bank.name,
        is_document=True,
        given_entities=job.instructions.entities,
    )
    reading = read_passage(job.bank, passage, replace(job.instructions, infer=infer), tools)
    texts = [build_chunk_text(job, chunk), *list_texts(reading.facts)]
    embedded = embed_texts(job.bank.tenant_id, tools.embedder, texts)
    prepared = prepare_facts(
        reading.facts,
        embedded.vectors[1:],
        job.instructions,
        lambda quote: Source(quote.start, quote.end, chunk_id=chunk.id),
    )
    plan = plan_facts(job.bank, prepared, tools, speakers=frozenset())
    with tools.write():
        lock_memory(job.bank)
        units = store_facts(job.bank, prepared, speakers=frozenset(), plan=plan)
        add_texts(job.bank, Corpus.CHUNK, [chunk.id])
        Chunk.objects.for_tenant(job.bank.tenant_id).filter(id=chunk.id).update(
            embedding=embedded.vectors[0], extracted_at=timezone.now() if reading.is_done else None
        )
    return Retained(tuple(units), reading.usage + embedded.usage + plan.usage, reading.error)


def build_chunk_text(job: DocumentJob, chunk: Chunk) -> str:
    """Headed by what the caller said of the document and by its date."""
    head = [job.instructions.context] if job.instructions.context else []
    return "\n".join([*head, chunk.heading, chunk.text])
