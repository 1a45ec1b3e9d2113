"""Pages of documents: those of a bank, and one of them with the memories that came from each passage."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_GET, require_POST

from banks.enums import Network
from banks.models import Bank, Chunk, Document, MemoryUnit, UnitSource
from banks.models.bank import VECTOR_COLUMNS
from memoryplatform.dashboard.access import BankRequest, bank_page, perform, wants_part
from memoryplatform.dashboard.conversations import find_unit
from memoryplatform.dashboard.faults import read_id, write_fault
from memoryplatform.dashboard.texts import LONGEST, Span, mark_spans
from memoryplatform.operations import documents as operations
from memoryplatform.operations.account.access import Right
from tenants.transactions import tenant_transaction

DOCUMENTS = 30  # of a page
PASSAGES = 30
READ_WITHIN = timedelta(minutes=10)  # so long the page asks whether a worker has read the text
MEMORIES = 12  # that stand beside a passage


@dataclass(frozen=True)
class PlacedSource:
    """The characters of a document that a memory came from. Without a place it came from the whole chunk."""

    unit: MemoryUnit
    start: int | None
    end: int | None


@dataclass(frozen=True)
class Passage:
    """The characters of a document from the end of the passage before to the end of a chunk: chunks overlap."""

    said_at: datetime
    start: int
    text: str
    sources: list[PlacedSource]


@bank_page(Right.VIEW)
@require_GET
def documents(request: BankRequest) -> HttpResponse:
    words = request.GET.get("q", "").replace("\x00", "")[:200]
    written = request.GET.get("before", "")
    before = read_id(written)
    with tenant_transaction(request.access.tenant_id):
        rows = operations.search_documents(request.bank, words if words.strip() else "")
        rows = rows.filter(id__lt=before) if before else rows
        found = list(rows.order_by("-id")[: DOCUMENTS + 1])
        shown = operations.describe_documents(request.bank, found[:DOCUMENTS])
    context: dict[str, Any] = {
        "words": words,
        "documents": shown,
        "is_later_page": before is not None,
        "faults": [write_fault("Older", written)] if written and before is None else [],
    }
    if len(found) > DOCUMENTS:
        context["next"] = "?" + urlencode(({"q": words} if words else {}) | {"before": found[DOCUMENTS - 1].id})
    template = "results" if wants_part(request) else "list"
    answer = render(request, f"dashboard/documents/{template}.html", context)
    answer["HX-Push-Url"] = f"{request.path}?{urlencode({'q': words})}" if words.strip() else request.path
    return answer


@bank_page(Right.VIEW)
@require_GET
def document(request: BankRequest) -> HttpResponse:
    """`at` is the character that the page begins with, and `from` the memory that the reader came from.

    `quoted` is the memory whose words stand out, usually the same.
    """
    written = request.GET.get("at", "")
    at = int(written) if written.isascii() and written.isdigit() and len(written) < 10 else 0  # noqa: PLR2004  # below 2^31
    shown = operations.show_document(request.access.to_bank(), request.bank.bank_id, name_document(request))
    with tenant_transaction(request.access.tenant_id):
        passages, following = read_passages(request.bank, shown.document, start=at, limit=PASSAGES)
        if at and not passages:
            at = 0
            passages, following = read_passages(request.bank, shown.document, start=0, limit=PASSAGES)
        is_unread = operations.find_chunks(request.bank, shown.document).filter(extracted_at=None).exists()
        came_from = find_unit(request, read_id(request.GET.get("from", "")))
    quoted = read_id(request.GET.get("quoted", "")) or (came_from.id if came_from else None)
    is_fresh = shown.document.updated_at > timezone.now() - READ_WITHIN
    context = {
        "document": shown.document,
        "is_pending": is_fresh and (is_unread or not passages),
        "memories": shown.unit_count,
        "length": shown.text_length,
        "passages": [show_passage(one, quoted) for one in passages],
        "unread": "" if passages else shown.document.text[:LONGEST],
        "networks": Network.values,
        "came_from": came_from,
        "quoted": quoted,
        "is_later_page": at > 0,
        "next": "?" + urlencode({"id": shown.document.document_id, "at": following}) if following else "",
    }
    return render(request, "dashboard/documents/document.html", context)


def read_passages(bank: Bank, document: Document, *, start: int, limit: int) -> tuple[list[Passage], int | None]:
    """The passages from the character `start` on, and where the next page begins. Call inside a tenant transaction."""
    chunks = list(
        operations.find_chunks(bank, document).filter(end__gt=start).order_by("start", "position")[: limit + 1]
    )
    sources = read_sources(bank, chunks)
    passages: list[Passage] = []
    for chunk in chunks[:limit]:
        end = max(start, chunk.end)
        within = [one for place, one in sources if start <= place < end]
        passages.append(Passage(chunk.said_at, start, document.text[start:end], within))
        start = end
    return passages, start if len(chunks) > limit else None


def read_sources(bank: Bank, chunks: Sequence[Chunk]) -> list[tuple[int, PlacedSource]]:
    """Each source with the character where a reader looks for it, in their order."""
    starts = {chunk.id: chunk.start for chunk in chunks}
    rows = UnitSource.objects.for_tenant(bank.tenant_id).filter(chunk__in=list(starts)).select_related("unit")
    placed: list[tuple[int, PlacedSource]] = []
    for source in rows.defer(*(f"unit__{column}" for column in VECTOR_COLUMNS)).order_by("start", "id"):
        begin = starts[source.chunk_id]  # type: ignore[index]  # the filter asks for it
        if source.start is None or source.end is None:
            placed.append((begin, PlacedSource(source.unit, None, None)))
        else:
            placed.append((begin + source.start, PlacedSource(source.unit, begin + source.start, begin + source.end)))
    return sorted(placed, key=lambda one: one[0])


def name_document(request: HttpRequest) -> str:
    return request.GET.get("id", "")


def show_passage(passage: Passage, quoted: UUID | None) -> dict[str, Any]:
    units = list({one.unit.id: one.unit for one in passage.sources}.values())
    listed = {unit.id for unit in units[:MEMORIES]}
    spans = [
        Span(
            max(one.start - passage.start, 0),
            one.end - passage.start,
            "closed" if one.unit.expired_at else one.unit.network,
            one.unit.id if one.unit.id in listed else None,
        )
        for one in passage.sources
        if one.start is not None and one.end is not None
    ]
    return {
        "start": passage.start,
        "said_at": passage.said_at,
        "parts": mark_spans(passage.text, spans),
        "units": units[:MEMORIES],
        "more_units": max(0, len(units) - MEMORIES),
        "is_named": quoted in {unit.id for unit in units},
    }


@bank_page(Right.WRITE)
@require_POST
def delete_document(request: BankRequest) -> HttpResponse:
    def act() -> str:
        name = name_document(request)
        removed = operations.delete_document(request.access.to_bank(), request.bank.bank_id, name)
        count = "1 memory" if removed.units == 1 else f"{removed.units:,} memories"
        return f"“{name[:120]}” is deleted, with {count} that rested on it alone."

    return perform(request, act, reverse("documents", args=[request.bank.bank_id]))


@bank_page(Right.WRITE)
@require_POST
def extract_document(request: BankRequest) -> HttpResponse:
    def act() -> str:
        operations.reprocess_document(request.access.to_bank(), request.bank.bank_id, name_document(request))
        return "The memories of this document are extracted again in the background."

    return perform(request, act, document_address(request.bank, name_document(request)))


def document_address(bank: Bank, document_id: str, **place: object) -> str:
    return f"{reverse('document', args=[bank.bank_id])}?{urlencode({'id': document_id, **place})}"


def passage_address(bank: Bank, source: UnitSource, chunk: Chunk, *, came_from: UUID) -> str:
    """The passage with the words of the source marked; empty for a chunk of no document.

    The page leads back to the memory or opinion that the reader came from.
    """
    if chunk.document is None:
        return ""
    place = {"at": chunk.start, "from": came_from, "quoted": source.unit_id}
    return document_address(bank, chunk.document.document_id, **place)
