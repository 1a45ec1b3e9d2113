"""`/v1/banks/{bank_id}/reflect`: an answer out of memory, whole or as it is made."""

from typing import ClassVar

from django.http import StreamingHttpResponse
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from memoryplatform.api.idempotency import HEADER, idempotent_operation
from memoryplatform.api.renderers import FastJSONRenderer
from memoryplatform.api.schema import ERRORS, IDEMPOTENCY_KEY
from memoryplatform.api.serializers import ErrorOutput
from memoryplatform.api.v1.reflect_events import tell_events
from memoryplatform.api.v1.reflect_input import ReflectInput
from memoryplatform.api.v1.reflect_output import ReflectOutput, describe_result
from memoryplatform.api.views import TenantView
from memoryplatform.operations.reflect import open_reflection, reflect
from memoryplatform.server.event_stream import MEDIA_TYPE, EventStreamRenderer, stream_events

JSON = "application/json"
OF_THE_MODEL = {502: ErrorOutput, 504: ErrorOutput}
STREAM = OpenApiResponse(
    {"type": "string"},
    description="Events `started`, `memories`, `delta`, `citation`, `opinions` and `done`, whose data is the plain "
    "answer; or `error`, whose data is that of any error. Nothing is stored before `opinions`.",
)


class ReflectView(TenantView):
    scopes: ClassVar[dict[str, str]] = {"POST": "write read"}  # it forms opinions, and shows memories
    renderer_classes = (FastJSONRenderer, EventStreamRenderer)

    @extend_schema(
        operation_id="reflect",
        summary="Answer a question out of memory",
        description="In the agent's own disposition, citing memories. The opinions that the answer forms are stored "
        "with their evidence. Without a language model the answer is the sentences of memory that come nearest.",
        parameters=[IDEMPOTENCY_KEY],
        request=ReflectInput,
        responses={(200, JSON): ReflectOutput, (200, MEDIA_TYPE): STREAM}
        | {(status, JSON): shape for status, shape in {**ERRORS, **OF_THE_MODEL}.items()},
    )
    @idempotent_operation  # type: ignore[arg-type]  # it keeps plain answers; a key with a stream is refused below
    def post(self, request: Request, bank_id: str) -> Response | StreamingHttpResponse:
        body = ReflectInput(data=request.data)
        body.is_valid(raise_exception=True)
        query, wanted = body.reflect_query(), body.validated_data.get("include")
        if not (body.validated_data["stream"] or isinstance(request.accepted_renderer, EventStreamRenderer)):
            return Response(describe_result(reflect(self.access, bank_id, query), wanted))
        if HEADER in request.headers:
            raise serializers.ValidationError(
                {HEADER: ["A stream can't be replayed: leave out the key, or the stream."]}
            )
        return stream_events(tell_events(open_reflection(self.access, bank_id, query), request, wanted))

    def handle_exception(self, exc: Exception) -> Response:
        """An error before the stream begins is JSON, whatever was accepted."""
        response = super().handle_exception(exc)
        self.request.accepted_renderer, self.request.accepted_media_type = FastJSONRenderer(), JSON
        return response
