"""Retaining a document: only chunks with a new text are read, and units without any other source are deleted."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from django.db.models import Q
from django.utils import timezone

from banks.chunking.spans import ChunkSpan
from banks.document_pieces import Piece, find_piece, list_pieces
from banks.embedding_texts import build_chunk_text
from banks.facts import list_embedding_texts, prepare_facts
from banks.lifecycle.planning import plan_facts
from banks.locking import lock_memory
from banks.models import Bank, Chunk, Corpus, Document
from banks.models.bank import VECTOR_COLUMNS, place_vector
from banks.retain.categories import categorise
from banks.retain.conversations import read_speaker_names
from banks.retain.document_chunks import BATCH, cut_document, update_document
from banks.retain.document_versions import (
    DocumentVersion,
    SourceDeleted,
    SourceGone,
    SourceReplaced,
    check_still_there,
    load_document,
    note_source_gone,
)
from banks.retain.echoes import find_echoes
from banks.retain.extraction import read_passage
from banks.retain.input import Instructions
from banks.retain.storing import store_facts
from banks.retain.tools import Retained, Tools
from banks.retain.transcript_chunks import (
    ChunkTurn,
    Transcript,
    join_turns_before,
    read_chunks_before,
    read_last_turn,
)
from banks.text_index.write import add_texts
from banks.types import Passage, Quote, Source, Turn
from banks.vectors import embed_texts
from providers.llm.errors import LLMError
from tenants.transactions import tenant_transaction


@dataclass(frozen=True)
class WaitingChunk:
    """In a transcript `turns` are those of the chunk, `before` is the last one before it, and `turns_before` are turns
    of earlier documents.
    """

    chunk: Chunk
    piece: Piece
    turns: tuple[ChunkTurn, ...] = ()
    before: tuple[Turn, ...] = ()
    turns_before: str = ""

    @property
    def embedding_text(self) -> str:
        return build_chunk_text(self.chunk.text, heading=self.chunk.heading, context=self.piece.labels.context)


def retain_document(source: DocumentVersion, instructions: Instructions, tools: Tools) -> list[Retained]:
    """Continues after a crash: a chunk whose facts were extracted is not read again."""
    outcomes: list[Retained] = []
    try:
        with tenant_transaction(source.bank.tenant_id):
            document = load_document(source)
        cut = cut_document(source.bank, document)
        with tools.write():
            tools.removed(update_document(source, cut))
        chunks = load_chunks(source)
        outcomes += embed_bare_chunks(source, [one for one in chunks if one.chunk.extracted_at], tools)
        waiting = [one for one in chunks if not one.chunk.extracted_at and one.piece.version == source.version]
        for done, one in enumerate(waiting):
            tools.report(done, len(waiting))
            if done:
                check_still_there(source)
            outcomes.append(retain_chunk(source, one, instructions, tools))
    except SourceGone as gone:
        return note_source_gone(outcomes, gone)
    return outcomes


def embed_bare_chunks(source: DocumentVersion, bare: Sequence[WaitingChunk], tools: Tools) -> list[Retained]:
    """Embed the chunks that were read and have lost their vectors."""
    if not bare:
        return []
    embedded = embed_texts(source.bank.tenant_id, tools.embedder, [one.embedding_text for one in bare], step=tools.step)
    for one, vector in zip(bare, embedded.vectors, strict=True):
        one.chunk.set_vector(source.bank, vector)
    with tools.write():
        lock_memory(source.bank)
        rows = Chunk.objects.for_tenant(source.bank.tenant_id)
        rows.bulk_update([one.chunk for one in bare], VECTOR_COLUMNS, batch_size=BATCH)
    return [Retained(usage=embedded.usage)]


def load_chunks(source: DocumentVersion) -> list[WaitingChunk]:
    """The chunks that were not read, or have no vector. Without the chunks of ready facts."""
    with tenant_transaction(source.bank.tenant_id):
        document = load_document(source)
    pieces = list_pieces(document)
    transcripts = {
        piece.start: Transcript.read(document.text[piece.start : piece.end], piece.said_at)
        for piece in pieces
        if piece.is_transcript
    }
    with tenant_transaction(source.bank.tenant_id):
        if load_document(source, with_text=False).pieces != document.pieces:
            return load_chunks(source)  # another call has changed the document meanwhile
        is_open = Q(extracted_at=None) | Q(**{source.bank.vector_column: None})
        rows = Chunk.objects.for_tenant(source.bank.tenant_id).filter(is_open, document=document)
        waiting = [WaitingChunk(chunk, find_piece(pieces, chunk.start)) for chunk in rows.order_by("position")]
        found = [
            read_turns(source.bank, transcripts[one.piece.start], one) if one.piece.is_transcript else one
            for one in waiting
        ]
    return [one for one in found if not one.piece.is_ready]


def read_turns(bank: Bank, transcript: Transcript, waiting: WaitingChunk) -> WaitingChunk:
    """Call inside a tenant transaction."""
    chunk, piece = waiting.chunk, waiting.piece
    before, turns = transcript.list_turns(ChunkSpan(chunk.start - piece.start, chunk.end - piece.start))
    if before:
        return replace(waiting, turns=tuple(turns), before=tuple(before))
    earlier = read_chunks_before(bank, chunk, piece.labels.tags)
    last = read_last_turn(earlier[0], piece.said_at) if earlier else None
    joined = join_turns_before(chunk, earlier)
    return replace(waiting, turns=tuple(turns), before=(last,) if last else (), turns_before=joined)


def build_chunk_passage(bank: Bank, text: str, said_at: datetime, instructions: Instructions) -> Passage:
    return Passage(
        turns=(Turn(role="user", speaker="", text=text, said_at=said_at),),
        context=instructions.labels.context,
        agent_name=bank.name,
        is_document=True,
        given_entities=instructions.entities,
    )


def build_transcript_passage(
    bank: Bank, turns: tuple[Turn, ...], before: tuple[Turn, ...], instructions: Instructions
) -> Passage:
    return Passage(
        turns=turns,
        context=instructions.labels.context,
        agent_name=bank.name,
        given_entities=instructions.entities,
        before=before,
        echoes=find_echoes(bank, turns),
        speaker_names=read_speaker_names(bank),
    )


def retain_chunk(source: DocumentVersion, waiting: WaitingChunk, given: Instructions, tools: Tools) -> Retained:
    bank, chunk, piece = source.bank, waiting.chunk, waiting.piece
    instructions = replace(given, infer=piece.infer, labels=piece.labels)
    turns = tuple(one.turn for one in waiting.turns)
    if turns:
        passage = build_transcript_passage(bank, turns, waiting.before, instructions)
    else:
        passage = build_chunk_passage(bank, chunk.text, piece.said_at, instructions)
    try:
        reading = read_passage(bank, passage, instructions, tools)
    except LLMError:
        keep_searchable(source, waiting, tools)
        raise
    texts = [waiting.embedding_text, *list_embedding_texts(reading.facts)]
    embedded = embed_texts(bank.tenant_id, tools.embedder, texts, step=tools.step)
    categorised = categorise(bank, reading.facts, embedded.vectors[1:], instructions.settings, tools)
    prepared = prepare_facts(
        categorised.facts,
        embedded.vectors[1:],
        piece.labels,
        lambda quote: find_source(waiting, quote),
        is_agents=lambda quote: passage.turns[quote.turn].role != "user",
    )
    speakers = frozenset(turn.speaker for turn in turns)
    plan = plan_facts(bank, prepared, tools.planners, speakers=speakers, seen=reading.seen)
    with tools.write():
        lock_memory(bank)
        check_chunk(source, chunk)
        units = store_facts(bank, prepared, speakers=speakers, plan=plan)
        index_chunk(bank, waiting)
        Chunk.objects.for_tenant(bank.tenant_id).filter(id=chunk.id).update(
            **place_vector(bank, embedded.vectors[0]), extracted_at=timezone.now() if reading.is_done else None
        )
    usage = reading.usage + embedded.usage + categorised.usage + plan.usage
    return Retained(tuple(units), usage, "\n".join(reading.errors))


def find_source(waiting: WaitingChunk, quote: Quote) -> Source:
    if waiting.turns:
        return waiting.turns[quote.turn].find_source(quote, waiting.chunk)
    return Source(quote.start, quote.end, chunk_id=waiting.chunk.id)


def keep_searchable(source: DocumentVersion, waiting: WaitingChunk, tools: Tools) -> None:
    """Recall finds the words of a chunk whose facts a model did not extract yet."""
    bank, chunk = source.bank, waiting.chunk
    embedded = embed_texts(bank.tenant_id, tools.embedder, [waiting.embedding_text])
    with tools.write():
        lock_memory(bank)
        check_chunk(source, chunk)
        index_chunk(bank, waiting)
        rows = Chunk.objects.for_tenant(bank.tenant_id).filter(id=chunk.id)
        rows.update(**place_vector(bank, embedded.vectors[0]))


def index_chunk(bank: Bank, waiting: WaitingChunk) -> None:
    """Call inside a tenant transaction. The text of an indexed chunk must not change, so it keeps its former turns."""
    rows = Chunk.objects.for_tenant(bank.tenant_id).filter(id=waiting.chunk.id)
    if waiting.turns_before:
        rows.filter(number=None).update(turns_before=waiting.turns_before)
    add_texts(bank, Corpus.CHUNK, [waiting.chunk.id])


def check_chunk(source: DocumentVersion, chunk: Chunk) -> None:
    """Call inside a tenant transaction, after `lock_memory`: no other process can remove the chunk then."""
    bank = source.bank
    if Chunk.objects.for_tenant(bank.tenant_id).filter(id=chunk.id, document_id=source.document_pk).exists():
        return
    is_there = Document.objects.for_tenant(bank.tenant_id).filter(id=source.document_pk).exists()
    raise SourceReplaced if is_there else SourceDeleted
