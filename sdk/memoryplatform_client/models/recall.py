from datetime import datetime
from typing import Any
from uuid import UUID

from pydantic import Field

from memoryplatform_client.models.base import Model


class Scores(Model):
    final: float
    reranker: float | None
    semantic: float | None
    keyword: float | None
    fused: float
    speaker: float
    ranks: dict[str, int]
    boosts: dict[str, float]
    comes_last: bool = False


class SourceSpan(Model):
    message_id: UUID | None
    chunk_id: UUID | None
    start: int | None
    end: int | None
    role: str


class Passage(Model):
    start: int
    end: int


class RecallItem(Model):
    """The fields from `kind` on need `include={"details": {}}`, `scores` and `sources` an entry of their own.

    `bank_id` is set by `recall_across`, and with details.
    """

    id: UUID
    text: str
    type: str | None
    relevance: float
    mentioned_at: datetime
    bank_id: str | None = None
    speaker: str = ""
    entities: list[str] = Field(default_factory=list)
    tags: list[str] = Field(default_factory=list)
    metadata: dict[str, str] = Field(default_factory=dict)
    occurred_start: datetime | None = None
    occurred_end: datetime | None = None
    valid_until: datetime | None = None
    close_reason: str = ""
    superseded_by: UUID | None = None
    confidence: float | None = None
    flags: list[str] = Field(default_factory=list)
    kind: str | None = None
    role: str | None = None
    context: str | None = None
    valid_from: datetime | None = None
    recorded_at: datetime | None = None
    expired_at: datetime | None = None
    proof_count: int | None = None
    access_count: int | None = None
    document_id: str | None = None
    chunk_id: UUID | None = None
    tokens: int | None = None
    passage: Passage | None = None
    scores: Scores | None = None
    sources: list[SourceSpan] | None = None


class EntityState(Model):
    entity_id: UUID
    bank_id: str
    canonical_name: str
    observations: list[dict[str, Any]]
    kind: str
    summary: str
    mention_count: int


class RecalledChunk(Model):
    id: UUID
    text: str
    chunk_index: int
    truncated: bool
    heading: str
    document_id: str


class SourceMessage(Model):
    id: UUID
    name: str
    role: str
    content: str
    timestamp: datetime
    unit_ids: list[UUID]
    is_neighbour: bool


class Link(Model):
    source_id: UUID
    target_id: UUID
    type: str
    weight: float


class Window(Model):
    start: datetime | None
    end: datetime | None


class LeftOut(Model):
    channel: str
    reason: str
    bank_id: str | None = None


class Recalled(Model):
    entities: dict[str, EntityState] | None
    chunks: dict[str, RecalledChunk] | None
    source_messages: dict[str, SourceMessage] | None
    links: list[Link] | None
    recall_id: UUID
    results: list[RecallItem]
    relevance: float
    tokens: int
    query_type: str
    window: Window | None
    left_out: list[LeftOut]
    trace: dict[str, Any] | None
