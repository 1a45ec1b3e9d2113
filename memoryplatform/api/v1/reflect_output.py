"""What goes out of reflect: Hindsight's shape where the concepts are the same, with citations and opinions added."""

from dataclasses import asdict
from typing import Any

from rest_framework import serializers

from banks.words import Network
from memoryplatform.api.serializers import Output
from providers.usage import Usage
from reflection.opinions.types import FormedOpinion
from reflection.reflect.trace import LookUp, ModelCall, TraceRecord
from reflection.reflect.types import Labelled, ReflectResult
from retrieval.query.cleaning import MAX_CHARACTERS

BASES = {None: "chunks", Network.OPINION: "opinions", Network.OBSERVATION: "observations"}


class CitationOutput(Output):
    mark = serializers.CharField(help_text="As it stands in the text, such as [3].")
    memory_id = serializers.UUIDField()
    kind = serializers.CharField(help_text="unit, or chunk: raw text that no memory covers.")
    type = serializers.CharField(allow_null=True, help_text="The network; null for a chunk.")


class BasisOutput(CitationOutput):
    id = serializers.UUIDField(help_text="The same as memory_id.")
    text = serializers.CharField()
    context = serializers.CharField()  # type: ignore[assignment]  # the wire's name, not DRF's attribute
    occurred_start = serializers.DateTimeField(allow_null=True)
    occurred_end = serializers.DateTimeField(allow_null=True)
    mentioned_at = serializers.DateTimeField()
    valid_from = serializers.DateTimeField(allow_null=True)
    valid_until = serializers.DateTimeField(allow_null=True)
    confidence = serializers.FloatField(allow_null=True, help_text="Of a belief.")
    tags = serializers.ListField(child=serializers.CharField())
    metadata = serializers.DictField(child=serializers.CharField())
    document_id = serializers.CharField(allow_null=True)
    chunk_id = serializers.UUIDField(allow_null=True)


class AppliedDirectiveOutput(Output):
    id = serializers.UUIDField()
    name = serializers.CharField()
    content = serializers.CharField()


class BasedOnOutput(Output):
    """What the text cites. Evidence, beliefs and summaries are kept apart."""

    memories = BasisOutput(many=True, help_text="World facts and the agent's own experiences.")
    opinions = BasisOutput(many=True)
    observations = BasisOutput(many=True)
    chunks = BasisOutput(many=True)
    directives = AppliedDirectiveOutput(many=True, help_text="The rules that the model was given, cited or not.")
    retrieved = serializers.IntegerField(help_text="How many were found, cited or not.")


class FormedOpinionOutput(Output):
    id = serializers.UUIDField()
    text = serializers.CharField()
    confidence = serializers.FloatField()
    confidence_before = serializers.FloatField(allow_null=True, help_text="Null where it is new.")
    outcome = serializers.CharField(help_text="formed, restated, revised or pinned.")
    reasoning = serializers.CharField()
    evidence_ids = serializers.ListField(child=serializers.UUIDField())


class ReflectUsageOutput(Output):
    input_tokens = serializers.IntegerField()
    output_tokens = serializers.IntegerField()
    total_tokens = serializers.IntegerField()
    calls = serializers.IntegerField(help_text="Of all models, those for embeddings too.")
    llm_calls = serializers.IntegerField(help_text="Of the language model: what max_calls bounds.")
    llm_tokens = serializers.IntegerField(help_text="Read and written by it: what max_model_tokens bounds.")
    estimated = serializers.BooleanField()


class LookUpOutput(Output):
    tool = serializers.CharField(help_text="recall, entity or source.")
    input = serializers.DictField(child=serializers.CharField())
    output = serializers.DictField(allow_null=True, help_text="The ids that were found.")
    iteration = serializers.IntegerField(help_text="How often the model had been asked before.")
    tokens = serializers.IntegerField(help_text="Of what was new.")
    duration_ms = serializers.FloatField()


class ModelCallOutput(Output):
    scope = serializers.CharField(help_text="answer or repair.")
    input_tokens = serializers.IntegerField()
    output_tokens = serializers.IntegerField()
    finish_reason = serializers.CharField(allow_null=True)
    duration_ms = serializers.FloatField()


class ReflectTraceOutput(Output):
    tool_calls = LookUpOutput(many=True)
    llm_calls = ModelCallOutput(many=True)
    prompt_tokens = serializers.DictField(child=serializers.IntegerField(), help_text="Of each part of the prompt.")
    notes = serializers.ListField(
        child=serializers.CharField(),
        help_text="What was wrong with the question or the model's answer, and what was left out.",
    )
    duration_ms = serializers.FloatField()
    own_ms = serializers.FloatField(help_text="Without the LLM and the recalls.")


class ReflectOutput(Output):
    text = serializers.CharField()
    engine = serializers.CharField(help_text="llm, or builtin: sentences of memory, where no model wrote.")
    model = serializers.CharField()
    citations = CitationOutput(many=True)
    dropped_citations = serializers.IntegerField(help_text="Marks of memories that were not found; they were removed.")
    not_in_memory = serializers.BooleanField()
    truncated = serializers.BooleanField(help_text="Cut at max_tokens.")
    query_shortened = serializers.BooleanField(
        help_text=f"The query is longer than {MAX_CHARACTERS:,} characters: its beginning and its end were read."
    )
    based_on = BasedOnOutput(allow_null=True)
    opinions = FormedOpinionOutput(many=True, help_text="What the answer made of the agent's opinions.")
    structured_output = serializers.JSONField(help_text="Null where no schema was asked for.")
    structured_output_error = serializers.CharField(allow_null=True)
    usage = ReflectUsageOutput()
    trace = ReflectTraceOutput(allow_null=True)


def describe_result(result: ReflectResult, wanted: dict[str, Any] | None) -> dict[str, Any]:
    """Ready for JSON. `wanted` is the include of the request."""
    look_ups = (wanted or {}).get("tool_calls", {"output": True})
    return {
        "text": result.text,
        "engine": result.engine,
        "model": result.model,
        "citations": [describe_citation(memory) for memory in result.cited],
        "dropped_citations": result.dropped_citations,
        "not_in_memory": result.not_in_memory,
        "truncated": result.truncated,
        "query_shortened": result.query_shortened,
        "based_on": None if (wanted or {}).get("facts", {}) is None else describe_basis(result),
        "opinions": [describe_opinion(opinion) for opinion in result.opinions],
        "structured_output": result.structured.value,
        "structured_output_error": result.structured.error,
        "usage": describe_usage(result.usage, result.trace),
        "trace": None if look_ups is None else describe_trace(result.trace, with_found=look_ups["output"]),
    }


def describe_citation(memory: Labelled) -> dict[str, Any]:
    candidate = memory.item.candidate
    network = candidate.network.value if candidate.network else None
    return {"mark": memory.mark, "memory_id": memory.id, "kind": candidate.kind, "type": network}


def describe_basis(result: ReflectResult) -> dict[str, Any]:
    basis: dict[str, Any] = {"memories": [], "opinions": [], "observations": [], "chunks": []}
    for memory in result.cited:
        basis[BASES.get(memory.item.candidate.network, "memories")].append(describe_memory(memory))
    return {**basis, "directives": [asdict(one) for one in result.directives], "retrieved": result.retrieved}


def describe_memory(memory: Labelled) -> dict[str, Any]:
    candidate = memory.item.candidate
    chunk_id = next((source.chunk_id for source in candidate.sources if source.chunk_id), None)
    return {
        **describe_citation(memory),
        **{name: getattr(candidate, name) for name in PLAIN_FIELDS},
        "text": memory.item.text,
        "document_id": next((source.document_id for source in candidate.sources if source.document_id), None),
        "chunk_id": candidate.id if candidate.kind == "chunk" else chunk_id,
    }


PLAIN_FIELDS = (
    "id",
    "context",
    "occurred_start",
    "occurred_end",
    "mentioned_at",
    "valid_from",
    "valid_until",
    "confidence",
    "tags",
    "metadata",
)


def describe_opinion(opinion: FormedOpinion) -> dict[str, Any]:
    return {
        "id": opinion.id,
        "text": opinion.text,
        "confidence": opinion.confidence,
        "confidence_before": opinion.confidence_before,
        "outcome": opinion.outcome,
        "reasoning": opinion.reasoning,
        "evidence_ids": opinion.evidence_ids,
    }


def describe_usage(usage: Usage, trace: TraceRecord) -> dict[str, Any]:
    return {
        "input_tokens": usage.input_tokens,
        "output_tokens": usage.output_tokens,
        "total_tokens": usage.input_tokens + usage.output_tokens,
        "calls": usage.calls,
        "llm_calls": len(trace.calls),
        "llm_tokens": sum(call.usage.input_tokens + call.usage.output_tokens for call in trace.calls),
        "estimated": usage.estimated,
    }


def describe_trace(trace: TraceRecord, *, with_found: bool) -> dict[str, Any]:
    return {
        "tool_calls": [describe_look_up(one, with_found=with_found) for one in trace.look_ups],
        "llm_calls": [describe_call(call) for call in trace.calls],
        "prompt_tokens": trace.parts,
        "notes": trace.notes,
        "duration_ms": trace.milliseconds,
        "own_ms": trace.own_milliseconds,
    }


def describe_look_up(look_up: LookUp, *, with_found: bool) -> dict[str, Any]:
    return {
        "tool": look_up.kind,
        "input": {look_up.kind: look_up.wanted},
        "output": {"ids": look_up.found} if with_found else None,
        "iteration": look_up.round,
        "tokens": look_up.tokens,
        "duration_ms": look_up.milliseconds,
    }


def describe_call(call: ModelCall) -> dict[str, Any]:
    return {
        "scope": call.purpose,
        "input_tokens": call.usage.input_tokens,
        "output_tokens": call.usage.output_tokens,
        "finish_reason": call.finish_reason,
        "duration_ms": call.milliseconds,
    }
