"""Lists by cursor, newest first: stable while rows come and go, and as fast on page 1,000 as on page 1.

A cursor is the id of the last row plus a mark: a hash of the list's name, its owner and its filters. The mark lets the
API refuse a cursor of another list, which would otherwise look like an empty page. It grants no access.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeVar
from uuid import UUID

from rest_framework import serializers

from memoryplatform.api.serializers import Input, Output
from tenants.scoping import TenantOwned, TenantQuerySet

ROW_ID = r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"  # a position is the id of a row, or ends with one
MARK_LENGTH = 8
PAGE_FIELDS = ("limit", "offset", "cursor")  # may differ from page to page; the other parameters are filters
FOREIGN_CURSOR = "Must be next_cursor of a page of this list with the same filters."
M = TypeVar("M", bound=TenantOwned)


class CursorField(serializers.RegexField):
    def __init__(self, place: str = ROW_ID) -> None:
        super().__init__(
            rf"^{place}\.[0-9a-f]{{{MARK_LENGTH}}}$",
            required=False,
            help_text="`next_cursor` of the previous page, with the same filters.",
            error_messages={"invalid": FOREIGN_CURSOR},
        )


def mark_list(name: str, of: UUID | str, wanted: Mapping[str, Any]) -> str:
    """`of` identifies the list's owner, such as a bank. `wanted` may have more than the filters."""
    given = {field: value for field, value in wanted.items() if value not in (None, "", [])}
    identity = json.dumps([name, of, keep_filters(given)], sort_keys=True, default=str)
    return hashlib.sha256(identity.encode()).hexdigest()[:MARK_LENGTH]


def keep_filters(wanted: Mapping[str, Any]) -> dict[str, Any]:
    return {field: value for field, value in wanted.items() if field not in PAGE_FIELDS}


def write_cursor(place: UUID | str, mark: str) -> str:
    return f"{place}.{mark}"


def read_cursor(cursor: str, mark: str) -> str:
    """The position of a cursor of this list. Raises a ValidationError for another list's."""
    place, _, given = cursor.rpartition(".")
    if given != mark:
        raise serializers.ValidationError({"cursor": [FOREIGN_CURSOR]}, code="invalid")
    return place


class PageInput(Input):
    limit = serializers.IntegerField(min_value=1, max_value=200, default=50, help_text="Rows per page.")
    cursor = CursorField()


def page_of(items: str, shape: type[Output]) -> type[Output]:
    """The shape of a page, whose rows go by the name `items`."""
    name = f"{shape.__name__.removesuffix('Output')}ListOutput"
    fields = {items: shape(source="rows", many=True), "next_cursor": serializers.CharField(allow_null=True)}
    return type(name, (Output,), fields)


@dataclass(frozen=True)
class Page:
    rows: list[Any]
    next_cursor: str | None


def paginate(rows: TenantQuerySet[M], wanted: Mapping[str, Any], *, of: UUID | str, offset: int = 0) -> Page:
    """`wanted` has the limit, the cursor and the filters; `of` identifies the list's owner."""
    limit, mark = wanted["limit"], mark_list(rows.model._meta.label, of, wanted)
    if "cursor" in wanted:
        rows = rows.filter(id__lt=read_cursor(wanted["cursor"], mark))
    found = list(rows.order_by("-id")[offset : offset + limit + 1])
    return Page(found[:limit], write_cursor(found[limit - 1].id, mark) if len(found) > limit else None)
