"""What comes in and goes out where memories are retained."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from banks.retain.input import GivenMessage, RetainItem
from memoryplatform.api.serializers import FieldFault, Input, Output
from memoryplatform.api.v1.fact_shapes import MOST_FACTS, EntityField, FactInput, build_fact, check_causes
from memoryplatform.api.v1.labels import MetadataField, TagsField
from memoryplatform.api.v1.moments import MomentField
from memoryplatform.operations.models import Operation

FORMS = ("content", "messages", "facts")


def check_not_blank(value: str) -> None:
    if not value.strip():
        raise serializers.ValidationError("This field may not be blank.", code="blank")


@dataclass(frozen=True)
class ReadMessages:
    """What can be kept of a conversation, and what is wrong with the rest, by its place."""

    good: tuple[dict[str, Any], ...]
    faults: Mapping[str, Any]


class MessageInput(Input):
    role = serializers.ChoiceField(choices=["user", "assistant", "system", "tool"])
    content = serializers.CharField(trim_whitespace=False, validators=[check_not_blank])
    name = serializers.CharField(max_length=200, required=False, default="", allow_blank=True)
    actor = serializers.CharField(max_length=200, required=False, default="", allow_blank=True)
    timestamp = MomentField(required=False)
    thread = serializers.CharField(
        max_length=200, required=False, default="", allow_blank=True, help_text="The item's where left out."
    )


@extend_schema_field(MessageInput(many=True))
class MessagesField(serializers.Field[ReadMessages, Any, Any, Any]):
    """Each message stands for itself: a blank one is left out and told of, and takes no other with it."""

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
    """It becomes part of a path: these would lead somewhere else there, or nowhere."""
    if value != value.strip() or not value.isprintable():
        raise serializers.ValidationError("Must not have control characters, nor spaces at its ends.")
    parts = value.split("/")
    if {".", ".."}.intersection(parts) or parts[1:][-1:] == ["chunks"]:
        raise serializers.ValidationError("Must not have '.' or '..' between slashes, nor end in '/chunks'.")


def check_place(item: Mapping[str, Any]) -> None:
    """A conversation goes on in its thread; a text or facts are a document. What has no meaning is not passed over."""
    if "messages" in item:
        for name in ("document_id", "update_mode"):
            if item.get(name):
                raise serializers.ValidationError({name: ["Goes with content or facts: messages have a thread."]})
    elif item.get("thread"):
        raise serializers.ValidationError({"thread": ["Goes with messages: content and facts have a document_id."]})


class ItemInput(Input):
    """A conversation (`messages`), a text (`content`), or `facts` that the caller extracted: one of them."""

    content = serializers.CharField(required=False, trim_whitespace=False, validators=[check_not_blank])
    messages = MessagesField(required=False)
    facts = serializers.ListField(child=FactInput(), required=False, min_length=1, max_length=MOST_FACTS)
    thread = serializers.CharField(max_length=200, required=False, allow_blank=True)
    timestamp = MomentField(
        required=False, allow_null=True, help_text="When it was said or written; now where left out."
    )
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
        help_text="Sent again, it replaces what it was.",
    )
    update_mode = serializers.ChoiceField(choices=["replace", "append"], required=False, allow_null=True)
    tags = TagsField(required=False, allow_null=True)
    metadata = MetadataField(required=False, allow_null=True)
    entities = serializers.ListField(child=EntityField(), required=False, allow_null=True, max_length=1_000)
    infer = serializers.BooleanField(default=True, help_text="False stores the text without taking facts from it.")

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if sum(form in attrs for form in FORMS) != 1:
            raise serializers.ValidationError("Give either content or messages or facts.")
        check_place(attrs)
        check_causes(attrs.get("facts", []))
        return attrs


@dataclass(frozen=True)
class ItemFaults:
    """What is wrong with an item; `is_accepted` where the rest of it is kept."""

    index: int
    faults: serializers.ValidationError
    is_accepted: bool


@dataclass(frozen=True)
class ReadItems:
    """What can be retained, and what is wrong with the rest."""

    good: tuple[RetainItem, ...]
    faults: tuple[ItemFaults, ...]


def read_items(given: Sequence[Any]) -> ReadItems:
    """By one reader for all: to make one for each of a thousand items takes seconds."""
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
class ItemList(serializers.ListField):
    """Described as what they are, checked one by one later: a bad item must not take the others with it."""

    child = serializers.JSONField(allow_null=True)


class RetainInput(Input):
    items = ItemList(min_length=1, max_length=1_000)

    def get_fields(self) -> dict[str, Any]:
        """`async` is a word of Python, so it can't be written as an attribute."""
        return super().get_fields() | {"async": serializers.BooleanField(default=False)}


class ItemFault(Output):
    index = serializers.IntegerField(help_text="Which item of the call.")
    accepted = serializers.BooleanField(help_text="Whether the rest of the item is kept without what is at fault.")
    faults = FieldFault(many=True)


class UsageOutput(Output):
    input_tokens = serializers.IntegerField()
    output_tokens = serializers.IntegerField()
    calls = serializers.IntegerField()


class RetainOutput(Output):
    success = serializers.BooleanField()
    bank_id = serializers.CharField()
    items_count = serializers.IntegerField(help_text="Items that were accepted.")
    item_errors = ItemFault(
        many=True, help_text="Items and messages that were not, and why; the others are not touched by it."
    )
    operation_id = serializers.UUIDField()
    status = serializers.ChoiceField(choices=Operation.Status.choices)
    unit_ids = serializers.ListField(child=serializers.UUIDField(), help_text="New memories, where they are there yet.")
    errors = serializers.ListField(  # type: ignore[assignment]  # the wire's name, not DRF's attribute
        child=serializers.CharField(), help_text="Passages whose facts could not be read."
    )
    notes = serializers.ListField(
        child=serializers.CharField(),
        help_text="Sources that were deleted or replaced before their memories were made.",
    )
    usage = UsageOutput(allow_null=True)

    def get_fields(self) -> dict[str, Any]:
        return super().get_fields() | {"async": serializers.BooleanField()}
