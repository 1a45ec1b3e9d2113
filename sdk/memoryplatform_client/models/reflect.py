from datetime import datetime
from typing import Any
from uuid import UUID

from memoryplatform_client.models.base import Model


class Citation(Model):
    mark: str
    memory_id: UUID
    kind: str
    type: str | None


class Basis(Citation):
    id: UUID
    text: str
    context: str
    occurred_start: datetime | None
    occurred_end: datetime | None
    mentioned_at: datetime
    valid_from: datetime | None
    valid_until: datetime | None
    confidence: float | None
    tags: list[str]
    metadata: dict[str, str]
    document_id: str | None
    chunk_id: UUID | None


class AppliedDirective(Model):
    id: UUID
    name: str
    content: str


class StandingAnswer(Model):
    id: str
    name: str
    text: str
    refreshed_at: datetime | None


class BasedOn(Model):
    memories: list[Basis]
    opinions: list[Basis]
    observations: list[Basis]
    chunks: list[Basis]
    directives: list[AppliedDirective]
    mental_models: list[StandingAnswer]
    retrieved: int


class FormedOpinion(Model):
    id: UUID
    text: str
    confidence: float
    confidence_before: float | None
    outcome: str
    reasoning: str
    evidence_ids: list[UUID]


class ReflectUsage(Model):
    input_tokens: int
    output_tokens: int
    total_tokens: int
    calls: int
    llm_calls: int
    llm_tokens: int
    estimated: bool


class LookUp(Model):
    tool: str
    input: dict[str, str]
    output: dict[str, Any] | None
    iteration: int
    tokens: int
    duration_ms: float


class ModelCall(Model):
    scope: str
    input_tokens: int
    output_tokens: int
    finish_reason: str | None
    duration_ms: float


class ReflectTrace(Model):
    tool_calls: list[LookUp]
    llm_calls: list[ModelCall]
    prompt_tokens: dict[str, int]
    notes: list[str]
    duration_ms: float
    own_ms: float


class Reflection(Model):
    text: str
    engine: str
    model: str
    citations: list[Citation]
    dropped_citations: int
    not_in_memory: bool
    truncated: bool
    query_shortened: bool
    based_on: BasedOn | None
    opinions: list[FormedOpinion]
    structured_output: Any
    structured_output_error: str | None
    usage: ReflectUsage
    trace: ReflectTrace | None
