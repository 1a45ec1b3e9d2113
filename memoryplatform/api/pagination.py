"""Pages over UUIDv7 keys, newest first: stable while rows come and go, and as fast on page 1,000 as on page 1."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeVar
from uuid import UUID

from rest_framework import serializers

from memoryplatform.api.cursors import CursorField, mark_list, read_cursor, write_cursor
from memoryplatform.api.serializers import Input
from tenants.scoping import TenantOwned, TenantQuerySet

M = TypeVar("M", bound=TenantOwned)


class PageInput(Input):
    limit = serializers.IntegerField(min_value=1, max_value=200, default=50, help_text="Rows a page.")
    cursor = CursorField()


@dataclass(frozen=True)
class Page:
    rows: list[Any]
    next_cursor: str | None


def paginate(rows: TenantQuerySet[M], wanted: Mapping[str, Any], *, of: UUID | str, offset: int = 0) -> Page:
    """`wanted` has the limit, the cursor and what the rows were filtered by; `of` is whose they are."""
    limit, mark = wanted["limit"], mark_list(rows.model._meta.label, of, wanted)
    if "cursor" in wanted:
        rows = rows.filter(id__lt=read_cursor(wanted["cursor"], mark))
    found = list(rows.order_by("-id")[offset : offset + limit + 1])
    return Page(found[:limit], write_cursor(found[limit - 1].id, mark) if len(found) > limit else None)
