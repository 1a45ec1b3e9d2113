"""`/documents` and `/chunks`: the archived documents and their chunks."""

from typing import Any
from uuid import UUID

from django.db.models import Case, Q, When
from rest_framework import serializers
from rest_framework.request import Request

from banks.errors import ChunkNotFound
from banks.models import Bank, Chunk
from memoryplatform.api.compat.hindsight import hindsight_view
from memoryplatform.api.idempotency import idempotent
from memoryplatform.api.serializers import Input
from memoryplatform.api.v1.documents import DocumentDetailOutput, DocumentOutput, DocumentView
from memoryplatform.api.v1.fields import MATCHES, TagFilterInput, TagsField, TimeField
from memoryplatform.operations import documents
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.banks.profile import bank_transaction
from reflection.models.tagged import build_tags_filter
from tenants.scoping import TenantQuerySet
from tenants.transactions import tenant_transaction

MOST_READ = 5_000  # texts that a search scans
MARKS = {"in_id": "id", "in_text": "original_text"}


class DocumentListInput(TagFilterInput, hindsight_view.OffsetInput):
    q = serializers.CharField(max_length=500, required=False, default="", allow_blank=True)
    tags_match = serializers.ChoiceField(choices=MATCHES, default="any_strict")
    time_field = serializers.ChoiceField(choices=["created_at", "updated_at"], default="updated_at")
    start_date = TimeField(required=False, default=None)
    end_date = TimeField(required=False, default=None)


class HindsightDocumentsView(hindsight_view.HindsightView):
    def get(self, request: Request, bank_id: str) -> object:
        wanted = hindsight_view.read_query(DocumentListInput, request)
        with bank_transaction(self.access, bank_id) as bank:
            every = filter_documents(documents.find_documents(bank), wanted)
            rows = search_documents(every, wanted["q"]).order_by(f"-{wanted['time_field']}", "-id")
            shown = documents.describe_documents(bank, hindsight_view.cut_page(rows, wanted))
            items = [describe_document(one) for one in shown]
            is_estimate = bool(wanted["q"]) and every.count() > MOST_READ
            return hindsight_view.describe_page(items, rows.count(), wanted) | {"total_is_estimate": is_estimate}


class HindsightDocumentView(hindsight_view.HindsightView, DocumentView):
    """Our own view answers a deletion in Hindsight's shape already."""

    def get(self, _request: Request, bank_id: str, document_id: str) -> object:
        shown = documents.show_document(self.access, bank_id, document_id)
        return with_retain_params(dict(DocumentDetailOutput(shown).data))

    def patch(self, request: Request, bank_id: str, document_id: str) -> object:
        """Replaces the tags of the document and of its memories."""
        wanted = hindsight_view.read_body(DocumentChangeInput, request.data).validated_data
        if "tags" in wanted:
            operation = documents.change_tags(self.access, bank_id, document_id, tuple(wanted["tags"]))
            return {"success": operation.status != operation.Status.FAILED}
        documents.show_document(self.access, bank_id, document_id)
        return {"success": True}


class DocumentChangeInput(Input):
    tags = TagsField(required=False)
    observation_scopes = serializers.JSONField(required=False)

    def validate_observation_scopes(self, _value: Any) -> None:
        raise hindsight_view.NotOffered("Observations cover all tags of an entity: leave out observation_scopes.")


class HindsightReprocessView(hindsight_view.HindsightView):
    @idempotent
    def post(self, _request: Request, bank_id: str, document_id: str) -> object:
        operation = documents.reprocess_document(self.access, bank_id, document_id)
        return {"success": True, "operation_id": str(operation.id), "items_count": 1}


class HistoryInput(hindsight_view.OffsetInput):
    limit = serializers.IntegerField(min_value=1, max_value=hindsight_view.MOST_ROWS, default=100)


class HindsightDocumentHistoryView(hindsight_view.HindsightView):
    def get(self, request: Request, bank_id: str, document_id: str) -> object:
        """Its page counts changes, not operations."""
        wanted = hindsight_view.read_query(HistoryInput, request)
        events = documents.list_history(self.access, bank_id, document_id)
        shown = events[wanted["offset"] : wanted["offset"] + wanted["limit"]]
        items = [describe_event(one, document_id) for one in shown]
        return {"document_id": document_id, **hindsight_view.describe_page(items, len(events), wanted)}


class HindsightDocumentChunksView(hindsight_view.HindsightView):
    def get(self, request: Request, bank_id: str, document_id: str) -> object:
        wanted = hindsight_view.read_query(hindsight_view.OffsetInput, request)
        with bank_transaction(self.access, bank_id) as bank:
            chunks = documents.find_chunks(bank, documents.get_document(bank, document_id)).order_by("position", "id")
            items = [describe_chunk(chunk) for chunk in hindsight_view.cut_page(chunks, wanted)]
            return hindsight_view.describe_page(items, chunks.count(), wanted)


class HindsightChunkView(hindsight_view.HindsightView):
    """Hindsight's address of a chunk has no bank."""

    def get(self, _request: Request, chunk_id: UUID) -> object:
        shown = documents.show_chunk(self.access, find_bank_id(self.access, chunk_id), chunk_id)
        return describe_chunk(shown.chunk)


def filter_documents(rows: TenantQuerySet[Any], wanted: dict[str, Any]) -> TenantQuerySet[Any]:
    span = {f"{wanted['time_field']}__gte": wanted["start_date"], f"{wanted['time_field']}__lt": wanted["end_date"]}
    rows = rows.filter(**{name: value for name, value in span.items() if value is not None})
    return rows.filter(match_tags(wanted["tags"], wanted["tags_match"])) if wanted.get("tags") else rows


def search_documents(rows: TenantQuerySet[Any], letters: str) -> TenantQuerySet[Any]:
    """Searches all ids, and the texts of the newest documents only, because texts have no index."""
    if not letters:
        return rows
    newest = rows.order_by("-updated_at", "-id").values("id")[:MOST_READ]
    held = {"in_id": Q(document_id__icontains=letters), "in_text": Q(id__in=newest, text__icontains=letters)}
    marks = {name: Case(When(condition, then=True), default=False) for name, condition in held.items()}
    found: TenantQuerySet[Any] = rows.annotate(**marks).filter(Q(in_id=True) | Q(in_text=True))
    return found


def match_tags(tags: list[str], match: str) -> Q:
    """A document has its tags in one array column. A bank has few documents, so no index is needed."""
    matching = build_tags_filter(tags, match.removesuffix("_strict"))  # type: ignore[arg-type]  # any, all or exact
    return matching & ~Q(tags=[]) if match.endswith("_strict") else matching


def describe_document(shown: documents.ListedDocument) -> dict[str, Any]:
    matched = [name for mark, name in MARKS.items() if getattr(shown.document, mark, False)]
    return with_retain_params(dict(DocumentOutput(shown).data)) | {"matched_fields": matched}


def with_retain_params(described: dict[str, Any]) -> dict[str, Any]:
    params = {"context": described["context"], "event_date": described["timestamp"]}
    return described | {"retain_params": params, "observation_scopes": None, "attachments": None}


def describe_event(event: documents.DocumentEvent, document_id: str) -> dict[str, Any]:
    """Observations belong to entities here, so none are counted."""
    none = {"count": 0, "ids": []}
    return {
        "document_id": document_id,
        "kind": event.kind,
        "created_at": event.created_at,
        "operation_id": event.operation_id,
        "fact_id": event.unit_id,
        "facts_added": event.facts_added,
        "facts_removed": event.facts_removed,
        **{f"observations_{name}": none for name in ("created", "updated", "removed")},
    }


def find_bank_id(access: BankAccess, chunk_id: UUID) -> str:
    with tenant_transaction(access.tenant_id):
        holders = Chunk.objects.for_tenant(access.tenant_id).filter(id=chunk_id).values("bank_id")
        banks = Bank.objects.for_tenant(access.tenant_id).live().within(access.banks)
        bank = banks.filter(id__in=holders).first()
    if bank is None:
        raise ChunkNotFound(chunk_id)
    return bank.bank_id


def describe_chunk(chunk: Chunk) -> dict[str, Any]:
    """`document_id` is empty for a chunk of a conversation."""
    return {
        "chunk_id": chunk.id,
        "document_id": chunk.document.document_id if chunk.document else "",
        "bank_id": chunk.bank.bank_id,
        "chunk_index": chunk.position,
        "chunk_text": chunk.text,
        "created_at": chunk.created_at,
        "attachments": None,
    }
