"""Cursors: a place in a list, and a mark of the list that it is a place in.

The id of a row would do as a place in any list, so that a cursor of another list, bank or filter would mostly look like
the end of this one. The mark tells them apart. It keeps nobody out: what a key may not see is not in the list.
"""

import hashlib
import json
from collections.abc import Mapping
from typing import Any
from uuid import UUID

from rest_framework import serializers

ROW = r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"  # a place is the id of a row, or ends with one
MARK_LENGTH = 8
OF_THE_PAGE = ("limit", "offset", "cursor")  # may differ from page to page; the rest chooses what is in the list
NOT_OF_THIS_LIST = "Must be next_cursor of a page of this list, asked for with the same filters."


class CursorField(serializers.RegexField):
    def __init__(self, place: str = ROW) -> None:
        super().__init__(
            rf"^{place}\.[0-9a-f]{{{MARK_LENGTH}}}$",
            required=False,
            help_text="`next_cursor` of the page before. Goes with the same filters.",
            error_messages={"invalid": NOT_OF_THIS_LIST},
        )


def mark_list(name: str, of: UUID | str, wanted: Mapping[str, Any]) -> str:
    """`of` is whose list it is, such as the id of a bank; `wanted` may have more than the filters."""
    given = {field: value for field, value in wanted.items() if value not in (None, "", [])}
    told = json.dumps([name, of, keep_filters(given)], sort_keys=True, default=str)
    return hashlib.sha256(told.encode()).hexdigest()[:MARK_LENGTH]


def keep_filters(wanted: Mapping[str, Any]) -> dict[str, Any]:
    return {field: value for field, value in wanted.items() if field not in OF_THE_PAGE}


def write_cursor(place: UUID | str, mark: str) -> str:
    return f"{place}.{mark}"


def read_cursor(cursor: str, mark: str) -> str:
    """The place, if it is one in the list of this mark."""
    place, _, given = cursor.rpartition(".")
    if given != mark:
        raise serializers.ValidationError({"cursor": [NOT_OF_THIS_LIST]}, code="invalid")
    return place
