"""The base of every page that shows what a tenant's agents remember."""

from typing import Any, ClassVar
from uuid import UUID

from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.html import format_html
from unfold.paginator import InfinitePaginator

from banks.admin.looking import note_listing
from banks.admin.whose import BankFilter, TenantFilter, find_banks
from banks.admin.word_search import match_words
from banks.models import Corpus
from tenants.platform_admin import ReadOnlyAdmin
from tenants.scoping import TenantOwned

VECTORS = frozenset({"embedding", "centroid"})
WHOSE = (TenantFilter, BankFilter)


class MemoryAdmin(ReadOnlyAdmin):
    """Looked at and not changed; lists are audited as single rows are.

    Tables are large: a page is read by an index, nothing counts them, and no column sorts them. A search finds an id,
    and words where `corpus` names the index that has them.
    """

    corpus: ClassVar[Corpus | None] = None
    paginator = InfinitePaginator
    show_full_result_count = False
    show_facets = admin.ShowFacets.NEVER
    list_per_page = 50
    list_select_related = ("tenant", "bank")
    list_filter: Any = WHOSE
    list_filter_submit = True
    sortable_by = ()
    search_fields = ("id",)
    search_help_text = "An id, or words of the text."
    ordering: tuple[str, ...] = ("-id",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        rows = super().get_queryset(request)
        return rows.defer(*VECTORS & {field.name for field in self.opts.fields})

    def get_exclude(self, _request: HttpRequest, _obj: Any = None) -> list[str]:
        named = {field.name for field in self.opts.fields}
        return [name for name in (*VECTORS, "content_hash", "tags_hash") if name in named]

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        term = search_term.strip()
        return (queryset.filter(self.match(request, term)) if term else queryset), False

    def match(self, request: HttpRequest, term: str) -> Q:
        if (wanted := parse_id(term)) is not None:
            return Q(pk=wanted)
        return Q(pk__in=[]) if self.corpus is None else match_words(self.corpus, find_banks(request), term)

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        response: HttpResponse = super().changelist_view(request, extra_context)
        shown = (getattr(response, "context_data", None) or {}).get("cl")
        if shown is not None:
            note_listing(request, str(self.opts.model_name), shown.result_list)
        return response

    @admin.display(description="Tenant")
    def whose(self, row: TenantOwned) -> str:
        return format_html('<a href="?tenant={}">{}</a>', row.tenant.slug, row.tenant.name)

    @admin.display(description="Bank")
    def in_bank(self, row: Any) -> str:
        return format_html('<a href="?tenant={}&bank={}">{}</a>', row.tenant.slug, row.bank.bank_id, row.bank.bank_id)


def parse_id(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None


def link_to(row: Any, text: str) -> str:
    """To the page of a row."""
    return link_to_id(row._meta.label_lower, row.pk, text)


def link_to_id(label: str, pk: Any, text: str) -> str:
    """To the page of a row that is known by its id. `label` is such as banks.memoryunit."""
    address = reverse(f"admin:{label.replace('.', '_')}_change", args=[pk])
    return format_html('<a class="text-primary-600 dark:text-primary-500" href="{}">{}</a>', address, text)


def shorten(text: str, length: int = 160) -> str:
    return text if len(text) <= length else f"{text[: length - 1].rstrip()}…"
