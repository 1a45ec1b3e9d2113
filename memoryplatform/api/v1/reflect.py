"""`/v1/banks/{bank_id}/reflect`: an answer from memory, whole or as a stream of events."""

from collections.abc import Generator
from typing import Any, ClassVar

from django.http import StreamingHttpResponse
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from banks.enums import Network
from memoryplatform.api.errors import handle_exception
from memoryplatform.api.idempotency import HEADER, idempotent_operation
from memoryplatform.api.json_format import FastJSONRenderer
from memoryplatform.api.openapi import ERRORS
from memoryplatform.api.serializers import ErrorOutput, Output, check_input
from memoryplatform.api.v1.recall import find_chunk_id, find_document_id
from memoryplatform.api.v1.reflect_input import ReflectInput
from memoryplatform.api.views import TenantView
from memoryplatform.operations.reflect import open_reflection, reflect
from memoryplatform.server.event_stream import MEDIA_TYPE, EventStreamRenderer, encode_event, stream_events
from providers.usage import Usage
from reflection.reflect.trace import Trace
from reflection.reflect.types import (
    Cited,
    Delta,
    Done,
    Event,
    Formed,
    LabelledMemory,
    Pause,
    ReflectResult,
    Retrieved,
    Started,
)
from retrieval.analysis import MAX_CHARACTERS

BASES = {None: "chunks", Network.OPINION: "opinions", Network.OBSERVATION: "observations"}
JSON = "application/json"
MODEL_ERRORS = {502: ErrorOutput, 504: ErrorOutput}
STREAM = OpenApiResponse(
    {"type": "string"},
    description="Events `started`, `memories`, `delta`, `citation`, `opinions` and `done`, which has the "
    "plain response; or `error`, which has the usual error body. Nothing is stored before "
    "`opinions`.",
)


class CitationOutput(Output):
    mark = serializers.CharField(help_text="As in the text, such as [3].")
    memory_id = serializers.UUIDField(source="id")
    kind = serializers.CharField(
        source="item.candidate.kind", help_text="unit, or chunk: raw text that no memory covers."
    )
    type = serializers.CharField(
        source="item.candidate.network", allow_null=True, help_text="The network; null for a chunk."
    )


class BasisOutput(CitationOutput):
    id = serializers.UUIDField(help_text="The same as memory_id.")
    text = serializers.CharField(source="item.text")
    context = serializers.CharField(source="item.candidate.context")  # type: ignore[assignment]  # the wire's name, not DRF's attribute
    occurred_start = serializers.DateTimeField(source="item.candidate.occurred_start", allow_null=True)
    occurred_end = serializers.DateTimeField(source="item.candidate.occurred_end", allow_null=True)
    mentioned_at = serializers.DateTimeField(source="item.candidate.mentioned_at")
    valid_from = serializers.DateTimeField(source="item.candidate.valid_from", allow_null=True)
    valid_until = serializers.DateTimeField(source="item.candidate.valid_until", allow_null=True)
    confidence = serializers.FloatField(
        source="item.candidate.confidence", allow_null=True, help_text="Confidence of an opinion."
    )
    tags = serializers.ListField(source="item.candidate.tags", child=serializers.CharField())
    metadata = serializers.DictField(source="item.candidate.metadata", child=serializers.CharField())
    document_id = serializers.CharField(allow_null=True)
    chunk_id = serializers.UUIDField(allow_null=True)


class AppliedDirectiveOutput(Output):
    id = serializers.UUIDField()
    name = serializers.CharField()
    content = serializers.CharField()


class StandingAnswerOutput(Output):
    id = serializers.CharField(source="key")
    name = serializers.CharField()
    text = serializers.CharField()
    refreshed_at = serializers.DateTimeField(source="written_at", allow_null=True)


class BasedOnOutput(Output):
    """The cited memories. Evidence, opinions and observations are separate."""

    memories = BasisOutput(many=True, help_text="World facts and the agent's own experiences.")
    opinions = BasisOutput(many=True)
    observations = BasisOutput(many=True)
    chunks = BasisOutput(many=True)
    directives = AppliedDirectiveOutput(many=True, help_text="The rules in the prompt, cited or not.")
    mental_models = StandingAnswerOutput(many=True, help_text="Mental models about the question, in the prompt.")
    retrieved = serializers.IntegerField(help_text="The number of memories found, cited or not.")


class FormedOpinionOutput(Output):
    id = serializers.UUIDField()
    text = serializers.CharField()
    confidence = serializers.FloatField()
    confidence_before = serializers.FloatField(allow_null=True, help_text="Null for a new opinion.")
    outcome = serializers.CharField(help_text="formed, restated, revised or pinned.")
    reasoning = serializers.CharField()
    evidence_ids = serializers.ListField(child=serializers.UUIDField())


class ReflectUsageOutput(Output):
    input_tokens = serializers.IntegerField()
    output_tokens = serializers.IntegerField()
    total_tokens = serializers.IntegerField()
    calls = serializers.IntegerField(help_text="Calls of all models, including embeddings.")
    llm_calls = serializers.IntegerField(help_text="Calls of the language model, which max_calls limits.")
    llm_tokens = serializers.IntegerField(help_text="Tokens of the language model, which max_model_tokens limits.")
    estimated = serializers.BooleanField()


class LookUpOutput(Output):
    tool = serializers.CharField(source="kind", help_text="recall, entity or source.")
    input = serializers.DictField(child=serializers.CharField())
    output = serializers.DictField(allow_null=True, help_text="The ids found.")
    iteration = serializers.IntegerField(source="round", help_text="The number of model calls before it.")
    tokens = serializers.IntegerField(help_text="Tokens of new memories.")
    duration_ms = serializers.FloatField(source="milliseconds")


class ModelCallOutput(Output):
    scope = serializers.CharField(source="purpose", help_text="answer or repair.")
    input_tokens = serializers.IntegerField(source="usage.input_tokens")
    output_tokens = serializers.IntegerField(source="usage.output_tokens")
    finish_reason = serializers.CharField(allow_null=True)
    duration_ms = serializers.FloatField(source="milliseconds")


class ReflectTraceOutput(Output):
    tool_calls = LookUpOutput(many=True)
    llm_calls = ModelCallOutput(source="calls", many=True)
    prompt_tokens = serializers.DictField(
        source="parts", child=serializers.IntegerField(), help_text="Tokens of each part of the prompt."
    )
    notes = serializers.ListField(
        child=serializers.CharField(),
        help_text="Problems with the question or the model's answer, and parts that were left out.",
    )
    duration_ms = serializers.FloatField(source="milliseconds")
    own_ms = serializers.FloatField(
        source="own_milliseconds", help_text="The duration without the LLM and the recalls."
    )


class ReflectOutput(Output):
    text = serializers.CharField()
    engine = serializers.CharField(help_text="llm, or builtin: quoted memories, without a language model.")
    model = serializers.CharField()
    citations = CitationOutput(source="cited", many=True)
    dropped_citations = serializers.IntegerField(help_text="The number of removed citations that match no memory.")
    not_in_memory = serializers.BooleanField()
    truncated = serializers.BooleanField(help_text="Cut at max_tokens.")
    query_shortened = serializers.BooleanField(
        help_text=f"The query is longer than {MAX_CHARACTERS:,} characters: its beginning and its end were read."
    )
    based_on = BasedOnOutput(allow_null=True)
    opinions = FormedOpinionOutput(many=True, help_text="The opinions that the answer formed or changed.")
    structured_output = serializers.JSONField(source="structured.value", help_text="Null without response_schema.")
    structured_output_error = serializers.CharField(source="structured.error", allow_null=True)
    usage = ReflectUsageOutput()
    trace = ReflectTraceOutput(allow_null=True)


def describe_result(result: ReflectResult, wanted: dict[str, Any] | None) -> dict[str, Any]:
    """A plain dict for JSON. `wanted` is `include` of the request."""
    look_ups = (wanted or {}).get("tool_calls", {"output": True})
    return ReflectOutput.describe(
        result,
        based_on=None if (wanted or {}).get("facts", {}) is None else describe_basis(result),
        usage=describe_usage(result.usage, result.trace),
        trace=None if look_ups is None else describe_trace(result.trace, with_found=look_ups["output"]),
    )


def describe_basis(result: ReflectResult) -> dict[str, Any]:
    basis: dict[str, Any] = {"memories": [], "opinions": [], "observations": [], "chunks": []}
    for memory in result.cited:
        basis[BASES.get(memory.item.candidate.network, "memories")].append(describe_memory(memory))
    directives = [AppliedDirectiveOutput.describe(one) for one in result.directives]
    models = [StandingAnswerOutput.describe(one) for one in result.mental_models]
    return {**basis, "directives": directives, "mental_models": models, "retrieved": result.retrieved}


def describe_memory(memory: LabelledMemory) -> dict[str, Any]:
    candidate = memory.item.candidate
    return BasisOutput.describe(memory, document_id=find_document_id(candidate), chunk_id=find_chunk_id(candidate))


def describe_usage(usage: Usage, trace: Trace) -> dict[str, Any]:
    return ReflectUsageOutput.describe(
        usage,
        total_tokens=usage.input_tokens + usage.output_tokens,
        llm_calls=len(trace.calls),
        llm_tokens=sum(call.usage.input_tokens + call.usage.output_tokens for call in trace.calls),
    )


def describe_trace(trace: Trace, *, with_found: bool) -> dict[str, Any]:
    look_ups = [
        LookUpOutput.describe(one, input={one.kind: one.wanted}, output={"ids": one.found} if with_found else None)
        for one in trace.look_ups
    ]
    return ReflectTraceOutput.describe(trace, tool_calls=look_ups)


def encode_events(
    events: Generator[Event, None, None], request: Request, wanted: dict[str, Any] | None
) -> Generator[bytes, None, None]:
    """Closing this generator closes the reflection and its connection to the model."""
    try:
        for event in events:
            # A pause sends nothing, but lets the server notice a disconnected client.
            yield b"" if isinstance(event, Pause) else encode_reflect_event(event, wanted)
    except Exception as error:  # noqa: BLE001  # the handler logs what is not expected; a status can't be sent any more
        yield encode_event("error", handle_exception(error, {"request": request}).data)
    finally:
        events.close()


def encode_reflect_event(event: Event, wanted: dict[str, Any] | None) -> bytes:
    match event:
        case Started(engine, model):
            return encode_event("started", {"engine": engine, "model": model})
        case Retrieved(memories):
            return encode_event("memories", {"memories": [describe_memory(memory) for memory in memories]})
        case Delta(text):
            return encode_event("delta", {"text": text})
        case Cited(memory):
            return encode_event("citation", CitationOutput.describe(memory))
        case Formed(opinions):
            return encode_event("opinions", {"opinions": [FormedOpinionOutput.describe(one) for one in opinions]})
        case Done(result):
            return encode_event("done", describe_result(result, wanted))


class ReflectView(TenantView):
    scopes: ClassVar[dict[str, str]] = {"POST": "write read"}  # it forms opinions, and shows memories
    renderer_classes = (FastJSONRenderer, EventStreamRenderer)

    @extend_schema(
        operation_id="reflect",
        summary="Answer a question from memory",
        description="The answer follows the agent's disposition and cites memories. New opinions are stored "
        "with their evidence. Without a language model the answer quotes the best memories, and "
        "forms no opinions.",
        request=ReflectInput,
        responses={(200, JSON): ReflectOutput, (200, MEDIA_TYPE): STREAM}
        | {(status, JSON): shape for status, shape in {**ERRORS, **MODEL_ERRORS}.items()},
    )
    @idempotent_operation  # it keeps plain answers; a key with a stream is refused below
    def post(self, request: Request, bank_id: str) -> Response | StreamingHttpResponse:
        body = check_input(ReflectInput, request.data)
        query, wanted = body.reflect_query(), body.validated_data.get("include")
        if not (body.validated_data["stream"] or isinstance(request.accepted_renderer, EventStreamRenderer)):
            return Response(describe_result(reflect(self.access, bank_id, query), wanted))
        if HEADER in request.headers:
            raise serializers.ValidationError(
                {HEADER: ["A stream can't be replayed: leave out either the key or stream."]}
            )
        return stream_events(encode_events(open_reflection(self.access, bank_id, query), request, wanted))

    def handle_exception(self, exc: Exception) -> Response:
        """An error before the stream begins is JSON, whatever the Accept header says."""
        response = super().handle_exception(exc)
        self.request.accepted_renderer, self.request.accepted_media_type = FastJSONRenderer(), JSON
        return response
