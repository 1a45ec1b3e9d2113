"""Errors outside the API's views, such as an unknown path, in the shape of the interface that the path belongs to.

A browser gets a page.
"""

import re
import sys
from functools import cache
from typing import Any

import structlog
from django.core.exceptions import DisallowedHost
from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.template.loader import render_to_string
from django.urls import is_valid_path
from django.urls.converters import UUIDConverter
from django.urls.resolvers import RoutePattern

from memoryplatform.api.compat.hindsight import urls as hindsight_urls
from memoryplatform.api.compat.mem0 import urls as mem0
from memoryplatform.api.compat.mem0.mem0_view import ERROR_FIELDS
from memoryplatform.api.errors import BUSY, RETRY_AFTER_SECONDS, describe_unknown_host, make_printable

PREFIXES = ("v1/default/", "v1/")
LONGEST_ID_SHOWN = 100  # characters
CONVERTER = re.compile(UUIDConverter.regex)
log = structlog.get_logger(__name__)
NO_ROUTE = "There is nothing at this address."
NO_BANK_ROUTE = f"{NO_ROUTE} An id of a bank has no slashes."
NO_OPENAI_ROUTE = f"{NO_ROUTE} Of OpenAI's interface there are POST /v1/chat/completions and GET /v1/models."
BANKS = ("/v1/default/banks", "/v1/banks")
OPENAI = ("/v1/responses", "/v1/embeddings", "/v1/completions", "/v1/files", "/v1/assistants", "/v1/threads")
HINDSIGHT = ("/v1/default", "/v1/bank-template-schema")
# Of version 1 only mem0's own addresses, because the rest of /v1/ is ours.
PROGRAMS = ("/v1", "/v2", "/v3", "/mcp", "/oauth/token", "/oauth/register", "/oauth/revoke")  # they read no pages
TITLES = {
    400: "This request can't be understood",
    403: "Not allowed",
    404: "There is nothing here",
    500: "Something went wrong",
    503: "Not available right now",
}
MEM0 = ("/v2", "/v3", *(f"/{'/'.join(str(one.pattern).split('/')[:2])}" for one in mem0.urlpatterns))


def find_malformed_id(path: str) -> str:
    """The path segment that should be a UUID; empty if no route matches even with any segment."""
    prefix = next((one for one in PREFIXES if path.lstrip("/").startswith(one)), None)
    if prefix is None:
        return ""
    rest = path.lstrip("/").removeprefix(prefix)
    for names, pattern in loosen_routes():
        match = pattern.match(rest)
        if match:
            given = (str(match[2][name]) for name in names)
            return next((make_printable(one)[:LONGEST_ID_SHOWN] for one in given if not CONVERTER.fullmatch(one)), "")
    return ""


@cache
def loosen_routes() -> list[tuple[list[str], RoutePattern]]:
    """Every route that has ids, with the ids' names, as a pattern that accepts any segment as an id."""
    loosened = []
    for route in hindsight_urls.urlpatterns:
        address = str(route.pattern)
        names = [name for name in route.pattern.converters if f"<uuid:{name}>" in address]
        if names:
            loosened.append((names, RoutePattern(address.replace("<uuid:", "<str:"), is_endpoint=True)))
    return loosened


def make_error_view(code: int, detail: str, name: str) -> Any:
    def view(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
        is_foreign = isinstance(exception, DisallowedHost)
        return build_response(request, code, describe_unknown_host(request) if is_foreign else detail, name)

    return view


def handle_server_error(request: HttpRequest) -> HttpResponse:
    """Logs and answers an exception outside the API's views, e.g. on a page or while a response is written.

    Django calls this while it handles the exception, so `sys.exception()` is set.
    """
    error = sys.exception()
    log.error("api.unexpected_error", exc_info=error)
    if isinstance(error, OperationalError | InterfaceError):
        response = build_response(request, 503, BUSY, "unavailable")
        response.headers["Retry-After"] = RETRY_AFTER_SECONDS
        return response
    return build_response(request, 500, "Something went wrong on our side.", "internal_error")


def handle_not_found(request: HttpRequest, *_args: Any, **_kwargs: Any) -> HttpResponse:
    """Every page's address ends with a slash, which is easily forgotten."""
    if request.method == "GET" and wants_page(request) and is_valid_path(f"{request.path_info}/"):
        return redirect(request.get_full_path(force_append_slash=True))
    return build_response(request, 404, describe_missing(request.path_info), "not_found")


def describe_missing(path: str) -> str:
    """Names a malformed id, because a typo in a long address is hard to see."""
    if malformed := find_malformed_id(path):
        return f"'{malformed}' is not an id: ids are UUIDs in lower case with hyphens."
    if is_below(path, BANKS):
        return NO_BANK_ROUTE
    return NO_OPENAI_ROUTE if is_below(path, OPENAI) else NO_ROUTE


def build_response(request: HttpRequest, code: int, detail: str, name: str) -> HttpResponse:
    """A page is rendered without its request: what failed may be the database, which the usual frame reads."""
    error = {"detail": detail, "code": name, "request_id": getattr(request, "request_id", "")}
    if wants_page(request):
        page = render_to_string("error.html", {**error, "status": code, "title": TITLES[code]})
        return HttpResponse(page, status=code)
    return JsonResponse(shape_error(request.path_info, error), status=code)


def wants_page(request: HttpRequest) -> bool:
    """Whether a browser asks."""
    return "text/html" in request.headers.get("Accept", "") and not is_below(request.path_info, PROGRAMS)


def shape_error(path: str, error: dict[str, str]) -> dict[str, Any]:
    """Converts our error body to the shape of the interface that owns the path."""
    if is_below(path, OPENAI):
        return {
            "error": {"message": error["detail"], "type": "invalid_request_error", "param": None, "code": error["code"]}
        }
    if is_below(path, HINDSIGHT):
        return {"detail": error["detail"]}
    return dict.fromkeys(ERROR_FIELDS, error["detail"]) if is_below(path, MEM0) else error


def is_below(path: str, heads: tuple[str, ...]) -> bool:
    return f"{path}/".startswith(tuple(f"{head}/" for head in heads))
