"""`/v1/banks/{bank_id}/documents` and `/chunks`: the archived documents and their chunks."""

from dataclasses import replace
from typing import Any
from uuid import UUID

from django.db.models import Q
from rest_framework import serializers
from rest_framework.response import Response

from banks.models import Chunk
from memoryplatform.api.pagination import ROW_ID, CursorField, mark_list, read_cursor, write_cursor
from memoryplatform.api.routes import route
from memoryplatform.api.serializers import Output
from memoryplatform.api.v1.lists import ListInput, ListPage, list_of, list_rows
from memoryplatform.api.views import TenantView
from memoryplatform.operations import documents
from memoryplatform.operations.banks.profile import bank_transaction
from tenants.scoping import TenantQuerySet

PLACE = rf"[0-9]{{1,9}}:{ROW_ID}"  # position and id of a chunk


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
    memory_unit_count = serializers.IntegerField(source="unit_count", help_text="Current memories that rest on it.")
    created_at = serializers.DateTimeField(source="document.created_at")
    updated_at = serializers.DateTimeField(source="document.updated_at")

    def get_content_hash(self, shown: documents.ListedDocument | documents.ShownDocument) -> str:
        return bytes(shown.document.content_hash).hex()


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


class ChunkMessageOutput(Output):
    message_id = serializers.UUIDField()
    message_start = serializers.IntegerField()
    message_end = serializers.IntegerField()
    start = serializers.IntegerField()
    end = serializers.IntegerField()


class DocumentChunkDetailOutput(DocumentChunkOutput):
    parts = ChunkMessageOutput(many=True, help_text="The message spans that the text consists of.")


class DocumentsView(TenantView):
    @route("list_documents", "List documents, newest first", list_of(DocumentOutput), query=ListInput)
    def get(self, bank_id: str, wanted: dict[str, Any]) -> object:
        with bank_transaction(self.access, bank_id) as bank:
            page = list_rows(documents.find_documents(bank), wanted, of=bank.id)
            return replace(page, items=documents.describe_documents(bank, page.items))


class DocumentView(TenantView):
    @route("get_document", "Get a document", DocumentDetailOutput)
    def get(self, bank_id: str, document_id: str) -> object:
        return documents.show_document(self.access, bank_id, document_id)

    @route("delete_document", "Delete a document with the memories that rest on it alone", DocumentDeletedOutput)
    def delete(self, bank_id: str, document_id: str) -> object:
        removed = documents.delete_document(self.access, bank_id, document_id)
        message = f"Document '{document_id}' is deleted."
        return {"success": True, "message": message, "document_id": document_id, "removed": removed}


class DocumentChunksView(TenantView):
    @route(
        "list_chunks",
        "List the chunks of a document, in the order of its text",
        list_of(DocumentChunkOutput, "ChunkListOutput"),
        query=ChunkListInput,
    )
    def get(self, bank_id: str, document_id: str, wanted: dict[str, Any]) -> object:
        with bank_transaction(self.access, bank_id) as bank:
            document = documents.get_document(bank, document_id)
            return list_in_order(documents.find_chunks(bank, document), wanted, of=document.id)


class ChunkView(TenantView):
    @route("get_chunk", "Get a chunk with its messages", DocumentChunkDetailOutput)
    def get(self, bank_id: str, chunk_id: UUID) -> object:
        shown = documents.show_chunk(self.access, bank_id, chunk_id)
        parts = ChunkMessageOutput(shown.parts, many=True).data
        return Response(DocumentChunkOutput(shown.chunk).data | {"parts": parts})


def list_in_order(chunks: TenantQuerySet[Chunk], wanted: dict[str, Any], *, of: UUID) -> ListPage:
    """Like `list_rows`, in order of position. A cursor is a position, so it stays valid if its chunk is deleted."""
    limit, offset, mark = wanted["limit"], wanted["offset"], mark_list("chunks", of, wanted)
    total = None if "cursor" in wanted else chunks.count()
    if "cursor" in wanted:
        position, last = read_cursor(wanted["cursor"], mark).split(":")
        chunks = chunks.filter(Q(position__gt=position) | Q(position=position, id__gt=last))
    found = list(chunks.order_by("position", "id")[offset : offset + limit + 1])
    end = found[limit - 1] if len(found) > limit else None
    return ListPage(found[:limit], total, limit, offset, end and write_cursor(f"{end.position}:{end.id}", mark))
