from datetime import datetime
from uuid import UUID

from memoryplatform_client.models.base import Model


class Document(Model):
    id: str
    bank_id: str
    content_hash: str
    version: int
    tags: list[str]
    document_metadata: dict[str, str]
    context: str
    timestamp: datetime
    text_length: int
    memory_unit_count: int
    created_at: datetime
    updated_at: datetime


class DocumentDetail(Document):
    original_text: str
    nodes_by_fact_type: dict[str, int]
    chunk_count: int


class DocumentDeleted(Model):
    success: bool
    message: str
    document_id: str
    memory_units_deleted: int
    chunks_deleted: int
    relationships_deleted: int
    entities_deleted: int


class Chunk(Model):
    chunk_id: UUID
    document_id: str | None
    episode_id: UUID | None
    bank_id: str
    chunk_index: int
    chunk_text: str
    heading: str
    start: int
    end: int
    timestamp: datetime
    created_at: datetime


class ChunkPart(Model):
    message_id: UUID
    message_start: int
    message_end: int
    start: int
    end: int


class ChunkDetail(Chunk):
    parts: list[ChunkPart]
