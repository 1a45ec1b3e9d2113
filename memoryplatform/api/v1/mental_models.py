"""`/v1/banks/{bank_id}/mental-models`: standing questions, each with its latest answer."""

import re
from types import SimpleNamespace
from typing import Any, ClassVar, get_args

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from banks.enums import Network
from memoryplatform.api.idempotency import idempotent
from memoryplatform.api.routes import route
from memoryplatform.api.serializers import Input, Output
from memoryplatform.api.v1.fields import MATCHES, MOST_CONDITIONS, TagGroupsField, TagsField
from memoryplatform.api.v1.lists import ListInput, list_of, list_rows
from memoryplatform.api.v1.reflect_input import MOST_MEMORY_TOKENS, ResponseSchemaField
from memoryplatform.api.views import TenantView
from memoryplatform.operations import mental_models
from memoryplatform.operations.banks.profile import bank_transaction
from reflection.mental_models import Mode
from reflection.models import MentalModel, MentalModelRevision
from reflection.models.mental_models import LEAST_TOKENS, MOST_TOKENS
from reflection.models.tagged import ScopeMatch, build_tags_filter
from reflection.reflect.types import BOUNDS
from reflection.refresh_schedule import read_cron
from retrieval.analysis import clean_query
from retrieval.errors import QueryWithoutWords

MODEL_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,199}")
LONGEST_QUERY = 10_000
LONGEST_INTERVAL = 366 * 24 * 3_600


def check_model_id(value: str) -> None:
    if not MODEL_ID.fullmatch(value):
        raise serializers.ValidationError("Must be 1 to 200 letters, digits, dots, hyphens or underscores.")


@extend_schema_field({"type": "array", "maxItems": MOST_CONDITIONS, "items": {"type": "object"}})
class KeptTagGroupsField(TagGroupsField):
    """Validates the tree and returns it as given, for storage."""

    def to_internal_value(self, data: Any) -> Any:
        super().to_internal_value(data)
        return data


class CronField(serializers.CharField):
    def to_internal_value(self, data: Any) -> str:
        try:
            return read_cron(super().to_internal_value(data))
        except ValueError as fault:
            raise serializers.ValidationError(str(fault)) from None


class TriggerInput(Input):
    mode = serializers.ChoiceField(
        choices=get_args(Mode),
        required=False,
        help_text="delta keeps the content if no memory in its scope is new. Default: full.",
    )
    refresh_after_consolidation = serializers.BooleanField(
        required=False, help_text="Refresh whenever new memories are in its scope. Default: false."
    )
    refresh_cron = CronField(
        required=False,
        allow_null=True,
        help_text="Refresh by this schedule if it is stale: five fields of cron in UTC, such as '0 3 * * *'. "
        "It ends refresh_after_consolidation, and the other way round.",
    )
    full_refresh_cron = CronField(
        required=False, allow_null=True, help_text="A second schedule, which may go with refresh_after_consolidation."
    )
    min_refresh_interval_seconds = serializers.IntegerField(
        min_value=0,
        max_value=LONGEST_INTERVAL,
        required=False,
        allow_null=True,
        help_text="Between two automatic refreshes.",
    )
    budget = serializers.ChoiceField(
        choices=list(BOUNDS), required=False, allow_null=True, help_text="The budget of reflect. Default: mid."
    )
    fact_types = serializers.ListField(
        child=serializers.ChoiceField(choices=[network.value for network in Network]), required=False, allow_null=True
    )
    tags_match = serializers.ChoiceField(
        choices=MATCHES,
        required=False,
        allow_null=True,
        help_text="How its tags match memories. Default: all_strict.",
    )
    tag_groups = KeptTagGroupsField(required=False, allow_null=True, help_text="Replaces its tags.")
    recall_max_tokens = serializers.IntegerField(
        min_value=0,
        max_value=MOST_MEMORY_TOKENS,
        required=False,
        allow_null=True,
        help_text="Tokens of the memories that it rests on. Default: 4,096.",
    )
    response_schema = ResponseSchemaField(
        required=False, allow_null=True, help_text="The revision also has the content in this JSON schema."
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if attrs.get("refresh_cron") and attrs.get("refresh_after_consolidation"):
            raise serializers.ValidationError(
                {"refresh_cron": "Set either refresh_cron or refresh_after_consolidation, not both."}
            )
        return attrs


class MentalModelChangeInput(Input):
    name = serializers.CharField(max_length=200, required=False)
    source_query = serializers.CharField(max_length=LONGEST_QUERY, required=False)
    tags = TagsField(required=False, help_text="Only memories with these tags; empty: all memories.")
    max_tokens = serializers.IntegerField(
        min_value=LEAST_TOKENS,
        max_value=MOST_TOKENS,
        required=False,
        help_text="Tokens of the content. Default: 2,048.",
    )
    trigger = TriggerInput(required=False, help_text="Only the given settings change.")

    def validate_source_query(self, value: str) -> str:
        try:
            clean_query(value)
        except QueryWithoutWords as error:
            raise serializers.ValidationError(str(error), code=error.code) from error
        return value

    def change(self) -> mental_models.MentalModelChange:
        given = {name: value for name, value in self.validated_data.items() if name != "id"}
        if "tags" in given:
            given["tags"] = list(dict.fromkeys(given["tags"]))
        if "trigger" in given:
            given["trigger"] = dict(given["trigger"])
        return mental_models.MentalModelChange(**given)


class MentalModelInput(MentalModelChangeInput):
    id = serializers.CharField(
        required=False, validators=[check_model_id], help_text="Your own id for it; generated if left out."
    )
    name = serializers.CharField(max_length=200)
    source_query = serializers.CharField(max_length=LONGEST_QUERY, help_text="The content answers this question.")


class MentalModelListInput(ListInput):
    tags = TagsField(required=False, help_text="Only those with matching tags, and those without tags.")
    tags_match = serializers.ChoiceField(choices=get_args(ScopeMatch), default="any")


class ModelRefreshInput(Input):
    mode = serializers.ChoiceField(choices=["full"], required=False, help_text="Refresh fully, whatever the mode.")


class TriggerOutput(Output):
    mode = serializers.CharField()
    refresh_after_consolidation = serializers.BooleanField()
    refresh_cron = serializers.CharField(allow_null=True)
    full_refresh_cron = serializers.CharField(allow_null=True)
    min_refresh_interval_seconds = serializers.IntegerField(allow_null=True)
    budget = serializers.CharField(allow_null=True)
    fact_types = serializers.ListField(child=serializers.CharField(), allow_null=True)
    tags_match = serializers.CharField(allow_null=True)
    tag_groups = serializers.ListField(child=serializers.DictField(), allow_null=True)
    recall_max_tokens = serializers.IntegerField(allow_null=True)
    response_schema = serializers.DictField(allow_null=True)


class MentalModelOutput(Output):
    # Editable fields only: new content must not refuse an edit.
    etag = staticmethod(lambda shown: mental_models.read_version(shown.model))

    id = serializers.CharField(source="model.key")
    name = serializers.CharField(source="model.name")
    source_query = serializers.CharField(source="model.source_query")
    tags = serializers.ListField(source="model.tags", child=serializers.CharField())
    max_tokens = serializers.IntegerField(source="model.max_tokens")
    trigger = TriggerOutput(source="model.trigger")
    content = serializers.CharField(source="model.content", help_text="Empty before the first refresh.")
    revision = serializers.IntegerField(
        source="model.revision", help_text="Revision of the content; 0 before the first."
    )
    is_stale = serializers.BooleanField(
        help_text="The scope has new memories, or a memory that the content rests on was closed."
    )
    last_refreshed_at = serializers.DateTimeField(source="model.refreshed_at", allow_null=True)
    next_refresh_at = serializers.DateTimeField(
        source="model.next_refresh_at", allow_null=True, help_text="The next moment of its schedule."
    )
    last_memory_seen_at = serializers.DateTimeField(source="model.seen_until", allow_null=True)
    last_refresh_failed_at = serializers.DateTimeField(
        source="model.failed_at",
        allow_null=True,
        help_text="While it is set, automatic refreshes pause.",
    )
    created_at = serializers.DateTimeField(source="model.created_at")
    updated_at = serializers.DateTimeField(source="model.updated_at")


class MentalModelCreatedOutput(MentalModelOutput):
    operation_id = serializers.UUIDField(help_text="The operation that writes the content.")


class MentalModelRevisionOutput(Output):
    number = serializers.IntegerField()
    source_query = serializers.CharField()
    content = serializers.CharField()
    structured = serializers.JSONField(help_text="The content in the trigger's response_schema; null without one.")
    engine = serializers.CharField(help_text="The engine that wrote it; empty if it was cleared.")
    withdrawn = serializers.BooleanField(help_text="A memory that it rested on was deleted, so its text is gone.")
    created_at = serializers.DateTimeField()


class ModelRefreshedOutput(Output):
    operation_id = serializers.UUIDField()


class MentalModelsView(TenantView):
    @route(
        "list_mental_models", "List mental models, newest first", list_of(MentalModelOutput), query=MentalModelListInput
    )
    def get(self, bank_id: str, wanted: dict[str, Any]) -> object:
        with bank_transaction(self.access, bank_id) as bank:
            rows = MentalModel.objects.of_bank(bank)
            if wanted.get("tags"):
                rows = rows.filter(build_tags_filter(wanted["tags"], wanted["tags_match"]))
            listed = list_rows(rows, wanted, of=bank.id)
            shown = mental_models.show_models(bank, listed.items)
            return vars(listed) | {"items": shown}

    @idempotent
    @route("create_mental_model", "Create a mental model", MentalModelCreatedOutput, 201, body=MentalModelInput)
    def post(self, bank_id: str, body: MentalModelInput) -> object:
        """Reflect writes its content in the background. Without a language model, it quotes the best memories."""
        shown, operation = mental_models.create_model(
            self.access, bank_id, body.validated_data.get("id"), body.change()
        )
        return SimpleNamespace(**vars(shown), operation_id=operation.id)


class MentalModelView(TenantView):
    scopes: ClassVar[dict[str, str]] = {"PATCH": "write read"}  # the response shows the resource

    @route("get_mental_model", "Get a mental model", MentalModelOutput)
    def get(self, bank_id: str, model_id: str) -> object:
        with bank_transaction(self.access, bank_id) as bank:
            (shown,) = mental_models.show_models(bank, [mental_models.get_model(bank, model_id)])
            return shown

    @route(
        "change_mental_model",
        "Change the given fields of a mental model",
        MentalModelOutput,
        body=MentalModelChangeInput,
        if_match=True,
    )
    def patch(self, bank_id: str, model_id: str, body: MentalModelChangeInput) -> object:
        """The content stays until the next refresh."""
        return mental_models.change_model(self.access, bank_id, model_id, body.change(), expected=self.expected)

    @route("delete_mental_model", "Delete a mental model with its history", None, 204, if_match=True)
    def delete(self, bank_id: str, model_id: str) -> None:
        mental_models.delete_model(self.access, bank_id, model_id, expected=self.expected)


class RefreshModelView(TenantView):
    @idempotent
    @route("refresh_mental_model", "Refresh a mental model", ModelRefreshedOutput, 202, body=ModelRefreshInput)
    def post(self, bank_id: str, model_id: str, body: ModelRefreshInput) -> object:
        operation = mental_models.refresh_model(
            self.access, bank_id, model_id, mode=body.validated_data.get("mode", "")
        )
        return {"operation_id": operation.id}


class ClearModelView(TenantView):
    scopes: ClassVar[dict[str, str]] = {"POST": "write read"}  # the response shows the resource

    @idempotent
    @route("clear_mental_model", "Clear a mental model", MentalModelOutput)
    def post(self, bank_id: str, model_id: str) -> object:
        """Earlier contents stay in its history."""
        return mental_models.clear_model(self.access, bank_id, model_id)


class ModelRevisionsView(TenantView):
    @route(
        "list_mental_model_revisions",
        "List the revisions of a mental model, newest first",
        list_of(MentalModelRevisionOutput),
        query=ListInput,
    )
    def get(self, bank_id: str, model_id: str, wanted: dict[str, Any]) -> object:
        with bank_transaction(self.access, bank_id) as bank:
            model = mental_models.get_model(bank, model_id)
            rows = MentalModelRevision.objects.of_model(model)
            return list_rows(rows, wanted, of=model.id)
