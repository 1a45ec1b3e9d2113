"""Use-cases of documents: list, show, show chunks, change tags, extract anew, history, delete with their memories."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Count, Q
from django.db.models.functions import Left, Length

from banks.document_pieces import list_pieces
from banks.errors import ChunkNotFound, DocumentNotFound, MemoryInvalid
from banks.lifecycle.deleting import Removed, delete_chunks
from banks.locking import lock_memory
from banks.models import Bank, Chunk, ChunkPart, Corpus, Document, MemoryUnit, UnitChange, UnitSource
from banks.retain.input import RetainItem
from banks.retain.relabeling import ACTOR as RELABELING
from memoryplatform.operations.access import BankAccess, name_of
from memoryplatform.operations.banks.legal_hold import check_not_held
from memoryplatform.operations.banks.profile import bank_transaction
from memoryplatform.operations.kinds.retain import keep_ids
from memoryplatform.operations.memories.after_deletion import follow_deletion
from memoryplatform.operations.memories.memory_filter import find_numbers
from memoryplatform.operations.models import Operation
from memoryplatform.operations.retain import retain
from memoryplatform.operations.running.kind_names import RETAIN
from tenants.scoping import TenantQuerySet
from tenants.transactions import tenant_transaction

BEGINNING = 300  # characters of a document that a list shows
RETRIABLE = (Operation.Status.FAILED, Operation.Status.CANCELLED)


@dataclass(frozen=True)
class ListedDocument:
    document: Document
    unit_count: int
    text_length: int


@dataclass(frozen=True)
class ShownDocument:
    document: Document
    chunk_count: int
    units_by_network: dict[str, int]

    @property
    def unit_count(self) -> int:
        return sum(self.units_by_network.values())

    @property
    def text_length(self) -> int:
        return len(self.document.text)


@dataclass(frozen=True)
class ShownChunk:
    chunk: Chunk
    parts: tuple[ChunkPart, ...]


def get_document(bank: Bank, document_id: str, *, lock: bool = False) -> Document:
    """Call inside a tenant transaction."""
    if "\x00" in document_id:  # Postgres has no text with it
        raise DocumentNotFound(document_id.replace("\x00", "?"))
    rows = Document.objects.of_bank(bank).filter(document_id=document_id)
    document = (rows.select_for_update() if lock else rows).first()
    if document is None:
        raise DocumentNotFound(document_id)
    document.bank = bank
    return document


def show_document(access: BankAccess, bank_id: str, document_id: str) -> ShownDocument:
    with bank_transaction(access, bank_id) as bank:
        document = get_document(bank, document_id)
        chunks = Chunk.objects.for_tenant(bank.tenant_id).filter(document=document)
        sources = UnitSource.objects.for_tenant(bank.tenant_id).filter(chunk__in=chunks)
        live = MemoryUnit.objects.of_bank(bank).current().filter(id__in=sources.values("unit_id"))
        counts = live.values_list("network").annotate(count=Count("*")).order_by("network")
        return ShownDocument(document, chunks.count(), dict(counts))


def find_documents(bank: Bank) -> TenantQuerySet[Any]:
    """Without their texts. Call inside a tenant transaction."""
    rows = Document.objects.of_bank(bank).select_related("bank")
    return rows.defer("text").annotate(text_length=Length("text"))


def describe_documents(bank: Bank, documents: list[Document]) -> list[ListedDocument]:
    """With the live units that rest on each. Call inside a tenant transaction, with rows of `find_documents`."""
    rows = UnitSource.objects.for_tenant(bank.tenant_id).filter(chunk__document__in=documents, unit__expired_at=None)
    counted = rows.order_by().values_list("chunk__document_id").annotate(count=Count("unit_id", distinct=True))
    counts = dict(counted)
    return [
        ListedDocument(document, counts.get(document.id, 0), document.text_length)  # type: ignore[attr-defined]
        for document in documents
    ]


def search_documents(bank: Bank, words: str) -> TenantQuerySet[Any]:
    """With the `beginning` of each text. The words are in the id, the context or a chunk; without words all are found.

    Call inside a tenant transaction.
    """
    rows = find_documents(bank).annotate(beginning=Left("text", BEGINNING))
    if not words:
        return rows
    numbers = find_numbers(bank, words, corpus=Corpus.CHUNK, is_typed=True)
    chunks = Chunk.objects.of_bank(bank).filter(number__in=numbers).order_by().values("document_id")
    return rows.filter(Q(document_id__icontains=words) | Q(context__icontains=words) | Q(id__in=chunks))


def find_chunks(bank: Bank, document: Document) -> TenantQuerySet[Chunk]:
    """Call inside a tenant transaction."""
    rows = Chunk.objects.for_tenant(bank.tenant_id).filter(document=document)
    return rows.select_related("document", "bank").defer("embedding", "second_embedding", "document__text")


def delete_document(access: BankAccess, bank_id: str, document_id: str, *, action: str = "document.deleted") -> Removed:
    """The document's row first, as retain locks them, then the bank's memory. `action` is that of the audit log."""
    with bank_transaction(access, bank_id) as bank:
        document = get_document(bank, document_id, lock=True)
        lock_memory(bank)
        check_not_held(bank)
        chunks = Chunk.objects.for_tenant(bank.tenant_id).filter(document=document)
        removed = delete_chunks(bank, set(chunks.values_list("id", flat=True)))
        removed = follow_deletion(bank, removed, actor=name_of(access))
        forget_payloads(bank, document)
        target = f"document:{document.id}"  # the caller's own id may be a text, which is gone with it
        document.delete()
        detail = {"bank_id": bank_id, "memories": removed.units}
        access.record(action, target, detail)
        return removed


def forget_payloads(bank: Bank, document: Document) -> None:
    """A retain that failed or was cancelled keeps what was said, to be tried again. There is nothing left to try."""
    document_pk = str(document.id)
    ended = Operation.objects.for_tenant(bank.tenant_id).filter(bank=bank, status__in=RETRIABLE)
    for operation in ended.filter(payload__sources__contains=[{"document_pk": document_pk}]).select_for_update():
        sources = operation.payload["sources"]
        operation.payload["sources"] = [
            keep_ids(source) if source.get("document_pk") == document_pk else source for source in sources
        ]
        operation.save(update_fields=["payload", "updated_at"])


def show_chunk(access: BankAccess, bank_id: str, chunk_id: UUID) -> ShownChunk:
    with bank_transaction(access, bank_id) as bank:
        rows = Chunk.objects.of_bank(bank).filter(id=chunk_id).select_related("document", "bank")
        chunk = rows.first()
        if chunk is None:
            raise ChunkNotFound(chunk_id)
        parts = ChunkPart.objects.for_tenant(bank.tenant_id).filter(chunk=chunk).order_by("start", "id")
        return ShownChunk(chunk, tuple(parts))


def change_tags(access: BankAccess, bank_id: str, document_id: str, tags: tuple[str, ...]) -> Operation:
    """The text is sent again with the new tags: its memories get them, and nothing is extracted anew."""
    with bank_transaction(access, bank_id) as bank:
        item = build_item(get_document(bank, document_id))
    return retain(access, bank_id, [replace(item, tags=tags)], wait=True, change={"change": "retag"})


def reprocess_document(access: BankAccess, bank_id: str, document_id: str) -> Operation:
    """Deletes the document's memories and extracts them anew, in the background.

    The deletion and the new document are one transaction, so that a failure leaves the former document.
    """
    with tenant_transaction(access.tenant_id):
        with bank_transaction(access, bank_id) as bank:
            former = get_document(bank, document_id, lock=True)
            item = build_item(former)
        removed = delete_document(access, bank_id, document_id, action="document.extracted_again")
        change = {"change": "reprocess", "former_pk": str(former.id), "facts_removed": removed.units}
        return retain(access, bank_id, [item], wait=False, change=change)


@dataclass(frozen=True)
class DocumentEvent:
    """A change of a document, or of a memory that was made from it."""

    kind: str
    created_at: datetime
    operation_id: UUID | None = None
    unit_id: UUID | None = None
    facts_added: int = 0
    facts_removed: int = 0


BY_HAND = {
    UnitChange.Action.EDITED: "fact_edited",
    UnitChange.Action.INVALIDATED: "fact_invalidated",
    UnitChange.Action.RESTORED: "fact_restored",
}


def list_history(access: BankAccess, bank_id: str, document_id: str) -> list[DocumentEvent]:
    """The changes that operations and the histories of living memories tell of, newest first.

    Former texts are not stored. A reprocessing made a new row of the document, and its operation names the former one.
    """
    with bank_transaction(access, bank_id) as bank:
        document = get_document(bank, document_id)
        events = [*list_retains(bank, str(document.id)), *list_edits(bank, document)]
    return sorted(events, key=lambda one: one.created_at, reverse=True)


def list_retains(bank: Bank, document_pk: str) -> Iterator[DocumentEvent]:
    done = Operation.objects.for_tenant(bank.tenant_id).filter(
        kind=RETAIN, bank=bank, status=Operation.Status.COMPLETED
    )
    wanted: list[str] = [document_pk]
    for pk in wanted:  # grows by the former rows of reprocessed documents
        for operation in done.filter(payload__sources__contains=[{"document_pk": pk}]).order_by("id"):
            for source in operation.payload["sources"]:
                if source.get("document_pk") == pk:
                    wanted += [source["former_pk"]] if "former_pk" in source else []
                    yield DocumentEvent(
                        source.get("change", "retain"),
                        operation.finished_at or operation.created_at,
                        operation.id,
                        facts_added=source.get("facts_added", 0),
                        facts_removed=source.get("facts_removed", 0),
                    )


def list_edits(bank: Bank, document: Document) -> Iterator[DocumentEvent]:
    sources = UnitSource.objects.for_tenant(bank.tenant_id).filter(chunk__document=document)
    rows = UnitChange.objects.for_tenant(bank.tenant_id).filter(unit__in=sources.values("unit_id"), action__in=BY_HAND)
    for row in rows.exclude(actor=RELABELING).order_by("id"):
        yield DocumentEvent(BY_HAND[UnitChange.Action(row.action)], row.changed_at, unit_id=row.unit_id)


def build_item(document: Document) -> RetainItem:
    """The item that stores the document.

    Raises MemoryInvalid for a document that several calls wrote, or that has ready facts: no single item stores it.
    """
    (first, *others) = list_pieces(document)
    if others or first.is_ready:
        raise MemoryInvalid("This document was written by several calls, or from ready facts: retain its parts again.")
    labels: dict[str, Any] = {
        "context": first.labels.context,
        "tags": tuple(first.labels.tags),
        "metadata": dict(first.labels.metadata),
    }
    return RetainItem(
        said_at=first.said_at,
        text=document.text,
        document_id=document.document_id,
        infer=first.infer,
        is_transcript=first.is_transcript,
        **labels,
    )
