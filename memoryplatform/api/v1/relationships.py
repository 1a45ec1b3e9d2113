"""`/v1/banks/{bank_id}/relationships`: who stands to whom, and since when."""

from typing import Any

from django.db.models import Q
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from banks.models import Bank, Relationship
from banks.models.relationship import RelationshipQuerySet
from memoryplatform.api.schema import ERRORS
from memoryplatform.api.serializers import Output
from memoryplatform.api.v1.lists import ListInput, ListOutput, list_rows, read_query
from memoryplatform.api.v1.moments import MomentField
from memoryplatform.api.views import TenantView
from memoryplatform.operations.bank_profile import get_bank
from tenants.transactions import tenant_transaction


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


class RelationshipListOutput(ListOutput):
    items = RelationshipOutput(many=True)


class RelationshipListInput(ListInput):
    relation = serializers.CharField(max_length=100, required=False)
    subject_id = serializers.UUIDField(required=False)
    entity_id = serializers.UUIDField(required=False, help_text="As subject or as object.")
    state = serializers.ChoiceField(choices=["current", "superseded", "all"], default="all")
    as_of = MomentField(required=False, help_text="What was true then.")


class RelationshipsView(TenantView):
    @extend_schema(
        operation_id="list_relationships",
        summary="List relationships with their validity, newest first",
        parameters=[RelationshipListInput],
        responses={200: RelationshipListOutput, **ERRORS},
    )
    def get(self, request: Request, bank_id: str) -> Response:
        wanted = read_query(request, RelationshipListInput)
        with tenant_transaction(self.tenant_id):
            rows = find_relationships(get_bank(self.access, bank_id), wanted)
            return Response(RelationshipListOutput(list_rows(rows.defer("embedding"), wanted)).data)


def find_relationships(bank: Bank, wanted: dict[str, Any]) -> RelationshipQuerySet:
    rows = Relationship.objects.for_tenant(bank.tenant_id).filter(bank=bank)
    rows = rows.filter(**{name: wanted[name] for name in ("relation", "subject_id") if name in wanted})
    if "entity_id" in wanted:
        rows = rows.filter(Q(subject_id=wanted["entity_id"]) | Q(object_id=wanted["entity_id"]))
    if "as_of" in wanted:
        rows = rows.true_at(wanted["as_of"])
    if wanted["state"] == "current":
        return rows.current()
    return rows.exclude(expired_at=None) if wanted["state"] == "superseded" else rows
