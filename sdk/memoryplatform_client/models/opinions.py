from datetime import datetime
from uuid import UUID

from pydantic import Field

from memoryplatform_client.models.base import Model
from memoryplatform_client.models.entities import NamedEntity
from memoryplatform_client.models.memories import MemorySource


class Opinion(Model):
    id: UUID
    text: str
    confidence: float
    review: str
    entities: list[NamedEntity]
    tags: list[str]
    formed_at: datetime
    changed_at: datetime
    revision: int
    expired_at: datetime | None
    superseded_by: UUID | None


class Evidence(Model):
    memory_id: UUID
    text: str
    type: str
    mentioned_at: datetime
    bearing: str
    at: datetime
    revision: int | None = None
    taken_back: bool = False
    stance: str = "for"
    expired_at: datetime | None = None


class OpinionDetail(Opinion):
    evidence: list[Evidence]
    sources: list[MemorySource]
    hidden_evidence: int = 0
    etag: str = ""


class RevisionEvidence(Model):
    memory_id: UUID
    text: str
    type: str
    taken_back: bool


class OpinionRevision(Model):
    number: int
    cause: str
    at: datetime
    confidence_before: float | None
    confidence_after: float
    text_before: str
    text_after: str
    step: float | None
    evidence: list[RevisionEvidence] = Field(default_factory=list)
    evidence_deleted: int = 0
    hidden_evidence: int = 0
    evidence_id: UUID | None
    evidence_text: str | None
    withdrawn: bool
    reasoning: str
    actor: str
