"""`/memories` and `/memories/list`: retaining, listing and clearing."""

from dataclasses import replace
from typing import Any

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from banks.models.unit import UnitQuerySet
from memoryplatform.api.compat.hindsight.errors import NotOffered
from memoryplatform.api.compat.hindsight.hindsight_view import HindsightView
from memoryplatform.api.compat.hindsight.memory_shapes import describe_listed
from memoryplatform.api.compat.hindsight.pages import OffsetInput, cut_page, describe_page
from memoryplatform.api.compat.hindsight.retain import retain_items
from memoryplatform.api.compat.hindsight.tolerance import read_query
from memoryplatform.api.idempotency import idempotent_operation, read_operation_key
from memoryplatform.api.serializers import Input
from memoryplatform.api.v1.memories import check_no_body
from memoryplatform.api.v1.memory_input import STATES, TIME_FIELDS
from memoryplatform.api.v1.moments import MomentField
from memoryplatform.api.v1.tag_conditions import MATCHES
from memoryplatform.operations.banks.known_networks import KNOWN
from memoryplatform.operations.banks.profile import get_bank
from memoryplatform.operations.memories.clearing import Cleared, clear_memories
from memoryplatform.operations.memories.described_units import describe_units
from memoryplatform.operations.memories.memory_filter import MemoryFilter, Span, find_units
from tenants.transactions import tenant_transaction


class ClearInput(Input):
    """Stricter than Hindsight: what is not known, or empty, may have been meant to spare something."""

    type = serializers.CharField(required=False, default="")


class HindsightMemoriesView(HindsightView):
    quotes_memories = False

    @idempotent_operation
    def post(self, request: Request, bank_id: str) -> Response:
        key = read_operation_key(self, request)
        return Response(retain_items(self.access, bank_id, request.data, header_key=key))

    def delete(self, request: Request, bank_id: str) -> Response:
        """Without a type: every memory of the bank, opinions too, however old."""
        check_no_body(request)
        query = ClearInput(data=request.query_params)
        query.is_valid(raise_exception=True)
        wanted = MemoryFilter(network=query.validated_data["type"], state="all")
        return Response(describe_cleared(clear_memories(self.access, bank_id, wanted)))


class HindsightMemoryListInput(OffsetInput):
    type = serializers.CharField(required=False, default="", allow_blank=True)
    q = serializers.CharField(max_length=1_000, required=False, default="", allow_blank=True)
    state = serializers.ChoiceField(choices=["valid", "invalidated"], default="valid")
    consolidation_state = serializers.CharField(max_length=100, required=False, default="", allow_blank=True)
    document_id = serializers.CharField(max_length=500, required=False, default="")
    entity_id = serializers.UUIDField(required=False, default=None)
    tags = serializers.ListField(child=serializers.CharField(max_length=200), required=False, max_length=100)
    tags_match = serializers.ChoiceField(choices=MATCHES, default="any")
    time_field = serializers.ChoiceField(choices=list(TIME_FIELDS), required=False)
    start_date = MomentField(required=False, default=None)
    end_date = MomentField(required=False, default=None)

    def validate_consolidation_state(self, value: str) -> str:
        """Passing it over would show what the caller wanted left out."""
        if value:
            raise NotOffered("Memories have no consolidation_state here: they can't be listed by it.")
        return value

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """A window without an axis is one of created_at."""
        if attrs["start_date"] or attrs["end_date"]:
            attrs.setdefault("time_field", "created_at")
        return attrs


class HindsightMemoryListView(HindsightView):
    def get(self, request: Request, bank_id: str) -> Response:
        wanted = read_query(HindsightMemoryListInput, request)
        with tenant_transaction(self.tenant_id):
            bank = get_bank(self.access, bank_id)
            units = find_units(bank, build_filter(wanted)).filter(network__in=KNOWN).defer("embedding")
            ordered = put_in_order(units, wanted.get("time_field"))
            items = [describe_listed(shown) for shown in describe_units(bank, cut_page(ordered, wanted))]
            return Response(describe_page(items, ordered.count(), wanted))


def put_in_order(units: UnitQuerySet, time_field: str | None) -> UnitQuerySet:
    """The newest first. What has no time on the axis that was asked for is left out."""
    if time_field is None:
        return units.order_by("-mentioned_at", "-recorded_at", "-id")
    axis = TIME_FIELDS[time_field]
    return units.exclude(**{axis: None}).order_by(f"-{axis}", "-id")


def build_filter(wanted: dict[str, Any]) -> MemoryFilter:
    axis = TIME_FIELDS[wanted.get("time_field", "created_at")]
    found = MemoryFilter(
        letters=wanted["q"],
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
