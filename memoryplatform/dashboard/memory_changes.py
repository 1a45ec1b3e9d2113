"""Changes of memories by hand: editing, closing, restoring and erasing."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from django import forms
from django.contrib import messages
from django.db.models.functions import Left
from django.http import Http404, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST

from banks.enums import FACTUAL, Network
from banks.errors import BankError, MemoryChanged
from banks.lifecycle.closing_by_hand import Invalidation
from banks.lifecycle.editing import UnitEdit
from banks.models import Bank, MemoryUnit, UnitChange
from banks.models.bank import VECTOR_COLUMNS
from banks.rendering import render_text
from memoryplatform.dashboard.access import BankRequest, bank_page, perform
from memoryplatform.dashboard.faults import read_id
from memoryplatform.operations.access import name_of
from memoryplatform.operations.account.access import Right
from memoryplatform.operations.erasures.targets import Kind, Target
from memoryplatform.operations.erasures.use_cases import erase_memory, preview_memories, request_erasure
from memoryplatform.operations.errors import OperationError
from memoryplatform.operations.memories import single
from memoryplatform.operations.memories.superseding import undo_replacement
from tenants.transactions import QuotaExceeded, tenant_transaction

SHORT = 400  # characters of a text in a list
MOST_CHOSEN = 100  # memories of one act
CONFLICT = (
    "This memory has changed since you opened it, so nothing is saved. Your input is still here. "
    "Save again to put it in place of the other change."
)
LOCAL = "%Y-%m-%dT%H:%M"
TABLES = {
    "unit": "Memories",
    "unit_source": "Sources of memories",
    "unit_tag": "Tags of memories",
    "unit_metadata": "Metadata of memories",
    "unit_change": "Steps of histories",
    "message": "Messages",
    "chunk": "Pieces of the archive",
    "chunk_part": "Parts of these pieces",
    "episode": "Episodes",
    "link": "Links",
    "mention": "Mentions of entities",
    "co_occurrence": "Pairs of entities",
    "entity": "Entities",
    "entity_name": "Names of entities",
    "relationship": "Relationships",
    "relationship_source": "Sources of relationships",
    "opinion_revision": "Revisions of opinions",
}


def moment_field(label: str, help_text: str = "") -> forms.DateTimeField:
    widget = forms.DateTimeInput({"type": "datetime-local"}, format=LOCAL)
    return forms.DateTimeField(label=label, required=False, widget=widget, help_text=help_text)


class EditForm(forms.Form):
    text = forms.CharField(label="Text", max_length=100_000, strip=False, widget=forms.Textarea({"rows": 5}))
    network = forms.ChoiceField(label="Network", choices=[("world", "World"), ("experience", "Experience")])
    confidence = forms.FloatField(
        label="Confidence", min_value=0, max_value=1, widget=forms.NumberInput({"step": "0.01"})
    )
    context = forms.CharField(label="Context", required=False, max_length=2_000)
    occurred_start = moment_field("Happened from (UTC)")
    occurred_end = moment_field("Happened until (UTC)", "Not included.")
    importance = forms.FloatField(
        label="Importance", min_value=0, max_value=1, widget=forms.NumberInput({"step": "0.05"})
    )
    tags = forms.CharField(label="Tags", required=False, help_text="Separated by commas.")
    metadata = forms.CharField(
        label="Metadata", required=False, widget=forms.Textarea({"rows": 2}), help_text="One name=value on each line."
    )
    reason = forms.CharField(
        label="Reason", required=False, max_length=500, help_text="Shown in the history of the memory."
    )
    version = forms.CharField(widget=forms.HiddenInput, required=False)

    def __init__(self, *given: Any, of: MemoryUnit, **more: Any) -> None:
        super().__init__(*given, **more)
        del self.fields["network" if of.network not in FACTUAL else "confidence"]
        if of.network == Network.OBSERVATION:
            self.fields.pop("confidence", None)

    def clean_text(self) -> str:
        """A browser sends every line break as two characters."""
        return str(self.cleaned_data["text"]).replace("\r\n", "\n")

    def clean_tags(self) -> tuple[str, ...]:
        tags = tuple(dict.fromkeys(tag.strip() for tag in self.cleaned_data["tags"].split(",") if tag.strip()))
        if len(tags) > 100 or any(len(tag) > 200 for tag in tags):  # noqa: PLR2004
            raise forms.ValidationError("At most 100 tags of at most 200 characters.")
        return tags

    def clean_metadata(self) -> dict[str, str]:
        lines = [line for line in self.cleaned_data["metadata"].splitlines() if line.strip()]
        pairs = [(key.strip(), value.strip()) for key, found, value in (line.partition("=") for line in lines) if found]
        if len(pairs) < len(lines) or any(len(key) > 100 or len(value) > 500 for key, value in pairs):  # noqa: PLR2004
            raise forms.ValidationError(
                "Write name=value on each line, the name up to 100 and the value up to 500 characters."
            )
        return dict(pairs)

    def edit(self) -> UnitEdit:
        names = [name for name in self.changed_data if name not in {"reason", "version"}]
        given = {name: self.cleaned_data[name] for name in names}
        cleared = frozenset(name for name, value in given.items() if value is None)
        return UnitEdit(**{name: value for name, value in given.items() if value is not None}, cleared=cleared)


def read_editable(shown: single.ShownMemory) -> dict[str, Any]:
    unit = shown.described.unit
    names = ("network", "confidence", "context", "importance", "occurred_start", "occurred_end")
    values = {name: getattr(unit, name) for name in names}
    cut = {
        name: value.replace(second=0, microsecond=0) for name, value in values.items() if isinstance(value, datetime)
    }  # the input field has minutes
    return (
        values
        | cut
        | {
            "text": unit.rendered_text,
            "tags": ", ".join(shown.described.tags),
            "metadata": "\n".join(f"{key}={value}" for key, value in shown.described.metadata.items()),
            "version": shown.version,
        }
    )


def read_former(request: BankRequest, unit: MemoryUnit) -> dict[str, Any]:
    """The values that the edit which the address names replaced, for the reader to look at and save."""
    if (change_id := read_id(request.GET.get("before", ""))) is None:
        return {}
    with tenant_transaction(request.access.tenant_id):
        rows = UnitChange.objects.for_tenant(request.access.tenant_id)
        change = rows.filter(unit=unit, id=change_id, action=UnitChange.Action.EDITED).first()
    former = dict(change.before) if change else {}
    fields = {name: former[name] for name in ("network", "confidence", "context", "importance") if name in former}
    for name in {"occurred_start", "occurred_end"} & former.keys():
        at = former[name] and datetime.fromisoformat(former[name])
        fields[name] = at and at.replace(second=0, microsecond=0)
    if "text" in former:
        fields["text"] = render_text(former.get("speaker", unit.speaker), former["text"])
    if "tags" in former:
        fields["tags"] = ", ".join(former["tags"])
    if "metadata" in former:
        fields["metadata"] = "\n".join(f"{key}={value}" for key, value in former["metadata"].items())
    return fields


def renew_version(request: BankRequest, shown: single.ShownMemory) -> QueryDict:
    """The input with the present version. The reader is shown the other change, so a second save may replace it."""
    given = request.POST.copy()
    given["version"] = shown.version
    return given


@bank_page(Right.WRITE)
@require_http_methods(["GET", "POST"])
def edit_memory(request: BankRequest, memory_id: UUID) -> HttpResponse:
    access, bank_id = request.access.to_bank(), request.bank.bank_id
    shown = single.show_memory(access, bank_id, memory_id)
    unit = shown.described.unit
    is_sent = request.method == "POST"
    former = {} if is_sent else read_former(request, unit)
    form = EditForm(request.POST if is_sent else None, of=unit, initial=read_editable(shown) | former)
    is_changed = False
    if is_sent and form.is_valid():
        try:
            edit, reason = form.edit(), form.cleaned_data["reason"]
            if edit != UnitEdit():
                expected = frozenset({form.cleaned_data["version"] or shown.version})
                single.edit_memory(access, bank_id, memory_id, edit, expected=expected, reason=reason)
            messages.success(request, "The memory is saved.")
            return redirect("memory", bank_id, memory_id)
        except MemoryChanged:
            is_changed = True
            form.data = renew_version(request, shown)
            form.add_error(None, CONFLICT)
        except (BankError, OperationError, QuotaExceeded) as error:
            form.add_error(None, str(error))
    context = {
        "unit": unit,
        "form": form,
        "is_closed": unit.expired_at is not None,
        "is_changed": is_changed,
        "is_former": bool(former),
    }
    return render(request, "dashboard/memories/edit.html", context, status=422 if form.errors else 200)


class CloseForm(forms.Form):
    reason = forms.ChoiceField(
        label="Why",
        choices=[("update", "It was true, and is no longer"), ("correction", "It never was true")],
        widget=forms.RadioSelect({"class": "check"}),
        initial="update",
    )
    valid_until = moment_field("True until (UTC)", "Empty: until now.")
    explanation = forms.CharField(
        label="Explanation", required=False, max_length=500, help_text="Shown in the history of the memory."
    )


def choose_units(request: BankRequest) -> list[MemoryUnit]:
    """The memories that the form or the address names. An id that is none, or of another bank, is a 404."""
    try:
        ids = list(dict.fromkeys(UUID(one) for one in (request.POST or request.GET).getlist("id")))[:MOST_CHOSEN]
    except ValueError:
        raise Http404 from None
    with tenant_transaction(request.access.tenant_id):
        rows = MemoryUnit.objects.of_bank(request.bank).filter(id__in=ids).annotate(short=Left("text", SHORT))
        units = list(rows.defer("text", "search_text", *VECTOR_COLUMNS).order_by("-mentioned_at", "-id"))
    if not ids or len(units) < len(ids):
        raise Http404
    return units


def lead_back(request: BankRequest, units: Sequence[MemoryUnit], *, gone: bool = False) -> HttpResponse:
    if len(units) == 1 and not gone:
        return redirect("memory", request.bank.bank_id, units[0].id)
    return redirect("memories", request.bank.bank_id)


@bank_page(Right.WRITE)
@require_http_methods(["GET", "POST"])
def close_memories(request: BankRequest) -> HttpResponse:
    """Shows the form first: a list posts the chosen memories here."""
    units, is_sent = choose_units(request), "reason" in request.POST
    form = CloseForm(request.POST if is_sent else None)
    if is_sent and form.is_valid():
        access = request.access.to_bank()
        invalidation = Invalidation(**form.cleaned_data, actor=name_of(access))
        faults = []
        for unit in units:
            try:
                single.invalidate_memory(access, request.bank.bank_id, unit.id, invalidation)
            except (BankError, OperationError) as error:
                faults.append(str(error))
        if not faults or len(faults) < len(units):
            closed = len(units) - len(faults)
            messages.success(request, f"{closed} {'memory has' if closed == 1 else 'memories have'} ended.")
            for fault in faults[:1]:
                messages.warning(request, f"{len(faults)} could not be ended: {fault}")
            return lead_back(request, units)
        form.add_error(None, faults[0])
    context = {"units": units, "form": form}
    return render(request, "dashboard/memories/close.html", context, status=422 if form.errors else 200)


@bank_page(Right.WRITE)
@require_POST
def restore_memory(request: BankRequest, memory_id: UUID) -> HttpResponse:
    """With `end_replacement`, the memory that replaced this one ends too."""

    def act() -> str:
        reason = request.POST.get("reason", "").replace("\x00", "")[:500]
        if ends := bool(request.POST.get("end_replacement")):
            undo_replacement(request.access.to_bank(), request.bank.bank_id, memory_id, reason=reason)
        else:
            single.restore_memory(request.access.to_bank(), request.bank.bank_id, memory_id, reason=reason)
        return f"The memory is current again.{' The one that replaced it has ended.' if ends else ''}"

    return perform(request, act, reverse("memory", args=[request.bank.bank_id, memory_id]))


@bank_page(Right.WRITE)
@require_http_methods(["GET", "POST"])
def erase_memories(request: BankRequest) -> HttpResponse:
    """Shows what would go, exactly, and erases when that is confirmed.

    With `restore`, the memories that the erased ones had replaced are current again.
    """
    units, access, bank_id = choose_units(request), request.access.to_bank(), request.bank.bank_id
    replaced = find_replaced(request.bank, units)
    try:
        if request.POST.get("confirmed") == "yes":
            for one in replaced if request.POST.get("restore") else ():
                single.restore_memory(access, bank_id, one.id, reason="The memory that replaced it was erased.")
            return erase(request, units)
        receipt = preview_memories(access, bank_id, [unit.id for unit in units])
    except BankError as error:
        messages.error(request, str(error))
        return lead_back(request, units)
    context = {
        "units": units,
        "replaced": replaced,
        "opinions": [one for one in find_opinions(request.bank, receipt.units) if one not in units],
        "erased": name_counts(receipt.erased),
        "rewritten": name_counts(receipt.rewritten),
        "samples": list(dict.fromkeys(sample.strip() for sample in receipt.samples)),
    }
    return render(request, "dashboard/memories/erase.html", context)


def find_replaced(bank: Bank, units: Sequence[MemoryUnit]) -> list[MemoryUnit]:
    """Facts that ended, or are to end, because one of the units replaced them. The units themselves are left out."""
    ids = [unit.id for unit in units]
    with tenant_transaction(bank.tenant_id):
        rows = MemoryUnit.objects.of_bank(bank).filter(superseded_by__in=ids, network__in=FACTUAL).exclude(id__in=ids)
        return list(
            rows.annotate(short=Left("text", SHORT)).defer("text", "search_text", *VECTOR_COLUMNS).order_by("id")
        )


def find_opinions(bank: Bank, ids: Collection[UUID]) -> list[MemoryUnit]:
    with tenant_transaction(bank.tenant_id):
        rows = MemoryUnit.objects.of_bank(bank).filter(id__in=ids, network=Network.OPINION)
        return list(
            rows.annotate(short=Left("text", SHORT)).defer("text", "search_text", *VECTOR_COLUMNS).order_by("id")
        )


def name_counts(counts: dict[str, int]) -> list[tuple[str, int]]:
    """Tables in words, the largest number first."""
    named = [(TABLES.get(name, name.replace("_", " ").capitalize()), count) for name, count in counts.items()]
    return sorted(named, key=lambda one: (-one[1], one[0]))


def erase(request: BankRequest, units: Sequence[MemoryUnit]) -> HttpResponse:
    """One memory is gone when this returns; a worker erases several. The form names the opinions of the preview."""
    access, bank_id = request.access.to_bank(), request.bank.bank_id
    named = [one.id for one in find_opinions(request.bank, read_ids(request.POST.getlist("opinion")))]
    if len(units) == 1:
        erase_memory(access, bank_id, units[0].id)
        count = len(named) - len(find_opinions(request.bank, named))
        messages.success(request, f"The memory is erased, with {name_followers(count, 'it')}.")
    else:
        for unit in units:
            request_erasure(access, Target(Kind.MEMORY, bank_id, str(unit.id)))
        messages.success(request, f"{len(units)} memories are being erased, with {name_followers(len(named), 'they')}.")
    return lead_back(request, units, gone=True)


def read_ids(written: Sequence[str]) -> list[UUID]:
    try:
        return [UUID(one) for one in written]
    except ValueError:
        raise Http404 from None


def name_followers(opinions: int, memory: str) -> str:
    words = f"the words that {memory} came from"
    if not opinions:
        return words
    return f"{words} and {opinions} opinion{'' if opinions == 1 else 's'} without other grounds"
