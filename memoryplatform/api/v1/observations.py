"""`/v1/banks/{bank_id}/observations`: what is known of entities in a few sentences."""

from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from memoryplatform.api.idempotency import idempotent
from memoryplatform.api.schema import ERRORS, IDEMPOTENCY_KEY
from memoryplatform.api.serializers import Input, Output
from memoryplatform.api.v1.lists import ListInput, ListOutput, list_rows
from memoryplatform.api.v1.tag_filter import TagFilterInput
from memoryplatform.api.views import TenantView
from memoryplatform.operations.banks.profile import get_bank
from memoryplatform.operations.named_in_filters import check_entities
from memoryplatform.operations.observations import ObservationFilter, find_observations, refresh_now, show_observations
from tenants.transactions import tenant_transaction


class ObservationListInput(TagFilterInput, ListInput):
    entity_id = serializers.UUIDField(required=False, default=None)

    def observation_filter(self) -> ObservationFilter:
        given = self.validated_data
        return ObservationFilter(given["entity_id"], tuple(given.get("tags", ())), given["tags_match"])


class ObservedEntityOutput(Output):
    id = serializers.UUIDField()
    name = serializers.CharField()


class ObservationOutput(Output):
    id = serializers.UUIDField(source="unit.id")
    text = serializers.CharField(source="unit.text")
    entity_id = serializers.UUIDField(source="entity.id", allow_null=True, default=None)
    entity = serializers.CharField(source="entity.name", allow_null=True, default=None)
    entities = ObservedEntityOutput(
        many=True, help_text="All that it is told of: `entity` is the first of them, which it was made for."
    )
    is_stale = serializers.BooleanField(help_text="Facts of one of them changed since; it will be made anew.")
    source_ids = serializers.ListField(child=serializers.UUIDField(), help_text="The memories that it rests on.")
    episode_ids = serializers.ListField(
        child=serializers.UUIDField(), help_text="The episodes that the summary of a month rests on."
    )
    tags = serializers.ListField(child=serializers.CharField(), help_text="Those of the memories that it rests on.")
    mentioned_at = serializers.DateTimeField(source="unit.mentioned_at", help_text="When the newest of them was said.")
    created_at = serializers.DateTimeField(source="unit.recorded_at")
    valid_from = serializers.DateTimeField(
        source="unit.valid_from", allow_null=True, help_text="When the newest of them began; it may lie ahead."
    )
    valid_until = serializers.DateTimeField(
        source="unit.valid_until", allow_null=True, help_text="When it ended, or is to end; null where no end is known."
    )


class ObservationListOutput(ListOutput):
    items = ObservationOutput(many=True)


class RefreshInput(Input):
    entity_id = serializers.UUIDField(required=False, default=None, allow_null=True, help_text="Left out: all stale.")


class RefreshOutput(Output):
    operation_id = serializers.UUIDField(allow_null=True, help_text="Null where nothing is stale.")


class ObservationsView(TenantView):
    @extend_schema(
        operation_id="list_observations",
        summary="List observations, newest first",
        parameters=[ObservationListInput],
        responses={200: ObservationListOutput, **ERRORS},
    )
    def get(self, request: Request, bank_id: str) -> Response:
        query = ObservationListInput(data=request.query_params)
        query.is_valid(raise_exception=True)
        with tenant_transaction(self.tenant_id):
            bank = get_bank(self.access, bank_id)
            check_entities(bank, [query.validated_data["entity_id"]])
            rows = find_observations(bank, query.observation_filter())
            listed = list_rows(rows, query.validated_data, of=bank.id)
            items = show_observations(bank, listed.items)
            return Response(ObservationListOutput(vars(listed) | {"items": items}).data)


class RefreshView(TenantView):
    @extend_schema(
        operation_id="refresh_observations",
        summary="Make observations anew",
        description="They follow their facts by themselves, some seconds later; this does not wait.",
        parameters=[IDEMPOTENCY_KEY],
        request=RefreshInput,
        responses={202: RefreshOutput, **ERRORS},
    )
    @idempotent
    def post(self, request: Request, bank_id: str) -> Response:
        body = RefreshInput(data=request.data)
        body.is_valid(raise_exception=True)
        operation = refresh_now(self.access, bank_id, entity_id=body.validated_data["entity_id"])
        answer = {"operation_id": operation.id if operation else None}
        return Response(RefreshOutput(answer).data, status=status.HTTP_202_ACCEPTED)
