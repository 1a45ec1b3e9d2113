"""Filters and options of the lists. An omitted filter does not restrict the list."""

from collections.abc import Sequence
from datetime import datetime
from typing import Literal, TypedDict
from uuid import UUID

from memoryplatform_client.options.words import EntityKind, Network, TagsMatch


class CursorOptions(TypedDict, total=False):
    """`limit`: rows per page."""

    limit: int
    cursor: UUID | str


class ListOptions(CursorOptions, total=False):
    offset: int


class BankFilter(CursorOptions, total=False):
    """`q`: a part of the id or the name."""

    q: str


class OperationFilter(CursorOptions, total=False):
    status: Literal["pending", "processing", "completed", "failed", "cancelled"]
    kind: str
    bank_id: str


class WebhookFilter(CursorOptions, total=False):
    bank_id: str


class DeliveryFilter(CursorOptions, total=False):
    status: Literal["pending", "delivered", "failed"]


class AuditConditions(TypedDict, total=False):
    """`actor`: the prefix of an API key, or the id or e-mail address of a person. `until` is exclusive.

    `action` and `target` may be beginnings: `bank` for all actions on banks.
    """

    action: str
    actor: str
    target: str
    since: datetime
    until: datetime


class AuditFilter(AuditConditions, CursorOptions, total=False):
    pass


class LLMRequestFilter(CursorOptions, total=False):
    task: Literal["extract", "reflect", "observe", "judge"]
    model: str
    bank_id: str
    operation_id: UUID | str
    outcome: str
    since: datetime
    until: datetime


class MemoryFilter(TypedDict, total=False):
    q: str
    type: Network
    kind: Literal["event", "conversation"]
    tags: Sequence[str]
    tags_match: TagsMatch
    entity_id: UUID | str
    document_id: str
    episode_id: UUID | str
    thread: str
    occurred_after: datetime
    occurred_before: datetime
    mentioned_after: datetime
    mentioned_before: datetime
    time_field: Literal["created_at", "updated_at", "mentioned_at", "occurred_start", "occurred_end"]
    start_date: datetime
    end_date: datetime
    state: Literal["current", "valid", "superseded", "invalidated", "all"]
    as_of: datetime
    known_at: datetime


class MemoryListOptions(MemoryFilter, ListOptions, total=False):
    pass


class MessageFilter(ListOptions, total=False):
    thread: str
    episode_id: UUID | str


class EpisodeFilter(ListOptions, total=False):
    """`q` ranks the episodes by meaning and by words."""

    thread: str
    q: str


class TagFilter(TypedDict, total=False):
    """`q`: the whole tag, in which `*` stands for anything."""

    limit: int
    offset: int
    q: str
    source: Literal["memories", "mental_models"]


class TimeseriesOptions(TypedDict, total=False):
    period: Literal["1h", "12h", "1d", "7d", "30d", "90d"]
    time_field: Literal["created_at", "mentioned_at", "occurred_start"]


class GraphFilter(TypedDict, total=False):
    """`q`: a part of a memory's text or context. `limit`: the largest number of nodes."""

    limit: int
    type: Literal["world", "experience", "observation"]
    q: str
    tags: Sequence[str]
    tags_match: TagsMatch
    document_id: str
    chunk_id: UUID | str


class EntityGraphFilter(TypedDict, total=False):
    """`min_count`: the number of memories that two entities must share for an edge."""

    limit: int
    offset: int
    min_count: int
    tags: Sequence[str]
    tags_match: TagsMatch


class EntityFilter(ListOptions, total=False):
    """`q`: the beginning of a word of a name. `type`: one of the bank's own `entity_types`."""

    q: str
    kind: EntityKind
    type: str


class RelationshipFilter(ListOptions, total=False):
    q: str
    relation: str
    subject_id: UUID | str
    entity_id: UUID | str
    state: Literal["current", "superseded", "all"]
    as_of: datetime


class ObservationFilter(ListOptions, total=False):
    entity_id: UUID | str
    tags: Sequence[str]
    tags_match: TagsMatch


class OpinionFilter(ListOptions, total=False):
    review: Literal["new", "approved", "pinned", "retired", "all"]
    entity_id: UUID | str
    min_confidence: float
    q: str
    tags: Sequence[str]
    tags_match: TagsMatch
    order: Literal["formed", "changed"]


class OpinionView(TypedDict, total=False):
    tags: Sequence[str]
    tags_match: TagsMatch


class RevisionOptions(OpinionView, total=False):
    limit: int
    offset: int


class FeedbackFilter(ListOptions, total=False):
    recall_id: UUID | str
    memory_id: UUID | str
    useful: bool
