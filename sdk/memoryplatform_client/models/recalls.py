from datetime import datetime
from typing import Any
from uuid import UUID

from memoryplatform_client.models.base import Model
from memoryplatform_client.models.recall import LeftOut


class LoggedRecall(Model):
    recall_id: UUID
    recalled_at: datetime
    query: str
    query_type: str
    purpose: str
    tokens: int
    milliseconds: dict[str, float]
    left_out: list[LeftOut]
    result_count: int
    has_trace: bool


class LoggedResult(Model):
    id: UUID
    kind: str
    rank: int
    tokens: int
    final: float
    relevance: float | None = None
    ranks: dict[str, int]


class LoggedRecallDetail(Model):
    recall_id: UUID
    recalled_at: datetime
    query: str
    query_type: str
    purpose: str
    tokens: int
    milliseconds: dict[str, float]
    left_out: list[LeftOut]
    results: list[LoggedResult]
    trace: dict[str, Any] | None
