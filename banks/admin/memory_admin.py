"""The base of every admin page about a tenant's memory: filters, search, and the audit of lists."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from typing import Any, ClassVar, TypeVar
from uuid import UUID

from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.html import format_html
from unfold.contrib.filters.admin import TextFilter
from unfold.decorators import display
from unfold.paginator import InfinitePaginator

from banks.admin.word_search import match_words
from banks.models import Bank, Corpus
from banks.models.bank import CENTROID_COLUMNS, VECTOR_COLUMNS
from tenants.models import AuditEvent, User
from tenants.platform_admin import PLATFORM, ReadOnlyAdmin
from tenants.scoping import TenantOwned

F = TypeVar("F", bound=Callable[..., object])
VECTORS = frozenset({*VECTOR_COLUMNS, *CENTROID_COLUMNS})


class TenantFilter(TextFilter):
    title = "tenant (its slug)"
    parameter_name = "tenant"

    def queryset(self, _request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        return queryset.filter(tenant__slug=self.value()) if self.value() else queryset


class BankFilter(TextFilter):
    title = "bank (its id)"
    parameter_name = "bank"

    def queryset(self, _request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        return queryset.filter(bank__bank_id=self.value()) if self.value() else queryset


OWNER_FILTERS = (TenantFilter, BankFilter)


class MemoryAdmin(ReadOnlyAdmin):
    """Read-only pages. A list is audited like a single row.

    The tables are large, so a page is read by an index, rows are not counted and columns can't be sorted. A search
    finds an id, and the words of a text if `corpus` names its index.
    """

    corpus: ClassVar[Corpus | None] = None
    paginator = InfinitePaginator
    show_full_result_count = False
    show_facets = admin.ShowFacets.NEVER
    list_per_page = 50
    list_select_related = ("tenant", "bank")
    list_filter: Any = OWNER_FILTERS
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
    def in_tenant(self, row: TenantOwned) -> str:
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
    """A link to the page of a row."""
    return link_to_id(row._meta.label_lower, row.pk, text)


def link_to_id(label: str, pk: Any, text: str) -> str:
    """A link to the page of a row by its id. An example of `label` is banks.memoryunit."""
    address = reverse(f"admin:{label.replace('.', '_')}_change", args=[pk])
    return format_html('<a class="text-primary-600 dark:text-primary-500" href="{}">{}</a>', address, text)


def shorten(text: str, length: int = 160) -> str:
    return text if len(text) <= length else f"{text[: length - 1].rstrip()}…"


def find_banks(request: HttpRequest) -> QuerySet[Bank]:
    """The banks that pass the two filters."""
    banks: QuerySet[Bank] = Bank.objects.using(PLATFORM).live()
    if slug := request.GET.get(TenantFilter.parameter_name):
        banks = banks.filter(tenant__slug=slug)
    if bank_id := request.GET.get(BankFilter.parameter_name):
        banks = banks.filter(bank_id=bank_id)
    return banks


def note_listing(request: HttpRequest, kind: str, rows: Iterable[TenantOwned]) -> None:
    """Write one audit event for each tenant with rows in the list."""
    by_tenant: defaultdict[UUID, list[TenantOwned]] = defaultdict(list)
    for row in rows:
        by_tenant[row.tenant_id].append(row)
    if not isinstance(request.user, User) or not by_tenant:
        return
    request_id = getattr(request, "request_id", "")
    events = [
        AuditEvent(
            tenant_id=tenant_id,
            action="admin.listed",
            target=kind,
            user=request.user,
            request_id=request_id,
            address=request.META.get("REMOTE_ADDR") or None,
            detail={"rows": len(seen), "banks": sorted({str(row.bank) for row in seen if hasattr(row, "bank")})},
        )
        for tenant_id, seen in by_tenant.items()
    ]
    AuditEvent.objects.using(PLATFORM).bulk_create(events)


def labelled(description: str, tones: Mapping[str, str]) -> Callable[[F], F]:
    """A column of coloured labels. A word without a tone is grey."""

    def decorate(function: F) -> F:
        decorated: F = display(description=description, label=dict(tones))(function)
        return decorated

    return decorate
