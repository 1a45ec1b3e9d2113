from dataclasses import dataclass
from datetime import datetime
from uuid import UUID


@dataclass(frozen=True)
class IncludedEntity:
    """Somebody or something that the results speak of; `text` is what the token budget counts."""

    id: UUID
    bank_id: str
    name: str
    kind: str
    text: str
    mention_count: int
    unit_ids: tuple[UUID, ...]


@dataclass(frozen=True)
class IncludedChunk:
    id: UUID
    text: str
    position: int
    heading: str
    said_at: datetime
    document_id: str
    unit_ids: tuple[UUID, ...]


@dataclass(frozen=True)
class IncludedMessage:
    id: UUID
    speaker: str
    role: str
    text: str
    said_at: datetime
    unit_ids: tuple[UUID, ...]
    is_neighbour: bool = False  # said just before or after one that is quoted


@dataclass(frozen=True)
class IncludedLink:
    """An edge between two of the results."""

    source_id: UUID
    target_id: UUID
    type: str
    weight: float


@dataclass(frozen=True)
class Included:
    entities: tuple[IncludedEntity, ...] = ()
    chunks: tuple[IncludedChunk, ...] = ()
    messages: tuple[IncludedMessage, ...] = ()
    links: tuple[IncludedLink, ...] = ()
