from datetime import datetime
from typing import Any
from uuid import UUID

from memoryplatform_client.models.base import Model
from memoryplatform_client.models.entities import NamedEntity


class MemoryFields(Model):
    id: UUID
    text: str
    speaker: str
    role: str
    type: str
    fact_type: str
    kind: str
    context: str
    date: str
    occurred_start: datetime | None
    occurred_end: datetime | None
    mentioned_at: datetime
    tags: list[str]
    metadata: dict[str, str]
    document_id: str | None
    chunk_id: UUID | None
    confidence: float | None
    importance: float
    proof_count: int
    flags: list[str]
    valid_from: datetime | None
    valid_until: datetime | None
    recorded_at: datetime
    expired_at: datetime | None
    close_reason: str
    superseded_by: UUID | None
    state: str
    invalidated_at: datetime | None
    edited_at: datetime | None
    updated_at: datetime


class MemoryItem(MemoryFields):
    """`entities` are names, separated by commas."""

    entities: str


class MemorySource(Model):
    role: str
    message_id: UUID | None
    chunk_id: UUID | None
    document_id: str | None
    episode_id: str | None
    memory_id: UUID | None
    start: int | None
    end: int | None
    text: str
    name: str | None
    timestamp: str | None


class MemoryLink(Model):
    memory_id: UUID
    text: str
    type: str
    weight: float
    direction: str


class MemoryDetail(MemoryFields):
    """Send `etag` with an edit: the service refuses the edit if the memory has changed since."""

    entities: list[NamedEntity]
    dimensions: dict[str, str]
    sources: list[MemorySource]
    links: list[MemoryLink]
    etag: str = ""


class MemoriesDeleted(Model):
    success: bool
    message: str
    deleted_count: int
    relationships_deleted: int
    entities_deleted: int
    erasure_id: UUID | None = None


class MemoriesCleared(MemoriesDeleted):
    operation_id: UUID | None


class MemoryChange(Model):
    action: str
    at: datetime
    actor: str
    reason: str
    before: Any
    after: Any


class ChainedMemory(Model):
    id: UUID
    text: str
    mentioned_at: datetime
    valid_from: datetime | None
    valid_until: datetime | None
    recorded_at: datetime
    expired_at: datetime | None
    close_reason: str


class MemoryHistory(Model):
    """`next_cursor` leads to the next page of changes, if `limit` asked for pages."""

    memory_id: UUID
    recorded_at: datetime
    changes: list[MemoryChange]
    superseded_by: list[ChainedMemory]
    supersedes: list[ChainedMemory]
    next_cursor: UUID | None = None
