"""`/documents` and `/chunks`: what was written, as it was written."""

from typing import Any
from uuid import UUID

from django.db.models import Case, Q, When
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from banks.errors import ChunkNotFound
from banks.models import Bank, Chunk
from memoryplatform.api.compat.hindsight.errors import NotOffered
from memoryplatform.api.compat.hindsight.hindsight_view import HindsightView
from memoryplatform.api.compat.hindsight.pages import OffsetInput, cut_page, describe_page
from memoryplatform.api.compat.hindsight.tolerance import read_query
from memoryplatform.api.v1.documents import DocumentDetailOutput, DocumentOutput, DocumentView
from memoryplatform.api.v1.moments import MomentField
from memoryplatform.api.v1.tag_conditions import MATCHES
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.banks.profile import get_bank
from memoryplatform.operations.documents import (
    ListedDocument,
    describe_documents,
    find_chunks,
    find_documents,
    get_document,
    show_chunk,
    show_document,
)
from tenants.scoping import TenantQuerySet
from tenants.transactions import tenant_transaction

MOST_READ = 5_000  # texts that a search reads through
MARKS = {"in_id": "id", "in_text": "original_text"}


class DocumentListInput(OffsetInput):
    q = serializers.CharField(max_length=500, required=False, default="", allow_blank=True)
    tags = serializers.ListField(child=serializers.CharField(max_length=200), required=False, max_length=100)
    tags_match = serializers.ChoiceField(choices=MATCHES, default="any_strict")
    time_field = serializers.ChoiceField(choices=["created_at", "updated_at"], default="updated_at")
    start_date = MomentField(required=False, default=None)
    end_date = MomentField(required=False, default=None)


class HindsightDocumentsView(HindsightView):
    def get(self, request: Request, bank_id: str) -> Response:
        wanted = read_query(DocumentListInput, request)
        with tenant_transaction(self.tenant_id):
            bank = get_bank(self.access, bank_id)
            every = filter_documents(find_documents(bank), wanted)
            rows = search_documents(every, wanted["q"]).order_by(f"-{wanted['time_field']}", "-id")
            shown = describe_documents(bank, cut_page(rows, wanted))
            items = [describe_document(one) for one in shown]
            is_estimate = bool(wanted["q"]) and every.count() > MOST_READ
            return Response(describe_page(items, rows.count(), wanted) | {"total_is_estimate": is_estimate})


class HindsightDocumentView(HindsightView, DocumentView):
    """A deletion is answered in Hindsight's shape by our own view already."""

    def get(self, _request: Request, bank_id: str, document_id: str) -> Response:
        shown = show_document(self.access, bank_id, document_id)
        return Response(with_retain_params(dict(DocumentDetailOutput(shown).data)))

    def patch(self, _request: Request, bank_id: str, document_id: str) -> Response:
        raise NotOffered("A document gets other tags when it is retained again with them; nothing is read anew then.")


class HindsightDocumentChunksView(HindsightView):
    def get(self, request: Request, bank_id: str, document_id: str) -> Response:
        wanted = read_query(OffsetInput, request)
        with tenant_transaction(self.tenant_id):
            bank = get_bank(self.access, bank_id)
            chunks = find_chunks(bank, get_document(bank, document_id)).order_by("position", "id")
            items = [describe_chunk(chunk) for chunk in cut_page(chunks, wanted)]
            return Response(describe_page(items, chunks.count(), wanted))


class HindsightChunkView(HindsightView):
    """Hindsight's address of a chunk names no bank."""

    def get(self, _request: Request, chunk_id: UUID) -> Response:
        shown = show_chunk(self.access, find_bank_id(self.access, chunk_id), chunk_id)
        return Response(describe_chunk(shown.chunk))


def filter_documents(rows: TenantQuerySet[Any], wanted: dict[str, Any]) -> TenantQuerySet[Any]:
    span = {f"{wanted['time_field']}__gte": wanted["start_date"], f"{wanted['time_field']}__lt": wanted["end_date"]}
    rows = rows.filter(**{name: value for name, value in span.items() if value is not None})
    return rows.filter(match_tags(wanted["tags"], wanted["tags_match"])) if wanted.get("tags") else rows


def search_documents(rows: TenantQuerySet[Any], letters: str) -> TenantQuerySet[Any]:
    """By their ids, and of those that were written last by their texts, which no index knows."""
    if not letters:
        return rows
    newest = rows.order_by("-updated_at", "-id").values("id")[:MOST_READ]
    held = {"in_id": Q(document_id__icontains=letters), "in_text": Q(id__in=newest, text__icontains=letters)}
    marks = {name: Case(When(condition, then=True), default=False) for name, condition in held.items()}
    found: TenantQuerySet[Any] = rows.annotate(**marks).filter(Q(in_id=True) | Q(in_text=True))
    return found


def match_tags(tags: list[str], match: str) -> Q:
    """A document holds its own tags as one list; there are few documents in a bank beside its memories."""
    if match in {"any", "any_strict"}:
        matching = Q()
        for tag in tags:
            matching |= Q(tags__contains=[tag])
    else:
        matching = Q(tags__contains=tags)
    if match == "exact":
        return matching & Q(tags__contained_by=tags)
    return matching | Q(tags=[]) if match in {"any", "all"} else matching


def describe_document(shown: ListedDocument) -> dict[str, Any]:
    matched = [name for mark, name in MARKS.items() if getattr(shown.document, mark, False)]
    return with_retain_params(dict(DocumentOutput(shown).data)) | {"matched_fields": matched}


def with_retain_params(described: dict[str, Any]) -> dict[str, Any]:
    params = {"context": described["context"], "event_date": described["timestamp"]}
    return described | {"retain_params": params, "observation_scopes": None, "attachments": None}


def find_bank_id(access: BankAccess, chunk_id: UUID) -> str:
    with tenant_transaction(access.tenant_id):
        holders = Chunk.objects.for_tenant(access.tenant_id).filter(id=chunk_id).values("bank_id")
        banks = Bank.objects.for_tenant(access.tenant_id).live().within(access.banks)
        bank = banks.filter(id__in=holders).first()
    if bank is None:
        raise ChunkNotFound(chunk_id)
    return bank.bank_id


def describe_chunk(chunk: Chunk) -> dict[str, Any]:
    """A chunk of a conversation belongs to no document: its id is empty then."""
    return {
        "chunk_id": chunk.id,
        "document_id": chunk.document.document_id if chunk.document else "",
        "bank_id": chunk.bank.bank_id,
        "chunk_index": chunk.position,
        "chunk_text": chunk.text,
        "created_at": chunk.created_at,
        "attachments": None,
    }
