"""The page of items in quarantine: the texts with what was found in them, and the two acts of a review."""

import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from uuid import UUID

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from banks.errors import BankError
from banks.models import QuarantinedItem
from memoryplatform.dashboard.access import TenantRequest, tenant_page
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.account.access import Right
from memoryplatform.operations.errors import OperationError
from memoryplatform.operations.protection import read_quarantined, walk_texts
from memoryplatform.operations.quarantine import delete_item, release_item
from protection.findings import Family, Finding, join_findings
from tenants.transactions import tenant_transaction

PAGE_SIZE = 20


@dataclass(frozen=True)
class Part:
    """Some characters of a text. `kind` is empty where nothing was found."""

    text: str
    kind: str = ""


@dataclass(frozen=True)
class ShownItem:
    row: QuarantinedItem
    kinds: list[str]
    texts: list[tuple[str, list[Part]]]


@never_cache
@tenant_page(Right.WRITE)
@require_GET
def quarantine(request: TenantRequest) -> HttpResponse:
    tenant_id = request.access.tenant_id
    with tenant_transaction(tenant_id):
        rows = QuarantinedItem.objects.for_tenant(tenant_id).filter(bank__deleted_at=None).select_related("bank")
        page = Paginator(rows.order_by("-id"), PAGE_SIZE).get_page(request.GET.get("page"))
        shown = [show_item(row) for row in page]
    return render(request, "dashboard/quarantine.html", {"page": page, "items": shown})


@tenant_page(Right.WRITE)
@require_POST
def release_quarantined(request: TenantRequest, item_id: UUID) -> HttpResponse:
    return review(request, item_id, release_item, "The item is on its way into the memory.")


@tenant_page(Right.WRITE)
@require_POST
def delete_quarantined(request: TenantRequest, item_id: UUID) -> HttpResponse:
    return review(request, item_id, delete_item, "The item is deleted.")


def review(
    request: TenantRequest, item_id: UUID, act: Callable[[BankAccess, str, UUID], object], done: str
) -> HttpResponse:
    tenant_id = request.access.tenant_id
    with tenant_transaction(tenant_id):
        row = QuarantinedItem.objects.for_tenant(tenant_id).select_related("bank").filter(id=item_id).first()
    if row is None:
        raise Http404
    try:
        act(BankAccess(tenant_id, actor=request.access.actor), row.bank.bank_id, item_id)
        messages.success(request, done)
    except (BankError, OperationError) as error:  # another reviewer was faster
        messages.error(request, str(error))
    return redirect("quarantine")


def show_item(row: QuarantinedItem) -> ShownItem:
    try:
        texts = list(walk_texts(read_quarantined(row)))  # the fields by their names in the API
    except BankError as error:
        texts = [("", str(error))]
    by_field: dict[str, list[Finding]] = {}
    for one in row.findings:
        found = Finding(one["start"], one["end"], Family(one["family"]), one["kind"])
        by_field.setdefault(one["field"], []).append(found)
    kinds = sorted({one["kind"] for one in row.findings})
    shown = [(name_field(field), list(cut(text, by_field.get(field, [])))) for field, text in texts]
    return ShownItem(row, kinds, shown)


def name_field(field: str) -> str:
    """In words: `messages.0.content` → "message 1", `messages.0.name` → "message 1, name"."""
    counted = re.sub(r"(\w+?)s?\.(\d+)", lambda one: f"{one[1]} {int(one[2]) + 1}", field)
    return counted.removesuffix(".content").replace(".", ", ").replace("_", " ")


def cut(text: str, findings: list[Finding]) -> Iterator[Part]:
    end = 0
    for one in join_findings(findings):
        yield Part(show_hidden(text[end : one.start]))
        yield Part(show_hidden(text[one.start : one.end]), one.kind)
        end = one.end
    yield Part(show_hidden(text[end:]))


def show_hidden(text: str) -> str:
    """Characters that no reader sees, or that reorder the others, by their numbers: ⟨U+202E⟩."""
    return "".join(
        f"⟨U+{ord(one):04X}⟩" if unicodedata.category(one) == "Cf" or 0xE0100 <= ord(one) <= 0xE01EF else one  # noqa: PLR2004
        for one in text
    )
