"""`/consolidate` and `/observations`: having observations made, and seeing under which tags they stand."""

from typing import Any
from uuid import UUID

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from banks.words import Network
from memoryplatform.api.compat.hindsight.errors import NotOffered
from memoryplatform.api.compat.hindsight.hindsight_view import HindsightView
from memoryplatform.api.compat.hindsight.memories import describe_cleared
from memoryplatform.api.compat.hindsight.pages import OffsetInput
from memoryplatform.api.compat.hindsight.tolerance import read_body, read_query
from memoryplatform.api.idempotency import idempotent
from memoryplatform.api.serializers import Input
from memoryplatform.operations.banks.profile import get_bank
from memoryplatform.operations.memories.clearing import clear_memories
from memoryplatform.operations.memories.memory_filter import MemoryFilter
from memoryplatform.operations.observations import consolidate_now, count_scopes, make_anew
from tenants.transactions import tenant_transaction


class ConsolidateInput(Input):
    observation_scopes = serializers.ListField(required=False, allow_null=True, default=None)

    def validate_observation_scopes(self, value: list[Any] | None) -> list[Any] | None:
        """Passing it over would make observations that the caller wanted left as they are."""
        if value:
            raise NotOffered("Observations are made for all tags of an entity: leave observation_scopes out.")
        return value


class HindsightConsolidateView(HindsightView):
    @idempotent
    def post(self, request: Request, bank_id: str) -> Response:
        read_body(ConsolidateInput, request.data or {})
        asked = consolidate_now(self.access, bank_id)
        return Response({"operation_id": str(asked.operation.id), "deduplicated": asked.was_waiting})


class HindsightObservationsView(HindsightView):
    def delete(self, _request: Request, bank_id: str) -> Response:
        wanted = MemoryFilter(network=Network.OBSERVATION.value, state="all")
        return Response(describe_cleared(clear_memories(self.access, bank_id, wanted)))


class HindsightScopesView(HindsightView):
    def get(self, request: Request, bank_id: str) -> Response:
        wanted = read_query(OffsetInput, request)
        with tenant_transaction(self.tenant_id):
            scopes = count_scopes(get_bank(self.access, bank_id))
        page = scopes[wanted["offset"] : wanted["offset"] + wanted["limit"]]
        told = [{"tags": list(one.tags), "count": one.count} for one in page]
        return Response({"scopes": told, "total": len(scopes), "limit": wanted["limit"], "offset": wanted["offset"]})


class HindsightMemoryObservationsView(HindsightView):
    def delete(self, _request: Request, bank_id: str, memory_id: UUID) -> Response:
        return Response({"deleted_count": make_anew(self.access, bank_id, memory_id)})
