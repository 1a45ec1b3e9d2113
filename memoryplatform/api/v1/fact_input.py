"""Facts that the caller extracted, in a retain call: their entities, relations and causes."""

from datetime import datetime
from typing import Any

from drf_spectacular.extensions import OpenApiSerializerFieldExtension
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.utils import Direction, extend_schema_field
from rest_framework import serializers

from banks.enums import EntityKind, Kind, Network
from banks.types import Cause, CauseType, ExtractedFact, FoundEntity, FoundRelationship
from memoryplatform.api.serializers import ConfidenceField, Input
from memoryplatform.api.v1.fields import TimeField

LONGEST_FACT = 100_000
NETWORKS = [Network.WORLD.value, Network.EXPERIENCE.value, Network.OPINION.value]


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
