"""`/v1/banks/{bank_id}/entities` and `/relationships`: whom and what the memories are about."""

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from banks.models import Entity, Relationship
from memoryplatform.api.pagination import PageInput
from memoryplatform.api.schema import ERRORS
from memoryplatform.api.serializers import Output
from memoryplatform.api.v1.archive import list_rows
from memoryplatform.api.views import TenantView


class EntityOutput(Output):
    id = serializers.UUIDField()
    name = serializers.CharField()
    kind = serializers.ChoiceField(choices=Entity.Kind.choices)
    mention_count = serializers.IntegerField()
    first_seen_at = serializers.DateTimeField(allow_null=True)
    last_seen_at = serializers.DateTimeField(allow_null=True)


class EntityListOutput(Output):
    entities = EntityOutput(many=True)
    next_cursor = serializers.UUIDField(allow_null=True)


class EntityListInput(PageInput):
    kind = serializers.ChoiceField(choices=Entity.Kind.choices, required=False)


class RelationshipOutput(Output):
    id = serializers.UUIDField()
    subject_id = serializers.UUIDField()
    relation = serializers.CharField()
    object_id = serializers.UUIDField(allow_null=True)
    value = serializers.CharField(help_text="Where the object is no entity.")
    text = serializers.CharField()
    proof_count = serializers.IntegerField()
    valid_from = serializers.DateTimeField(allow_null=True)
    valid_until = serializers.DateTimeField(allow_null=True)
    recorded_at = serializers.DateTimeField()
    expired_at = serializers.DateTimeField(allow_null=True, help_text="Since when we know that it no longer holds.")
    close_reason = serializers.CharField()
    superseded_by_id = serializers.UUIDField(allow_null=True)


class RelationshipListOutput(Output):
    relationships = RelationshipOutput(many=True)
    next_cursor = serializers.UUIDField(allow_null=True)


class RelationshipListInput(PageInput):
    relation = serializers.CharField(max_length=100, required=False)
    subject_id = serializers.UUIDField(required=False)


class EntitiesView(TenantView):
    @extend_schema(
        operation_id="list_entities",
        summary="List entities, newest first",
        parameters=[EntityListInput],
        responses={200: EntityListOutput, **ERRORS},
    )
    def get(self, request: Request, bank_id: str) -> Response:
        page = list_rows(self, request, bank_id, Entity, EntityListInput)
        return Response(EntityListOutput({"entities": page.rows, "next_cursor": page.next_cursor}).data)


class RelationshipsView(TenantView):
    @extend_schema(
        operation_id="list_relationships",
        summary="List relationships with their validity, newest first",
        parameters=[RelationshipListInput],
        responses={200: RelationshipListOutput, **ERRORS},
    )
    def get(self, request: Request, bank_id: str) -> Response:
        page = list_rows(self, request, bank_id, Relationship, RelationshipListInput)
        return Response(RelationshipListOutput({"relationships": page.rows, "next_cursor": page.next_cursor}).data)
