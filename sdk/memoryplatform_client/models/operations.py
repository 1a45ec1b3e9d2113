from datetime import datetime
from typing import Any
from uuid import UUID

from memoryplatform_client.models.base import Model


class Progress(Model):
    stage: str
    processed: int
    total: int


class OperationError(Model):
    code: str
    detail: str


class TokenUsage(Model):
    input_tokens: int
    output_tokens: int
    calls: int


FINISHED = frozenset({"completed", "failed", "cancelled"})


class Operation(Model):
    operation_id: UUID
    kind: str
    status: str
    bank_id: str | None
    progress: Progress
    attempts: int
    max_attempts: int
    error: OperationError | None
    next_attempt_at: datetime | None
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None

    @property
    def is_finished(self) -> bool:
        return self.status in FINISHED


class OperationDetail(Operation):
    """`usage` is that of all attempts, failed ones included. None while no model was called."""

    payload: Any
    result: Any
    usage: TokenUsage | None = None
