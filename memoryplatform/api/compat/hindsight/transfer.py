"""`/transfer`, `/clone` and `/files/download`: a bank as a file, and as a copy.

The file has our format, not Hindsight's archive format. Hindsight's client treats it as opaque bytes.
"""

from typing import Any

import orjson
from django.http import StreamingHttpResponse
from rest_framework import serializers, status
from rest_framework.exceptions import NotFound
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from memoryplatform.api.compat.hindsight.hindsight_view import HindsightView, NotOffered, Unprocessable, read_query
from memoryplatform.api.idempotency import idempotent
from memoryplatform.api.serializers import Input
from memoryplatform.api.v1.banks import check_bank_id
from memoryplatform.api.v1.transfer import ExportView
from memoryplatform.operations.banks.profile import get_bank
from memoryplatform.operations.kinds.transfer import FOLDER
from memoryplatform.operations.transfer.export import check_target, submit_clone, submit_export
from memoryplatform.operations.transfer.receive import import_part
from tenants.transactions import tenant_transaction

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


class HindsightDownloadView(HindsightView, ExportView):
    """The key comes from an export. The download exports the present contents of the bank."""

    def perform_content_negotiation(self, request: Request, force: bool = False) -> Any:  # noqa: FBT001, FBT002  # DRF's
        """Hindsight's client asks for an archive media type and accepts any."""
        return super().perform_content_negotiation(request, force=True)

    def get(self, request: Request, key: str) -> StreamingHttpResponse:
        folder, _, bank_id = key.partition("/")
        if folder != FOLDER or "/" in bank_id:
            raise NotFound("There is no such file.")
        return super().get(request, bank_id)


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
