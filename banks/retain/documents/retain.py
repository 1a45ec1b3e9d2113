"""Retaining a document: only chunks whose text is new are read; what rested on removed ones alone goes."""

from dataclasses import dataclass, field, replace
from uuid import UUID

from django.utils import timezone

from banks.embedding_texts import build_chunk_text
from banks.lifecycle.deciding.decide import plan_facts
from banks.lifecycle.delete import Removed
from banks.locking import lock_memory
from banks.models import Bank, Chunk, Corpus, Document
from banks.retain.documents.chunks import bring_chunks_up_to_date
from banks.retain.documents.fate import (
    BroughtPiece,
    SourceDeleted,
    SourceGone,
    SourceReplaced,
    check_piece,
    check_still_there,
    give_way,
)
from banks.retain.documents.pieces import Piece, find_piece, list_former_labels, list_pieces
from banks.retain.documents.relabel import relabel_units
from banks.retain.extraction.extract import read_passage
from banks.retain.instructions import Instructions
from banks.retain.prepared import Source, list_texts, prepare_facts
from banks.retain.storing.facts import store_facts
from banks.retain.tools import Retained, Tools
from banks.retain.types import Passage, Turn
from banks.retain.vectors import embed_texts
from banks.text_index.write import add_texts
from tenants.transactions import tenant_transaction


@dataclass(frozen=True)
class DocumentJob:
    """`version` is what the document had when the caller brought his piece of it: that piece is read here."""

    bank: Bank
    document_pk: UUID
    instructions: Instructions = field(default_factory=Instructions)
    version: int | None = None

    @property
    def brought(self) -> BroughtPiece:
        return BroughtPiece(self.bank, self.document_pk, self.version)


@dataclass(frozen=True)
class WaitingChunk:
    chunk: Chunk
    piece: Piece

    @property
    def embedding_text(self) -> str:
        return build_chunk_text(self.chunk.text, heading=self.chunk.heading, context=self.piece.labels.context)


def retain_document(job: DocumentJob, tools: Tools) -> list[Retained]:
    """Goes on where it was left: a chunk that was extracted is not extracted again."""
    outcomes: list[Retained] = []
    try:
        with tools.write():
            tools.removed(bring_up_to_date(job))
        outcomes += embed_bare_chunks(job, tools)
        waiting = load_waiting_chunks(job)
        for done, one in enumerate(waiting):
            tools.report(done, len(waiting))
            check_still_there(job.brought)
            outcomes.append(retain_chunk(job, one, tools))
    except SourceGone as gone:
        return give_way(outcomes, gone)
    return outcomes


def bring_up_to_date(job: DocumentJob) -> Removed:
    """Chunks as the text has them now, and labels as the caller gave them last. Call inside a tenant transaction."""
    document = check_piece(find_document(job, lock=True), job.brought)
    removed = bring_chunks_up_to_date(job.bank, document)
    former = {labels.context for labels in list_former_labels(document)}
    removed += relabel_units(job.bank, document)
    if former - {list_pieces(document)[0].labels.context}:
        forget_outdated_vectors(document)
    return removed


def find_document(job: DocumentJob, *, lock: bool = False) -> Document | None:
    rows = Document.objects.for_tenant(job.bank.tenant_id).filter(id=job.document_pk)
    return (rows.select_for_update(no_key=True) if lock else rows).first()


def forget_outdated_vectors(document: Document) -> None:
    """The context stands in what a chunk's vector is made of. They are made anew when this is committed."""
    first = list_pieces(document)[0]
    rows = Chunk.objects.for_tenant(document.tenant_id).filter(document=document, start__lt=first.end)
    rows.update(embedding=None)


def embed_bare_chunks(job: DocumentJob, tools: Tools) -> list[Retained]:
    """Those that were read, and whose vectors were then forgotten."""
    bare = [one for one in load_chunks(job, extracted_at__isnull=False, embedding=None) if not one.piece.is_ready]
    if not bare:
        return []
    texts = [one.embedding_text for one in bare]
    embedded = embed_texts(job.bank.tenant_id, tools.embedder, texts, step=tools.step)
    for one, vector in zip(bare, embedded.vectors, strict=True):
        one.chunk.embedding = vector
    with tools.write():
        rows = Chunk.objects.for_tenant(job.bank.tenant_id)
        rows.bulk_update([one.chunk for one in bare], ["embedding"], batch_size=500)
    return [Retained(usage=embedded.usage)]


def load_waiting_chunks(job: DocumentJob) -> list[WaitingChunk]:
    """Of the piece that the caller brought; of all where that is not known."""
    waiting = [one for one in load_chunks(job, extracted_at=None) if not one.piece.is_ready]
    return [one for one in waiting if job.version in {None, one.piece.version}]


def load_chunks(job: DocumentJob, **conditions: object) -> list[WaitingChunk]:
    with tenant_transaction(job.bank.tenant_id):
        document = check_piece(find_document(job), job.brought)
        pieces = list_pieces(document)
        rows = Chunk.objects.for_tenant(job.bank.tenant_id).filter(document=document, **conditions)
        return [WaitingChunk(chunk, find_piece(pieces, chunk.start)) for chunk in rows.order_by("position")]


def retain_chunk(job: DocumentJob, waiting: WaitingChunk, tools: Tools) -> Retained:
    chunk, instructions = waiting.chunk, instruct(job, waiting.piece)
    passage = Passage(
        turns=(Turn(role="user", speaker="", text=chunk.text, said_at=waiting.piece.said_at),),
        context=instructions.context,
        agent_name=job.bank.name,
        is_document=True,
        given_entities=instructions.entities,
    )
    reading = read_passage(job.bank, passage, instructions, tools)
    texts = [waiting.embedding_text, *list_texts(reading.facts)]
    embedded = embed_texts(job.bank.tenant_id, tools.embedder, texts, step=tools.step)
    prepared = prepare_facts(
        reading.facts,
        embedded.vectors[1:],
        instructions,
        lambda quote: Source(quote.start, quote.end, chunk_id=chunk.id),
    )
    plan = plan_facts(job.bank, prepared, tools, speakers=frozenset())
    with tools.write():
        lock_memory(job.bank)
        check_chunk(job, chunk)
        units = store_facts(job.bank, prepared, speakers=frozenset(), plan=plan)
        add_texts(job.bank, Corpus.CHUNK, [chunk.id])
        Chunk.objects.for_tenant(job.bank.tenant_id).filter(id=chunk.id).update(
            embedding=embedded.vectors[0], extracted_at=timezone.now() if reading.is_done else None
        )
    return Retained(tuple(units), reading.usage + embedded.usage + plan.usage, reading.error)


def check_chunk(job: DocumentJob, chunk: Chunk) -> None:
    """Call inside a tenant transaction, after `lock_memory`: from there on nobody removes it."""
    rows = Chunk.objects.for_tenant(job.bank.tenant_id).filter(id=chunk.id, document_id=job.document_pk)
    if not rows.exists():
        raise SourceDeleted if find_document(job) is None else SourceReplaced


def instruct(job: DocumentJob, piece: Piece) -> Instructions:
    labels = piece.labels
    return replace(
        job.instructions, infer=piece.infer, context=labels.context, tags=labels.tags, metadata=dict(labels.metadata)
    )
