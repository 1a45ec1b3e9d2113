"""The items of a retain call: conversations, texts, and facts that the caller extracted."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from banks.retain.changes import MOST_CHANGES, ChangeKind
from banks.retain.input import GivenMessage, RetainItem
from memoryplatform.api.serializers import FieldFault, Input, Output
from memoryplatform.api.v1.banks import ExtractionSettingsInput
from memoryplatform.api.v1.fact_input import EntityField, FactInput, build_fact, check_causes
from memoryplatform.api.v1.fields import MetadataField, TagsField, TimeField
from memoryplatform.api.v1.operations import UsageOutput
from memoryplatform.operations.models import Operation

MOST_FACTS = 1_000  # per item
SOURCE_FIELDS = ("content", "messages", "facts")


def check_not_blank(value: str) -> None:
    if not value.strip():
        raise serializers.ValidationError("This field may not be blank.", code="blank")


@dataclass(frozen=True)
class ReadMessages:
    """The valid messages of a conversation, and the faults of the others by index."""

    good: tuple[dict[str, Any], ...]
    faults: Mapping[str, Any]


class MessageInput(Input):
    role = serializers.ChoiceField(choices=["user", "assistant", "system", "tool"])
    content = serializers.CharField(trim_whitespace=False, validators=[check_not_blank])
    name = serializers.CharField(max_length=200, required=False, default="", allow_blank=True)
    actor = serializers.CharField(max_length=200, required=False, default="", allow_blank=True)
    timestamp = TimeField(required=False)
    thread = serializers.CharField(
        max_length=200, required=False, default="", allow_blank=True, help_text="Default: the item's."
    )


@extend_schema_field(MessageInput(many=True))
class MessagesField(serializers.Field[ReadMessages, Any, Any, Any]):
    """Messages are independent: an invalid one is left out and reported."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.reader = MessageInput()

    def to_internal_value(self, data: Any) -> ReadMessages:
        if not isinstance(data, list) or not data:
            raise serializers.ValidationError("Must be a list of at least one message.")
        good, faults = [], {}
        for place, message in enumerate(data):
            try:
                good.append(self.reader.run_validation(message))
            except serializers.ValidationError as fault:
                faults[str(place)] = fault.detail
        if not good:
            raise serializers.ValidationError(faults)
        return ReadMessages(tuple(good), faults)


def check_document_id(value: str) -> None:
    """Refuses ids that would break a path."""
    if value != value.strip() or not value.isprintable():
        raise serializers.ValidationError("Must not have control characters, nor spaces at its ends.")
    parts = value.split("/")
    if {".", ".."}.intersection(parts) or parts[1:][-1:] == ["chunks"]:
        raise serializers.ValidationError("Must not have '.' or '..' between slashes, nor end in '/chunks'.")


def check_thread_or_document(item: Mapping[str, Any]) -> None:
    """Messages have a thread; a text or facts have a document. Refuses the field that does not apply."""
    if "messages" in item:
        for name in ("document_id", "update_mode"):
            if item.get(name):
                raise serializers.ValidationError({name: ["Needs content or facts: messages have a thread."]})
    elif item.get("thread"):
        raise serializers.ValidationError({"thread": ["Needs messages: content and facts have a document_id."]})


class ItemInput(Input):
    """Exactly one of a conversation (`messages`), a text (`content`), or `facts` that the caller extracted."""

    content = serializers.CharField(required=False, trim_whitespace=False, validators=[check_not_blank])
    messages = MessagesField(required=False)
    facts = serializers.ListField(child=FactInput(), required=False, min_length=1, max_length=MOST_FACTS)
    thread = serializers.CharField(max_length=200, required=False, allow_blank=True)
    timestamp = TimeField(required=False, allow_null=True, help_text="The time of the statement. Default: now.")
    context = serializers.CharField(  # type: ignore[assignment]  # the wire's name, not DRF's attribute
        max_length=2_000, required=False, allow_null=True, allow_blank=True
    )
    document_id = serializers.CharField(
        max_length=500,
        required=False,
        allow_null=True,
        allow_blank=True,
        trim_whitespace=False,
        validators=[check_document_id],
        help_text="Retaining the same id again replaces the document.",
    )
    update_mode = serializers.ChoiceField(choices=["replace", "append"], required=False, allow_null=True)
    tags = TagsField(required=False, allow_null=True)
    metadata = MetadataField(required=False, allow_null=True)
    entities = serializers.ListField(child=EntityField(), required=False, allow_null=True, max_length=1_000)
    infer = serializers.BooleanField(default=True, help_text="False stores the text without extracting facts.")

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if sum(form in attrs for form in SOURCE_FIELDS) != 1:
            raise serializers.ValidationError("Give either content or messages or facts.")
        check_thread_or_document(attrs)
        check_causes(attrs.get("facts", []))
        return attrs


@dataclass(frozen=True)
class ItemFaults:
    """The faults of an item. `is_accepted`: the rest of the item is stored."""

    index: int
    faults: serializers.ValidationError
    is_accepted: bool


@dataclass(frozen=True)
class ReadItems:
    """The valid items, and the faults of the others."""

    good: tuple[RetainItem, ...]
    faults: tuple[ItemFaults, ...]


def read_items(given: Sequence[Any]) -> ReadItems:
    """Uses one serializer for all items, because building one for each of 1,000 takes seconds."""
    reader = ItemInput()
    good: list[RetainItem] = []
    faults: list[ItemFaults] = []
    for index, item in enumerate(given):
        try:
            read = reader.run_validation(item)
        except serializers.ValidationError as fault:
            faults.append(ItemFaults(index, fault, is_accepted=False))
            continue
        good.append(build_item(read))
        if "messages" in read and (left_out := read["messages"].faults):
            faults.append(ItemFaults(index, serializers.ValidationError({"messages": left_out}), is_accepted=True))
    return ReadItems(tuple(good), tuple(faults))


def build_item(validated: Mapping[str, Any]) -> RetainItem:
    given = {name: value for name, value in validated.items() if value is not None}
    said_at = given.get("timestamp") or timezone.now()
    return RetainItem(
        said_at=said_at,
        is_dated=given.get("timestamp") is not None,
        text=given.get("content", ""),
        messages=tuple(build_message(message, said_at) for message in given["messages"].good)
        if "messages" in given
        else (),
        facts=tuple(build_fact(fact, said_at=said_at) for fact in given.get("facts", ())),
        thread=given.get("thread", ""),
        document_id=given.get("document_id", ""),
        update_mode=given.get("update_mode", "replace"),
        infer=given["infer"],
        context=given.get("context", ""),
        tags=tuple(given.get("tags", ())),
        metadata=dict(given.get("metadata", {})),
        entities=tuple(given.get("entities", ())),
    )


def build_message(given: dict[str, Any], said_at: datetime) -> GivenMessage:
    return GivenMessage(
        role=given["role"],
        content=given["content"],
        said_at=given.get("timestamp") or said_at,
        name=given["name"],
        actor=given["actor"],
        thread=given["thread"],
    )


@extend_schema_field(ItemInput(many=True))
class ItemListField(serializers.ListField):
    """Documented as `ItemInput`; `read_items` validates the items one by one, so that one fault does not refuse all."""

    child = serializers.JSONField(allow_null=True)


class RetainInput(Input):
    items = ItemListField(min_length=1, max_length=1_000)
    dry_run = serializers.BooleanField(
        default=False, help_text="Store nothing, and return what would be stored. Needs the scope read too."
    )
    settings = ExtractionSettingsInput(
        required=False, help_text="Of a dry run: in place of the bank's own settings, to compare them."
    )

    def get_fields(self) -> dict[str, Any]:
        """`async` is a Python keyword, so it can't be an attribute."""
        return super().get_fields() | {"async": serializers.BooleanField(default=False)}

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if "settings" in attrs and not attrs["dry_run"]:
            raise serializers.ValidationError({"settings": ["Needs dry_run: a retain follows the bank's settings."]})
        if attrs["async"] and attrs["dry_run"]:
            raise serializers.ValidationError({"async": ["A dry run is no operation: leave it out."]})
        return attrs


class ItemFaultOutput(Output):
    index = serializers.IntegerField(help_text="The index of the item in the call.")
    accepted = serializers.BooleanField(help_text="The item is stored without the faulty part.")
    faults = FieldFault(many=True)


class RetainChangeOutput(Output):
    memory_id = serializers.UUIDField()
    change = serializers.ChoiceField(
        choices=[one.value for one in ChangeKind],
        help_text="`ended`: no longer true. `scheduled`: it will end on a known date. `corrected`: it was never true. "
        "`merged`: its text holds the new fact too.",
    )
    superseded_by = serializers.UUIDField(allow_null=True, help_text="The memory that replaces it.")


class RetainOutput(Output):
    success = serializers.BooleanField()
    bank_id = serializers.CharField()
    items_count = serializers.IntegerField(help_text="The number of accepted items.")
    item_errors = ItemFaultOutput(many=True, help_text="Refused items and messages, with the reasons.")
    operation_id = serializers.UUIDField()
    status = serializers.ChoiceField(choices=Operation.Status.choices)
    unit_ids = serializers.ListField(
        child=serializers.UUIDField(), help_text="New memories, if the call waited for them."
    )
    errors = serializers.ListField(  # type: ignore[assignment]  # the wire's name, not DRF's attribute
        child=serializers.CharField(), help_text="Passages whose extraction failed."
    )
    notes = serializers.ListField(
        child=serializers.CharField(),
        help_text="Sources that were deleted or replaced before extraction; what the bank's protection did.",
    )
    quarantined = serializers.ListField(
        child=serializers.UUIDField(), help_text="Items that wait for a review: see docs/protection.md."
    )
    changes = RetainChangeOutput(
        many=True, help_text=f"Known memories that the call changed; the first {MOST_CHANGES}."
    )
    change_count = serializers.IntegerField(help_text="The number of all changes.")
    usage = UsageOutput(
        allow_null=True, help_text="Of all attempts, failed ones included. Null while no model was called."
    )

    def get_fields(self) -> dict[str, Any]:
        return super().get_fields() | {"async": serializers.BooleanField()}
