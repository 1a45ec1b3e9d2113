"""Mental models as they come in and go out."""

import re
from typing import Any, get_args

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from banks.words import Network
from memoryplatform.api.serializers import Input, Output
from memoryplatform.api.v1.labels import TagsField
from memoryplatform.api.v1.lists import ListInput, ListOutput
from memoryplatform.api.v1.reflect_input import MOST_MEMORY_TOKENS, ResponseSchemaField
from memoryplatform.api.v1.tag_conditions import MATCHES, MOST_CONDITIONS, TagGroupsField
from memoryplatform.operations.mental_models.keeping import MentalModelChange
from reflection.mental_models.trigger import Mode
from reflection.models.mental_model import LEAST_TOKENS, MOST_TOKENS
from reflection.models.tagged import ScopeMatch
from reflection.reflect.types import BOUNDS
from retrieval.query.cleaning import clean_query
from retrieval.query.errors import QueryWithoutWords

KEY = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,199}")
LONGEST_QUERY = 10_000
LONGEST_INTERVAL = 366 * 24 * 3_600


def check_key(value: str) -> None:
    if not KEY.fullmatch(value):
        raise serializers.ValidationError("Must be 1 to 200 letters, digits, dots, hyphens or underscores.")


@extend_schema_field({"type": "array", "maxItems": MOST_CONDITIONS, "items": {"type": "object"}})
class WrittenTagGroups(TagGroupsField):
    """Checked, and kept as it came."""

    def to_internal_value(self, data: Any) -> Any:
        super().to_internal_value(data)
        return data


class TriggerInput(Input):
    mode = serializers.ChoiceField(
        choices=get_args(Mode),
        required=False,
        help_text="delta leaves the content as it is where no memory in its scope is new. full is the default.",
    )
    refresh_after_consolidation = serializers.BooleanField(
        required=False, help_text="Written anew whenever memories in its scope came. Default false."
    )
    min_refresh_interval_seconds = serializers.IntegerField(
        min_value=0,
        max_value=LONGEST_INTERVAL,
        required=False,
        allow_null=True,
        help_text="Between two refreshes that nobody asked for.",
    )
    budget = serializers.ChoiceField(
        choices=list(BOUNDS), required=False, allow_null=True, help_text="That of reflect; mid where left out."
    )
    fact_types = serializers.ListField(
        child=serializers.ChoiceField(choices=[network.value for network in Network]), required=False, allow_null=True
    )
    tags_match = serializers.ChoiceField(
        choices=MATCHES,
        required=False,
        allow_null=True,
        help_text="How its tags choose memories; all_strict where left out.",
    )
    tag_groups = WrittenTagGroups(required=False, allow_null=True, help_text="In place of its tags.")
    recall_max_tokens = serializers.IntegerField(
        min_value=0,
        max_value=MOST_MEMORY_TOKENS,
        required=False,
        allow_null=True,
        help_text="Of the memories that it is made from; 4,096 where left out.",
    )
    response_schema = ResponseSchemaField(
        required=False, allow_null=True, help_text="The content comes by this JSON schema too."
    )


class MentalModelChangeInput(Input):
    name = serializers.CharField(max_length=200, required=False)
    source_query = serializers.CharField(max_length=LONGEST_QUERY, required=False)
    tags = TagsField(required=False, help_text="Of the memories that it is made from; empty: of all.")
    max_tokens = serializers.IntegerField(
        min_value=LEAST_TOKENS, max_value=MOST_TOKENS, required=False, help_text="Of the content; 2,048 if left out."
    )
    trigger = TriggerInput(required=False, help_text="The given settings change.")

    def validate_source_query(self, value: str) -> str:
        try:
            clean_query(value)
        except QueryWithoutWords as error:
            raise serializers.ValidationError(str(error), code=error.code) from error
        return value

    def change(self) -> MentalModelChange:
        given = {name: value for name, value in self.validated_data.items() if name != "id"}
        if "tags" in given:
            given["tags"] = list(dict.fromkeys(given["tags"]))
        if "trigger" in given:
            given["trigger"] = dict(given["trigger"])
        return MentalModelChange(**given)


class MentalModelInput(MentalModelChangeInput):
    id = serializers.CharField(
        required=False, validators=[check_key], help_text="Your own name for it; made up where left out."
    )
    name = serializers.CharField(max_length=200)
    source_query = serializers.CharField(
        max_length=LONGEST_QUERY, help_text="The question whose answer is the content."
    )


class MentalModelListInput(ListInput):
    tags = TagsField(required=False, help_text="Those that fit these tags; one without tags fits always.")
    tags_match = serializers.ChoiceField(choices=get_args(ScopeMatch), default="any")


class ModelRefreshInput(Input):
    mode = serializers.ChoiceField(choices=["full"], required=False, help_text="Written anew whatever the mode says.")


class TriggerOutput(Output):
    mode = serializers.CharField()
    refresh_after_consolidation = serializers.BooleanField()
    min_refresh_interval_seconds = serializers.IntegerField(allow_null=True)
    budget = serializers.CharField(allow_null=True)
    fact_types = serializers.ListField(child=serializers.CharField(), allow_null=True)
    tags_match = serializers.CharField(allow_null=True)
    tag_groups = serializers.ListField(child=serializers.DictField(), allow_null=True)
    recall_max_tokens = serializers.IntegerField(allow_null=True)
    response_schema = serializers.DictField(allow_null=True)


class MentalModelOutput(Output):
    id = serializers.CharField(source="model.key")
    name = serializers.CharField(source="model.name")
    source_query = serializers.CharField(source="model.source_query")
    tags = serializers.ListField(source="model.tags", child=serializers.CharField())
    max_tokens = serializers.IntegerField(source="model.max_tokens")
    trigger = TriggerOutput(source="model.trigger")
    content = serializers.CharField(source="model.content", help_text="Empty before the first refresh is done.")
    revision = serializers.IntegerField(source="model.revision", help_text="Of the content; 0 before the first.")
    is_stale = serializers.BooleanField(
        help_text="Memories in its scope came that the content has not seen, or one that it was made from is over."
    )
    last_refreshed_at = serializers.DateTimeField(source="model.refreshed_at", allow_null=True)
    last_memory_seen_at = serializers.DateTimeField(source="model.seen_until", allow_null=True)
    last_refresh_failed_at = serializers.DateTimeField(
        source="model.failed_at",
        allow_null=True,
        help_text="While it is set, only a refresh that is asked for is made.",
    )
    created_at = serializers.DateTimeField(source="model.created_at")
    updated_at = serializers.DateTimeField(source="model.updated_at")


class MentalModelCreatedOutput(MentalModelOutput):
    operation_id = serializers.UUIDField(help_text="The operation that writes the content.")


class MentalModelListOutput(ListOutput):
    items = MentalModelOutput(many=True)


class MentalModelRevisionOutput(Output):
    number = serializers.IntegerField()
    source_query = serializers.CharField()
    content = serializers.CharField()
    structured = serializers.JSONField(help_text="By the trigger's response_schema; null where it has none.")
    engine = serializers.CharField(help_text="What wrote it; empty where it was cleared.")
    withdrawn = serializers.BooleanField(help_text="A memory that it was made from was deleted, so its words are gone.")
    created_at = serializers.DateTimeField()


class MentalModelRevisionListOutput(ListOutput):
    items = MentalModelRevisionOutput(many=True)


class ModelRefreshedOutput(Output):
    operation_id = serializers.UUIDField()
