"""Turning an error response into the exception class of its code or status."""

from dataclasses import replace
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

import httpx

from memoryplatform_client import errors
from memoryplatform_client.errors import APIError, FieldFault, Refusal

BY_CODE: dict[str, type[APIError]] = {
    "bank_not_found": errors.BankNotFound,
    "memory_not_found": errors.MemoryNotFound,
    "operation_not_found": errors.OperationNotFound,
    "bank_exists": errors.AlreadyExists,
    "memory_exists": errors.AlreadyExists,
    "entity_exists": errors.AlreadyExists,
    "retention_rule_exists": errors.AlreadyExists,
    "mental_model_exists": errors.AlreadyExists,
    "request_in_flight": errors.RequestInFlight,
    "idempotency_key_reused": errors.IdempotencyKeyReused,
    "model_failed": errors.ModelFailed,
    "model_timeout": errors.ModelTimedOut,
}
BY_STATUS: dict[int, type[APIError]] = {
    400: errors.BadRequest,
    401: errors.Unauthenticated,
    402: errors.QuotaExceeded,
    403: errors.PermissionDenied,
    404: errors.NotFound,
    409: errors.Conflict,
    412: errors.PreconditionFailed,
    413: errors.BodyTooLarge,
    422: errors.Invalid,
    429: errors.RateLimited,
    503: errors.Unavailable,
}
LEAST_SERVER_ERROR = 500
# The status that each error would have had, if the response had not already begun.
LATE_STATUS = {
    "quota_exceeded": 402,
    "bank_not_found": 404,
    "bank_busy": 503,
    "nothing_searched": 503,
    "overloaded": 503,
    "unavailable": 503,
    "model_unavailable": 503,
    "model_failed": 502,
    "model_timeout": 504,
}


def read_refusal(response: httpx.Response) -> Refusal:
    """An error response of a proxy has its own format; its refusal has an empty code."""
    body = find_object(response)
    return Refusal(
        status_code=response.status_code,
        code=str(body.get("code", "")),
        detail=str(body.get("detail") or response.reason_phrase or "No reason was given."),
        request_id=str(body.get("request_id") or response.headers.get("X-Request-ID", "")),
        errors=tuple(read_fault(fault) for fault in body.get("errors") or ()),
        retry_after=read_retry_after(response.headers.get("Retry-After")),
        quota=str(body.get("quota", "")),
        limit=read_number(body.get("limit")),
        used=read_number(body.get("used")),
    )


def read_late_refusal(text: str, response: httpx.Response) -> Refusal:
    """Read an error that arrived as an event of a stream. Its status follows from its code, as 200 was already sent."""
    kept = {"X-Request-ID": response.headers.get("X-Request-ID", "")}
    refusal = read_refusal(httpx.Response(LEAST_SERVER_ERROR, text=text, headers=kept))
    return replace(refusal, status_code=LATE_STATUS.get(refusal.code, LEAST_SERVER_ERROR))


def read_number(value: Any) -> int:
    return value if isinstance(value, int) else 0


def read_fault(fault: dict[str, Any]) -> FieldFault:
    return FieldFault(*(str(fault.get(name, "")) for name in ("field", "message", "code")))


def find_object(response: httpx.Response) -> dict[str, Any]:
    try:
        body = response.json()
    except ValueError:
        return {}
    return body if isinstance(body, dict) else {}


def read_retry_after(header: str | None) -> float | None:
    """Seconds to wait. The header holds either seconds or an HTTP date."""
    if header is None:
        return None
    if header.strip().isdecimal():
        return float(header)
    try:
        then = parsedate_to_datetime(header)
    except ValueError:
        return None
    then = then if then.tzinfo else then.replace(tzinfo=UTC)
    return max(0.0, (then - datetime.now(UTC)).total_seconds())


def build_error(refusal: Refusal) -> APIError:
    usual = errors.ServerError if refusal.status_code >= LEAST_SERVER_ERROR else APIError
    return BY_CODE.get(refusal.code, BY_STATUS.get(refusal.status_code, usual))(refusal)
