"""Retaining facts that the caller extracted by himself: embedded and stored in batches, whole chunks at a time."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from uuid import UUID

from django.utils import timezone

from banks.entities.resolution.given import Given, attach_given, read_given
from banks.lifecycle.deciding.decide import plan_facts
from banks.locking import lock_memory
from banks.models import Bank, Chunk, Document
from banks.retain.documents.chunks import remove_chunks
from banks.retain.documents.fate import BroughtPiece, SourceGone, check_piece, check_still_there, give_way
from banks.retain.documents.relabel import relabel_units
from banks.retain.instructions import Instructions
from banks.retain.prepared import Source, prepare_facts
from banks.retain.ready_facts.causes import link_between_chunks
from banks.retain.ready_facts.groups import FactGroup
from banks.retain.storing.facts import store_facts
from banks.retain.tools import Retained, Tools
from banks.retain.types import ExtractedFact, Quote
from banks.retain.vectors import embed_facts, forget_vectors
from tenants.transactions import tenant_transaction

BATCH = 100  # facts: enough to share the cost of the statements, few enough to be lost in a crash


@dataclass(frozen=True)
class FactsJob:
    """`dropped` are the chunks that an earlier version of the document had; `brought` what the caller brought to it."""

    bank: Bank
    groups: tuple[FactGroup, ...]
    dropped: tuple[UUID, ...] = ()
    instructions: Instructions = field(default_factory=Instructions)
    brought: BroughtPiece | None = None


def retain_facts(job: FactsJob, tools: Tools) -> list[Retained]:
    """Goes on where it was left: a chunk whose facts were stored is passed over."""
    outcomes: list[Retained] = []
    try:
        bring_up_to_date(job, tools)
        batches = list(build_batches(find_waiting(job.bank, job.groups)))
        for done, batch in enumerate(batches):
            tools.report(done, len(batches))
            outcomes.append(retain_batch(job, batch, tools))
        with tools.write():
            link_between_chunks(job.bank, job.groups)
        if job.brought:
            check_still_there(job.brought)
    except SourceGone as gone:
        return give_way(outcomes, gone)
    return outcomes


def bring_up_to_date(job: FactsJob, tools: Tools) -> None:
    """What the document no longer says goes even where it was replaced since: nobody else knows of it."""
    remove_dropped(job, tools)
    if job.brought is None:
        return
    with tools.write():
        rows = Document.objects.for_tenant(job.bank.tenant_id).select_for_update(no_key=True)
        document = rows.filter(id=job.brought.document_pk).first()
        tools.removed(relabel_units(job.bank, check_piece(document, job.brought)))


def remove_dropped(job: FactsJob, tools: Tools) -> None:
    if not job.dropped:
        return
    with tools.write():
        lock_memory(job.bank)
        rows = Chunk.objects.for_tenant(job.bank.tenant_id)
        tools.removed(remove_chunks(job.bank, list(rows.filter(id__in=job.dropped, document=None))))


def find_waiting(bank: Bank, groups: Sequence[FactGroup]) -> list[FactGroup]:
    """Those whose chunk is still part of its document and has no facts yet."""
    distinct = {group.chunk_id: group for group in groups}
    with tenant_transaction(bank.tenant_id):
        rows = Chunk.objects.for_tenant(bank.tenant_id).filter(id__in=distinct, extracted_at=None)
        ids = set(rows.exclude(document=None).values_list("id", flat=True))
    return [group for chunk_id, group in distinct.items() if chunk_id in ids]


def build_batches(groups: Sequence[FactGroup]) -> Iterator[list[FactGroup]]:
    batch: list[FactGroup] = []
    for group in groups:
        batch.append(group)
        if sum(len(one.chunk.facts) for one in batch) >= BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


def retain_batch(job: FactsJob, batch: Sequence[FactGroup], tools: Tools) -> Retained:
    given = read_given(job.bank, job.instructions.entities, seen_at=batch[0].chunk.facts[0].mentioned_at)
    facts = gather_facts(batch, given)
    embedded = embed_facts(job.bank, tools.embedder, facts, step=tools.step)
    prepared = prepare_facts(
        facts,
        embedded.vectors,
        job.instructions,
        lambda quote: Source(quote.start, quote.end, chunk_id=batch[quote.turn].chunk_id),
    )
    plan = plan_facts(job.bank, prepared, tools, speakers=frozenset())
    with tools.write():
        lock_memory(job.bank)
        there = find_waiting(job.bank, batch)
        if len(there) == len(batch):
            units = store_facts(job.bank, prepared, speakers=frozenset(), plan=plan)
            mark_stored(job.bank, batch)
            forget_vectors(job.bank.tenant_id, tools.embedder, facts)
            return Retained(tuple(units), embedded.usage + plan.usage)
    # The document came again meanwhile and some of the batch is no longer in it.
    return retain_batch(job, there, tools) if there else Retained(usage=embedded.usage)


def mark_stored(bank: Bank, batch: Sequence[FactGroup]) -> None:
    rows = Chunk.objects.for_tenant(bank.tenant_id).filter(id__in=[group.chunk_id for group in batch])
    rows.update(extracted_at=timezone.now())


def with_validity(fact: ExtractedFact) -> ExtractedFact:
    """A fact without a time of its own is so from when its relations are, where those that say it agree.

    It is over when all of them are: one that goes on goes on in the fact too.
    """
    if fact.occurred_start is not None:
        return fact
    begun = {one.valid_from for one in fact.relationships if one.valid_from is not None}
    over = {one.valid_until for one in fact.relationships}
    return replace(fact, valid_from=find_only(begun), valid_until=find_only(over))


def find_only(moments: Collection[datetime | None]) -> datetime | None:
    return next(iter(moments)) if len(moments) == 1 else None


def gather_facts(batch: Sequence[FactGroup], given: Sequence[Given] = ()) -> list[ExtractedFact]:
    """With their place in their chunk as the quote, and with those causes that point inside the chunk."""
    facts: list[ExtractedFact] = []
    for number, group in enumerate(batch):
        shift = len(facts) - group.first
        told = [
            replace(
                with_validity(fact),
                quotes=(Quote(number, *span),),
                causes=tuple(
                    replace(cause, target=cause.target + shift) for cause in fact.causes if cause.target in group.places
                ),
            )
            for fact, span in zip(group.chunk.facts, group.chunk.spans, strict=True)
        ]
        facts += attach_given(told, given)
    return facts
