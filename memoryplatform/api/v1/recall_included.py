"""What comes along with the results of a recall."""

from collections.abc import Collection
from typing import Any

from rest_framework import serializers

from memoryplatform.api.serializers import Output
from retrieval.includes.types import Included, IncludedEntity
from retrieval.types import Include


class EntityStateOutput(Output):
    entity_id = serializers.UUIDField()
    bank_id = serializers.CharField()
    canonical_name = serializers.CharField()
    observations = serializers.ListField(child=serializers.DictField())
    kind = serializers.CharField()
    summary = serializers.CharField(
        help_text="Empty under a filter, `as_of` or `known_at`: it is made of all that is known of the entity today. "
        "`types` with both world and experience is no such filter."
    )
    mention_count = serializers.IntegerField(help_text="Under a filter, the mentions among the results.")


class ChunkOutput(Output):
    id = serializers.UUIDField()
    text = serializers.CharField()
    chunk_index = serializers.IntegerField(help_text="Its place in the document or episode, from 0.")
    truncated = serializers.BooleanField()
    heading = serializers.CharField()
    document_id = serializers.CharField()


class SourceMessageOutput(Output):
    id = serializers.UUIDField()
    name = serializers.CharField()
    role = serializers.CharField()
    content = serializers.CharField()
    timestamp = serializers.DateTimeField()
    unit_ids = serializers.ListField(child=serializers.UUIDField())
    is_neighbour = serializers.BooleanField(help_text="Said just before or after one that is quoted.")


class LinkOutput(Output):
    source_id = serializers.UUIDField()
    target_id = serializers.UUIDField()
    type = serializers.CharField()
    weight = serializers.FloatField()


class IncludedOutput(Output):
    """Each null where it was not asked for."""

    entities = serializers.DictField(
        child=EntityStateOutput(),
        allow_null=True,
        help_text="By name. Where several have the same, those after the first by name and bank, or by name and id.",
    )
    chunks = serializers.DictField(child=ChunkOutput(), allow_null=True, help_text="By id.")
    source_messages = serializers.DictField(child=SourceMessageOutput(), allow_null=True, help_text="By id.")
    links = LinkOutput(many=True, allow_null=True)


def describe_included(included: Included, wanted: Include) -> dict[str, Any]:
    return {
        "entities": None if wanted.entities is None else describe_entities(included),
        "chunks": None if wanted.chunks is None else describe_chunks(included),
        "source_messages": None if wanted.source_messages is None else describe_messages(included),
        "links": describe_links(included) if wanted.links else None,
    }


def describe_entities(included: Included) -> dict[str, Any]:
    """Two banks may know somebody of the same name, and one bank a person and a place: none hides another."""
    described: dict[str, Any] = {}
    for entity in included.entities:
        described[choose_key(entity, described)] = {
            "entity_id": entity.id,
            "bank_id": entity.bank_id,
            "canonical_name": entity.name,
            "observations": [],
            "kind": entity.kind,
            "summary": entity.text,
            "mention_count": entity.mention_count,
        }
    return described


def choose_key(entity: IncludedEntity, taken: Collection[str]) -> str:
    if entity.name not in taken:
        return entity.name
    of_bank = f"{entity.name} ({entity.bank_id})"
    return of_bank if of_bank not in taken else f"{entity.name} ({entity.id})"


def describe_chunks(included: Included) -> dict[str, Any]:
    """A chunk comes whole or not at all."""
    return {
        str(chunk.id): {
            "id": chunk.id,
            "text": chunk.text,
            "chunk_index": chunk.position,
            "truncated": False,
            "heading": chunk.heading,
            "document_id": chunk.document_id,
        }
        for chunk in included.chunks
    }


def describe_messages(included: Included) -> dict[str, Any]:
    return {
        str(message.id): {
            "id": message.id,
            "name": message.speaker,
            "role": message.role,
            "content": message.text,
            "timestamp": message.said_at,
            "unit_ids": message.unit_ids,
            "is_neighbour": message.is_neighbour,
        }
        for message in included.messages
    }


def describe_links(included: Included) -> list[dict[str, Any]]:
    return [
        {"source_id": one.source_id, "target_id": one.target_id, "type": one.type, "weight": one.weight}
        for one in included.links
    ]
