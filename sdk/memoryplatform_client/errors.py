"""The exceptions of the client.

MemoryPlatformError
├── UnusableId                  the id can't be part of a URL; nothing was sent
├── UnusableFilter              a filter of a deletion has no value; nothing was sent
├── UnusableText                the text holds a lone surrogate, which UTF-8 can't encode; nothing was sent
├── UnusableHeader              the API key or another header holds characters that can't be sent; nothing was sent
├── ConnectionFailed            no response arrived, or a damaged one
│   └── RequestTimedOut
├── UnreadableAnswer            the response is not one of this service
├── OperationNotCompleted       the awaited operation failed or was cancelled
├── WaitTimedOut                the awaited operation is still running
└── APIError                    the service refused: status_code, code, detail, request_id, errors, retry_after
    ├── BadRequest 400
    ├── Unauthenticated 401
    ├── QuotaExceeded 402       quota, limit, used
    ├── PermissionDenied 403
    ├── NotFound 404            BankNotFound, MemoryNotFound, OperationNotFound by `code`
    ├── Conflict 409            AlreadyExists, RequestInFlight by `code`
    ├── PreconditionFailed 412
    ├── BodyTooLarge 413
    ├── Invalid 422             IdempotencyKeyReused by `code`
    ├── RateLimited 429
    └── ServerError 5xx         Unavailable 503, ModelFailed 502, ModelTimedOut 504
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING
from uuid import UUID

import httpx

if TYPE_CHECKING:
    from memoryplatform_client.models.operations import Operation, OperationDetail


class MemoryPlatformError(Exception):
    """`memory_ids`: the memories that `Memory.process` had completed before it raised this error."""

    memory_ids: tuple[UUID, ...] = ()


class UnusableId(MemoryPlatformError, ValueError):
    def __init__(self, given: str, rule: str) -> None:
        super().__init__(f"An id {rule}: {given!r}.")


class UnusableFilter(MemoryPlatformError, ValueError):
    def __init__(self, names: Iterable[str]) -> None:
        super().__init__(f"Given without a value: {', '.join(names)}. Nothing is deleted.")


class UnusableText(MemoryPlatformError, ValueError):
    def __init__(self, fault: UnicodeEncodeError) -> None:
        around = fault.object[max(0, fault.start - 20) : fault.start + 20]
        super().__init__(f"The text holds a lone surrogate, which can't be sent: {around!r}.")


class UnusableHeader(MemoryPlatformError, ValueError):
    """The message names the header but never its value, which may be the API key."""

    def __init__(self, name: str) -> None:
        super().__init__(f"The {name} is empty, or has characters that can't be sent.")


class ConnectionFailed(MemoryPlatformError):
    pass


class RequestTimedOut(ConnectionFailed):
    pass


class UnreadableAnswer(MemoryPlatformError):
    def __init__(self, fault: str, response: httpx.Response) -> None:
        super().__init__(fault)
        self.status_code = response.status_code
        self.request_id = response.headers.get("X-Request-ID", "")


class OperationNotCompleted(MemoryPlatformError):
    def __init__(self, operation: "OperationDetail") -> None:
        reason = operation.error.detail if operation.error else "no reason was given."
        super().__init__(f"Operation {operation.operation_id} {operation.status}: {reason}")
        self.operation = operation


class WaitTimedOut(MemoryPlatformError):
    """`operation`: its last known state. None where the service never answered; `__cause__` then holds the reason."""

    def __init__(self, operation_id: UUID | str, seconds: float | None, operation: "Operation | None") -> None:
        seen = f"is still {operation.status}" if operation else "could not be fetched"
        super().__init__(f"Operation {operation_id} {seen} after {seconds or 0.0:g} seconds.")
        self.operation_id = operation_id
        self.operation = operation


@dataclass(frozen=True)
class FieldFault:
    field: str
    message: str
    code: str


@dataclass(frozen=True)
class Refusal:
    """An error response of the service."""

    status_code: int
    code: str
    detail: str
    request_id: str
    errors: tuple[FieldFault, ...] = ()
    retry_after: float | None = None
    quota: str = ""
    limit: int = 0
    used: int = 0


class APIError(MemoryPlatformError):
    def __init__(self, refusal: Refusal) -> None:
        super().__init__(f"{refusal.detail} ({refusal.status_code} {refusal.code}, request {refusal.request_id})")
        self.status_code = refusal.status_code
        self.code = refusal.code
        self.detail = refusal.detail
        self.request_id = refusal.request_id
        self.errors = refusal.errors
        self.retry_after = refusal.retry_after


class BadRequest(APIError):
    pass


class Unauthenticated(APIError):
    pass


class QuotaExceeded(APIError):
    """The plan's quota is used up for calls that add. Reading, exporting and deleting still work."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal)
        self.quota = refusal.quota
        self.limit = refusal.limit
        self.used = refusal.used


class PermissionDenied(APIError):
    pass


class NotFound(APIError):
    pass


class BankNotFound(NotFound):
    pass


class MemoryNotFound(NotFound):
    pass


class OperationNotFound(NotFound):
    pass


class Conflict(APIError):
    pass


class AlreadyExists(Conflict):
    pass


class RequestInFlight(Conflict):
    pass


class PreconditionFailed(APIError):
    pass


class BodyTooLarge(APIError):
    pass


class Invalid(APIError):
    pass


class IdempotencyKeyReused(Invalid):
    pass


class RateLimited(APIError):
    pass


class ServerError(APIError):
    pass


class Unavailable(ServerError):
    pass


class ModelFailed(ServerError):
    pass


class ModelTimedOut(ServerError):
    pass
