"""The base of mem0's routes: its key scheme, its errors, and its pages.

mem0 writes an error's sentence to `detail`, `error` or `message`, so ours is in all three. OpenAPI leaves these
routes out, because their shapes are mem0's.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from rest_framework import serializers, status
from rest_framework.exceptions import APIException, AuthenticationFailed
from rest_framework.request import Request
from rest_framework.response import Response

from banks.errors import MemoryChanged, MemoryNotFound
from memoryplatform.api.authentication import ApiKeyAuthentication
from memoryplatform.api.compat.hindsight.hindsight_view import NotServedView
from memoryplatform.api.errors import handle_exception
from memoryplatform.api.serializers import check_input
from memoryplatform.api.throttling import HEADERS, write_rate_headers
from memoryplatform.api.views import TenantView

ERROR_FIELDS = ("detail", "error", "message")
SENTENCES: dict[type[Exception], str] = {
    MemoryNotFound: "Memory not found!",
    AuthenticationFailed: "Authentication failed: send a valid API key, as in `Authorization: Token mpk_…`.",
}
MEM0_HEADERS = tuple(f"X-{name}" for name in HEADERS)
MOST_ROWS = 1_000


class NotFound(APIException):
    status_code = status.HTTP_404_NOT_FOUND


def handle_mem0_exception(error: Exception, context: dict[str, Any]) -> Response:
    """Converts our error response to mem0's shape. mem0 answers every invalid request with 400."""
    response = handle_exception(error, context)
    if response.status_code == status.HTTP_422_UNPROCESSABLE_ENTITY:
        response.status_code = status.HTTP_400_BAD_REQUEST
    if isinstance(error, MemoryChanged):
        response.status_code = status.HTTP_409_CONFLICT
    sentence = SENTENCES.get(type(error)) or response.data["detail"]
    response.data = dict.fromkeys(ERROR_FIELDS, sentence)
    return response


class TokenAuthentication(ApiKeyAuthentication):
    """mem0's client sends `Authorization: Token mpk_…`."""

    schemes: ClassVar[frozenset[str]] = frozenset({"bearer", "token"})

    def authenticate_header(self, _request: Request) -> str:
        return "Token"


class Mem0View(TenantView):
    schema = None  # leaves the view out of OpenAPI
    authentication_classes = (TokenAuthentication,)

    def get_exception_handler(self) -> Callable[[Exception, dict[str, Any]], Any]:
        return handle_mem0_exception

    def finalize_response(self, request: Request, response: Response, *args: Any, **kwargs: Any) -> Response:
        """Adds the header names that mem0's client reads."""
        finished = super().finalize_response(request, response, *args, **kwargs)
        for name, value in write_rate_headers(request, headers=MEM0_HEADERS).items():
            finished.headers[name] = value
        return finished


class Mem0NotServedView(Mem0View, NotServedView):
    """A 501 with a sentence that names the alternative."""


class PageInput(serializers.Serializer[Any]):
    page = serializers.IntegerField(min_value=1, max_value=1_000_000, default=1)
    page_size = serializers.IntegerField(min_value=1, default=100)

    def validate_page_size(self, value: int) -> int:
        """mem0 has no upper bound."""
        return min(value, MOST_ROWS)


@dataclass(frozen=True)
class PageRequest:
    number: int
    size: int

    @property
    def rows(self) -> slice:
        return slice((self.number - 1) * self.size, self.number * self.size)


def read_page(request: Request) -> PageRequest:
    """Reads the page from the query string, else from the body."""
    body = request.data if isinstance(request.data, Mapping) else {}
    given = {name: request.query_params.get(name, body.get(name)) for name in ("page", "page_size")}
    read = check_input(PageInput, {name: value for name, value in given.items() if value is not None})
    return PageRequest(read.validated_data["page"], read.validated_data["page_size"])


def asks_for_page(request: Request) -> bool:
    body = request.data if isinstance(request.data, Mapping) else {}
    return "page" in request.query_params or body.get("page") is not None


def describe_page(request: Request, page: PageRequest, count: int, results: list[Any]) -> dict[str, Any]:
    last = max(1, -(-count // page.size))
    return {
        "count": count,
        "next": write_page_link(request, page, page.number + 1) if page.number < last else None,
        "previous": write_page_link(request, page, min(page.number - 1, last)) if page.number > 1 else None,
        "results": results,
    }


def write_page_link(request: Request, page: PageRequest, number: int) -> str:
    query = request.query_params.copy()
    query["page"], query["page_size"] = str(number), str(page.size)
    return f"{request.build_absolute_uri(request.path)}?{query.urlencode()}"
