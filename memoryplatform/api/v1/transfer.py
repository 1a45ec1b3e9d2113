"""`/v1/banks/{bank_id}/export` and `/import`: a bank as a file of JSON lines."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from typing import IO, Any

import structlog
from django.http import StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.exceptions import APIException
from rest_framework.parsers import BaseParser
from rest_framework.request import Request
from rest_framework.response import Response

from memoryplatform.api.errors import unexpected
from memoryplatform.api.idempotency import idempotent_operation
from memoryplatform.api.parsers import check_not_compressed
from memoryplatform.api.schema import ERRORS, IDEMPOTENCY_KEY
from memoryplatform.api.serializers import Input, Output
from memoryplatform.api.views import TenantView
from memoryplatform.operations.transfer.errors import ExportLeft, ExportTooSlow, TooManyExports
from memoryplatform.operations.transfer.export import Export, export_bank
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
    """Ends when its time is over, also for a reader who does not read and so asks for no further step.

    A file that is not whole never ends like one that is: its last line tells the error, for whoever reads the lines,
    and the answer is broken off, for whoever doesn't.
    """

    def __init__(self, export: Export, request_id: str) -> None:
        super().__init__(export.pieces, sign_of_life=b"\n")
        self._place = export.place
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
            yield line_break + write_line(ERROR, describe(cause, self._request_id))
            # What Django takes for a caller who went away: it cleans up and leaves the answer as it is, without an end.
            raise asyncio.CancelledError from error
        except (GeneratorExit, asyncio.CancelledError):
            log.info("export.left")
            raise
        finally:
            end.cancel()
            self.close()

    def _cut_off(self) -> None:
        """What is closed takes no further step: asking for one fails."""
        self._is_late = True
        self.close()

    def _look_at(self, step: asyncio.Future[bytes | None]) -> None:
        """That the steps end with their reader is no failure."""
        error = None if step.cancelled() else step.exception()
        if not isinstance(error, ExportLeft):
            super()._look_at(step)

    def close(self) -> None:
        self._place.leave()
        super().close()


def describe(error: Exception, request_id: str) -> dict[str, Any]:
    """As any other answer tells it."""
    if isinstance(error, ExportTooSlow):
        log.warning("export.cut_off")
        return {"detail": str(error), "code": error.code, "request_id": request_id}
    return dict(unexpected(error, request_id).data)


class JSONLinesParser(BaseParser):
    """Hands the bytes on: they are read line by line, with the number of each."""

    media_type = JSON_LINES

    def parse(
        self, stream: IO[bytes], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> dict[str, bytes]:
        return {"lines": stream.read()}


class ExportInput(Input):
    vectors = serializers.BooleanField(
        default=False, help_text="With the embeddings: larger, and at once searchable where the model is the same."
    )


class ImportInput(Input):
    first_line = serializers.IntegerField(
        min_value=1, max_value=2**31 - 1, default=1, help_text="The number of the body's first line in the whole file."
    )


class ImportOutput(Output):
    operation_id = serializers.UUIDField(source="operation.id", help_text="Embeds and indexes what came, at the end.")
    next_line = serializers.IntegerField(allow_null=True, help_text="Where the next part begins; null: that was all.")
    rows = serializers.DictField(child=serializers.IntegerField(), help_text="What came so far, by type.")


class ExportView(TenantView):
    @extend_schema(
        operation_id="export_bank",
        summary="Export a bank",
        description="All that it holds, as JSON lines, from one snapshot. The last line is of the type `end`: a file "
        "without it is not whole. Where an export fails or takes too long its last line is of the type `error`, with "
        "`code` and `detail`, and the answer is broken off. A tenant has few exports at once (429).",
        parameters=[ExportInput],
        responses={(200, JSON_LINES): OpenApiTypes.STR, **ERRORS},
    )
    def get(self, request: Request, bank_id: str) -> StreamingHttpResponse:
        query = ExportInput(data=request.query_params)
        query.is_valid(raise_exception=True)
        try:
            export = export_bank(self.access, bank_id, vectors=query.validated_data["vectors"])
        except TooManyExports as error:
            raise ExportsBusy(str(error)) from error
        let_go_of_connection()
        headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
        stream = ExportStream(export, getattr(request, "request_id", ""))
        return StreamingHttpResponse(stream, content_type=JSON_LINES, headers=headers)


class ImportView(TenantView):
    quotes_memories = False
    parser_classes = (JSONLinesParser,)

    @extend_schema(
        operation_id="import_bank",
        summary="Import a bank, or a part of one",
        description="Into a new or empty bank. A file that is larger than a body may be comes in parts of whole "
        "lines: each is stored whole or not at all, and one that is sent again is not stored twice. A part that is "
        "refused (422) takes back those before it, and a bank that was made for them.",
        parameters=[ImportInput, IDEMPOTENCY_KEY],
        request={JSON_LINES: OpenApiTypes.STR},
        responses={202: ImportOutput, **ERRORS},
    )
    @idempotent_operation  # a refusal takes earlier parts back, which must stand; a part that comes twice is known
    def post(self, request: Request, bank_id: str) -> Response:
        check_not_compressed(request)
        query = ImportInput(data=request.query_params)
        query.is_valid(raise_exception=True)
        body = request.data.get("lines", b"") if isinstance(request.data, dict) else b""
        received = import_part(self.access, bank_id, body, first_line=query.validated_data["first_line"])
        return Response(ImportOutput(received).data, status=status.HTTP_202_ACCEPTED)
