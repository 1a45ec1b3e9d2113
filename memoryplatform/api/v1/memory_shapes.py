"""What comes in and goes out at `/v1/banks/{bank_id}/memories`."""

from datetime import UTC, datetime
from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from banks.models import MemoryUnit
from banks.retain.input import GivenMessage, RetainItem
from banks.retain.types import EntityKind, FoundEntity
from memoryplatform.api.pagination import PageInput
from memoryplatform.api.serializers import FieldFault, Input, Output
from memoryplatform.operations.models import Operation

EARLIEST, LATEST = datetime(1900, 1, 1, tzinfo=UTC), datetime(2200, 1, 1, tzinfo=UTC)


def check_moment(value: datetime) -> None:
    if not EARLIEST <= value < LATEST:
        raise serializers.ValidationError("Must lie between the years 1900 and 2200.")


class EntityInput(Input):
    name = serializers.CharField(max_length=300)
    kind = serializers.ChoiceField(choices=[kind.value for kind in EntityKind], default=EntityKind.OTHER.value)


class MessageInput(Input):
    role = serializers.ChoiceField(choices=["user", "assistant", "system", "tool"])
    content = serializers.CharField(trim_whitespace=False)
    name = serializers.CharField(max_length=200, required=False, default="", allow_blank=True)
    actor = serializers.CharField(max_length=200, required=False, default="", allow_blank=True)
    timestamp = serializers.DateTimeField(required=False, validators=[check_moment])


class ItemInput(Input):
    """A conversation (`messages`) or a text (`content`), not both."""

    content = serializers.CharField(required=False, trim_whitespace=False)
    messages = MessageInput(many=True, required=False, allow_empty=False)
    thread = serializers.CharField(max_length=200, required=False, default="", allow_blank=True)
    timestamp = serializers.DateTimeField(
        required=False, validators=[check_moment], help_text="When it was said or written; now where left out."
    )
    context = serializers.CharField(  # type: ignore[assignment]  # the wire's name, not DRF's attribute
        max_length=2_000, required=False, default="", allow_blank=True
    )
    document_id = serializers.CharField(
        max_length=500, required=False, default="", allow_blank=True, help_text="Sent again, it replaces what it was."
    )
    update_mode = serializers.ChoiceField(choices=["replace", "append"], default="replace")
    tags = serializers.ListField(child=serializers.CharField(max_length=200), max_length=100, required=False)
    metadata = serializers.DictField(child=serializers.CharField(max_length=500, allow_blank=True), required=False)
    entities = EntityInput(many=True, required=False)
    infer = serializers.BooleanField(default=True, help_text="False stores the text without taking facts from it.")

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if ("content" in attrs) == ("messages" in attrs):
            raise serializers.ValidationError("Give either content or messages.")
        return attrs

    def item(self) -> RetainItem:
        given = self.validated_data
        said_at = given.get("timestamp") or timezone.now()
        return RetainItem(
            said_at=said_at,
            text=given.get("content", ""),
            messages=tuple(build_message(message, said_at) for message in given.get("messages", ())),
            thread=given["thread"],
            document_id=given["document_id"],
            update_mode=given["update_mode"],
            infer=given["infer"],
            context=given["context"],
            tags=tuple(given.get("tags", ())),
            metadata=dict(given.get("metadata", {})),
            entities=tuple(FoundEntity(one["name"], EntityKind(one["kind"])) for one in given.get("entities", ())),
        )


def build_message(given: dict[str, Any], said_at: datetime) -> GivenMessage:
    return GivenMessage(
        role=given["role"],
        content=given["content"],
        said_at=given.get("timestamp") or said_at,
        name=given["name"],
        actor=given["actor"],
    )


@extend_schema_field(ItemInput(many=True))
class ItemList(serializers.ListField):
    """Described as what they are, checked one by one later: a bad item must not take the others with it."""

    child = serializers.DictField()


class RetainInput(Input):
    items = ItemList(min_length=1, max_length=1_000)

    def get_fields(self) -> dict[str, Any]:
        """`async` is a word of Python, so it can't be written as an attribute."""
        return super().get_fields() | {"async": serializers.BooleanField(default=False)}


class ItemFault(Output):
    index = serializers.IntegerField(help_text="Which item of the call.")
    faults = FieldFault(many=True)


class UsageOutput(Output):
    input_tokens = serializers.IntegerField()
    output_tokens = serializers.IntegerField()
    calls = serializers.IntegerField()


class RetainOutput(Output):
    success = serializers.BooleanField()
    bank_id = serializers.CharField()
    items_count = serializers.IntegerField(help_text="Items that were accepted.")
    item_errors = ItemFault(many=True, help_text="Items that were not, and why; the others are not touched by it.")
    operation_id = serializers.UUIDField()
    status = serializers.ChoiceField(choices=Operation.Status.choices)
    unit_ids = serializers.ListField(child=serializers.UUIDField(), help_text="New memories, where they are there yet.")
    errors = serializers.ListField(  # type: ignore[assignment]  # the wire's name, not DRF's attribute
        child=serializers.CharField(), help_text="Passages whose facts could not be read."
    )
    usage = UsageOutput(allow_null=True)

    def get_fields(self) -> dict[str, Any]:
        return super().get_fields() | {"async": serializers.BooleanField()}


class SourceOutput(Output):
    message_id = serializers.UUIDField(allow_null=True)
    chunk_id = serializers.UUIDField(allow_null=True)
    start = serializers.IntegerField(allow_null=True)
    end = serializers.IntegerField(allow_null=True)
    role = serializers.CharField()


class UnitOutput(Output):
    id = serializers.UUIDField()
    text = serializers.CharField()
    type = serializers.CharField(source="network", help_text="world, experience, opinion or observation.")
    kind = serializers.CharField()
    context = serializers.CharField()  # type: ignore[assignment]  # the wire's name, not DRF's attribute
    occurred_start = serializers.DateTimeField(allow_null=True)
    occurred_end = serializers.DateTimeField(allow_null=True)
    mentioned_at = serializers.DateTimeField()
    confidence = serializers.FloatField(allow_null=True)
    importance = serializers.FloatField()
    proof_count = serializers.IntegerField()
    recorded_at = serializers.DateTimeField()


class UnitDetailOutput(UnitOutput):
    dimensions = serializers.DictField(child=serializers.CharField())
    sources = SourceOutput(many=True)


class UnitListOutput(Output):
    memories = UnitOutput(many=True)
    next_cursor = serializers.UUIDField(allow_null=True)


class UnitListInput(PageInput):
    type = serializers.ChoiceField(choices=MemoryUnit.Network.choices, required=False)
