"""`/v1/banks/{bank_id}/tags`: the tags of a bank, and how many have each."""

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from memoryplatform.api.schema import ERRORS
from memoryplatform.api.serializers import Input, Output
from memoryplatform.api.views import TenantView
from memoryplatform.operations.banks.profile import get_bank
from memoryplatform.operations.banks.tags import MEMORIES, MENTAL_MODELS, find_tags
from tenants.transactions import tenant_transaction


class TagListInput(Input):
    limit = serializers.IntegerField(min_value=1, max_value=1_000, default=100, help_text="Rows a page.")
    offset = serializers.IntegerField(min_value=0, max_value=1_000_000, default=0, help_text="Rows to pass over.")
    q = serializers.CharField(
        max_length=200, required=False, default="", help_text="The whole tag, in which * stands for anything."
    )
    source = serializers.ChoiceField(  # type: ignore[assignment]  # the wire's name, not DRF's attribute
        choices=[MEMORIES, MENTAL_MODELS], default=MEMORIES, help_text="Whose tags; opinions are not counted."
    )


class TagOutput(Output):
    tag = serializers.CharField()
    count = serializers.IntegerField(help_text="How many current ones have it.")


class TagListOutput(Output):
    items = TagOutput(many=True)
    total = serializers.IntegerField()
    limit = serializers.IntegerField()
    offset = serializers.IntegerField()


class TagsView(TenantView):
    @extend_schema(
        operation_id="list_tags",
        summary="List tags, the most used first",
        parameters=[TagListInput],
        responses={200: TagListOutput, **ERRORS},
    )
    def get(self, request: Request, bank_id: str) -> Response:
        query = TagListInput(data=request.query_params)
        query.is_valid(raise_exception=True)
        wanted = query.validated_data
        with tenant_transaction(self.tenant_id):
            found = find_tags(get_bank(self.access, bank_id), source=wanted["source"], pattern=wanted["q"])
        limit, offset = wanted["limit"], wanted["offset"]
        page = {"items": found[offset : offset + limit], "total": len(found), "limit": limit, "offset": offset}
        return Response(TagListOutput(page).data)
