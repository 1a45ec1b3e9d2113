"""`/v1/banks/{bank_id}/entities`: whom and what the memories are about."""

from typing import Any, ClassVar
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from banks.entities.curation.splitting import Split
from banks.entities.record import has_letters
from banks.words import EntityKind
from memoryplatform.api.idempotency import idempotent
from memoryplatform.api.schema import ERRORS, IDEMPOTENCY_KEY
from memoryplatform.api.serializers import ErrorOutput, Input, Output
from memoryplatform.api.v1.lists import ListInput, ListOutput, check_words, list_rows, read_query
from memoryplatform.api.v1.preconditions import IF_MATCH, read_expected, write_etag
from memoryplatform.api.v1.relationships import RelationshipOutput
from memoryplatform.api.views import TenantView
from memoryplatform.operations.banks.profile import get_bank
from memoryplatform.operations.entities.curating import (
    ShownEntity,
    change_entity,
    find_entities,
    merge,
    read_version,
    show_entity,
    split,
)
from tenants.transactions import tenant_transaction

MOST_AT_ONCE = 1_000


def check_name(value: str) -> None:
    if not has_letters(value):
        raise serializers.ValidationError("Must have a letter or a digit.")


class EntityOutput(Output):
    id = serializers.UUIDField()
    canonical_name = serializers.CharField(source="name")
    kind = serializers.ChoiceField(choices=EntityKind.choices)
    is_speaker = serializers.BooleanField()
    mention_count = serializers.IntegerField()
    first_seen = serializers.DateTimeField(source="first_seen_at", allow_null=True)
    last_seen = serializers.DateTimeField(source="last_seen_at", allow_null=True)


class EntityListOutput(ListOutput):
    items = EntityOutput(many=True)


class EntityMemoryOutput(Output):
    id = serializers.UUIDField()
    text = serializers.CharField()
    type = serializers.CharField(source="network")
    mentioned_at = serializers.DateTimeField()


class EntityDetailOutput(EntityOutput):
    aliases = serializers.ListField(child=serializers.CharField())
    summary = serializers.CharField()
    attributes = serializers.JSONField(help_text="What its current relationships say.")
    memories = EntityMemoryOutput(many=True, help_text="The newest that mention it.")
    observations = EntityMemoryOutput(many=True)
    relationships = RelationshipOutput(many=True, help_text="The newest that hold.")


class EntityListInput(ListInput):
    kind = serializers.ChoiceField(choices=EntityKind.values, required=False, default="")
    q = serializers.CharField(max_length=300, required=False, default="", help_text="How a word of a name begins.")

    def validate_q(self, value: str) -> str:
        return check_words(value)


class EntityChangeInput(Input):
    canonical_name = serializers.CharField(max_length=300, required=False, validators=[check_name])
    kind = serializers.ChoiceField(choices=EntityKind.choices, required=False)


class MergeInput(Input):
    ids = serializers.ListField(
        child=serializers.UUIDField(), min_length=1, max_length=MOST_AT_ONCE, help_text="Who becomes part of this one."
    )


class SplitInput(Input):
    """The mentions under these names, and those of these memories, become another entity's."""

    names = serializers.ListField(
        child=serializers.CharField(max_length=300, validators=[check_name]), required=False, max_length=MOST_AT_ONCE
    )
    unit_ids = serializers.ListField(child=serializers.UUIDField(), required=False, max_length=MOST_AT_ONCE)
    canonical_name = serializers.CharField(
        max_length=300, required=False, default="", validators=[check_name], help_text="Of the new one."
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


def render(shown: ShownEntity) -> dict[str, Any]:
    return {
        **EntityOutput(shown.entity).data,
        "aliases": shown.aliases,
        "summary": shown.entity.summary,
        "attributes": shown.entity.attributes,
        "memories": EntityMemoryOutput(shown.memories, many=True).data,
        "observations": EntityMemoryOutput(shown.observations, many=True).data,
        "relationships": RelationshipOutput(shown.relationships, many=True).data,
    }


def tagged(shown: ShownEntity) -> Response:
    return Response(render(shown), headers=write_etag(read_version(shown.entity)))


class EntitiesView(TenantView):
    @extend_schema(
        operation_id="list_entities",
        summary="List entities, newest first",
        parameters=[EntityListInput],
        responses={200: EntityListOutput, **ERRORS},
    )
    def get(self, request: Request, bank_id: str) -> Response:
        wanted = read_query(request, EntityListInput)
        with tenant_transaction(self.tenant_id):
            bank = get_bank(self.access, bank_id)
            rows = find_entities(bank, kind=wanted["kind"], name=wanted["q"]).defer("embedding")
            return Response(EntityListOutput(list_rows(rows, wanted, of=bank.id)).data)


class EntityView(TenantView):
    scopes: ClassVar[dict[str, str]] = {"PATCH": "write read"}  # the answer shows it

    @extend_schema(operation_id="get_entity", summary="Get an entity", responses={200: EntityDetailOutput, **ERRORS})
    def get(self, _request: Request, bank_id: str, entity_id: UUID) -> Response:
        return tagged(show_entity(self.access, bank_id, entity_id))

    @extend_schema(
        operation_id="change_entity",
        summary="Give an entity another name or kind",
        parameters=[IF_MATCH],
        request=EntityChangeInput,
        responses={200: EntityDetailOutput, **ERRORS, 412: ErrorOutput},
    )
    def patch(self, request: Request, bank_id: str, entity_id: UUID) -> Response:
        body = EntityChangeInput(data=request.data)
        body.is_valid(raise_exception=True)
        name, kind = body.validated_data.get("canonical_name"), body.validated_data.get("kind")
        expected = read_expected(request)
        return tagged(change_entity(self.access, bank_id, entity_id, name=name, kind=kind, expected=expected))


class MergeView(TenantView):
    scopes: ClassVar[dict[str, str]] = {"POST": "write read"}  # the answer shows it

    @extend_schema(
        operation_id="merge_entities",
        summary="Merge entities that turned out to be one",
        description="Mentions, names and relationships of the others become this one's; the others go.",
        parameters=[IDEMPOTENCY_KEY],
        request=MergeInput,
        responses={200: EntityDetailOutput, **ERRORS},
    )
    @idempotent
    def post(self, request: Request, bank_id: str, entity_id: UUID) -> Response:
        body = MergeInput(data=request.data)
        body.is_valid(raise_exception=True)
        return Response(render(merge(self.access, bank_id, entity_id, body.validated_data["ids"])))


class SplitView(TenantView):
    scopes: ClassVar[dict[str, str]] = {"POST": "write read"}  # the answer shows it

    @extend_schema(
        operation_id="split_entity",
        summary="Split an entity that is two",
        description="Answers with the new one. What is said under its names from here on means it.",
        parameters=[IDEMPOTENCY_KEY],
        request=SplitInput,
        responses={201: EntityDetailOutput, **ERRORS},
    )
    @idempotent
    def post(self, request: Request, bank_id: str, entity_id: UUID) -> Response:
        body = SplitInput(data=request.data)
        body.is_valid(raise_exception=True)
        new = split(self.access, bank_id, entity_id, body.split())
        return Response(render(new), status=status.HTTP_201_CREATED)
