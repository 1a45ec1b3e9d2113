"""The pages of entities: the list, one entity, and its merge and split with preview and undo."""

from typing import Any
from uuid import UUID

from django import forms
from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from banks.curation.splitting import Split
from banks.entities.mentions import has_letters
from banks.enums import EntityKind
from banks.errors import BankError, EntityNotFound
from banks.models import Entity
from memoryplatform.dashboard.access import BankRequest, bank_page, wants_part
from memoryplatform.dashboard.faults import list_choice_faults, read_id
from memoryplatform.operations.account.access import Right
from memoryplatform.operations.entities import change_entity, get_entity
from memoryplatform.operations.entity_curation import (
    find_undo,
    merge_with_undo,
    preview_merge,
    preview_split,
    split_with_undo,
    undo,
)
from memoryplatform.operations.entity_details import describe_entity, draw_relationships, list_by_mentions
from tenants.transactions import tenant_transaction

MOST_CANDIDATES = 8


class EntityForm(forms.Form):
    name = forms.CharField(max_length=300)
    kind = forms.ChoiceField(choices=[(one.value, one.value.title()) for one in EntityKind])

    def clean_name(self) -> str:
        name = str(self.cleaned_data["name"])
        if not has_letters(name):
            raise forms.ValidationError("The name needs a letter or a digit.")
        return name


@bank_page(Right.VIEW)
@require_GET
def entities(request: BankRequest) -> HttpResponse:
    words = request.GET.get("q", "").replace("\x00", "").strip()[:300]
    kind = request.GET.get("kind", "") if request.GET.get("kind") in EntityKind.values else ""
    with tenant_transaction(request.bank.tenant_id):
        page = list_by_mentions(request.bank, kind=kind, name=words, cursor=request.GET.get("after", ""))
    context = {
        "page": page,
        "words": words,
        "kind": kind,
        "kinds": EntityKind.values,
        "faults": list_choice_faults(request.GET, {"kind": ("Kind", EntityKind.values)}),
        "most": max((one.mention_count for one in page.rows), default=1),
        "after": request.GET.get("after", ""),
    }
    return render(request, f"dashboard/entities/{'rows' if wants_part(request) else 'list'}.html", context)


@bank_page(Right.VIEW)
@require_GET
def entity(request: BankRequest, entity_id: UUID) -> HttpResponse:
    return show_entity(request, entity_id)


@bank_page(Right.WRITE)
@require_POST
def edit_entity(request: BankRequest, entity_id: UUID) -> HttpResponse:
    form = EntityForm(request.POST)
    if not form.is_valid():
        return show_entity(request, entity_id, form)
    try:
        change_entity(request.access.to_bank(), request.bank.bank_id, entity_id, **form.cleaned_data)
    except EntityNotFound as missing:
        raise Http404(str(missing)) from None
    except BankError as refused:
        form.add_error(None, str(refused))
        return show_entity(request, entity_id, form)
    messages.success(request, "The entity is changed.")
    return redirect("entity", request.bank.bank_id, entity_id)


def show_entity(request: BankRequest, entity_id: UUID, form: EntityForm | None = None) -> HttpResponse:
    with tenant_transaction(request.bank.tenant_id):
        found = find_or_404(request, entity_id)
        details = describe_entity(request.bank, found)
    now = timezone.now()
    bars, first = draw_relationships(details, now=now)
    context = {
        "entity": found,
        "details": details,
        "bars": bars,
        "first": first,
        "now": now,
        "most": max((one.count for one in details.companions), default=1),
        "undo": find_undo(request.bank, entity_id),
        "form": form or EntityForm({"name": found.name, "kind": found.kind}),
    }
    return render(request, "dashboard/entities/entity.html", context, status=422 if form else 200)


@bank_page(Right.WRITE)
@require_http_methods(["GET", "POST"])
def merge_entity(request: BankRequest, entity_id: UUID) -> HttpResponse:
    """GET with `q` finds candidates and with `other` shows the preview. POST merges."""
    access, bank_id = request.access.to_bank(), request.bank.bank_id
    given = request.POST if request.method == "POST" else request.GET
    other_id, words = read_id(given.get("other", "")), given.get("q", "").replace("\x00", "").strip()[:300]
    context: dict[str, Any] = {"words": words}
    with tenant_transaction(request.bank.tenant_id):
        context["entity"] = find_or_404(request, entity_id)
        context["other"] = find_or_404(request, other_id) if other_id else None
        page = list_by_mentions(request.bank, name=words or context["entity"].name.split()[0])
        context["candidates"] = [one for one in page.rows if one.id != entity_id][:MOST_CANDIDATES]
    if other_id:
        try:
            if request.method == "POST":
                merge_with_undo(access, bank_id, entity_id, other_id)
                messages.success(request, f"{context['other'].name} is merged. You can undo it for a day.")
                return redirect("entity", bank_id, entity_id)
            context["preview"] = preview_merge(access, bank_id, entity_id, other_id)
        except BankError as refused:
            context["error"] = str(refused)
    return render(request, "dashboard/entities/merge.html", context, status=422 if "error" in context else 200)


@bank_page(Right.WRITE)
@require_http_methods(["GET", "POST"])
def split_entity(request: BankRequest, entity_id: UUID) -> HttpResponse:
    """GET with names or memories shows the preview. POST splits."""
    access, bank_id = request.access.to_bank(), request.bank.bank_id
    given = request.POST if request.method == "POST" else request.GET
    units = {found for one in given.getlist("unit") if (found := read_id(one))}
    kind = given.get("kind", "") if given.get("kind") in EntityKind.values else ""
    name = given.get("name", "").replace("\x00", "").strip()[:300]
    how = Split(tuple(given.getlist("alias")), frozenset(units), name=name if has_letters(name) else "", kind=kind)
    with tenant_transaction(request.bank.tenant_id):
        details = describe_entity(request.bank, find_or_404(request, entity_id))
    context: dict[str, Any] = {
        "entity": details.entity, "details": details, "how": how, "chosen": {str(one) for one in units},
        "kinds": EntityKind.values,
    }  # fmt: skip
    if how.names or how.unit_ids:
        try:
            if request.method == "POST":
                new = split_with_undo(access, bank_id, entity_id, how).entity
                messages.success(request, f"{new.name} is an entity of its own. You can undo it for a day.")
                return redirect("entity", bank_id, new.id)
            preview = context["preview"] = preview_split(access, bank_id, entity_id, how)
            context["outcomes"] = [("Stays", preview.entity), ("New", preview.other)]
        except BankError as refused:
            context["error"] = str(refused)
    elif "preview" in given or request.method == "POST":
        context["error"] = "Choose at least one name or memory that belongs to the new entity."
    return render(request, "dashboard/entities/split.html", context, status=422 if "error" in context else 200)


@bank_page(Right.WRITE)
@require_POST
def undo_entity(request: BankRequest, entity_id: UUID) -> HttpResponse:
    try:
        restored = undo(request.access.to_bank(), request.bank.bank_id, entity_id).entity
        messages.success(request, f"Undone. This is {restored.name} again.")
        return redirect("entity", request.bank.bank_id, restored.id)
    except EntityNotFound as missing:
        raise Http404(str(missing)) from None
    except BankError as refused:
        messages.error(request, str(refused))
        return redirect("entity", request.bank.bank_id, entity_id)


def find_or_404(request: BankRequest, entity_id: UUID) -> Entity:
    """Call inside a tenant transaction."""
    try:
        return get_entity(request.bank, entity_id)
    except EntityNotFound as missing:
        raise Http404(str(missing)) from None
