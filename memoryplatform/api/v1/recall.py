"""`/v1/banks/{bank_id}/memories/recall` and `/v1/recall`: search memories.

A result has the fields that most callers need. `include` adds the others.
"""

from collections.abc import Collection
from typing import Any, ClassVar
from uuid import UUID

from rest_framework import serializers
from rest_framework.response import Response

from memoryplatform.api.routes import route
from memoryplatform.api.serializers import Output
from memoryplatform.api.v1.recall_input import RecallAcrossInput, RecallInput
from memoryplatform.api.views import TenantView
from memoryplatform.operations.recall import Recalled, recall
from retrieval.types import (
    Candidate,
    Channel,
    Include,
    Included,
    IncludedEntity,
    RecallItem,
    RecallQuery,
    Scores,
    round_relevance,
)

SHOWN_IF_SET = (
    "speaker",
    "entities",
    "tags",
    "metadata",
    "occurred_start",
    "occurred_end",
    "valid_until",
    "close_reason",
    "superseded_by",
    "confidence",
    "flags",
)


class EntityStateOutput(Output):
    entity_id = serializers.UUIDField(source="id")
    bank_id = serializers.CharField()
    canonical_name = serializers.CharField(source="name")
    observations = serializers.ListField(child=serializers.DictField())
    kind = serializers.CharField()
    summary = serializers.CharField(
        source="text",
        help_text="Empty with a filter, `as_of` or `known_at`, because the summary covers everything known "
        "today. `types` with world and experience is no such filter.",
    )
    mention_count = serializers.IntegerField(help_text="With a filter, the mentions among the results.")


class ChunkOutput(Output):
    id = serializers.UUIDField()
    text = serializers.CharField()
    chunk_index = serializers.IntegerField(
        source="position", help_text="Its position in the document or episode, from 0."
    )
    truncated = serializers.BooleanField()
    heading = serializers.CharField()
    document_id = serializers.CharField()


class SourceMessageOutput(Output):
    id = serializers.UUIDField()
    name = serializers.CharField(source="speaker")
    role = serializers.CharField()
    content = serializers.CharField(source="text")
    timestamp = serializers.DateTimeField(source="said_at")
    unit_ids = serializers.ListField(child=serializers.UUIDField())
    is_neighbour = serializers.BooleanField(help_text="A message just before or after a quoted one.")


class LinkOutput(Output):
    source_id = serializers.UUIDField()
    target_id = serializers.UUIDField()
    type = serializers.CharField()
    weight = serializers.FloatField()


class IncludedOutput(Output):
    """Each is null unless requested."""

    entities = serializers.DictField(
        child=EntityStateOutput(),
        allow_null=True,
        help_text="By name. Further entities of the same name go by name and bank, or by name and id.",
    )
    chunks = serializers.DictField(child=ChunkOutput(), allow_null=True, help_text="By id.")
    source_messages = serializers.DictField(child=SourceMessageOutput(), allow_null=True, help_text="By id.")
    links = LinkOutput(many=True, allow_null=True)


def describe_entities(included: Included) -> dict[str, Any]:
    """Keys are unique: two banks may have an entity of the same name, and one bank a person and a place."""
    described: dict[str, Any] = {}
    for entity in included.entities:
        described[choose_entity_key(entity, described)] = EntityStateOutput.describe(entity, observations=[])
    return described


def choose_entity_key(entity: IncludedEntity, taken: Collection[str]) -> str:
    if entity.name not in taken:
        return entity.name
    of_bank = f"{entity.name} ({entity.bank_id})"
    return of_bank if of_bank not in taken else f"{entity.name} ({entity.id})"


def describe_chunks(included: Included) -> dict[str, Any]:
    """A chunk is never truncated."""
    return {str(chunk.id): ChunkOutput.describe(chunk, truncated=False) for chunk in included.chunks}


class ScoresOutput(Output):
    final = serializers.FloatField(help_text="Results are sorted by this score, except those that come last.")
    comes_last = serializers.BooleanField(help_text="It repeats another result, so it comes after all others.")
    reranker = serializers.FloatField(allow_null=True, help_text="0..1; null if there was no time to rerank it.")
    semantic = serializers.FloatField(allow_null=True)
    keyword = serializers.FloatField(allow_null=True)
    fused = serializers.FloatField(help_text="The sum over the channels of weight / (15 + rank).")
    speaker = serializers.FloatField(help_text="Factor for words of the person that the query is about.")
    ranks = serializers.DictField(child=serializers.IntegerField(), help_text="The rank in each channel, from 1.")
    boosts = serializers.DictField(child=serializers.FloatField(), help_text="Factors by name.")


class SpanOutput(Output):
    message_id = serializers.UUIDField(allow_null=True)
    chunk_id = serializers.UUIDField(allow_null=True)
    start = serializers.IntegerField(allow_null=True)
    end = serializers.IntegerField(allow_null=True)
    role = serializers.CharField()


class PassageOutput(Output):
    """The span of the text in the whole memory, which `GET .../memories/{id}` returns."""

    start = serializers.IntegerField()
    end = serializers.IntegerField()


class RecallItemOutput(Output):
    """By default the id, the text, the type, the relevance and `mentioned_at`, and of the next fields those with a
    value. `include` adds the others: `details`, `scores` and `sources`.
    """

    id = serializers.UUIDField(source="candidate.id")
    text = serializers.CharField()
    type = serializers.CharField(
        source="candidate.network", allow_null=True, help_text="The network; null for a chunk: raw retained text."
    )
    relevance = serializers.FloatField(
        source="scores.relevance", help_text="0..1: the probability that it answers the query."
    )
    mentioned_at = serializers.DateTimeField(source="candidate.mentioned_at")
    bank_id = serializers.CharField(required=False, help_text="If the call names several banks, or with details.")
    speaker = serializers.CharField(
        source="candidate.speaker",
        required=False,
        help_text="Who said the text, which begins with the name; none for other memories.",
    )
    entities = serializers.ListField(source="candidate.entities", child=serializers.CharField(), required=False)
    tags = serializers.ListField(source="candidate.tags", child=serializers.CharField(), required=False)
    metadata = serializers.DictField(source="candidate.metadata", child=serializers.CharField(), required=False)
    occurred_start = serializers.DateTimeField(source="candidate.occurred_start", allow_null=True, required=False)
    occurred_end = serializers.DateTimeField(source="candidate.occurred_end", allow_null=True, required=False)
    valid_until = serializers.DateTimeField(source="candidate.valid_until", allow_null=True, required=False)
    close_reason = serializers.CharField(
        source="candidate.close_reason", required=False, help_text="Of an ended memory."
    )
    superseded_by = serializers.UUIDField(source="candidate.superseded_by", allow_null=True, required=False)
    confidence = serializers.FloatField(
        source="candidate.confidence", allow_null=True, required=False, help_text="Of an opinion, 0..1."
    )
    flags = serializers.ListField(
        source="candidate.flags",
        child=serializers.CharField(),
        required=False,
        help_text="Findings in its text or source: secrets, personal_data, instructions.",
    )
    kind = serializers.CharField(
        source="candidate.kind", required=False, help_text="unit, or chunk: raw text that no memory covers."
    )
    role = serializers.CharField(
        source="candidate.role", required=False, help_text="user, assistant or tool; empty without a speaker."
    )
    context = serializers.CharField(source="candidate.context", required=False)  # type: ignore[assignment]  # the wire's name, not DRF's attribute
    valid_from = serializers.DateTimeField(source="candidate.valid_from", allow_null=True, required=False)
    recorded_at = serializers.DateTimeField(source="candidate.recorded_at", required=False)
    expired_at = serializers.DateTimeField(source="candidate.expired_at", allow_null=True, required=False)
    proof_count = serializers.IntegerField(source="candidate.proof_count", required=False)
    access_count = serializers.IntegerField(
        source="candidate.access_count", required=False, help_text="The number of earlier recalls."
    )
    document_id = serializers.CharField(allow_null=True, required=False)
    chunk_id = serializers.UUIDField(allow_null=True, required=False)
    tokens = serializers.IntegerField(required=False)
    passage = PassageOutput(allow_null=True, required=False, help_text="Null if the text is the whole memory.")
    scores = ScoresOutput(required=False, help_text="With include.scores.")
    sources = SpanOutput(source="candidate.sources", many=True, required=False, help_text="With include.sources.")


class WindowOutput(Output):
    """`end` is exclusive; null is open."""

    start = serializers.DateTimeField(allow_null=True)
    end = serializers.DateTimeField(allow_null=True)


class LeftOutOutput(Output):
    channel = serializers.CharField(
        help_text="A channel; an included part, such as entities; or `reranking`, if `min_scores.reranker` "
        "is set and some results have no score."
    )
    reason = serializers.CharField()
    bank_id = serializers.CharField(
        required=False, allow_null=True, help_text="The bank, if the call names several; else null."
    )


class RecallOutput(IncludedOutput):
    recall_id = serializers.UUIDField(help_text="For feedback, and to find the recall in the log.")
    results = RecallItemOutput(many=True, help_text="Best first.")
    relevance = serializers.FloatField(
        help_text="0..1: the relevance of the most relevant result; 0 without results. A low one says that the memory "
        "has no answer."
    )
    tokens = serializers.IntegerField(help_text="Tokens of the results' texts; never more than max_tokens.")
    query_type = serializers.CharField()
    window = WindowOutput(allow_null=True, help_text="The time range that the query asks about, if any.")
    left_out = LeftOutOutput(many=True, help_text="Parts of the search that failed or took too long.")
    trace = serializers.DictField(allow_null=True)


def describe_recalled(recalled: Recalled, query: RecallQuery, *, names_banks: bool = False) -> dict[str, Any]:
    result, included, wanted = recalled.result, recalled.result.included, query.include
    messages = {str(one.id): SourceMessageOutput.describe(one) for one in included.messages}
    window = result.analysis.window
    return {
        "recall_id": recalled.id,
        "results": [describe_item(item, wanted, names_bank=names_banks) for item in result.items],
        "relevance": result.relevance,
        "tokens": result.tokens,
        "query_type": result.analysis.type.value,
        "window": WindowOutput.describe(window) if window else None,
        "left_out": [LeftOutOutput.describe(one) for one in result.left_out],
        "trace": result.trace,
        "entities": None if wanted.entities is None else describe_entities(included),
        "chunks": None if wanted.chunks is None else describe_chunks(included),
        "source_messages": None if wanted.source_messages is None else messages,
        "links": [LinkOutput.describe(one) for one in included.links] if wanted.links else None,
    }


def describe_item(item: RecallItem, include: Include, *, names_bank: bool) -> dict[str, Any]:
    described = describe_details(item) if include.details else describe_briefly(item)
    if names_bank:
        described["bank_id"] = item.bank_id
    if include.scores:
        described["scores"] = describe_scores(item.scores)
    if include.sources:
        described["sources"] = describe_sources(item)
    return described


def describe_briefly(item: RecallItem) -> dict[str, Any]:
    candidate = item.candidate
    described = {
        "id": candidate.id,
        "text": item.text,
        "type": candidate.network,
        "relevance": round_relevance(item.scores.relevance),
        "mentioned_at": candidate.mentioned_at,
    }
    values = ((name, getattr(candidate, name)) for name in SHOWN_IF_SET)
    return described | {name: value for name, value in values if value or value == 0}


def describe_details(item: RecallItem) -> dict[str, Any]:
    """All fields but the scores and the sources."""
    described = RecallItemOutput.describe(
        item,
        relevance=round_relevance(item.scores.relevance),
        document_id=find_document_id(item.candidate),
        chunk_id=find_chunk_id(item.candidate),
        passage={"start": item.passage[0], "end": item.passage[1]} if item.passage else None,
        scores=None,
        sources=None,
    )
    del described["scores"], described["sources"]
    return described


def describe_whole_item(item: RecallItem) -> dict[str, Any]:
    """For Hindsight's route, which has no relevance."""
    described = describe_details(item) | {"scores": describe_scores(item.scores), "sources": describe_sources(item)}
    del described["relevance"]
    return described


def describe_sources(item: RecallItem) -> list[dict[str, Any]]:
    return [SpanOutput.describe(one) for one in item.candidate.sources]


def find_document_id(candidate: Candidate) -> str | None:
    return next((source.document_id for source in candidate.sources if source.document_id), None)


def find_chunk_id(candidate: Candidate) -> UUID | None:
    if candidate.kind == "chunk":
        return candidate.id
    return next((source.chunk_id for source in candidate.sources if source.chunk_id), None)


def describe_scores(scores: Scores) -> dict[str, Any]:
    semantic, keyword = scores.places.get(Channel.SEMANTIC), scores.places.get(Channel.KEYWORD)
    return ScoresOutput.describe(
        scores,
        semantic=semantic.score if semantic else None,
        keyword=keyword.score if keyword else None,
        ranks={str(channel): rank for channel, (rank, _) in scores.places.items()},
        boosts=dict(scores.boosts),
    )


class RecallView(TenantView):
    scopes: ClassVar[dict[str, str]] = {"POST": "read"}

    @route("recall", "Recall memories for a query", RecallOutput, body=RecallInput)
    def post(self, bank_id: str, body: RecallInput) -> object:
        """The relevant memories, best first, as many as fit into `max_tokens`. Superseded memories are hidden unless
        `history`, `as_of`, `known_at` or the query itself asks for the past.
        """
        query = body.recall_query()
        return Response(describe_recalled(recall(self.access, [bank_id], query), query))


class RecallAcrossView(TenantView):
    scopes: ClassVar[dict[str, str]] = {"POST": "read"}

    @route("recall_across", "Recall memories from several banks", RecallOutput, body=RecallAcrossInput)
    def post(self, body: RecallAcrossInput) -> object:
        """One ranked list from all banks; each result names its bank."""
        query = body.recall_query()
        recalled = recall(self.access, body.validated_data["banks"], query)
        return Response(describe_recalled(recalled, query, names_banks=True))
