"""`/memories` and `/memories/list`: retaining, listing and clearing."""

from dataclasses import replace
from typing import Any

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from memoryplatform.api.compat.hindsight.fact_types import KNOWN
from memoryplatform.api.compat.hindsight.memory_shapes import describe_listed
from memoryplatform.api.compat.hindsight.pages import OffsetInput, cut_page, describe_page
from memoryplatform.api.compat.hindsight.peer_view import PeerView
from memoryplatform.api.compat.hindsight.retain import retain_items
from memoryplatform.api.compat.hindsight.tolerance import read_query
from memoryplatform.api.idempotency import idempotent_operation, read_operation_key
from memoryplatform.api.v1.moments import MomentField
from memoryplatform.api.v1.unit_shapes import MATCHES, STATES, TIME_FIELDS
from memoryplatform.operations.bank_profile import get_bank
from memoryplatform.operations.clear_memories import Cleared, clear_memories
from memoryplatform.operations.described_units import describe_units
from memoryplatform.operations.memory_filter import MemoryFilter, Span, find_units
from tenants.transactions import tenant_transaction


class ClearInput(serializers.Serializer[Any]):
    type = serializers.CharField(required=False, default="", allow_blank=True)


class PeerMemoriesView(PeerView):
    @idempotent_operation
    def post(self, request: Request, bank_id: str) -> Response:
        key = read_operation_key(self, request)
        return Response(retain_items(self.access, bank_id, request.data, header_key=key))

    def delete(self, request: Request, bank_id: str) -> Response:
        """Without a type: every memory of the bank, opinions too, however old."""
        wanted = MemoryFilter(network=read_query(ClearInput, request)["type"], state="all")
        return Response(describe_cleared(clear_memories(self.access, bank_id, wanted)))


class PeerMemoryListInput(OffsetInput):
    type = serializers.CharField(required=False, default="", allow_blank=True)
    q = serializers.CharField(max_length=1_000, required=False, default="", allow_blank=True)
    state = serializers.ChoiceField(choices=["valid", "invalidated"], default="valid")
    document_id = serializers.CharField(max_length=500, required=False, default="")
    entity_id = serializers.UUIDField(required=False, default=None)
    tags = serializers.ListField(child=serializers.CharField(max_length=200), required=False, max_length=100)
    tags_match = serializers.ChoiceField(choices=MATCHES, default="any")
    time_field = serializers.ChoiceField(choices=list(TIME_FIELDS), required=False)
    start_date = MomentField(required=False, default=None)
    end_date = MomentField(required=False, default=None)


class PeerMemoryListView(PeerView):
    def get(self, request: Request, bank_id: str) -> Response:
        wanted = read_query(PeerMemoryListInput, request)
        with tenant_transaction(self.tenant_id):
            bank = get_bank(self.access, bank_id)
            units = find_units(bank, build_filter(wanted)).filter(network__in=KNOWN).defer("embedding")
            axis = TIME_FIELDS.get(wanted.get("time_field", ""))
            ordered = units.exclude(**{axis: None}).order_by(f"-{axis}", "-id") if axis else units.order_by("-id")
            items = [describe_listed(shown) for shown in describe_units(bank, cut_page(ordered, wanted))]
            return Response(describe_page(items, ordered.count(), wanted))


def build_filter(wanted: dict[str, Any]) -> MemoryFilter:
    axis = TIME_FIELDS[wanted.get("time_field", "created_at")]
    found = MemoryFilter(
        words=wanted["q"],
        network=wanted["type"],
        tags=tuple(wanted.get("tags", ())),
        tags_match=wanted["tags_match"],
        entity_id=wanted["entity_id"],
        document_id=wanted["document_id"],
        spans=(Span(axis, wanted["start_date"], wanted["end_date"]),),
    )
    return replace(found, state=STATES[wanted["state"]])  # type: ignore[arg-type]  # the choices are its values


def describe_cleared(cleared: Cleared) -> dict[str, Any]:
    """How many a worker will have deleted is told by its operation."""
    if cleared.operation is not None:
        message = f"The memories are being deleted by operation {cleared.operation.id}."
        return {"success": True, "message": message, "deleted_count": None}
    count = cleared.removed.units
    return {"success": True, "message": f"{count} memories are deleted.", "deleted_count": count}
