"""Lists by offset: `items`, `total`, `limit`, `offset`."""

from typing import Any

from django.db.models import QuerySet
from rest_framework import serializers

from memoryplatform.api.serializers import Input

MOST_ROWS = 1_000


class OffsetInput(Input):
    """Hindsight sets no upper bound. Where more is asked for, `limit` of the answer tells how many a page has."""

    limit = serializers.IntegerField(min_value=0, default=100)
    offset = serializers.IntegerField(min_value=0, max_value=1_000_000, default=0)

    def validate_limit(self, value: int) -> int:
        return min(value, MOST_ROWS)


def cut_page(rows: QuerySet[Any, Any], wanted: dict[str, Any]) -> list[Any]:
    """Call inside a tenant transaction."""
    return list(rows[wanted["offset"] : wanted["offset"] + wanted["limit"]])


def describe_page(items: list[Any], total: int, wanted: dict[str, Any]) -> dict[str, Any]:
    return {"items": items, "total": total, "limit": wanted["limit"], "offset": wanted["offset"]}
