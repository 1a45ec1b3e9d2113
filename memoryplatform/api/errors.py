"""Every error of the API in one shape: `{"detail", "code", "request_id"}`, plus `errors` where fields are at fault."""

from collections.abc import Iterator
from math import ceil
from typing import Any

import structlog
from django.db import InterfaceError, OperationalError
from rest_framework import exceptions, status
from rest_framework.response import Response

from banks.errors import (
    BankBusy,
    BankExists,
    BankNotFound,
    ChunkNotFound,
    DocumentNotFound,
    EntityConflict,
    EntityExists,
    EntityNotFound,
    EpisodeNotFound,
    MemoryChanged,
    MemoryExists,
    MemoryInvalid,
    MemoryNotFound,
    MemoryState,
    MessageNotFound,
)
from memoryplatform.operations.errors import (
    AnswerForgotten,
    AuditEventNotFound,
    DeliveryNotFound,
    KeyReused,
    OperationFinished,
    OperationNotFound,
    RequestInFlight,
    UnknownKind,
    WebhookInvalid,
    WebhookNotFound,
)
from memoryplatform.operations.transfer.errors import BankNotEmpty, ImportInvalid, ImportOutOfStep, ImportUnderWay
from providers.llm.errors import LLMError, LLMRefused, LLMTimeout, MalformedAnswer
from reflection.errors import (
    ChangedMeanwhile,
    DirectiveNotFound,
    MentalModelExists,
    MentalModelNotFound,
    RuleExists,
    RuleNotFound,
    RuleTooWide,
)
from retrieval.errors import NothingSearched, Overloaded
from retrieval.feedback.errors import RecallNotFound
from retrieval.query.errors import BackwardWindow, QueryWithoutWords

log = structlog.get_logger(__name__)

STATUS_OF: dict[type[Exception], int] = {
    BankNotFound: status.HTTP_404_NOT_FOUND,
    BankExists: status.HTTP_409_CONFLICT,
    BankBusy: status.HTTP_503_SERVICE_UNAVAILABLE,
    MemoryNotFound: status.HTTP_404_NOT_FOUND,
    MemoryExists: status.HTTP_409_CONFLICT,
    MemoryChanged: status.HTTP_412_PRECONDITION_FAILED,
    MemoryState: status.HTTP_409_CONFLICT,
    MemoryInvalid: status.HTTP_422_UNPROCESSABLE_ENTITY,
    MessageNotFound: status.HTTP_404_NOT_FOUND,
    EpisodeNotFound: status.HTTP_404_NOT_FOUND,
    DocumentNotFound: status.HTTP_404_NOT_FOUND,
    ChunkNotFound: status.HTTP_404_NOT_FOUND,
    EntityNotFound: status.HTTP_404_NOT_FOUND,
    EntityExists: status.HTTP_409_CONFLICT,
    EntityConflict: status.HTTP_409_CONFLICT,
    RecallNotFound: status.HTTP_404_NOT_FOUND,
    RuleNotFound: status.HTTP_404_NOT_FOUND,
    RuleExists: status.HTTP_409_CONFLICT,
    RuleTooWide: status.HTTP_422_UNPROCESSABLE_ENTITY,
    DirectiveNotFound: status.HTTP_404_NOT_FOUND,
    MentalModelNotFound: status.HTTP_404_NOT_FOUND,
    MentalModelExists: status.HTTP_409_CONFLICT,
    ChangedMeanwhile: status.HTTP_412_PRECONDITION_FAILED,
    QueryWithoutWords: status.HTTP_422_UNPROCESSABLE_ENTITY,
    BackwardWindow: status.HTTP_422_UNPROCESSABLE_ENTITY,
    NothingSearched: status.HTTP_503_SERVICE_UNAVAILABLE,
    Overloaded: status.HTTP_503_SERVICE_UNAVAILABLE,
    OperationNotFound: status.HTTP_404_NOT_FOUND,
    OperationFinished: status.HTTP_409_CONFLICT,
    UnknownKind: status.HTTP_409_CONFLICT,
    AuditEventNotFound: status.HTTP_404_NOT_FOUND,
    WebhookNotFound: status.HTTP_404_NOT_FOUND,
    ImportInvalid: status.HTTP_422_UNPROCESSABLE_ENTITY,
    ImportOutOfStep: status.HTTP_409_CONFLICT,
    ImportUnderWay: status.HTTP_409_CONFLICT,
    BankNotEmpty: status.HTTP_409_CONFLICT,
    DeliveryNotFound: status.HTTP_404_NOT_FOUND,
    WebhookInvalid: status.HTTP_422_UNPROCESSABLE_ENTITY,
    RequestInFlight: status.HTTP_409_CONFLICT,
    AnswerForgotten: status.HTTP_409_CONFLICT,
    KeyReused: status.HTTP_422_UNPROCESSABLE_ENTITY,
}
RETRYABLE = {
    "unavailable",
    "model_unavailable",
    "request_in_flight",
    NothingSearched.code,
    Overloaded.code,
    BankBusy.code,
}
RETRY_AFTER_SECONDS = "1"
LONGEST_WAIT = 3_600  # seconds that a model may ask to be left alone for
BUSY = "The service is busy."


def handle_exception(error: Exception, context: dict[str, Any]) -> Response:
    """DRF calls this for whatever a view raises."""
    request_id = getattr(context["request"], "request_id", "")
    if type(error) in STATUS_OF:
        return answer(STATUS_OF[type(error)], str(error), error.code, request_id)  # type: ignore[attr-defined]
    if isinstance(error, exceptions.ValidationError):
        return invalid(error, request_id)
    if isinstance(error, exceptions.APIException):
        return from_framework(error, request_id)
    if isinstance(error, LLMError):
        return from_model(error, request_id)
    return unexpected(error, request_id)


def from_model(error: LLMError, request_id: str) -> Response:
    """Its messages hold nothing of the conversation. What it refused, or got wrong twice, is not better in a second."""
    log.warning("api.model_failed", error=type(error).__name__)
    if isinstance(error, LLMTimeout):
        return answer(status.HTTP_504_GATEWAY_TIMEOUT, str(error), "model_timeout", request_id)
    if isinstance(error, LLMRefused | MalformedAnswer):
        return answer(status.HTTP_502_BAD_GATEWAY, str(error), "model_failed", request_id)
    response = answer(status.HTTP_503_SERVICE_UNAVAILABLE, str(error), "model_unavailable", request_id)
    if wait := getattr(error, "retry_after", None):
        response.headers["Retry-After"] = str(min(ceil(wait), LONGEST_WAIT))
    return response


def unexpected(error: Exception, request_id: str) -> Response:
    """What a stranger may know of it is the request id; the rest is in the log."""
    log.error("api.unexpected_error", exc_info=error)
    if isinstance(error, OperationalError | InterfaceError):
        return answer(status.HTTP_503_SERVICE_UNAVAILABLE, BUSY, "unavailable", request_id)
    detail = "Something went wrong on our side."
    return answer(status.HTTP_500_INTERNAL_SERVER_ERROR, detail, "internal_error", request_id)


def answer(code: int, detail: str, name: str, request_id: str, **extra: Any) -> Response:
    retryable = name in RETRYABLE
    headers = {"Retry-After": RETRY_AFTER_SECONDS} if retryable else None
    body = {"detail": readable(detail), "code": name, "request_id": request_id, **extra}
    return Response(body, status=code, headers=headers)


def from_framework(error: exceptions.APIException, request_id: str) -> Response:
    """Authentication, permission, rate limit, method, media type, malformed body."""
    name = "unauthenticated" if isinstance(error, exceptions.AuthenticationFailed) else str(error.get_codes())
    response = answer(error.status_code, str(error.detail), name, request_id)
    if header := getattr(error, "auth_header", None):
        response.headers["WWW-Authenticate"] = header
    if wait := getattr(error, "wait", None):
        response.headers["Retry-After"] = str(wait)
    return response


def invalid(error: exceptions.ValidationError, request_id: str) -> Response:
    faults = list_faults(error)
    detail = " ".join(
        f"{fault['field']}: {fault['message']}" if fault["field"] else fault["message"] for fault in faults
    )
    return answer(status.HTTP_422_UNPROCESSABLE_ENTITY, detail, "invalid", request_id, errors=faults)


def list_faults(error: exceptions.ValidationError) -> list[dict[str, str]]:
    return list(flatten(error.get_full_details()))


def flatten(details: Any, path: str = "") -> Iterator[dict[str, str]]:
    """Nested details as a flat list, each with the path of its field, such as `disposition.empathy`."""
    if isinstance(details, dict) and set(details) == {"message", "code"} and isinstance(details["code"], str):
        yield {"field": readable(path), "message": readable(str(details["message"])), "code": details["code"]}
    elif isinstance(details, dict):
        for name, inner in details.items():
            yield from flatten(inner, path if name == "non_field_errors" else f"{path}.{name}".lstrip("."))
    else:
        for index, inner in enumerate(details):
            yield from flatten(inner, path if "message" in inner else f"{path}.{index}".lstrip("."))


def readable(text: str) -> str:
    """JSON may hold half a character, as in a field's name; an answer in UTF-8 can't repeat it."""
    return text.encode("utf-8", "backslashreplace").decode()
