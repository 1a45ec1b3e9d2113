"""What goes out of recall: Hindsight's shape, with the reasons, validity and provenance of each result added."""

from typing import Any
from uuid import UUID

from rest_framework import serializers

from memoryplatform.api.serializers import Output
from memoryplatform.api.v1.recall_included import IncludedOutput, describe_included
from memoryplatform.operations.recall import Recalled
from retrieval.types import Candidate, Channel, RecallItem, RecallQuery, Scores, SourceSpan


class ScoresOutput(Output):
    final = serializers.FloatField(help_text="What the results are ordered by, but for those that come last.")
    comes_last = serializers.BooleanField(help_text="It says again what another result says, so it stands behind all.")
    reranker = serializers.FloatField(allow_null=True, help_text="0..1; null where there was no time for it.")
    semantic = serializers.FloatField(allow_null=True)
    keyword = serializers.FloatField(allow_null=True)
    fused = serializers.FloatField(help_text="The sum over the channels of weight / (60 + rank).")
    speaker = serializers.FloatField(help_text="Factor for the words of the one that the query is about.")
    ranks = serializers.DictField(child=serializers.IntegerField(), help_text="The place in each channel, from 1.")
    boosts = serializers.DictField(child=serializers.FloatField(), help_text="Factors by name.")


class SpanOutput(Output):
    message_id = serializers.UUIDField(allow_null=True)
    chunk_id = serializers.UUIDField(allow_null=True)
    start = serializers.IntegerField(allow_null=True)
    end = serializers.IntegerField(allow_null=True)
    role = serializers.CharField()


class PassageOutput(Output):
    """Where the text stands in the whole memory, which `GET .../memories/{id}` shows."""

    start = serializers.IntegerField()
    end = serializers.IntegerField()


class RecallItemOutput(Output):
    id = serializers.UUIDField()
    text = serializers.CharField()
    kind = serializers.CharField(help_text="unit, or chunk: raw text that no memory covers.")
    type = serializers.CharField(allow_null=True, help_text="The network; null for a chunk.")
    bank_id = serializers.CharField()
    context = serializers.CharField()  # type: ignore[assignment]  # the wire's name, not DRF's attribute
    entities = serializers.ListField(child=serializers.CharField())
    tags = serializers.ListField(child=serializers.CharField())
    metadata = serializers.DictField(child=serializers.CharField())
    occurred_start = serializers.DateTimeField(allow_null=True)
    occurred_end = serializers.DateTimeField(allow_null=True)
    mentioned_at = serializers.DateTimeField()
    valid_from = serializers.DateTimeField(allow_null=True)
    valid_until = serializers.DateTimeField(allow_null=True)
    recorded_at = serializers.DateTimeField()
    expired_at = serializers.DateTimeField(allow_null=True)
    close_reason = serializers.CharField()
    superseded_by = serializers.UUIDField(allow_null=True)
    confidence = serializers.FloatField(allow_null=True)
    proof_count = serializers.IntegerField()
    access_count = serializers.IntegerField(help_text="How often it was recalled before.")
    document_id = serializers.CharField(allow_null=True)
    chunk_id = serializers.UUIDField(allow_null=True)
    tokens = serializers.IntegerField()
    passage = PassageOutput(allow_null=True, help_text="Null where the text is the whole memory.")
    scores = ScoresOutput()
    sources = SpanOutput(many=True)


class WindowOutput(Output):
    """Up to but not including `end`; null where it is open."""

    start = serializers.DateTimeField(allow_null=True)
    end = serializers.DateTimeField(allow_null=True)


class LeftOutOutput(Output):
    channel = serializers.CharField(
        help_text="A channel; what should have come along, such as entities; or `reranking`, where "
        "`min_scores.reranker` was asked for and some results were not scored."
    )
    reason = serializers.CharField()
    bank_id = serializers.CharField(
        required=False, allow_null=True, help_text="Whose, where a call asked several banks; else null."
    )


class RecallOutput(IncludedOutput):
    recall_id = serializers.UUIDField(help_text="For feedback, and to find the recall in the log.")
    results = RecallItemOutput(many=True)
    tokens = serializers.IntegerField(help_text="Of the results' texts; never more than max_tokens.")
    query_type = serializers.CharField()
    window = WindowOutput(allow_null=True, help_text="The time that is asked about, where one was found.")
    left_out = LeftOutOutput(many=True, help_text="What failed or took too long.")
    trace = serializers.DictField(allow_null=True)


def describe_recalled(recalled: Recalled, query: RecallQuery) -> dict[str, Any]:
    """Ready for JSON: a serializer in between takes longer than the search of a small bank."""
    result = recalled.result
    window = result.analysis.window
    return {
        "recall_id": recalled.id,
        "results": [describe_item(item) for item in result.items],
        "tokens": result.tokens,
        "query_type": result.analysis.type.value,
        "window": {"start": window.start, "end": window.end} if window else None,
        "left_out": [
            {"channel": one.channel.value, "reason": one.reason, "bank_id": one.bank_id} for one in result.left_out
        ],
        "trace": result.trace,
        **describe_included(result.included, query.include),
    }


def describe_item(item: RecallItem) -> dict[str, Any]:
    """In one piece: there are a hundred of them in an answer, and each step more would show in its time."""
    one = item.candidate
    return {
        "id": one.id,
        "kind": one.kind,
        "context": one.context,
        "entities": one.entities,
        "tags": one.tags,
        "metadata": one.metadata,
        "occurred_start": one.occurred_start,
        "occurred_end": one.occurred_end,
        "mentioned_at": one.mentioned_at,
        "valid_from": one.valid_from,
        "valid_until": one.valid_until,
        "recorded_at": one.recorded_at,
        "expired_at": one.expired_at,
        "close_reason": one.close_reason,
        "superseded_by": one.superseded_by,
        "confidence": one.confidence,
        "proof_count": one.proof_count,
        "access_count": one.access_count,
        "text": item.text,
        "type": str(one.network) if one.network else None,
        "bank_id": item.bank_id,
        "tokens": item.tokens,
        "document_id": find_document_id(one),
        "chunk_id": one.id if one.kind == "chunk" else find_chunk_id(one),
        "passage": {"start": item.passage[0], "end": item.passage[1]} if item.passage else None,
        "scores": describe_scores(item.scores),
        "sources": [describe_source(source) for source in one.sources],
    }


def find_document_id(candidate: Candidate) -> str | None:
    for source in candidate.sources:
        if source.document_id:
            return source.document_id
    return None


def find_chunk_id(candidate: Candidate) -> UUID | None:
    for source in candidate.sources:
        if source.chunk_id:
            return source.chunk_id
    return None


def describe_scores(scores: Scores) -> dict[str, Any]:
    places = scores.places
    semantic, keyword = places.get(Channel.SEMANTIC), places.get(Channel.KEYWORD)
    return {
        "final": scores.final,
        "comes_last": scores.comes_last,
        "reranker": scores.reranker,
        "semantic": semantic.score if semantic else None,
        "keyword": keyword.score if keyword else None,
        "fused": scores.fused,
        "speaker": scores.speaker,
        "ranks": {str(channel): rank for channel, (rank, _) in places.items()},
        "boosts": dict(scores.boosts),
    }


def describe_source(source: SourceSpan) -> dict[str, Any]:
    return {
        "message_id": source.message_id,
        "chunk_id": source.chunk_id,
        "start": source.start,
        "end": source.end,
        "role": source.role,
    }
