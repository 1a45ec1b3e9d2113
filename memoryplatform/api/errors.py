"""Every error of the API in one shape: `{"detail", "code", "request_id"}`, plus `errors` for faults of fields."""

from collections.abc import Iterator
from itertools import islice
from math import ceil
from typing import Any

import structlog
from django.conf import settings
from django.core.exceptions import TooManyFieldsSent
from django.db import InterfaceError, OperationalError
from django.http import HttpRequest
from rest_framework import exceptions, status
from rest_framework.response import Response

from memoryplatform.api.serializers import MOST_FAULTS
from providers.llm.errors import LLMError, LLMRefused, LLMTimeout, MalformedAnswer
from tenants.quotas import note_refusal
from tenants.transactions import QuotaExceeded

log = structlog.get_logger(__name__)
# The status of our own errors, by their `code`. Every code that ends in _not_found is a 404.
NOT_FOUND = "_not_found"
CONFLICTS = (
    "already_invited",
    "already_member",
    "answer_forgotten",
    "api_key_ended",
    "api_key_rotated",
    "bank_exists",
    "bank_not_empty",
    "embedding_change_state",
    "entity_conflict",
    "entity_exists",
    "import_out_of_step",
    "import_under_way",
    "invitation_for_other",
    "invitation_invalid",
    "last_owner",
    "legal_hold",
    "memory_exists",
    "memory_state",
    "mental_model_exists",
    "operation_state",
    "request_in_flight",
    "retention_rule_exists",
    "too_many_tenants",
    "unknown_kind",
)
INVALID = (
    "account_invalid",
    "backward_window",
    "bank_id_invalid",
    "idempotency_key_reused",
    "import_invalid",
    "knowledge_node_invalid",
    "llm_check_failed",
    "memory_invalid",
    "protection_refused",
    "query_without_words",
    "retention_rule_too_wide",
    "webhook_invalid",
)
BUSY_CODES = ("bank_busy", "embedding_model_changed", "nothing_searched", "overloaded", "queue_full")
STATUS_OF = {
    **dict.fromkeys(CONFLICTS, status.HTTP_409_CONFLICT),
    **dict.fromkeys(("changed_meanwhile", "memory_changed"), status.HTTP_412_PRECONDITION_FAILED),
    **dict.fromkeys(INVALID, status.HTTP_422_UNPROCESSABLE_ENTITY),
    **dict.fromkeys(("permission_denied", "tenant_closing", "tenant_suspended"), status.HTTP_403_FORBIDDEN),
    "quota_exceeded": status.HTTP_402_PAYMENT_REQUIRED,
    "too_many_invitations": status.HTTP_429_TOO_MANY_REQUESTS,
    **dict.fromkeys(
        (*BUSY_CODES, "embedding_model_unavailable", "no_language_model"), status.HTTP_503_SERVICE_UNAVAILABLE
    ),
}
RETRYABLE = {*BUSY_CODES, "unavailable", "model_unavailable", "request_in_flight"}
RETRY_AFTER_SECONDS = "1"
LONGEST_WAIT = 3_600  # seconds; longest Retry-After that we pass on from a model
BUSY = "The service is busy."
LONGEST_HOST_SHOWN = 100  # characters
LONGEST_FIELD, LONGEST_MESSAGE, LONGEST_DETAIL = 200, 300, 12_000  # characters; a caller's own words may be in them


def handle_exception(error: Exception, context: dict[str, Any]) -> Response:
    """DRF's exception handler."""
    request_id = getattr(context["request"], "request_id", "")
    code = getattr(error, "code", None)
    if isinstance(error, QuotaExceeded):
        note_refusal(error)
    if isinstance(code, str) and (own_status := find_status(code)):
        response = build_error(own_status, str(error), code, request_id, **getattr(error, "details", {}))
        if seconds := getattr(error, "retry_after", None):
            response.headers["Retry-After"] = str(seconds)
        return response
    if isinstance(error, exceptions.ValidationError):
        return answer_invalid_request(error, request_id)
    if isinstance(error, exceptions.APIException):
        return answer_framework_error(error, request_id)
    if isinstance(error, TooManyFieldsSent):
        detail = f"The request has more than {settings.DATA_UPLOAD_MAX_NUMBER_FIELDS} parameters."
        return build_error(status.HTTP_400_BAD_REQUEST, detail, "too_many_parameters", request_id)
    if isinstance(error, LLMError):
        return answer_model_error(error, request_id)
    return answer_unexpected_error(error, request_id)


def find_status(code: str) -> int | None:
    return status.HTTP_404_NOT_FOUND if code.endswith(NOT_FOUND) else STATUS_OF.get(code)


def answer_model_error(error: LLMError, request_id: str) -> Response:
    """A model's error messages contain no text of the conversation. Only unavailability is worth a retry."""
    log.warning("api.model_failed", error=type(error).__name__)
    if isinstance(error, LLMTimeout):
        return build_error(status.HTTP_504_GATEWAY_TIMEOUT, str(error), "model_timeout", request_id)
    if isinstance(error, LLMRefused | MalformedAnswer):
        return build_error(status.HTTP_502_BAD_GATEWAY, str(error), "model_failed", request_id)
    response = build_error(status.HTTP_503_SERVICE_UNAVAILABLE, str(error), "model_unavailable", request_id)
    if wait := getattr(error, "retry_after", None):
        response.headers["Retry-After"] = str(min(ceil(wait), LONGEST_WAIT))
    return response


def answer_unexpected_error(error: Exception, request_id: str) -> Response:
    """The response shows the request id only; the log has the exception."""
    log.error("api.unexpected_error", exc_info=error)
    if isinstance(error, OperationalError | InterfaceError):
        return build_error(status.HTTP_503_SERVICE_UNAVAILABLE, BUSY, "unavailable", request_id)
    detail = "Something went wrong on our side."
    return build_error(status.HTTP_500_INTERNAL_SERVER_ERROR, detail, "internal_error", request_id)


def build_error(code: int, detail: str, name: str, request_id: str, **extra: Any) -> Response:
    retryable = name in RETRYABLE
    headers = {"Retry-After": RETRY_AFTER_SECONDS} if retryable else None
    body = {"detail": shorten(make_printable(detail), LONGEST_DETAIL), "code": name, "request_id": request_id, **extra}
    return Response(body, status=code, headers=headers)


def answer_framework_error(error: exceptions.APIException, request_id: str) -> Response:
    """Authentication, permission, rate limit, method, media type, malformed body."""
    name = "unauthenticated" if isinstance(error, exceptions.AuthenticationFailed) else str(error.get_codes())
    response = build_error(error.status_code, str(error.detail), name, request_id)
    if header := getattr(error, "auth_header", None):
        response.headers["WWW-Authenticate"] = header
    if wait := getattr(error, "wait", None):
        response.headers["Retry-After"] = str(wait)
    return response


def answer_invalid_request(error: exceptions.ValidationError, request_id: str) -> Response:
    faults = list_faults(error)
    shown = faults[:MOST_FAULTS]
    sentences = [f"{fault['field']}: {fault['message']}" if fault["field"] else fault["message"] for fault in shown]
    if len(faults) > MOST_FAULTS:
        sentences.append(f"Only the first {MOST_FAULTS} faults are listed.")
    detail = " ".join(sentences)
    return build_error(status.HTTP_422_UNPROCESSABLE_ENTITY, detail, "invalid", request_id, errors=shown)


def list_faults(error: exceptions.ValidationError) -> list[dict[str, str]]:
    """One more than a response lists, at most: a request may have any number of faults."""
    return list(islice(flatten_faults(error.get_full_details()), MOST_FAULTS + 1))


def flatten_faults(details: Any, path: str = "") -> Iterator[dict[str, str]]:
    """Flattens nested details; each fault has the path of its field, e.g. `disposition.empathy`."""
    if isinstance(details, dict) and set(details) == {"message", "code"} and isinstance(details["code"], str):
        yield {
            "field": shorten(make_printable(path), LONGEST_FIELD),
            "message": shorten(make_printable(str(details["message"])), LONGEST_MESSAGE),
            "code": details["code"],
        }
    elif isinstance(details, dict):
        for name, inner in details.items():
            yield from flatten_faults(inner, path if name == "non_field_errors" else f"{path}.{name}".lstrip("."))
    else:
        for index, inner in enumerate(details):
            yield from flatten_faults(inner, path if "message" in inner else f"{path}.{index}".lstrip("."))


def make_printable(text: str) -> str:
    """Escapes lone surrogates, which JSON may contain and UTF-8 can't encode."""
    return text.encode("utf-8", "backslashreplace").decode()


def shorten(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def describe_unknown_host(request: HttpRequest) -> str:
    """Names the host that the client sent, and the setting, but not the allowed hosts."""
    name = make_printable(request.headers.get("Host", ""))[:LONGEST_HOST_SHOWN]
    return f"This host name is not served here: '{name}'. The setting ALLOWED_HOSTS lists the allowed names."
