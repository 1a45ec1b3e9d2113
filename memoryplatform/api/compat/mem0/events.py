"""`/v1/events/` and `/v1/event/{event_id}/`: operations in mem0's shape."""

from collections.abc import Sequence
from typing import Any

from django.db.models import Q
from rest_framework.request import Request

from memoryplatform.api.compat.mem0.add import STATUS, list_added
from memoryplatform.api.compat.mem0.filter_conditions import read_uuid
from memoryplatform.api.compat.mem0.mem0_view import Mem0View, NotFound, describe_page, read_page
from memoryplatform.api.compat.mem0.owners import BANKS
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.models import Operation, OperationQuerySet
from memoryplatform.operations.running.kind_names import DELETE_BANK, DELETE_MEMORIES, RETAIN
from tenants.transactions import tenant_transaction

TYPES = {RETAIN: "ADD", DELETE_MEMORIES: "DELETE", DELETE_BANK: "DELETE"}


class EventsView(Mem0View):
    def get(self, request: Request) -> object:
        page = read_page(request)
        with tenant_transaction(self.tenant_id):
            rows = find_events(self.access)
            count, events = rows.count(), list(rows.order_by("-id")[page.rows])
        return describe_page(request, page, count, describe_events(self.access, events))


class EventView(Mem0View):
    def get(self, _request: Request, event_id: str) -> object:
        wanted = read_uuid("event_id", event_id)
        with tenant_transaction(self.tenant_id):
            event = find_events(self.access).filter(id=wanted).first()
        if event is None:
            raise NotFound("Event not found or you don't have permission to access it")
        return describe_events(self.access, [event])[0]


def find_events(access: BankAccess) -> OperationQuerySet:
    """Operations on mem0's banks. A limited key sees an operation on several banks only if it requested it."""
    rows: OperationQuerySet = Operation.objects.for_tenant(access.tenant_id).filter(kind__in=TYPES)
    of_banks = Q(bank_key__startswith=BANKS)
    if access.banks is not None:
        own = Q(payload__asked_by=access.actor.api_key_prefix)
        return rows.filter(of_banks & Q(bank_key__in=access.banks) | Q(bank_key="") & own)
    return rows.filter(of_banks | Q(bank_key="", kind=DELETE_MEMORIES))


def describe_events(access: BankAccess, events: Sequence[Operation]) -> list[dict[str, Any]]:
    added = list_added(access.tenant_id, events)
    return [describe_event(event, added[event.id]) for event in events]


def describe_event(event: Operation, added: list[dict[str, Any]]) -> dict[str, Any]:
    """`payload` stays empty: message text is stored in memories only, so that deleting them deletes it."""
    took = (event.finished_at - event.started_at).total_seconds() if event.finished_at and event.started_at else None
    return {
        "id": event.id,
        "event_type": TYPES[event.kind],
        "status": STATUS[Operation.Status(event.status)],
        "payload": {},
        "metadata": None,
        "results": added,
        "created_at": event.created_at,
        "updated_at": event.updated_at,
        "started_at": event.started_at,
        "completed_at": event.finished_at,
        "latency": round(took * 1_000, 3) if took is not None else None,
        "graph_status": None,
        "error": event.error_detail or None,
    }
