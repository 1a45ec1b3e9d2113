"""`/v1/banks/{bank_id}/entities` and `/relationships`: the people and things that memories mention."""

from functools import partial
from typing import Any, ClassVar
from uuid import UUID

from rest_framework import serializers, status
from rest_framework.response import Response

from banks.curation.splitting import Split
from banks.entities.mentions import has_letters
from banks.enums import EntityKind
from banks.extraction_settings import LONGEST_TYPE
from banks.models import Corpus
from memoryplatform.api.idempotency import idempotent
from memoryplatform.api.routes import route
from memoryplatform.api.serializers import Input, Output
from memoryplatform.api.v1 import lists
from memoryplatform.api.v1.fields import TimeField
from memoryplatform.api.views import TenantView, write_etag
from memoryplatform.operations import entities
from memoryplatform.operations.banks.profile import bank_transaction
from memoryplatform.operations.memories.memory_filter import check_entities

FILTERS = ("relation", "subject_id", "entity_id", "state", "as_of")
MOST_AT_ONCE = 1_000


class RelationshipOutput(Output):
    id = serializers.UUIDField()
    subject_id = serializers.UUIDField()
    relation = serializers.CharField()
    object_id = serializers.UUIDField(allow_null=True)
    value = serializers.CharField(help_text="The object, if it is no entity.")
    text = serializers.CharField()
    proof_count = serializers.IntegerField()
    mentioned_at = serializers.DateTimeField()
    valid_from = serializers.DateTimeField(allow_null=True)
    valid_until = serializers.DateTimeField(allow_null=True)
    recorded_at = serializers.DateTimeField()
    expired_at = serializers.DateTimeField(allow_null=True, help_text="When the relationship was closed.")
    close_reason = serializers.CharField()
    superseded_by = serializers.UUIDField(source="superseded_by_id", allow_null=True)


class FoundRelationshipOutput(RelationshipOutput, lists.ScoredOutput):
    pass


class RelationshipListInput(lists.SearchedListInput):
    relation = serializers.CharField(max_length=100, required=False)
    subject_id = serializers.UUIDField(required=False)
    entity_id = serializers.UUIDField(required=False, help_text="As subject or as object.")
    state = serializers.ChoiceField(choices=["current", "superseded", "all"], default="all")
    as_of = TimeField(required=False, help_text="Only what was true at this time.")


class RelationshipsView(TenantView):
    @route(
        "list_relationships",
        "List relationships with their validity, newest first, or search them by their text",
        lists.list_of(FoundRelationshipOutput, "RelationshipListOutput"),
        query=RelationshipListInput,
    )
    def get(self, bank_id: str, wanted: dict[str, Any]) -> object:
        given = {name: wanted[name] for name in FILTERS if name in wanted}
        with bank_transaction(self.access, bank_id) as bank:
            check_entities(bank, (wanted.get("subject_id"), wanted.get("entity_id")))
        find = partial(entities.find_relationships, wanted=entities.RelationshipFilter(**given))
        return lists.list_or_search(self.access, bank_id, find, Corpus.RELATIONSHIP, wanted)


def check_name(value: str) -> None:
    if not has_letters(value):
        raise serializers.ValidationError("Must have a letter or a digit.")


class EntityOutput(Output):
    id = serializers.UUIDField()
    canonical_name = serializers.CharField(source="name")
    kind = serializers.ChoiceField(choices=EntityKind.choices)
    type = serializers.CharField(help_text="One of the bank's own entity_types; empty without one.")
    is_speaker = serializers.BooleanField()
    mention_count = serializers.IntegerField()
    first_seen = serializers.DateTimeField(source="first_seen_at", allow_null=True)
    last_seen = serializers.DateTimeField(source="last_seen_at", allow_null=True)


class EntityMemoryOutput(Output):
    id = serializers.UUIDField()
    text = serializers.CharField(source="rendered_text")
    type = serializers.CharField(source="network")
    mentioned_at = serializers.DateTimeField()


class EntityDetailOutput(EntityOutput):
    aliases = serializers.ListField(child=serializers.CharField())
    summary = serializers.CharField()
    attributes = serializers.JSONField(help_text="Attributes from its current relationships.")
    memories = EntityMemoryOutput(many=True, help_text="The newest memories that mention it.")
    observations = EntityMemoryOutput(many=True)
    relationships = RelationshipOutput(many=True, help_text="The newest current relationships.")


class EntityListInput(lists.ListInput):
    kind = serializers.ChoiceField(choices=EntityKind.values, required=False, default="")
    type = serializers.CharField(
        max_length=LONGEST_TYPE, required=False, default="", help_text="One of the bank's own entity_types."
    )
    q = serializers.CharField(
        max_length=300, required=False, default="", help_text="The beginning of a word of the name."
    )

    def validate_q(self, value: str) -> str:
        return lists.check_words(value)


class EntityChangeInput(Input):
    canonical_name = serializers.CharField(max_length=300, required=False, validators=[check_name])
    kind = serializers.ChoiceField(choices=EntityKind.choices, required=False)


class MergeInput(Input):
    ids = serializers.ListField(
        child=serializers.UUIDField(),
        min_length=1,
        max_length=MOST_AT_ONCE,
        help_text="The entities that are merged into this one.",
    )


class SplitInput(Input):
    """Moves the mentions under these names, and those of these memories, to a new entity."""

    names = serializers.ListField(
        child=serializers.CharField(max_length=300, validators=[check_name]), required=False, max_length=MOST_AT_ONCE
    )
    unit_ids = serializers.ListField(child=serializers.UUIDField(), required=False, max_length=MOST_AT_ONCE)
    canonical_name = serializers.CharField(
        max_length=300, required=False, default="", validators=[check_name], help_text="The name of the new entity."
    )
    kind = serializers.ChoiceField(choices=EntityKind.choices, required=False)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if not attrs.get("names") and not attrs.get("unit_ids"):
            raise serializers.ValidationError("Give names or unit_ids.")
        return attrs

    def split(self) -> Split:
        given = self.validated_data
        return Split(
            names=tuple(given.get("names", ())),
            unit_ids=frozenset(given.get("unit_ids", ())),
            name=given["canonical_name"],
            kind=given.get("kind", ""),
        )


def describe_detail(shown: entities.ShownEntity) -> dict[str, Any]:
    return {
        **EntityOutput(shown.entity).data,
        "aliases": shown.aliases,
        "summary": shown.entity.summary,
        "attributes": shown.entity.attributes,
        "memories": EntityMemoryOutput(shown.memories, many=True).data,
        "observations": EntityMemoryOutput(shown.observations, many=True).data,
        "relationships": RelationshipOutput(shown.relationships, many=True).data,
    }


def render_entity(shown: entities.ShownEntity) -> Response:
    return Response(describe_detail(shown), headers=write_etag(entities.read_version(shown.entity)))


class EntitiesView(TenantView):
    @route("list_entities", "List entities, newest first", lists.list_of(EntityOutput), query=EntityListInput)
    def get(self, bank_id: str, wanted: dict[str, Any]) -> object:
        with bank_transaction(self.access, bank_id) as bank:
            found = entities.find_entities(bank, kind=wanted["kind"], name=wanted["q"], own_type=wanted["type"])
            rows = found.defer("embedding", "second_embedding")
            return lists.list_rows(rows, wanted, of=bank.id)


class EntityView(TenantView):
    scopes: ClassVar[dict[str, str]] = {"PATCH": "write read"}  # the response shows the resource

    @route("get_entity", "Get an entity", EntityDetailOutput)
    def get(self, bank_id: str, entity_id: UUID) -> object:
        return render_entity(entities.show_entity(self.access, bank_id, entity_id))

    @route(
        "change_entity", "Change an entity's name or kind", EntityDetailOutput, body=EntityChangeInput, if_match=True
    )
    def patch(self, bank_id: str, entity_id: UUID, body: EntityChangeInput) -> object:
        change = {"name": body.validated_data.get("canonical_name"), "kind": body.validated_data.get("kind")}
        return render_entity(entities.change_entity(self.access, bank_id, entity_id, **change, expected=self.expected))


class MergeView(TenantView):
    scopes: ClassVar[dict[str, str]] = {"POST": "write read"}  # the response shows the resource

    @idempotent
    @route("merge_entities", "Merge entities", EntityDetailOutput, body=MergeInput)
    def post(self, bank_id: str, entity_id: UUID, body: MergeInput) -> object:
        """Mentions, names and relationships of the others move to this one; the others are deleted."""
        return Response(describe_detail(entities.merge(self.access, bank_id, entity_id, body.validated_data["ids"])))


class SplitView(TenantView):
    scopes: ClassVar[dict[str, str]] = {"POST": "write read"}  # the response shows the resource

    @idempotent
    @route("split_entity", "Split an entity", EntityDetailOutput, 201, body=SplitInput)
    def post(self, bank_id: str, entity_id: UUID, body: SplitInput) -> object:
        """Returns the new entity. Its names resolve to it from now on."""
        new = entities.split(self.access, bank_id, entity_id, body.split())
        return Response(describe_detail(new), status=status.HTTP_201_CREATED)
