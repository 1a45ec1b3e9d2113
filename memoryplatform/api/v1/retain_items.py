"""The items of a retain call: conversations, texts, and facts that the caller extracted."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils import timezone
from drf_spectacular.extensions import OpenApiSerializerFieldExtension
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.utils import Direction, extend_schema_field
from rest_framework import serializers

from banks.enums import EntityKind, Kind, Network
from banks.retain.changes import MOST_CHANGES, ChangeKind
from banks.retain.input import GivenMessage, RetainItem
from banks.types import Cause, CauseType, ExtractedFact, FoundEntity, FoundRelationship
from memoryplatform.api.serializers import ConfidenceField, FieldFault, Input, Output
from memoryplatform.api.v1.banks import ExtractionSettingsInput
from memoryplatform.api.v1.fields import MetadataField, TagsField, TimeField
from memoryplatform.api.v1.operations import UsageOutput
from memoryplatform.operations.models import Operation

MOST_FACTS = 1_000  # per item
LONGEST_FACT = 100_000
NETWORKS = [Network.WORLD.value, Network.EXPERIENCE.value, Network.OPINION.value]
SOURCE_FIELDS = ("content", "messages", "facts")


class EntityInput(Input):
    """A name and a kind; `text` and `type` are accepted as synonyms."""

    name = serializers.CharField(max_length=300, required=False)
    kind = serializers.CharField(max_length=100, required=False, help_text=", ".join(EntityKind))
    text = serializers.CharField(max_length=300, required=False)
    type = serializers.CharField(max_length=100, required=False, allow_null=True, allow_blank=True)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        name = attrs.get("name") or attrs.get("text")
        if name is None:
            raise serializers.ValidationError({"name": ["This field is required."]})
        given = attrs.get("kind") or attrs.get("type") or ""
        return {"name": name, "kind": read_kind(given), "is_stated": given.upper() in set(EntityKind)}


def read_kind(given: str) -> EntityKind:
    """Unknown kinds become OTHER."""
    return EntityKind(given.upper()) if given.upper() in set(EntityKind) else EntityKind.OTHER


class EntityField(serializers.Field[FoundEntity, Any, Any, Any]):
    """A name alone, or a name with its kind."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.reader = EntityInput()

    def to_internal_value(self, data: Any) -> FoundEntity:
        given = self.reader.run_validation({"name": data} if isinstance(data, str) else data)
        return FoundEntity(**given)


class EntityFieldShape(OpenApiSerializerFieldExtension):  # type: ignore[no-untyped-call]  # its stubs lack __init_subclass__
    """Resolves the component of `EntityInput`, so that OpenAPI contains the referenced schema."""

    target_class = EntityField

    def map_serializer_field(self, auto_schema: AutoSchema, direction: Direction) -> dict[str, Any]:
        named = auto_schema.resolve_serializer(EntityInput, direction).ref
        return {"oneOf": [{"type": "string"}, named]}


class RelationInput(Input):
    subject = serializers.CharField(max_length=300)
    relation = serializers.CharField(max_length=100, help_text="Such as works_at, lives_in, favourite_colour.")
    object = serializers.CharField(max_length=300)
    object_is_value = serializers.BooleanField(default=False, help_text="blue or 3, which is no entity.")
    text = serializers.CharField(max_length=2_000, required=False, help_text="The sentence; generated if left out.")
    valid_from = TimeField(required=False, allow_null=True, default=None)
    valid_until = TimeField(required=False, allow_null=True, default=None)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        check_order(attrs["valid_from"], attrs["valid_until"], "valid_until")
        return attrs


class CauseInput(Input):
    target = serializers.IntegerField(min_value=0, help_text="Index of the other fact in the list, from 0.")
    relation_type = serializers.ChoiceField(choices=[one.value for one in CauseType])
    strength = serializers.FloatField(min_value=0.0, max_value=1.0, default=1.0)


@extend_schema_field({"type": "string", "oneOf": [{"const": one.value} for one in Kind]})
class KindField(serializers.ChoiceField):
    """Documented inline, because entities have another `kind` enum."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__([one.value for one in Kind], **kwargs)


class FactInput(Input):
    text = serializers.CharField(max_length=LONGEST_FACT, help_text="Readable without the source.")
    type = serializers.ChoiceField(choices=NETWORKS, default=Network.WORLD.value)
    kind = KindField(required=False, help_text="Default: event for a fact with a date, else conversation.")
    occurred_start = TimeField(required=False, allow_null=True, default=None)
    occurred_end = TimeField(required=False, allow_null=True, default=None, help_text="Exclusive.")
    mentioned_at = TimeField(required=False, allow_null=True, default=None, help_text="Default: the item's.")
    entities = serializers.ListField(child=EntityField(), required=False, max_length=200)
    relations = serializers.ListField(child=RelationInput(), required=False, max_length=100)
    causes = serializers.ListField(child=CauseInput(), required=False, max_length=100)
    confidence = ConfidenceField(required=False, allow_null=True, default=None)
    importance = serializers.FloatField(min_value=0.0, max_value=1.0, default=0.5)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if attrs["occurred_end"] and not attrs["occurred_start"]:
            raise serializers.ValidationError({"occurred_end": ["Needs occurred_start."]})
        check_order(attrs["occurred_start"], attrs["occurred_end"], "occurred_end")
        is_opinion = attrs["type"] == Network.OPINION
        if is_opinion != (attrs["confidence"] is not None):
            raise serializers.ValidationError(
                {"confidence": ["Required for opinions, and not allowed for other types."]}
            )
        return attrs


def check_order(start: datetime | None, end: datetime | None, name: str) -> None:
    if start and end and end < start:
        raise serializers.ValidationError({name: ["Ends before it begins."]})


def check_causes(facts: list[dict[str, Any]]) -> None:
    for place, fact in enumerate(facts):
        for cause in fact.get("causes", ()):
            if cause["target"] == place or cause["target"] >= len(facts):
                raise serializers.ValidationError({"facts": {str(place): {"causes": ["No such other fact."]}}})


def build_fact(given: dict[str, Any], *, said_at: datetime) -> ExtractedFact:
    relationships = tuple(build_relationship(one) for one in given.get("relations", ()))
    usual = Kind.EVENT if given["occurred_start"] else Kind.CONVERSATION
    return ExtractedFact(
        text=given["text"],
        network=Network(given["type"]),
        kind=Kind(given.get("kind", usual)),
        mentioned_at=given["mentioned_at"] or said_at,
        occurred_start=given["occurred_start"],
        occurred_end=given["occurred_end"],
        entities=add_related_entities(tuple(given.get("entities", ())), relationships),
        relationships=relationships,
        causes=tuple(
            Cause(one["target"], CauseType(one["relation_type"]), one["strength"]) for one in given.get("causes", ())
        ),
        confidence=given["confidence"],
        importance=given["importance"],
    )


def build_relationship(given: dict[str, Any]) -> FoundRelationship:
    sentence = f"{given['subject']} {given['relation'].replace('_', ' ')} {given['object']}."
    return FoundRelationship(**{"text": sentence} | given)


def add_related_entities(
    entities: tuple[FoundEntity, ...], relationships: tuple[FoundRelationship, ...]
) -> tuple[FoundEntity, ...]:
    """Adds the subjects and objects of the relationships to the fact's entities."""
    known = {entity.name for entity in entities}
    named = [name for one in relationships for name in (one.subject, "" if one.object_is_value else one.object)]
    return entities + tuple(FoundEntity(name) for name in dict.fromkeys(named) if name and name not in known)


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
