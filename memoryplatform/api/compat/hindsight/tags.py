"""`/tags`: the tags of a bank's current memories, or of its mental models, and how many have each."""

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from memoryplatform.api.compat.hindsight.hindsight_view import HindsightView
from memoryplatform.api.compat.hindsight.pages import OffsetInput, describe_page
from memoryplatform.api.compat.hindsight.tolerance import read_query
from memoryplatform.api.v1.tags import TagOutput
from memoryplatform.operations.banks.profile import get_bank
from memoryplatform.operations.banks.tags import MEMORIES, MENTAL_MODELS, find_tags
from tenants.transactions import tenant_transaction


class TagListInput(OffsetInput):
    q = serializers.CharField(max_length=200, required=False, default="", allow_blank=True)
    source = serializers.ChoiceField(  # type: ignore[assignment]  # the wire's name, not DRF's attribute
        choices=[MEMORIES, MENTAL_MODELS], default=MEMORIES
    )


class HindsightTagsView(HindsightView):
    def get(self, request: Request, bank_id: str) -> Response:
        wanted = read_query(TagListInput, request)
        with tenant_transaction(self.tenant_id):
            found = find_tags(get_bank(self.access, bank_id), source=wanted["source"], pattern=wanted["q"])
        page = found[wanted["offset"] : wanted["offset"] + wanted["limit"]]
        return Response(describe_page(list(TagOutput(page, many=True).data), len(found), wanted))
