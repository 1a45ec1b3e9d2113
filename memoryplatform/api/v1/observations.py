"""`/v1/banks/{bank_id}/observations`: neutral summary sentences about entities, written by a language model."""

from typing import Any

from rest_framework import serializers

from memoryplatform.api.idempotency import idempotent
from memoryplatform.api.routes import route
from memoryplatform.api.serializers import Input, Output
from memoryplatform.api.v1.fields import TagFilterInput
from memoryplatform.api.v1.lists import ListInput, ListOutput, list_rows
from memoryplatform.api.views import TenantView
from memoryplatform.operations.banks.profile import bank_transaction
from memoryplatform.operations.memories.memory_filter import check_entities
from memoryplatform.operations.observation_refreshes import name_observer
from memoryplatform.operations.observations import find_observations, refresh_now, show_observations


class ObservationListInput(TagFilterInput, ListInput):
    entity_id = serializers.UUIDField(required=False, default=None)


class ObservedEntityOutput(Output):
    id = serializers.UUIDField()
    name = serializers.CharField()


class ObservationOutput(Output):
    id = serializers.UUIDField(source="unit.id")
    text = serializers.CharField(source="unit.rendered_text")
    entity_id = serializers.UUIDField(source="entity.id", allow_null=True, default=None)
    entity = serializers.CharField(source="entity.name", allow_null=True, default=None)
    entities = ObservedEntityOutput(
        many=True, help_text="All entities that it is about. It was written for the first one, `entity`."
    )
    is_stale = serializers.BooleanField(help_text="Facts of one of them changed since; a refresh will follow.")
    source_ids = serializers.ListField(child=serializers.UUIDField(), help_text="The memories that it rests on.")
    episode_ids = serializers.ListField(
        child=serializers.UUIDField(), help_text="The episodes that a monthly summary rests on."
    )
    tags = serializers.ListField(child=serializers.CharField(), help_text="The tags of the memories that it rests on.")
    mentioned_at = serializers.DateTimeField(source="unit.mentioned_at", help_text="The time of the newest of them.")
    created_at = serializers.DateTimeField(source="unit.recorded_at")
    valid_from = serializers.DateTimeField(
        source="unit.valid_from", allow_null=True, help_text="The start of the newest of them; it may be in the future."
    )
    valid_until = serializers.DateTimeField(
        source="unit.valid_until", allow_null=True, help_text="The end, which may be in the future; null if unknown."
    )


ENGINE = "The model that writes observations; `builtin` where no language model is configured, and nothing is written."


class ObservationListOutput(ListOutput):
    items = ObservationOutput(many=True)
    engine = serializers.CharField(help_text=ENGINE)


class RefreshInput(Input):
    entity_id = serializers.UUIDField(
        required=False, default=None, allow_null=True, help_text="Default: all stale entities."
    )


class RefreshOutput(Output):
    operation_id = serializers.UUIDField(
        allow_null=True, help_text="Null where nothing is stale, or no language model is configured."
    )
    engine = serializers.CharField(help_text=ENGINE)


class ObservationsView(TenantView):
    @route("list_observations", "List observations, newest first", ObservationListOutput, query=ObservationListInput)
    def get(self, bank_id: str, wanted: dict[str, Any]) -> object:
        with bank_transaction(self.access, bank_id) as bank:
            check_entities(bank, [wanted["entity_id"]])
            tags, match = tuple(wanted.get("tags", ())), wanted["tags_match"]
            rows = find_observations(bank, entity_id=wanted["entity_id"], tags=tags, tags_match=match)
            listed = list_rows(rows, wanted, of=bank.id)
            items = show_observations(bank, listed.items)
            return vars(listed) | {"items": items, "engine": name_observer(self.tenant_id)}


class RefreshView(TenantView):
    @idempotent
    @route("refresh_observations", "Refresh observations", RefreshOutput, 202, body=RefreshInput)
    def post(self, bank_id: str, body: RefreshInput) -> object:
        """Observations follow their facts some seconds later without this request. Without a language model there are
        no observations: the answer has no operation, and `engine` is `builtin`.
        """
        operation = refresh_now(self.access, bank_id, entity_id=body.validated_data["entity_id"])
        return {"operation_id": operation.id if operation else None, "engine": name_observer(self.tenant_id)}
