"""Import: upload or paste, look at a preview, start, and watch the progress."""

from typing import Any
from uuid import UUID

from django import forms
from django.conf import settings
from django.contrib import messages
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from banks.errors import BankError
from banks.models import Bank, Document, MemoryUnit
from banks.retain.input import RetainItem
from memoryplatform.dashboard.access import BankRequest, bank_page, wants_part
from memoryplatform.operations.account.access import Right
from memoryplatform.operations.account.own_llm import find_llm
from memoryplatform.operations.errors import OperationError
from memoryplatform.operations.imports.formats import BANK, FORMATS
from memoryplatform.operations.imports.staging import (
    UploadGone,
    discard_upload,
    get_import,
    get_staged,
    leave_out_known,
    stage_upload,
    start_import,
)
from memoryplatform.operations.imports.upload import LONGEST_NAME, MOST_UNPACKED, UnreadableUpload, Upload
from memoryplatform.operations.models import Operation
from memoryplatform.operations.transfer.errors import TransferError
from providers.errors import ProviderError
from providers.llm.protocol import Task
from tenants.transactions import QuotaExceeded, tenant_transaction

CHARACTERS_A_TOKEN = 4  # of English, to tell a person the order of magnitude
SHOWN_ITEMS = 8
SHOWN_MESSAGES = 4  # of a conversation
SHOWN_FACTS = 5
SHORT = 240  # characters of a text in the preview
FORMAT_HELP = (  # title, icon and explanation
    ("ChatGPT", "messages-square", "conversations.json, or the whole archive"),
    ("mem0", "brain", "memories as JSON, as get_all or an export returns them"),
    ("Hindsight", "sparkles", "the archive of a bank, or its list of memories"),
    ("Documents", "file-text", "plain text, Markdown, a web page, Word (DOCX), or a PDF with text"),
    ("Messages", "message-circle", "JSON with role and content"),
    ("Benchmarks", "flask-conical", "LoCoMo and LongMemEval as published"),
    ("Another bank", "database", "its own export, into an empty bank"),
)


class UploadForm(forms.Form):
    file = forms.FileField(required=False)
    text = forms.CharField(required=False, strip=False)
    name = forms.CharField(required=False, max_length=LONGEST_NAME)

    def clean(self) -> dict[str, Any]:
        given = super().clean() or {}
        if not self.errors and not given.get("file") and not (given.get("text") or "").strip():
            raise forms.ValidationError("Choose a file, or paste a text.")
        if given.get("file") and (given.get("text") or "").strip():
            raise forms.ValidationError("Choose a file or paste a text, not both.")
        return given

    def read(self) -> tuple[str, bytes]:
        """Name and content. Browsers send line breaks as two characters."""
        file: UploadedFile[Any] | None = self.cleaned_data["file"]
        if file:
            return str(file.name or ""), file.read()
        return self.cleaned_data["name"], str(self.cleaned_data["text"]).replace("\r\n", "\n").encode(errors="replace")


@bank_page(Right.WRITE)
@require_http_methods(["GET", "POST"])
def import_page(request: BankRequest) -> HttpResponse:
    is_sent = request.method == "POST"
    form = UploadForm(request.POST, request.FILES) if is_sent else UploadForm()
    if is_sent and form.is_valid():
        try:
            upload_id = stage_upload(request.bank, *form.read())
        except UnreadableUpload as fault:
            form.add_error(None, str(fault))
        else:
            return redirect("import_preview", request.bank.bank_id, upload_id)
    context = {
        "form": form,
        "formats": FORMAT_HELP,
        "most_bytes": settings.MAX_BODY_BYTES,
        "most_unpacked": f"{MOST_UNPACKED // 1_000_000} MB",
    }
    return render(request, "dashboard/import/page.html", context, status=422 if form.errors else 200)


@bank_page(Right.WRITE)
@require_GET
def import_preview(request: BankRequest, upload_id: UUID) -> HttpResponse:
    try:
        staged = get_staged(request.bank, upload_id)
    except UnreadableUpload as gone:
        messages.error(request, str(gone))
        return redirect("import", request.bank.bank_id)
    with tenant_transaction(request.access.tenant_id):
        notes = find_obstacles(request.bank, staged.upload)
    upload = staged.upload
    model = find_llm(request.access.tenant_id, Task.EXTRACT) if upload.read_characters else None
    context = {
        "model": getattr(model, "model_id", ""),
        "tokens": upload.read_characters // CHARACTERS_A_TOKEN,
        "name": staged.name,
        "size": len(staged.body),
        "upload": upload,
        "upload_id": upload_id,
        "format": FORMATS[upload.format],
        "notes": notes,
        "rows": sorted(upload.rows.items(), key=lambda row: -row[1]),
        "shown": [show_item(item) for item in upload.items[:SHOWN_ITEMS]],
        "more": max(0, len(upload.items) - SHOWN_ITEMS),
    }
    return render(request, "dashboard/import/preview.html", context)


def find_obstacles(bank: Bank, upload: Upload) -> list[str]:
    """Reasons of this bank to think again. Call inside a tenant transaction."""
    if upload.format == BANK:
        is_used = MemoryUnit.objects.of_bank(bank).exists()
        return (
            ["This bank holds memories already, so the import will be refused. Create a new bank."] if is_used else []
        )
    fresh = sum(len(item.messages) for item in leave_out_known(bank, upload.conversations))
    known_messages = upload.message_count - fresh
    names = [item.document_id for item in upload.documents if item.document_id]
    known = Document.objects.of_bank(bank).filter(document_id__in=names).values_list("document_id", flat=True)
    notes = [f"The document “{name}” is there already. It will be replaced, with its memories." for name in known[:5]]
    if known_messages:
        counted = "1 message is" if known_messages == 1 else f"{known_messages:,} messages are"
        notes.append(f"{counted} in this bank already, and will not be imported again.")
    return notes


def show_item(item: RetainItem) -> dict[str, Any]:
    return {
        "item": item,
        "messages": [(one, one.content[:SHORT], len(one.content) > SHORT) for one in item.messages[:SHOWN_MESSAGES]],
        "more_messages": max(0, len(item.messages) - SHOWN_MESSAGES),
        "facts": [(fact, fact.text[:SHORT]) for fact in item.facts[:SHOWN_FACTS]],
        "more_facts": max(0, len(item.facts) - SHOWN_FACTS),
        "text": item.text[: SHORT * 4],
        "is_cut": len(item.text) > SHORT * 4,
    }


@bank_page(Right.WRITE)
@require_POST
def begin_import(request: BankRequest, upload_id: UUID) -> HttpResponse:
    try:
        operation = start_import(request.access.to_bank(), request.bank, upload_id)
    except UploadGone as gone:
        messages.error(request, str(gone))
        return redirect("import", request.bank.bank_id)
    except (BankError, OperationError, TransferError, ProviderError, QuotaExceeded, UnreadableUpload) as error:
        messages.error(request, str(error))
        return redirect("import_preview", request.bank.bank_id, upload_id)
    return redirect("import_progress", request.bank.bank_id, operation.id)


@bank_page(Right.WRITE)
@require_POST
def discard_import(request: BankRequest, upload_id: UUID) -> HttpResponse:
    discard_upload(request.bank, upload_id)
    messages.success(request, "The upload is deleted. Nothing was imported.")
    return redirect("import", request.bank.bank_id)


@bank_page(Right.WRITE)
@require_GET
def import_progress(request: BankRequest, operation_id: UUID) -> HttpResponse:
    with tenant_transaction(request.access.tenant_id):
        operation = get_import(request.bank, operation_id)
    result = operation.result or {}
    sources = operation.payload.get("sources", [])
    context = {
        "operation": operation,
        "uses_model": find_llm(request.access.tenant_id, Task.EXTRACT) is not None,
        "has_documents": any("document_pk" in one for one in sources),
        "has_threads": any("thread" in one for one in sources),
        "is_failed": operation.status == Operation.Status.FAILED,
        "is_completed": operation.status == Operation.Status.COMPLETED,
        "new": len(result.get("unit_ids", [])),
        "again": result.get("proven_again", 0),
        "faults": [str(one) for one in result.get("errors", [])][:10],
        "notes": [str(one) for one in result.get("notes", [])][:10],
        "quarantined": len(result.get("quarantined", [])),
        "rows": sorted((result.get("rows") or {}).items(), key=lambda row: -row[1]),
    }
    template = "state" if wants_part(request) else "progress"
    return render(request, f"dashboard/import/{template}.html", context)
