"""The options of a recall and of a reflect. The service chooses a default for each omitted option."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Any, TypedDict

from memoryplatform_client.options.words import Budget, Network, TagsMatch


class TimeRange(TypedDict, total=False):
    """From `start` up to but not including `end`. A plain date is the midnight that begins it."""

    start: datetime | date | None
    end: datetime | date | None


class TimeWindow(TypedDict):
    """Both ends are inclusive, a plain date with its whole day. Memories within rank higher; no memory is excluded."""

    start: datetime | date
    end: datetime | date


class LeastScores(TypedDict, total=False):
    semantic: float | None
    keyword: float | None
    reranker: float | None
    final: float | None


class Tokens(TypedDict, total=False):
    max_tokens: int


class MessageTokens(Tokens, total=False):
    neighbours: int


class Fields(TypedDict):
    pass


class Include(TypedDict, total=False):
    """`scores`, `sources` and `details` add fields to each result, the others add parts to the answer."""

    scores: Fields | None
    sources: Fields | None
    details: Fields | None
    entities: Tokens | None
    chunks: Tokens | None
    source_messages: MessageTokens | None
    links: bool


class SearchOptions(TypedDict, total=False):
    """`thinking_budget`: the number of memories to examine, in place of `budget`.

    `max_results` (1 to 1,000): the most results. `fill`: everything that fits into the tokens, relevant or not. By
    default a recall returns relevant memories, and a reflect fills its prompt.

    `filters` is a tree of conditions on tags, metadata, entities and times (docs/recall.md):
    `{"metadata": {"priority": {"gte": 3}}, "not": {"tags": ["draft"]}}`.

    `min_lsn`: the header `Memory-LSN` of a write that the answer must know, for a service that reads replicas.

    The zone of `query_timestamp` decides which day "yesterday" is.
    """

    types: Sequence[Network] | None
    budget: Budget
    thinking_budget: int | None
    max_tokens: int
    max_results: int | None
    fill: bool
    rerank: bool
    query_timestamp: datetime | None
    tags: Sequence[str] | None
    tags_match: TagsMatch
    tag_groups: Sequence[Mapping[str, Any]] | None
    metadata: Mapping[str, str] | None
    filters: Mapping[str, Any] | None
    entities: Sequence[str] | None
    document_ids: Sequence[str] | None
    occurred: TimeRange | None
    mentioned: TimeRange | None
    temporal_window: TimeWindow | None
    as_of: datetime | None
    known_at: datetime | None
    history: bool
    min_lsn: str | None


class RecallOptions(SearchOptions, total=False):
    include: Include | None
    min_scores: LeastScores | None
    trace: bool


class LookUps(TypedDict, total=False):
    output: bool


class ReflectInclude(TypedDict, total=False):
    """Each part is included unless set to None."""

    facts: Mapping[str, Any] | None
    tool_calls: LookUps | None


class StreamOptions(SearchOptions, total=False):
    include: ReflectInclude | None
    memory_tokens: int
    context: str | None
    response_schema: Mapping[str, Any] | None
    form_opinions: bool
    apply_all_directives: bool
    max_calls: int | None
    max_model_tokens: int | None
    max_seconds: float | None


class ReflectOptions(StreamOptions, total=False):
    idempotency_key: str
