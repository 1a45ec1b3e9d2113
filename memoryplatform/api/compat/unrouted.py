"""What reaches no view, such as an unknown path, told in the shape of the interface that the path belongs to."""

import sys
from typing import Any

import structlog
from django.core.exceptions import DisallowedHost
from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, JsonResponse

from memoryplatform.api.compat.malformed_ids import find_malformed_id
from memoryplatform.api.compat.mem0 import urls as mem0
from memoryplatform.api.compat.mem0.errors import SHAPE
from memoryplatform.api.errors import BUSY, RETRY_AFTER_SECONDS
from memoryplatform.api.foreign_hosts import describe_foreign_host

log = structlog.get_logger(__name__)
NOTHING = "There is nothing at this address."
HINDSIGHT = ("/v1/default", "/v1/bank-template-schema")
# Of its first version only what it has itself: the rest of /v1/ is ours.
MEM0 = ("/v2", "/v3", *(f"/{'/'.join(str(one.pattern).split('/')[:2])}" for one in mem0.urlpatterns))


def json_error_by_path(code: int, detail: str, name: str) -> Any:
    """A view for what never reaches the API's own views: unknown paths, and failures outside of them."""

    def view(request: HttpRequest, exception: Exception | None = None) -> JsonResponse:
        is_foreign = isinstance(exception, DisallowedHost)
        return answer(request, code, describe_foreign_host(request) if is_foreign else detail, name)

    return view


def tell_of_failure(request: HttpRequest) -> JsonResponse:
    """What no view of the API raised, as on a page or while an answer is written, is told to nobody else. Django still
    handles the exception when it calls this.
    """
    error = sys.exception()
    log.error("api.unexpected_error", exc_info=error)
    if isinstance(error, OperationalError | InterfaceError):
        response = answer(request, 503, BUSY, "unavailable")
        response.headers["Retry-After"] = RETRY_AFTER_SECONDS
        return response
    return answer(request, 500, "Something went wrong on our side.", "internal_error")


def tell_what_is_not_there(request: HttpRequest, *_args: Any, **_kwargs: Any) -> JsonResponse:
    """An id that can't be one is named: nobody would look for the slip in an address that he knows."""
    malformed = find_malformed_id(request.path_info)
    detail = f"'{malformed}' is no id: ids are UUIDs, in small letters and with hyphens." if malformed else NOTHING
    return answer(request, 404, detail, "not_found")


def answer(request: HttpRequest, code: int, detail: str, name: str) -> JsonResponse:
    error = {"detail": detail, "code": name, "request_id": getattr(request, "request_id", "")}
    return JsonResponse(shape_error(request.path_info, error), status=code)


def shape_error(path: str, error: dict[str, str]) -> dict[str, str]:
    """One of ours, as it is told at this path."""
    if is_below(path, HINDSIGHT):
        return {"detail": error["detail"]}
    return dict.fromkeys(SHAPE, error["detail"]) if is_below(path, MEM0) else error


def is_below(path: str, heads: tuple[str, ...]) -> bool:
    return f"{path}/".startswith(tuple(f"{head}/" for head in heads))
