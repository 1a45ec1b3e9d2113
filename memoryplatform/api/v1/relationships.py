"""`/v1/banks/{bank_id}/relationships`: who stands to whom, and since when."""

from functools import partial

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from banks.models import Corpus
from memoryplatform.api.schema import ERRORS
from memoryplatform.api.serializers import Output
from memoryplatform.api.v1.lists import ListOutput, ScoredOutput, SearchedListInput, list_or_search, read_query
from memoryplatform.api.v1.moments import MomentField
from memoryplatform.api.views import TenantView
from memoryplatform.operations.banks.profile import get_bank
from memoryplatform.operations.named_in_filters import check_entities
from memoryplatform.operations.relationships import RelationshipFilter, find_relationships
from tenants.transactions import tenant_transaction

FILTERS = ("relation", "subject_id", "entity_id", "state", "as_of")


class RelationshipOutput(Output):
    id = serializers.UUIDField()
    subject_id = serializers.UUIDField()
    relation = serializers.CharField()
    object_id = serializers.UUIDField(allow_null=True)
    value = serializers.CharField(help_text="Where the object is no entity.")
    text = serializers.CharField()
    proof_count = serializers.IntegerField()
    mentioned_at = serializers.DateTimeField()
    valid_from = serializers.DateTimeField(allow_null=True)
    valid_until = serializers.DateTimeField(allow_null=True)
    recorded_at = serializers.DateTimeField()
    expired_at = serializers.DateTimeField(allow_null=True, help_text="Since when we know that it no longer holds.")
    close_reason = serializers.CharField()
    superseded_by = serializers.UUIDField(source="superseded_by_id", allow_null=True)


class FoundRelationshipOutput(RelationshipOutput, ScoredOutput):
    pass


class RelationshipListOutput(ListOutput):
    items = FoundRelationshipOutput(many=True)


class RelationshipListInput(SearchedListInput):
    relation = serializers.CharField(max_length=100, required=False)
    subject_id = serializers.UUIDField(required=False)
    entity_id = serializers.UUIDField(required=False, help_text="As subject or as object.")
    state = serializers.ChoiceField(choices=["current", "superseded", "all"], default="all")
    as_of = MomentField(required=False, help_text="What was true then.")


class RelationshipsView(TenantView):
    @extend_schema(
        operation_id="list_relationships",
        summary="List relationships with their validity, newest first, or search them by their text",
        parameters=[RelationshipListInput],
        responses={200: RelationshipListOutput, **ERRORS},
    )
    def get(self, request: Request, bank_id: str) -> Response:
        wanted = read_query(request, RelationshipListInput)
        given = {name: wanted[name] for name in FILTERS if name in wanted}
        with tenant_transaction(self.tenant_id):
            check_entities(get_bank(self.access, bank_id), (wanted.get("subject_id"), wanted.get("entity_id")))
        find = partial(find_relationships, wanted=RelationshipFilter(**given))
        listed = list_or_search(self.access, bank_id, find, Corpus.RELATIONSHIP, wanted)
        return Response(RelationshipListOutput(listed).data)
