"""Ready facts: archived as a document of their texts, embedded and stored in batches of whole chunks."""

import hashlib
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from django.utils import timezone
from pydantic import TypeAdapter

from banks.chunking.spans import CHUNK_SIZE, heading
from banks.entities.resolution.given import Given, attach_given, read_given
from banks.facts import prepare_facts
from banks.lifecycle.planning import plan_facts
from banks.links import link_by_cause
from banks.locking import lock_memory
from banks.models import Bank, Chunk, Document, UnitSource
from banks.retain.archive import append_to, check_replaceable, lock_document, save_document
from banks.retain.document_chunks import remove_chunks, write_chunks
from banks.retain.document_versions import (
    DocumentVersion,
    SourceGone,
    check_still_there,
    load_document,
    note_source_gone,
)
from banks.retain.input import Instructions, RetainItem
from banks.retain.relabeling import relabel_units
from banks.retain.storing import store_facts
from banks.retain.tools import Retained, Tools
from banks.types import Cause, ExtractedFact, Quote, Source
from banks.vectors import embed_facts
from tenants.identifiers import uuid7
from tenants.transactions import tenant_transaction

SEPARATOR = "\n"
NEVER = datetime(1, 1, 1, tzinfo=UTC)
# The words of one fact in five end a chunk. So most cuts stay where they were after an edit.
ENDS_ONE_IN = 5
FACTS = TypeAdapter(tuple[ExtractedFact, ...])
# A caller gives none of them. They came later, and must not change the hash of what is stored.
EXTRACTED: Any = {"__all__": {"categories": True, "effects": True, "entities": {"__all__": {"type"}}}}
BATCH = 100  # facts: enough to share the cost of the statements, few enough to lose in a crash


@dataclass(frozen=True)
class FactChunk:
    """Some facts of an item that share a chunk.

    `start` is where the chunk begins in the document's text, `first` the place of its first fact among the item's.
    `called_at` is the date of the facts that were given none.
    """

    facts: tuple[ExtractedFact, ...]
    start: int
    first: int = 0
    called_at: datetime | None = None
    id: UUID = field(default_factory=uuid7)

    @property
    def text(self) -> str:
        return join_facts(self.facts)

    @property
    def end(self) -> int:
        return self.start + len(self.text)

    @property
    def places(self) -> range:
        """The places of the facts among all facts of the item."""
        return range(self.first, self.first + len(self.facts))

    @property
    def content_hash(self) -> bytes:
        """Covers every field of the facts: the same words with another date are stored again.

        The date of the call does not count.
        """
        undated = [
            replace(fact, mentioned_at=NEVER) if fact.mentioned_at == self.called_at else fact for fact in self.facts
        ]
        return hashlib.sha256(FACTS.dump_json(tuple(undated), exclude=EXTRACTED)).digest()

    @property
    def spans(self) -> list[tuple[int, int]]:
        """The characters of each fact in the chunk's text."""
        spans, start = [], 0
        for fact in self.facts:
            spans.append((start, start + len(fact.text)))
            start = spans[-1][1] + len(SEPARATOR)
        return spans


def join_facts(facts: Sequence[ExtractedFact]) -> str:
    return SEPARATOR.join(fact.text for fact in facts)


def cut_facts(facts: Sequence[ExtractedFact], *, offset: int, called_at: datetime | None) -> list[FactChunk]:
    """`offset` is the length of the document before the facts. A fact that is longer than a chunk has its own chunk."""
    chunks: list[FactChunk] = []
    group: list[ExtractedFact] = []
    for place, fact in enumerate(facts):
        if group and (ends_chunk(group[-1]) or len(join_facts(group)) + len(fact.text) >= CHUNK_SIZE):
            chunks.append(FactChunk(tuple(group), offset, place - len(group), called_at))
            offset = chunks[-1].end + len(SEPARATOR)
            group = []
        group.append(fact)
    return [*chunks, FactChunk(tuple(group), offset, len(facts) - len(group), called_at)] if group else chunks


def ends_chunk(fact: ExtractedFact) -> bool:
    return hashlib.sha256(fact.text.encode()).digest()[0] % ENDS_ONE_IN == 0


def write_payload(chunks: Sequence[FactChunk]) -> list[dict[str, Any]]:
    """The chunks as JSON, for the payload of the operation."""
    return [
        {"id": str(one.id), "facts": FACTS.dump_python(one.facts, mode="json"), "start": one.start, "first": one.first}
        for one in chunks
    ]


def read_payload(written: Sequence[dict[str, Any]]) -> tuple[FactChunk, ...]:
    return tuple(
        FactChunk(FACTS.validate_python(one["facts"]), one["start"], one["first"], id=UUID(one["id"]))
        for one in written
    )


@dataclass(frozen=True)
class ArchivedFacts:
    """The chunks in the order of the facts, and the ids of the chunks that the document has lost."""

    document: Document
    chunks: tuple[FactChunk, ...]
    dropped: tuple[UUID, ...]


def archive_facts(bank: Bank, item: RetainItem) -> ArchivedFacts:
    """Call inside a tenant transaction.

    This step only separates an unwanted chunk from its document, which needs no lock on the memory. The operation
    deletes the units of the chunk. Until then no later call can reuse the chunk.
    """
    document = lock_document(bank, item)
    before = f"{document.text}{SEPARATOR}" if document.text and item.update_mode == "append" else ""
    chunks = cut_facts(item.facts, offset=len(before), called_at=None if item.is_dated else item.said_at)
    dropped = []
    if before:
        append_to(document, item, join_facts(item.facts))
    else:
        check_replaceable(bank, document, join_facts(item.facts))
        save_document(document, item, join_facts(item.facts))
        dropped = drop_chunks(document, {chunk.content_hash for chunk in chunks})
    ids = store_chunks(bank, document, chunks, before=before, said_at=item.said_at)
    return ArchivedFacts(
        document, tuple(replace(chunk, id=ids[chunk.content_hash]) for chunk in chunks), tuple(dropped)
    )


def drop_chunks(document: Document, wanted: set[bytes]) -> list[UUID]:
    rows = Chunk.objects.for_tenant(document.tenant_id).filter(document=document)
    unwanted = [row_id for row_id, content_hash in rows.values_list("id", "content_hash") if content_hash not in wanted]
    rows.filter(id__in=unwanted).update(document=None)
    return unwanted


def store_chunks(
    bank: Bank, document: Document, chunks: Sequence[FactChunk], *, before: str, said_at: datetime
) -> dict[bytes, UUID]:
    """New chunks wait for their facts. Returns the ids by hash."""
    rows = Chunk.objects.for_tenant(bank.tenant_id).filter(document=document)
    position = rows.filter(start__lt=len(before)).count()
    wanted = {
        chunk.content_hash: Chunk(
            id=chunk.id,
            bank=bank,
            document=document,
            position=place,
            start=chunk.start,
            end=chunk.end,
            heading=heading(said_at),
            text=chunk.text,
            content_hash=chunk.content_hash,
            said_at=said_at,
        )
        for place, chunk in enumerate(chunks, position)
    }
    return write_chunks(bank, rows, wanted)


Place = tuple[UUID, int | None]  # a chunk, and the start of a fact in it


def link_between_chunks(bank: Bank, chunks: Sequence[FactChunk]) -> None:
    """Link causes across chunks. Call inside a tenant transaction, when all facts are stored. It is repeatable."""
    edges = list_edges(chunks)
    if not edges:
        return
    units = find_units(bank, {place for source, target, _ in edges for place in (source, target)})
    known = [(source, target, cause) for source, target, cause in edges if source in units and target in units]
    link_by_cause(bank, [(units[source], units[target], cause) for source, target, cause in known])


def list_edges(chunks: Sequence[FactChunk]) -> list[tuple[Place, Place, Cause]]:
    places = {
        number: (chunk.id, start)
        for chunk in chunks
        for number, (start, _) in zip(chunk.places, chunk.spans, strict=True)
    }
    return [
        (places[number], places[cause.target], cause)
        for chunk in chunks
        for number, fact in zip(chunk.places, chunk.facts, strict=True)
        for cause in fact.causes
        if cause.target in places and cause.target not in chunk.places
    ]


def find_units(bank: Bank, places: set[Place]) -> dict[Place, UUID]:
    rows = UnitSource.objects.for_tenant(bank.tenant_id).filter(chunk_id__in={chunk_id for chunk_id, _ in places})
    return {(chunk_id, start): unit_id for chunk_id, start, unit_id in rows.values_list("chunk_id", "start", "unit_id")}


@dataclass(frozen=True)
class FactsJob:
    """`dropped` are the chunks that only an earlier version of the document had."""

    source: DocumentVersion
    chunks: tuple[FactChunk, ...]
    dropped: tuple[UUID, ...] = ()
    instructions: Instructions = field(default_factory=Instructions)

    @property
    def bank(self) -> Bank:
        return self.source.bank


def retain_facts(job: FactsJob, tools: Tools) -> list[Retained]:
    """Continues after a crash: a chunk with stored facts is skipped."""
    outcomes: list[Retained] = []
    try:
        update_document(job, tools)
        batches = list(build_batches(find_waiting(job.bank, job.chunks)))
        for done, batch in enumerate(batches):
            tools.report(done, len(batches))
            outcomes.append(retain_batch(job, batch, tools))
        with tools.write():
            link_between_chunks(job.bank, job.chunks)
        check_still_there(job.source)
    except SourceGone as gone:
        return note_source_gone(outcomes, gone)
    return outcomes


def update_document(job: FactsJob, tools: Tools) -> None:
    """The dropped chunks are deleted even if a later call replaced the document: only this job knows them."""
    if job.dropped:
        with tools.write():
            lock_memory(job.bank)
            rows = Chunk.objects.for_tenant(job.bank.tenant_id)
            tools.removed(remove_chunks(job.bank, list(rows.filter(id__in=job.dropped, document=None))))
    with tools.write():
        tools.removed(relabel_units(job.bank, load_document(job.source, lock=True)))


def find_waiting(bank: Bank, chunks: Sequence[FactChunk]) -> list[FactChunk]:
    """The chunks that still belong to their document and have no units yet."""
    distinct = {chunk.id: chunk for chunk in chunks}
    with tenant_transaction(bank.tenant_id):
        rows = Chunk.objects.for_tenant(bank.tenant_id).filter(id__in=distinct, extracted_at=None)
        ids = set(rows.exclude(document=None).values_list("id", flat=True))
    return [chunk for chunk_id, chunk in distinct.items() if chunk_id in ids]


def build_batches(chunks: Sequence[FactChunk]) -> Iterator[list[FactChunk]]:
    batch: list[FactChunk] = []
    for chunk in chunks:
        batch.append(chunk)
        if sum(len(one.facts) for one in batch) >= BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


def retain_batch(job: FactsJob, batch: Sequence[FactChunk], tools: Tools) -> Retained:
    given = read_given(job.bank, job.instructions.entities, seen_at=batch[0].facts[0].mentioned_at)
    facts = gather_facts(batch, given)
    embedded = embed_facts(job.bank, tools.embedder, facts, step=tools.step)
    prepared = prepare_facts(
        facts,
        embedded.vectors,
        job.instructions.labels,
        lambda quote: Source(quote.start, quote.end, chunk_id=batch[quote.turn].id),
    )
    plan = plan_facts(job.bank, prepared, tools.planners, speakers=frozenset())
    with tools.write():
        lock_memory(job.bank)
        there = find_waiting(job.bank, batch)
        if len(there) == len(batch):
            units = store_facts(job.bank, prepared, speakers=frozenset(), plan=plan)
            rows = Chunk.objects.for_tenant(job.bank.tenant_id).filter(id__in=[chunk.id for chunk in batch])
            rows.update(extracted_at=timezone.now())
            return Retained(tuple(units), embedded.usage + plan.usage)
    # A later call replaced the document, and some chunks of the batch no longer belong to it.
    return retain_batch(job, there, tools) if there else Retained(usage=embedded.usage)


def set_validity(fact: ExtractedFact) -> ExtractedFact:
    """A fact without an occurrence takes the validity of its relationships.

    It begins with them if all that have a beginning agree. It ends with them only if all end on the same date.
    """
    if fact.occurred_start is not None:
        return fact
    begun = {one.valid_from for one in fact.relationships if one.valid_from is not None}
    over = {one.valid_until for one in fact.relationships}
    return replace(fact, valid_from=find_only(begun), valid_until=find_only(over))


def find_only(moments: Collection[datetime | None]) -> datetime | None:
    return next(iter(moments)) if len(moments) == 1 else None


def gather_facts(batch: Sequence[FactChunk], given: Sequence[Given]) -> list[ExtractedFact]:
    """The facts with their place in the chunk as the quote, and with the causes that point inside the chunk."""
    facts: list[ExtractedFact] = []
    for number, chunk in enumerate(batch):
        shift = len(facts) - chunk.first
        placed = [
            replace(
                set_validity(fact),
                quotes=(Quote(number, *span),),
                causes=tuple(
                    replace(cause, target=cause.target + shift) for cause in fact.causes if cause.target in chunk.places
                ),
            )
            for fact, span in zip(chunk.facts, chunk.spans, strict=True)
        ]
        facts += attach_given(placed, given)
    return facts
