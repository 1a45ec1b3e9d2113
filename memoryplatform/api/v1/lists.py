"""Lists of what a bank holds: by cursor, or by offset as Hindsight's clients ask."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, TypeVar
from uuid import UUID

from rest_framework import serializers
from rest_framework.request import Request

from banks.models import Bank, Corpus
from memoryplatform.api.pagination import PageInput, paginate
from memoryplatform.api.serializers import Output
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.banks.profile import get_bank
from memoryplatform.operations.ranked_rows import NO_SCORES, RowQuestion, RowScores, search_rows
from retrieval.query.cleaning import clean_query
from tenants.scoping import TenantOwned, TenantQuerySet
from tenants.transactions import tenant_transaction

M = TypeVar("M", bound=TenantOwned)


class ListInput(PageInput):
    limit = serializers.IntegerField(min_value=1, max_value=1_000, default=100, help_text="Rows a page.")
    offset = serializers.IntegerField(
        min_value=0, max_value=1_000_000, default=0, help_text="Rows to pass over; a cursor is quicker and steadier."
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if attrs["offset"] and "cursor" in attrs:
            raise serializers.ValidationError({"offset": ["Not with a cursor, which is a place already."]})
        return attrs


def check_words(q: str) -> str:
    """Raises QueryWithoutWords for a search that could find nothing."""
    if q:
        clean_query(q)
    return q


class SearchedListInput(ListInput):
    q = serializers.CharField(
        max_length=2_000, required=False, default="", help_text="Searches by meaning and by words, the best first."
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if attrs["q"] and "cursor" in attrs:
            raise serializers.ValidationError({"cursor": ["Not with q: what is ranked has offsets."]})
        return super().validate(attrs)


class ScoredOutput(Output):
    score = serializers.FloatField(
        allow_null=True, help_text="Of both ways; comparable within one answer. Null in a plain list."
    )
    cosine = serializers.FloatField(allow_null=True, help_text="Null where it was not found by meaning.")
    bm25 = serializers.FloatField(allow_null=True, help_text="Null where it was not found by its words.")


class ListOutput(Output):
    total = serializers.IntegerField(allow_null=True, help_text="Of all pages; null where a cursor was sent.")
    limit = serializers.IntegerField()
    offset = serializers.IntegerField()
    next_cursor = serializers.CharField(allow_null=True)


@dataclass(frozen=True)
class Listed:
    """One page, under the names that every list answers with."""

    items: list[Any]
    total: int | None
    limit: int
    offset: int
    next_cursor: str | None


def read_query(request: Request, query: type[PageInput]) -> dict[str, Any]:
    given = query(data=request.query_params)
    given.is_valid(raise_exception=True)
    return dict(given.validated_data)


def list_rows(rows: TenantQuerySet[M], wanted: dict[str, Any], *, of: UUID) -> Listed:
    """Newest first; `of` is the id of what holds them. Call inside a tenant transaction."""
    limit, offset = wanted["limit"], wanted["offset"]
    page = paginate(rows, wanted, of=of, offset=offset)
    return Listed(page.rows, None if "cursor" in wanted else rows.count(), limit, offset, page.next_cursor)


def list_or_search(
    access: BankAccess,
    bank_id: str,
    find: Callable[[Bank], TenantQuerySet[Any]],
    corpus: Corpus,
    wanted: dict[str, Any],
) -> Listed:
    """What `find` finds in the bank: newest first, or ranked for `q`; with scores either way."""
    limit, offset = wanted["limit"], wanted["offset"]
    if wanted["q"]:
        page = search_rows(access, bank_id, RowQuestion(wanted["q"], corpus, find, limit, offset))
        return Listed([with_scores(one.row, one.scores) for one in page.items], page.total, limit, offset, None)
    with tenant_transaction(access.tenant_id):
        bank = get_bank(access, bank_id)
        listed = list_rows(find(bank), wanted, of=bank.id)
    return replace(listed, items=[with_scores(row, NO_SCORES) for row in listed.items])


def with_scores(row: Any, scores: RowScores) -> Any:
    """The row as a `ScoredOutput` reads it."""
    row.score, row.cosine, row.bm25 = scores.fused, scores.cosine, scores.bm25
    return row
