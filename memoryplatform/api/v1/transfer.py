"""`/v1/banks/{bank_id}/export` and `/import`: a bank as a file of JSON lines."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from typing import IO, Any, ClassVar

import structlog
from django.http import StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.exceptions import APIException
from rest_framework.parsers import BaseParser
from rest_framework.request import Request

from memoryplatform.api.errors import answer_unexpected_error
from memoryplatform.api.idempotency import idempotent_operation
from memoryplatform.api.json_format import check_not_compressed
from memoryplatform.api.openapi import ERRORS
from memoryplatform.api.routes import route
from memoryplatform.api.serializers import Input, Output, check_input
from memoryplatform.api.v1.account import AccountView
from memoryplatform.api.views import TenantView
from memoryplatform.operations.transfer.errors import ExportLeft, ExportTooSlow, TooManyExports
from memoryplatform.operations.transfer.export import Export, export_bank, export_tenant
from memoryplatform.operations.transfer.lines import ERROR, write_line
from memoryplatform.operations.transfer.receive import import_part
from memoryplatform.server.event_stream import SteppedStream
from tenants.transactions import let_go_of_connection

log = structlog.get_logger(__name__)
JSON_LINES = "application/x-ndjson"
WAIT_FOR_A_PLACE = 5  # seconds


class ExportsBusy(APIException):
    status_code = status.HTTP_429_TOO_MANY_REQUESTS
    default_code = TooManyExports.code
    wait = WAIT_FOR_A_PLACE


class ExportStream(SteppedStream):
    """Ends at its deadline, even if the client has stopped reading.

    An incomplete file never looks complete: its last line is an error, and the connection is aborted.
    """

    def __init__(self, export: Export, request_id: str) -> None:
        super().__init__(export.chunks, sign_of_life=b"\n")
        self._place = export.slot
        self._request_id = request_id
        self._is_late = False

    async def __aiter__(self) -> AsyncIterator[bytes]:
        end = asyncio.get_running_loop().call_later(self._place.seconds_left, self._cut_off)
        line_break = b""
        try:
            async for piece in super().__aiter__():
                yield piece
                line_break = b"" if piece.endswith(b"\n") else b"\n"
        except Exception as error:
            cause = ExportTooSlow() if self._is_late else error
            yield line_break + write_line(ERROR, describe_export_error(cause, self._request_id))
            # Django treats this like a disconnected client: it cleans up and sends no end of the response.
            raise asyncio.CancelledError from error
        except (GeneratorExit, asyncio.CancelledError):
            log.info("export.left")
            raise
        finally:
            end.cancel()
            self.close()

    def _cut_off(self) -> None:
        """A closed stream takes no further step: the next one raises."""
        self._is_late = True
        self.close()

    def _log_late_failure(self, step: asyncio.Future[bytes | None]) -> None:
        """That the steps end with their reader is no failure."""
        error = None if step.cancelled() else step.exception()
        if not isinstance(error, ExportLeft):
            super()._log_late_failure(step)

    def close(self) -> None:
        self._place.leave()
        super().close()


def describe_export_error(error: Exception, request_id: str) -> dict[str, Any]:
    """The usual error body."""
    if isinstance(error, ExportTooSlow):
        log.warning("export.cut_off")
        return {"detail": str(error), "code": error.code, "request_id": request_id}
    return dict(answer_unexpected_error(error, request_id).data)


class JSONLinesParser(BaseParser):
    """Passes the bytes on: the import reads them line by line."""

    media_type = JSON_LINES

    def parse(
        self, stream: IO[bytes], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> dict[str, bytes]:
        return {"lines": stream.read()}


class ExportInput(Input):
    vectors = serializers.BooleanField(
        default=False, help_text="Include embeddings: a larger file that needs no embedding if the model is the same."
    )


class ImportInput(Input):
    first_line = serializers.IntegerField(
        min_value=1, max_value=2**31 - 1, default=1, help_text="The number of the body's first line in the whole file."
    )


class ImportOutput(Output):
    operation_id = serializers.UUIDField(
        source="operation.id", help_text="The operation that embeds and indexes the rows after the last part."
    )
    next_line = serializers.IntegerField(
        allow_null=True, help_text="First line of the next part; null after the last one."
    )
    rows = serializers.DictField(child=serializers.IntegerField(), help_text="Rows received so far, by type.")


class ExportView(TenantView):
    @extend_schema(
        operation_id="export_bank",
        summary="Export a bank",
        description="All its rows as JSON lines, from one snapshot. The last line has the type `end`: a file "
        "without it is incomplete. If an export fails or takes too long, its last line has the "
        "type `error` with `code` and `detail`, and the connection is aborted. A tenant may run "
        "few exports at once (429).",
        parameters=[ExportInput],
        responses={(200, JSON_LINES): OpenApiTypes.STR, **ERRORS},
    )
    def get(self, request: Request, bank_id: str) -> StreamingHttpResponse:
        wanted = check_input(ExportInput, request.query_params).validated_data
        return stream_export(request, lambda: export_bank(self.access, bank_id, **wanted))


class TenantExportInput(ExportInput):
    first_bank = serializers.CharField(
        required=False, default="", max_length=200, help_text="Go on with this bank, after an export that broke off."
    )


class TenantExportView(AccountView):
    scopes: ClassVar[dict[str, str]] = {"GET": "admin"}

    @extend_schema(
        operation_id="export_account",
        summary="Export all banks of the tenant",
        description="A header, the file of each bank in the order of their ids, and a last line of the type `end`. "
        "Import each bank's lines with `POST /v1/banks/{bank_id}/import`. If an export fails or takes too long, its "
        "last line has the type `error`: go on with `first_bank`. For admins.",
        parameters=[TenantExportInput],
        responses={(200, JSON_LINES): OpenApiTypes.STR, **ERRORS},
    )
    def get(self, request: Request) -> StreamingHttpResponse:
        wanted = check_input(TenantExportInput, request.query_params).validated_data
        return stream_export(request, lambda: export_tenant(self.caller, **wanted))


def stream_export(request: Request, begin: Callable[[], Export]) -> StreamingHttpResponse:
    try:
        export = begin()
    except TooManyExports as error:
        raise ExportsBusy(str(error)) from error
    let_go_of_connection()
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    stream = ExportStream(export, getattr(request, "request_id", ""))
    return StreamingHttpResponse(stream, content_type=JSON_LINES, headers=headers)


class ImportView(TenantView):
    quotes_memories = False
    parser_classes = (JSONLinesParser,)

    @idempotent_operation  # a refusal undoes earlier parts in its own transaction; a repeated part is recognized
    @route(
        "import_bank",
        "Import a bank, or a part of one",
        ImportOutput,
        202,
        query=ImportInput,
        body={JSON_LINES: OpenApiTypes.STR},
    )
    def post(self, bank_id: str, wanted: dict[str, Any]) -> object:
        """Imports into a new or empty bank. Send a large file in parts of whole lines: each part is stored completely
        or not at all, and a repeated part is not stored twice. A refused part (422) undoes the parts before it, and the
        bank if the import created it.
        """
        check_not_compressed(self.request)
        body = self.request.data.get("lines", b"") if isinstance(self.request.data, dict) else b""
        return import_part(self.access, bank_id, body, first_line=wanted["first_line"])
