"""Lists of what a bank holds: by cursor, or by offset as the peer's clients ask."""

from dataclasses import dataclass
from typing import Any, TypeVar
from uuid import UUID

from rest_framework import serializers
from rest_framework.request import Request

from memoryplatform.api.pagination import PageInput, paginate
from memoryplatform.api.serializers import Output
from tenants.scoping import TenantOwned, TenantQuerySet

M = TypeVar("M", bound=TenantOwned)


class ListInput(PageInput):
    limit = serializers.IntegerField(min_value=1, max_value=1_000, default=100, help_text="Rows a page.")
    offset = serializers.IntegerField(
        min_value=0, max_value=1_000_000, default=0, help_text="Rows to pass over; a cursor is quicker and steadier."
    )


class ListOutput(Output):
    total = serializers.IntegerField(allow_null=True, help_text="Of all pages; null where a cursor was sent.")
    limit = serializers.IntegerField()
    offset = serializers.IntegerField()
    next_cursor = serializers.UUIDField(allow_null=True)


@dataclass(frozen=True)
class Listed:
    """One page, under the names that every list answers with."""

    items: list[Any]
    total: int | None
    limit: int
    offset: int
    next_cursor: UUID | None


def read_query(request: Request, query: type[PageInput]) -> dict[str, Any]:
    given = query(data=request.query_params)
    given.is_valid(raise_exception=True)
    return dict(given.validated_data)


def list_rows(rows: TenantQuerySet[M], wanted: dict[str, Any]) -> Listed:
    """Newest first. Call inside a tenant transaction."""
    limit, offset, cursor = wanted["limit"], wanted["offset"], wanted.get("cursor")
    if cursor is not None:
        page = paginate(rows, limit=limit, cursor=cursor)
        return Listed(page.rows, None, limit, 0, page.next_cursor)
    found = list(rows.order_by("-id")[offset : offset + limit + 1])
    following = found[limit - 1].id if len(found) > limit else None
    return Listed(found[:limit], rows.count(), limit, offset, following)
