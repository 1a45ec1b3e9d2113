"""Pages of operations: the list with live progress, one operation, and its cancelling and retrying."""

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.http import Http404, HttpResponse, QueryDict
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_GET, require_POST

from banks.models import Bank, MemoryUnit
from memoryplatform.dashboard.access import TenantRequest, perform, tenant_page
from memoryplatform.dashboard.faults import list_choice_faults, read_id, write_fault
from memoryplatform.operations.account.access import Right
from memoryplatform.operations.banks.profile import find_banks
from memoryplatform.operations.errors import OperationNotFound
from memoryplatform.operations.imports.staging import is_of_upload
from memoryplatform.operations.models import Dispatch, LLMRequest, Operation, OperationQuerySet
from memoryplatform.operations.running import kind_names
from memoryplatform.operations.running.registry import find_kind
from memoryplatform.operations.running.submit import cancel, retry
from tenants.models import UsageRecord
from tenants.transactions import tenant_transaction

PAGE_SIZE = 50
MOST_CURRENT = 3  # running and failed ones on the overview
RECENT = timedelta(days=7)
SOON = timedelta(minutes=1)
MOST_CHARACTERS = 20_000
LONGEST_TEXT = 200  # of a changed memory
MOST_BANKS = 200  # suggested in the filter
Status = Operation.Status
ELSEWHERE = {"usage", "changes"}  # results that have tables of their own
RESULTS = {
    "unit_ids": "New memories",
    "proven_again": "Known memories said again",
    "errors": "Texts that failed",
    "quarantined": "In quarantine",
}
TITLES = {
    kind_names.RETAIN: "Retain",
    kind_names.CONSOLIDATE: "Consolidate",
    kind_names.REFRESH_OBSERVATIONS: "Refresh observations",
    kind_names.REFRESH_MENTAL_MODEL: "Refresh mental model",
    kind_names.SCHEDULED_REFRESHES: "Keep schedules of mental models",
    kind_names.NIGHTLY_MAINTENANCE: "Nightly maintenance",
    kind_names.VECTOR_INDEX: "Build vector index",
    kind_names.CLEAR_MEMORIES: "Clear memories",
    kind_names.DELETE_MEMORIES: "Delete memories",
    kind_names.CHANGE_EMBEDDING_MODEL: "Change embedding model",
    kind_names.DELETE_BANK: "Delete bank",
    kind_names.ERASE: "Erase",
    kind_names.ERASE_TENANT: "Erase tenant",
    kind_names.EXPORT_BANK: "Export bank",
    kind_names.IMPORT_BANK: "Import bank",
    kind_names.CLONE_BANK: "Clone bank",
    kind_names.DELIVER_WEBHOOK: "Deliver webhook",
    kind_names.SEND_MAIL: "Send e-mail",
    kind_names.EXPORT_REQUEST: "Export memories",
}
STATES = {
    "": "All",
    Status.PROCESSING.value: "Running",
    Status.PENDING.value: "Waiting",
    Status.FAILED.value: "Failed",
    Status.COMPLETED.value: "Completed",
    Status.CANCELLED.value: "Cancelled",
}


@dataclass(frozen=True)
class ShownOperation:
    """`due_at`: a waiting operation begins then. None: at once, or it has begun."""

    row: Operation
    due_at: datetime | None = None

    @property
    def title(self) -> str:
        return "Import" if is_of_upload(self.row) else TITLES.get(self.row.kind, self.row.kind)

    @property
    def state(self) -> str:
        return "Scheduled" if self.is_scheduled else STATES[self.row.status]

    @property
    def is_scheduled(self) -> bool:
        return self.row.status == Status.PENDING and self.due_at is not None and self.due_at > timezone.now() + SOON

    @property
    def is_live(self) -> bool:
        """A page that shows it asks for its progress every few seconds."""
        return not self.row.is_finished and not self.is_scheduled

    @property
    def can_cancel(self) -> bool:
        kind = find_kind(self.row.kind)
        return not self.row.is_finished and (kind is None or kind.cancellable)

    @property
    def can_retry(self) -> bool:
        return self.row.status in {Status.FAILED, Status.CANCELLED}

    @property
    def waited(self) -> timedelta | None:
        return self.row.started_at - self.row.created_at if self.row.started_at else None

    @property
    def duration(self) -> timedelta | None:
        """Of the newest attempt."""
        if self.row.started_at is None:
            return None
        end = self.row.finished_at or (timezone.now() if self.row.status == Status.PROCESSING else None)
        return end - self.row.started_at if end else None


@tenant_page(Right.VIEW)
@require_GET
def operations(request: TenantRequest) -> HttpResponse:
    """Values in the address that mean nothing do not filter."""
    tenant_id = request.access.tenant_id
    status = request.GET.get("status", "")
    status = status if status in STATES else ""
    kind = request.GET.get("kind", "")
    kind = kind if kind in TITLES else ""
    bank_id = clean_words(request.GET.get("bank", ""))
    before = read_id(request.GET.get("before", ""))
    with tenant_transaction(tenant_id):
        rows = find_operations(tenant_id, kind=kind, bank_id=bank_id)
        rows = rows.filter(id__lt=before) if before else rows
        found = read_newest(rows, status, PAGE_SIZE + 1)
        shown = show_operations(found[:PAGE_SIZE])
        suggested = list(find_banks(request.access.to_bank()).order_by("bank_id").values_list("bank_id", flat=True))
    chosen = {name: value for name, value in (("kind", kind), ("bank", bank_id)) if value}
    context = {
        "operations": shown,
        "is_live": any(one.is_live for one in shown),
        "states": [
            (value, title, urlencode(chosen | ({"status": value} if value else {}))) for value, title in STATES.items()
        ],
        "status": status,
        "kinds": TITLES,
        "kind": kind,
        "bank_id": bank_id,
        "banks": suggested[:MOST_BANKS],
        "faults": list_faults(request.GET),
        "is_filtered": bool(status or chosen),
        "query": urlencode(chosen | ({"status": status} if status else {})),
        "before": before,
        "older": found[PAGE_SIZE - 1].id if len(found) > PAGE_SIZE else None,
    }
    return render(request, "dashboard/operations.html", context)


def list_faults(given: QueryDict) -> list[str]:
    """A sentence for each value of the address that can't be read."""
    faults = list_choice_faults(given, {"status": ("State", STATES), "kind": ("Kind", TITLES)})
    before = given.get("before", "")
    return [*faults, write_fault("Older", before)] if before and not read_id(before) else faults


@tenant_page(Right.VIEW)
@require_GET
def operation(request: TenantRequest, operation_id: UUID) -> HttpResponse:
    tenant_id = request.access.tenant_id
    with tenant_transaction(tenant_id):
        row = Operation.objects.for_tenant(tenant_id).filter(id=operation_id).first()
        if row is None:
            raise Http404
        (shown,) = show_operations([row])
        spent = list(UsageRecord.objects.for_tenant(tenant_id).filter(operation_id=row.id).order_by("attempt", "kind"))
        changes = list_changes(row)
        is_logged = LLMRequest.objects.for_tenant(tenant_id).filter(operation_id=row.id).exists()
    most = None if "all" in request.GET else MOST_CHARACTERS
    texts = [json.dumps(value, indent=2, ensure_ascii=False) if value else "" for value in (row.payload, row.result)]
    context = {
        "operation": shown,
        "row": row,
        "spent": spent,
        "changes": changes,
        "is_logged": is_logged,
        "payload": summarize(row.payload, {"sources": "Texts", "bytes": "Size in bytes"}),
        "payload_text": texts[0][:most],
        "result": summarize({name: one for name, one in (row.result or {}).items() if name not in ELSEWHERE}, RESULTS),
        "result_text": texts[1][:most],
        "is_cut": most is not None and any(len(text) > most for text in texts),
    }
    return render(request, "dashboard/operation.html", context)


@dataclass(frozen=True)
class ShownChange:
    """A memory that a retain changed. `text` is empty if it was deleted since."""

    memory_id: str
    change: str
    superseded_by: str | None
    text: str


def list_changes(row: Operation) -> list[ShownChange]:
    """Call inside a tenant transaction."""
    changes = (row.result or {}).get("changes", []) if row.kind == kind_names.RETAIN else []
    units = MemoryUnit.objects.for_tenant(row.tenant_id).filter(id__in=[one["memory_id"] for one in changes])
    texts = {unit_id: text[:LONGEST_TEXT] for unit_id, text in units.values_list("id", "text")}
    return [ShownChange(**one, text=texts.get(UUID(one["memory_id"]), "")) for one in changes]


@tenant_page(Right.WRITE)
@require_POST
def cancel_operation(request: TenantRequest, operation_id: UUID) -> HttpResponse:
    return change_operation(request, operation_id, cancel, "The operation is cancelled. Its committed writes stay.")


@tenant_page(Right.WRITE)
@require_POST
def retry_operation(request: TenantRequest, operation_id: UUID) -> HttpResponse:
    return change_operation(request, operation_id, retry, "The operation starts again, with all its attempts.")


def change_operation(
    request: TenantRequest, operation_id: UUID, change: Callable[..., Operation], done: str
) -> HttpResponse:
    def act() -> str:
        try:
            change(request.access.tenant_id, operation_id, actor=request.access.actor)
        except OperationNotFound:
            raise Http404 from None
        return done

    return perform(request, act, reverse("operation", args=[operation_id]))


def find_operations(tenant_id: UUID, *, kind: str = "", bank_id: str = "") -> OperationQuerySet:
    """Deliveries of webhooks have a log of their own, and are found by their kind only."""
    rows: OperationQuerySet = Operation.objects.for_tenant(tenant_id)
    rows = rows.filter(kind=kind) if kind else rows.exclude(kind=kind_names.DELIVER_WEBHOOK)
    return rows.filter(bank_key=bank_id) if bank_id else rows


def read_newest(rows: OperationQuerySet, status: str, count: int) -> list[Operation]:
    """The newest of each state, joined: the index has the state before the id."""
    wanted = [status] if status else Status.values
    found = [one for state in wanted for one in rows.filter(status=state).order_by("-id")[:count]]
    return sorted(found, key=lambda one: one.id, reverse=True)[:count]


def list_current_work(tenant_id: UUID, bank: Bank | None = None) -> tuple[list[ShownOperation], list[ShownOperation]]:
    """The newest operations that run or wait for a worker, and those that failed this week. In a tenant transaction."""
    rows = find_operations(tenant_id)
    if bank is not None:
        rows = rows.filter(bank=bank)
    running = read_newest(rows, Status.PROCESSING, MOST_CURRENT) + read_newest(rows, Status.PENDING, PAGE_SIZE)
    recent = rows.filter(created_at__gte=timezone.now() - RECENT)
    live = [one for one in show_operations(running) if one.is_live]
    return live[:MOST_CURRENT], show_operations(read_newest(recent, Status.FAILED, MOST_CURRENT))


def show_operations(rows: Sequence[Operation]) -> list[ShownOperation]:
    """With the times at which the waiting ones are due."""
    waiting = [row.id for row in rows if row.status == Status.PENDING]
    due = (
        dict(Dispatch.objects.filter(operation_id__in=waiting).values_list("operation_id", "due_at")) if waiting else {}
    )
    return [ShownOperation(row, row.next_attempt_at or due.get(row.id)) for row in rows]


def summarize(values: dict[str, Any] | list[Any], titles: dict[str, str]) -> list[tuple[str, str]]:
    """Each field with its value, or with the number of its entries. Empty lists say nothing and are left out."""
    pairs: Iterable[tuple[str, Any]] = values.items() if isinstance(values, dict) else [("entries", values)]
    shown = [(name, value) for name, value in pairs if value not in ([], {}, None)]
    return [(titles.get(name, name.replace("_", " ")), describe(value)) for name, value in shown]


def describe(value: object) -> str:
    if isinstance(value, list | dict):
        return f"{len(value):,}"
    text = {True: "yes", False: "no", None: "none"}[value] if value is None or isinstance(value, bool) else str(value)
    return text if len(text) <= 200 else f"{text[:200]}…"  # noqa: PLR2004


def clean_words(text: str) -> str:
    """Postgres stores no null byte, so nothing has one."""
    return text.strip().replace("\x00", "")[:200]
