"""Lists of a bank's rows: by cursor, or by offset as Hindsight's clients ask."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, TypeVar
from uuid import UUID

from rest_framework import serializers

from banks.models import Bank, Corpus
from memoryplatform.api.pagination import PageInput, paginate
from memoryplatform.api.serializers import Input, Output
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.banks.profile import bank_transaction
from memoryplatform.operations.ranked_rows import RowQuestion, search_rows, set_scores
from retrieval.analysis import clean_query
from tenants.scoping import TenantOwned, TenantQuerySet

M = TypeVar("M", bound=TenantOwned)


class ListInput(PageInput):
    limit = serializers.IntegerField(min_value=1, max_value=1_000, default=100, help_text="Rows per page.")
    offset = serializers.IntegerField(
        min_value=0, max_value=1_000_000, default=0, help_text="Rows to skip; a cursor is faster and stable."
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if attrs["offset"] and "cursor" in attrs:
            raise serializers.ValidationError({"offset": ["Not with a cursor."]})
        return attrs


def check_words(q: str) -> str:
    """Raises QueryWithoutWords for a search without words."""
    if q:
        clean_query(q)
    return q


class SearchedListInput(ListInput):
    q = serializers.CharField(
        max_length=2_000, required=False, default="", help_text="Searches by meaning and by words, best first."
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if attrs["q"] and "cursor" in attrs:
            raise serializers.ValidationError({"cursor": ["Not with q: ranked results have offsets."]})
        return super().validate(attrs)


class ScoredOutput(Output):
    score = serializers.FloatField(
        allow_null=True, help_text="The fused score, comparable within one response. Null in a list without q."
    )
    cosine = serializers.FloatField(allow_null=True, help_text="Null if the search by meaning did not find it.")
    bm25 = serializers.FloatField(allow_null=True, help_text="Null if the search by words did not find it.")


class ListOutput(Output):
    total = serializers.IntegerField(allow_null=True, help_text="Rows on all pages; null with a cursor.")
    limit = serializers.IntegerField()
    offset = serializers.IntegerField()
    next_cursor = serializers.CharField(allow_null=True)


class OffsetInput(Input):
    limit = serializers.IntegerField(min_value=1, max_value=1_000, default=100, help_text="Rows per page.")
    offset = serializers.IntegerField(min_value=0, max_value=1_000_000, default=0, help_text="Rows to skip.")


class OffsetOutput(Output):
    total = serializers.IntegerField()
    limit = serializers.IntegerField()
    offset = serializers.IntegerField()


@cache
def list_of(shape: type[Output], name: str = "") -> type[ListOutput]:
    """The shape of a list. By default `MessageOutput` gives `MessageListOutput`."""
    name = name or f"{shape.__name__.removesuffix('Output')}ListOutput"
    return type(name, (ListOutput,), {"items": shape(many=True)})


@dataclass(frozen=True)
class ListPage:
    """One page, under the names that every list response has."""

    items: list[Any]
    total: int | None
    limit: int
    offset: int
    next_cursor: str | None


def list_rows(rows: TenantQuerySet[M], wanted: dict[str, Any], *, of: UUID) -> ListPage:
    """Newest first. `of` is the id of the list's owner. Call inside a tenant transaction."""
    limit, offset = wanted["limit"], wanted["offset"]
    page = paginate(rows, wanted, of=of, offset=offset)
    return ListPage(page.rows, None if "cursor" in wanted else rows.count(), limit, offset, page.next_cursor)


def list_or_search(
    access: BankAccess,
    bank_id: str,
    find: Callable[[Bank], TenantQuerySet[Any]],
    corpus: Corpus,
    wanted: dict[str, Any],
) -> ListPage:
    """The rows of `find`, newest first, or ranked for `q`. Each row gets scores."""
    limit, offset = wanted["limit"], wanted["offset"]
    if wanted["q"]:
        rows, total = search_rows(access, bank_id, RowQuestion(wanted["q"], corpus, find, limit, offset))
        return ListPage(rows, total, limit, offset, None)
    with bank_transaction(access, bank_id) as bank:
        listed = list_rows(find(bank), wanted, of=bank.id)
    return replace(listed, items=[set_scores(row) for row in listed.items])
