"""`/transfer`, `/clone`, `/document-transfer` and `/files/download`: a bank as a file, and as a copy.

The file has our format, not Hindsight's archive format. Hindsight's client treats it as opaque bytes. Only
`/document-transfer` reads an archive of Hindsight's, so that a bank can move here, and writes one of the same form.
"""

from collections.abc import Generator, Sequence
from dataclasses import replace
from typing import IO, Any
from uuid import UUID

import orjson
from django.http import StreamingHttpResponse
from rest_framework import serializers, status
from rest_framework.exceptions import NotFound
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from banks.models import Bank, Document
from banks.retain.input import RetainItem
from memoryplatform.api.compat.hindsight.hindsight_view import HindsightView, NotOffered, Unprocessable, read_query
from memoryplatform.api.idempotency import idempotent
from memoryplatform.api.serializers import Input
from memoryplatform.api.v1.banks import check_bank_id
from memoryplatform.api.v1.transfer import ExportView
from memoryplatform.operations.banks.profile import find_or_create_bank, get_bank
from memoryplatform.operations.imports.memories import read_hindsight_archive
from memoryplatform.operations.imports.upload import UnreadableUpload, open_archive
from memoryplatform.operations.kinds.transfer import FOLDER
from memoryplatform.operations.retain import retain
from memoryplatform.operations.transfer.documents import (
    DOCUMENTS,
    MOST_DOCUMENTS,
    submit_documents_export,
    write_archive,
)
from memoryplatform.operations.transfer.export import check_target, submit_clone, submit_export
from memoryplatform.operations.transfer.receive import import_part
from memoryplatform.server.event_stream import SteppedStream
from tenants.identifiers import uuid7
from tenants.transactions import let_go_of_connection, tenant_transaction

BLOCK = 64 * 1024  # bytes
WHOLE = {"include_data": True, "include_bank_config": True, "include_history": False}


class PartsInput(Input):
    """A file always contains the whole bank, so any other choice is refused."""

    include_data = serializers.BooleanField(default=True)
    include_bank_config = serializers.BooleanField(default=True)
    include_history = serializers.BooleanField(default=False)
    document_id = serializers.ListField(child=serializers.CharField(), required=False, default=list)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if any(attrs[name] != value for name, value in WHOLE.items()) or attrs["document_id"]:
            raise NotOffered("A bank is exported, imported and cloned as a whole, without its logs.")
        return attrs


class CloneInput(PartsInput):
    target_bank_id = serializers.CharField(trim_whitespace=False, validators=[check_bank_id])


class ImportInput(PartsInput):
    mode = serializers.CharField(default="restore")
    target_bank_id = serializers.CharField(
        required=False, default="", trim_whitespace=False, validators=[check_bank_id]
    )

    def validate_mode(self, value: str) -> str:
        if value != "restore":
            raise NotOffered("A file is imported into a new or empty bank; merging is not supported.")
        return value


class HindsightExportView(HindsightView):
    @idempotent
    def post(self, request: Request, bank_id: str) -> Response:
        read_query(PartsInput, request)
        return accept_operation(submit_export(self.access, bank_id).id)


class HindsightCloneView(HindsightView):
    @idempotent
    def post(self, request: Request, bank_id: str) -> Response:
        wanted = read_query(CloneInput, request)
        return accept_operation(submit_clone(self.access, bank_id, target=wanted["target_bank_id"]).id)


class HindsightImportView(HindsightView):
    quotes_memories = False
    parser_classes = (MultiPartParser,)

    @idempotent
    def post(self, request: Request, bank_id: str) -> Response:
        wanted = read_query(ImportInput, request)
        if "file" not in request.FILES:
            raise serializers.ValidationError({"file": ["This field is required."]})
        body = bytes(request.FILES["file"].read())
        target = wanted["target_bank_id"] or read_source(body)
        with tenant_transaction(self.tenant_id):
            get_bank(self.access, bank_id)
            check_target(self.access, target)
            received = import_part(self.access, target, body, first_line=1)
            if received.next_line is not None:
                raise Unprocessable("The file is incomplete: its last line is missing.")
        return accept_operation(received.operation.id)


class DocumentExportInput(Input):
    document_id = serializers.ListField(
        child=serializers.CharField(), required=False, default=list, max_length=MOST_DOCUMENTS
    )
    include_observations = serializers.BooleanField(default=False)
    include_knowledge_base = serializers.BooleanField(default=False)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if attrs["include_observations"] or attrs["include_knowledge_base"]:
            raise NotOffered("An archive has documents and facts; /transfer/export has the whole bank.")
        return attrs


class HindsightDocumentExportView(HindsightView):
    @idempotent
    def post(self, request: Request, bank_id: str) -> Response:
        wanted = read_query(DocumentExportInput, request)
        return accept_operation(submit_documents_export(self.access, bank_id, wanted["document_id"]).id)


class DocumentImportInput(Input):
    on_conflict = serializers.ChoiceField(choices=["skip", "replace", "new-id"], default="skip")


class HindsightDocumentImportView(HindsightView):
    quotes_memories = False
    parser_classes = (MultiPartParser,)

    @idempotent
    def post(self, request: Request, bank_id: str) -> Response:
        """Adds the documents of an archive of Hindsight's, with the memories that are in it."""
        check_bank_id(bank_id)
        wanted = read_query(DocumentImportInput, request)
        if "file" not in request.FILES:
            raise serializers.ValidationError({"file": ["This field is required."]})
        try:
            upload = read_hindsight_archive(open_archive(request.FILES["file"].read()), keeps_ids=True)
        except UnreadableUpload as fault:
            raise Unprocessable(str(fault)) from None
        if not upload.items:
            raise Unprocessable("The archive has no documents.")
        bank, _ = find_or_create_bank(self.access, bank_id)
        with tenant_transaction(self.tenant_id):
            items = resolve_conflicts(bank, upload.items, wanted["on_conflict"])
        return accept_operation(retain(self.access, bank_id, items, wait=False).id)


def resolve_conflicts(bank: Bank, items: Sequence[RetainItem], on_conflict: str) -> list[RetainItem]:
    """Call inside a tenant transaction. A retain of a known document replaces it."""
    ids = {item.document_id for item in items}
    known = set(Document.objects.of_bank(bank).filter(document_id__in=ids).values_list("document_id", flat=True))
    if on_conflict == "skip":
        return [item for item in items if item.document_id not in known]
    if on_conflict == "new-id":
        fresh = {document_id: f"{document_id}-{uuid7().hex[-8:]}" for document_id in known}
        return [replace(item, document_id=fresh.get(item.document_id, item.document_id)) for item in items]
    return list(items)


class HindsightDownloadView(HindsightView, ExportView):
    """The key comes from an export. The download exports the present contents of the bank."""

    def perform_content_negotiation(self, request: Request, force: bool = False) -> Any:  # noqa: FBT001, FBT002  # DRF's
        """Hindsight's client asks for an archive media type and accepts any."""
        return super().perform_content_negotiation(request, force=True)

    def get(self, request: Request, key: str) -> StreamingHttpResponse:
        folder, _, bank_id = key.partition("/")
        if folder == DOCUMENTS:
            return self.get_documents(*bank_id.rpartition("/")[::2])
        if folder != FOLDER or "/" in bank_id:
            raise NotFound("There is no such file.")
        return super().get(request, bank_id)

    def get_documents(self, bank_id: str, operation_id: str) -> StreamingHttpResponse:
        try:
            file = write_archive(self.access, bank_id, UUID(operation_id))
        except ValueError:
            raise NotFound("There is no such file.") from None
        let_go_of_connection()
        stream = SteppedStream(read_blocks(file), sign_of_life=b"")
        return StreamingHttpResponse(stream, content_type="application/zip", headers={"Cache-Control": "no-store"})


def read_blocks(file: IO[bytes]) -> Generator[bytes, None, None]:
    with file:
        while block := file.read(BLOCK):
            yield block


def accept_operation(operation_id: Any) -> Response:
    return Response({"operation_id": str(operation_id), "status": "pending"}, status=status.HTTP_202_ACCEPTED)


def read_source(body: bytes) -> str:
    """The id of the exported bank, from the file's header."""
    try:
        header = orjson.loads(body.partition(b"\n")[0])
        bank_id = header["bank_id"]
        check_bank_id(bank_id)
    except (orjson.JSONDecodeError, KeyError, TypeError, serializers.ValidationError):
        raise Unprocessable("The file does not begin with a header that names its bank.") from None
    return str(bank_id)
