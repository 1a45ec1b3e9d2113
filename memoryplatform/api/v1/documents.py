"""`/v1/banks/{bank_id}/documents` and `/chunks`: what was written, as it was written."""

from dataclasses import replace
from typing import Any
from uuid import UUID

from django.db.models import Q
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from banks.models import Chunk
from memoryplatform.api.cursors import ROW, CursorField, mark_list, read_cursor, write_cursor
from memoryplatform.api.schema import ERRORS
from memoryplatform.api.serializers import Output
from memoryplatform.api.v1.lists import Listed, ListInput, ListOutput, list_rows, read_query
from memoryplatform.api.views import TenantView
from memoryplatform.operations.banks.profile import get_bank
from memoryplatform.operations.documents import (
    ListedDocument,
    ShownDocument,
    delete_document,
    describe_documents,
    find_chunks,
    find_documents,
    get_document,
    show_chunk,
    show_document,
)
from tenants.scoping import TenantQuerySet
from tenants.transactions import tenant_transaction

PLACE = rf"[0-9]{{1,9}}:{ROW}"  # position and id of a chunk


class DocumentOutput(Output):
    id = serializers.CharField(source="document.document_id")
    bank_id = serializers.CharField(source="document.bank.bank_id")
    content_hash = serializers.SerializerMethodField(help_text="SHA-256 of the text.")
    version = serializers.IntegerField(source="document.version")
    tags = serializers.ListField(source="document.tags", child=serializers.CharField())
    document_metadata = serializers.DictField(source="document.metadata", child=serializers.CharField())
    context = serializers.CharField(source="document.context")  # type: ignore[assignment]  # the wire's name
    timestamp = serializers.DateTimeField(source="document.said_at")
    text_length = serializers.IntegerField()
    memory_unit_count = serializers.IntegerField(source="unit_count", help_text="Live memories that rest on it.")
    created_at = serializers.DateTimeField(source="document.created_at")
    updated_at = serializers.DateTimeField(source="document.updated_at")

    def get_content_hash(self, shown: ListedDocument | ShownDocument) -> str:
        return bytes(shown.document.content_hash).hex()


class DocumentListOutput(ListOutput):
    items = DocumentOutput(many=True)


class DocumentDetailOutput(DocumentOutput):
    original_text = serializers.CharField(source="document.text")
    nodes_by_fact_type = serializers.DictField(source="units_by_network", child=serializers.IntegerField())
    chunk_count = serializers.IntegerField()


class DocumentDeletedOutput(Output):
    success = serializers.BooleanField()
    message = serializers.CharField()
    document_id = serializers.CharField()
    memory_units_deleted = serializers.IntegerField(source="removed.units")
    chunks_deleted = serializers.IntegerField(source="removed.chunks")
    relationships_deleted = serializers.IntegerField(source="removed.relationships")
    entities_deleted = serializers.IntegerField(source="removed.entities")


class DocumentChunkOutput(Output):
    chunk_id = serializers.UUIDField(source="id")
    document_id = serializers.SerializerMethodField(help_text="Null for a chunk of a conversation.")
    episode_id = serializers.UUIDField(allow_null=True)
    bank_id = serializers.CharField(source="bank.bank_id")
    chunk_index = serializers.IntegerField(source="position")
    chunk_text = serializers.CharField(source="text")
    heading = serializers.CharField()
    start = serializers.IntegerField(help_text="First character in the document's text.")
    end = serializers.IntegerField()
    timestamp = serializers.DateTimeField(source="said_at")
    created_at = serializers.DateTimeField()

    def get_document_id(self, chunk: Chunk) -> str | None:
        return chunk.document.document_id if chunk.document else None


class ChunkListInput(ListInput):
    cursor = CursorField(PLACE)


class ChunkListOutput(ListOutput):
    items = DocumentChunkOutput(many=True)


class ChunkMessageOutput(Output):
    message_id = serializers.UUIDField()
    message_start = serializers.IntegerField()
    message_end = serializers.IntegerField()
    start = serializers.IntegerField()
    end = serializers.IntegerField()


class DocumentChunkDetailOutput(DocumentChunkOutput):
    parts = ChunkMessageOutput(many=True, help_text="Which characters of which message stand where in the text.")


class DocumentsView(TenantView):
    @extend_schema(
        operation_id="list_documents",
        summary="List documents, newest first",
        parameters=[ListInput],
        responses={200: DocumentListOutput, **ERRORS},
    )
    def get(self, request: Request, bank_id: str) -> Response:
        wanted = read_query(request, ListInput)
        with tenant_transaction(self.tenant_id):
            bank = get_bank(self.access, bank_id)
            page = list_rows(find_documents(bank), wanted, of=bank.id)
            shown = replace(page, items=describe_documents(bank, page.items))
            return Response(DocumentListOutput(shown).data)


class DocumentView(TenantView):
    @extend_schema(
        operation_id="get_document", summary="Get a document", responses={200: DocumentDetailOutput, **ERRORS}
    )
    def get(self, _request: Request, bank_id: str, document_id: str) -> Response:
        return Response(DocumentDetailOutput(show_document(self.access, bank_id, document_id)).data)

    @extend_schema(
        operation_id="delete_document",
        summary="Delete a document with the memories that rest on it alone",
        responses={200: DocumentDeletedOutput, **ERRORS},
    )
    def delete(self, _request: Request, bank_id: str, document_id: str) -> Response:
        removed = delete_document(self.access, bank_id, document_id)
        message = f"Document '{document_id}' is deleted."
        answer = {"success": True, "message": message, "document_id": document_id, "removed": removed}
        return Response(DocumentDeletedOutput(answer).data)


class DocumentChunksView(TenantView):
    @extend_schema(
        operation_id="list_chunks",
        summary="List the chunks of a document, in the order of its text",
        parameters=[ChunkListInput],
        responses={200: ChunkListOutput, **ERRORS},
    )
    def get(self, request: Request, bank_id: str, document_id: str) -> Response:
        wanted = read_query(request, ChunkListInput)
        with tenant_transaction(self.tenant_id):
            bank = get_bank(self.access, bank_id)
            document = get_document(bank, document_id)
            listed = list_in_order(find_chunks(bank, document), wanted, of=document.id)
            return Response(ChunkListOutput(listed).data)


class ChunkView(TenantView):
    @extend_schema(
        operation_id="get_chunk",
        summary="Get a chunk with the messages that it is made of",
        responses={200: DocumentChunkDetailOutput, **ERRORS},
    )
    def get(self, _request: Request, bank_id: str, chunk_id: UUID) -> Response:
        shown = show_chunk(self.access, bank_id, chunk_id)
        parts = ChunkMessageOutput(shown.parts, many=True).data
        return Response(DocumentChunkOutput(shown.chunk).data | {"parts": parts})


def list_in_order(chunks: TenantQuerySet[Chunk], wanted: dict[str, Any], *, of: UUID) -> Listed:
    """As `list_rows`, by position. A cursor is where the page before ended: what stood there may be gone by now."""
    limit, offset, mark = wanted["limit"], wanted["offset"], mark_list("chunks", of, wanted)
    total = None if "cursor" in wanted else chunks.count()
    if "cursor" in wanted:
        position, last = read_cursor(wanted["cursor"], mark).split(":")
        chunks = chunks.filter(Q(position__gt=position) | Q(position=position, id__gt=last))
    found = list(chunks.order_by("position", "id")[offset : offset + limit + 1])
    end = found[limit - 1] if len(found) > limit else None
    return Listed(found[:limit], total, limit, offset, end and write_cursor(f"{end.position}:{end.id}", mark))
