"""The page that replaces a memory by a newer text: a form, then a preview of what ends, then the act."""

from hashlib import sha256
from typing import Any
from uuid import UUID

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from banks.errors import BankError, MemoryChanged
from memoryplatform.dashboard.access import BankRequest, bank_page
from memoryplatform.dashboard.memory_changes import moment_field, renew_version
from memoryplatform.operations.account.access import Right
from memoryplatform.operations.errors import OperationError
from memoryplatform.operations.memories.single import show_memory
from memoryplatform.operations.memories.superseding import Replacement, check_can_end
from memoryplatform.operations.memories.superseding import supersede_memory as supersede
from tenants.transactions import QuotaExceeded

CONFLICT = "This memory has changed since you opened it. The page shows it as it is now; look, then preview again."


class ReplacementForm(forms.Form):
    text = forms.CharField(
        label="What is true now", max_length=100_000, strip=False, widget=forms.Textarea({"rows": 4, "autofocus": True})
    )
    since = moment_field("True since (UTC)", "Empty: since now. A date in the future schedules the change.")
    version = forms.CharField(widget=forms.HiddenInput, required=False)

    def clean_text(self) -> str:
        """A browser sends every line break as two characters."""
        text = str(self.cleaned_data["text"]).replace("\r\n", "\n").strip()
        if not text:
            raise forms.ValidationError("Write what is true now.")
        return text

    @property
    def digest(self) -> str:
        """The text and the date, so that nothing is stored that was not previewed. Precondition: the form is valid."""
        written = f"{self.cleaned_data['since']} {self.cleaned_data['text']}"
        return sha256(written.encode("utf-8", "surrogatepass")).hexdigest()

    @property
    def replacement(self) -> Replacement:
        return Replacement(self.cleaned_data["text"], self.cleaned_data["since"])


@bank_page(Right.WRITE)
@require_http_methods(["GET", "POST"])
def supersede_memory(request: BankRequest, memory_id: UUID) -> HttpResponse:
    """POST shows the preview. With `confirmed` it replaces the memory.

    `confirmed` is the digest of the input that was previewed. Any other input is previewed again.
    """
    access, bank_id = request.access.to_bank(), request.bank.bank_id
    shown = show_memory(access, bank_id, memory_id)
    unit = shown.described.unit
    form = ReplacementForm(request.POST or None, initial={"text": unit.rendered_text, "version": shown.version})
    context: dict[str, Any] = {"unit": unit, "form": form, "now": timezone.now()}
    try:
        check_can_end(unit, timezone.now() if unit.valid_from is None else max(timezone.now(), unit.valid_from))
        if request.method == "POST" and form.is_valid():
            is_preview = request.POST.get("confirmed") != form.digest
            expected = frozenset({form.cleaned_data["version"] or shown.version})
            done = supersede(access, bank_id, memory_id, form.replacement, expected=expected, is_preview=is_preview)
            if not is_preview:
                messages.success(request, "This memory replaces the former one.")
                return redirect("memory", bank_id, done.new.described.unit.id)
            context |= {"preview": done, "is_changed": "confirmed" in request.POST}
    except MemoryChanged:
        form.data = renew_version(request, shown)
        context["refusal"] = CONFLICT
    except (BankError, OperationError, QuotaExceeded) as error:
        context["refusal"] = str(error)
    refused = form.errors or (request.method == "POST" and "refusal" in context)
    return render(request, "dashboard/memories/supersede.html", context, status=422 if refused else 200)
