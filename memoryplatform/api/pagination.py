"""Cursors over UUIDv7 keys, newest first: stable while rows come and go, and as fast on page 1,000 as on page 1."""

from dataclasses import dataclass
from typing import Any, TypeVar
from uuid import UUID

from rest_framework import serializers

from memoryplatform.api.serializers import Input
from tenants.scoping import TenantOwned, TenantQuerySet

M = TypeVar("M", bound=TenantOwned)


class PageInput(Input):
    limit = serializers.IntegerField(min_value=1, max_value=200, default=50, help_text="Rows a page.")
    cursor = serializers.UUIDField(required=False, help_text="`next_cursor` of the page before.")


@dataclass(frozen=True)
class Page:
    rows: list[Any]
    next_cursor: UUID | None


def paginate(queryset: TenantQuerySet[M], *, limit: int, cursor: UUID | None) -> Page:
    if cursor is not None:
        queryset = queryset.filter(id__lt=cursor)
    rows = list(queryset.order_by("-id")[: limit + 1])
    more = len(rows) > limit
    return Page(rows[:limit], rows[limit - 1].id if more else None)
