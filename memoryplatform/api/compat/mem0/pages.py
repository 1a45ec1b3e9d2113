"""Lists by page: `count`, `next`, `previous`, `results`."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rest_framework import serializers
from rest_framework.request import Request

MOST_ROWS = 1_000


class PageInput(serializers.Serializer[Any]):
    page = serializers.IntegerField(min_value=1, max_value=1_000_000, default=1)
    page_size = serializers.IntegerField(min_value=1, default=100)

    def validate_page_size(self, value: int) -> int:
        """mem0 sets no upper bound."""
        return min(value, MOST_ROWS)


@dataclass(frozen=True)
class PageWanted:
    number: int
    size: int

    @property
    def rows(self) -> slice:
        return slice((self.number - 1) * self.size, self.number * self.size)


def read_page(request: Request) -> PageWanted:
    """Of the query, or else of the body."""
    body = request.data if isinstance(request.data, Mapping) else {}
    given = {name: request.query_params.get(name, body.get(name)) for name in ("page", "page_size")}
    read = PageInput(data={name: value for name, value in given.items() if value is not None})
    read.is_valid(raise_exception=True)
    return PageWanted(read.validated_data["page"], read.validated_data["page_size"])


def asks_for_page(request: Request) -> bool:
    body = request.data if isinstance(request.data, Mapping) else {}
    return "page" in request.query_params or body.get("page") is not None


def describe_page(request: Request, page: PageWanted, count: int, results: list[Any]) -> dict[str, Any]:
    last = max(1, -(-count // page.size))
    return {
        "count": count,
        "next": link_to(request, page, page.number + 1) if page.number < last else None,
        "previous": link_to(request, page, min(page.number - 1, last)) if page.number > 1 else None,
        "results": results,
    }


def link_to(request: Request, page: PageWanted, number: int) -> str:
    query = request.query_params.copy()
    query["page"], query["page_size"] = str(number), str(page.size)
    return f"{request.build_absolute_uri(request.path)}?{query.urlencode()}"
