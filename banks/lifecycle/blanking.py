"""Blanks where deleted words stood, so that all others are found where they were."""

from collections import defaultdict
from collections.abc import Collection, Iterable
from uuid import UUID

from banks.models import Bank, Chunk, Corpus, Document, UnitSource
from banks.retain.archive import hash_text
from banks.retain.documents.pieces import is_of_ready_facts
from banks.text_index.write import replacing_texts

Span = tuple[int, int]


def blank(text: str, spans: Iterable[Span], *, kept: Iterable[Span] = ()) -> str:
    """`kept` wins where both mean a character."""
    places = {place for start, end in spans for place in range(start, end)}
    for start, end in kept:
        places.difference_update(range(start, end))
    return "".join(" " if place in places else letter for place, letter in enumerate(text))


def blank_ready_facts(bank: Bank, unit_ids: Collection[UUID]) -> None:
    """What a caller gave as facts is archived as the words of these facts: a deleted one may not stay there.

    The hash of a chunk stays: the same facts sent once more are known. Call inside a tenant transaction, after
    `lock_memory`, before the units are deleted.
    """
    gone = read_spans(bank, unit_ids)
    chunks = Chunk.objects.for_tenant(bank.tenant_id).filter(id__in=gone, document__isnull=False)
    rows = chunks.select_related("document").defer("document__text").order_by("id")
    ready = [chunk for chunk in rows if is_ready(chunk)]
    if not ready:
        return
    kept = read_spans(bank, unit_ids, others_in={chunk.id for chunk in ready})
    with replacing_texts(bank, Corpus.CHUNK, [chunk.id for chunk in ready if chunk.number is not None]):
        for chunk in ready:
            chunk.text, chunk.embedding = blank(chunk.text, gone[chunk.id], kept=kept[chunk.id]), None
            chunk.save(update_fields=["text", "embedding"])
    blank_documents(ready, gone, kept)


def blank_documents(chunks: Iterable[Chunk], gone: dict[UUID, list[Span]], kept: defaultdict[UUID, list[Span]]) -> None:
    by_document: defaultdict[UUID, list[Chunk]] = defaultdict(list)
    for chunk in chunks:
        if chunk.document_id:
            by_document[chunk.document_id].append(chunk)
    for document_id, held in sorted(by_document.items()):
        document = Document.objects.for_tenant(held[0].tenant_id).select_for_update(no_key=True).get(id=document_id)
        document.text = blank(document.text, shift(held, gone), kept=shift(held, kept))
        document.content_hash = hash_text(document.text)
        document.save(update_fields=["text", "content_hash", "updated_at"])


def shift(chunks: Iterable[Chunk], spans: dict[UUID, list[Span]]) -> list[Span]:
    """As they stand in the document."""
    return [(chunk.start + start, chunk.start + end) for chunk in chunks for start, end in spans.get(chunk.id, [])]


def is_ready(chunk: Chunk) -> bool:
    return chunk.document is not None and is_of_ready_facts(chunk.document, chunk.start)


def read_spans(
    bank: Bank, unit_ids: Collection[UUID], *, others_in: Collection[UUID] | None = None
) -> defaultdict[UUID, list[Span]]:
    """By chunk, what the units quote; with `others_in` what all other units quote of these chunks."""
    rows = UnitSource.objects.for_tenant(bank.tenant_id).filter(chunk__isnull=False)
    meant = (
        rows.filter(unit_id__in=unit_ids)
        if others_in is None
        else rows.filter(chunk_id__in=others_in).exclude(unit_id__in=unit_ids)
    )
    spans: defaultdict[UUID, list[Span]] = defaultdict(list)
    for chunk_id, start, end in meant.values_list("chunk_id", "start", "end"):
        if chunk_id and start is not None and end is not None:
            spans[chunk_id].append((start, end))
    return spans
