from datetime import datetime
from typing import Any
from uuid import UUID

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
    id: UUID
    text: str
    speaker: str = ""
    role: str = ""
    kind: str
    type: str | None
    bank_id: str
    context: str
    entities: list[str]
    tags: list[str]
    metadata: dict[str, str]
    occurred_start: datetime | None
    occurred_end: datetime | None
    mentioned_at: datetime
    valid_from: datetime | None
    valid_until: datetime | None
    recorded_at: datetime
    expired_at: datetime | None
    close_reason: str
    superseded_by: UUID | None
    confidence: float | None
    proof_count: int
    flags: list[str]
    access_count: int = 0
    document_id: str | None
    chunk_id: UUID | None
    tokens: int
    passage: Passage | None
    scores: Scores
    sources: list[SourceSpan]


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
    tokens: int
    query_type: str
    window: Window | None
    left_out: list[LeftOut]
    trace: dict[str, Any] | None
