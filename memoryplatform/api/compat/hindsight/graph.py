"""`/graph`: memories and the stored links between them, for drawing."""

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from memoryplatform.api.compat.hindsight.hindsight_view import HindsightView
from memoryplatform.api.compat.hindsight.tolerance import read_query
from memoryplatform.api.serializers import Input
from memoryplatform.api.v1.graphs import build_filter, describe_memories
from memoryplatform.api.v1.tag_conditions import MATCHES
from memoryplatform.operations.banks.graphs import MOST_NODES, draw_memories
from memoryplatform.operations.banks.profile import get_bank
from tenants.transactions import tenant_transaction


class GraphInput(Input):
    type = serializers.CharField(required=False, default="", allow_blank=True)
    limit = serializers.IntegerField(min_value=0, default=MOST_NODES)
    q = serializers.CharField(max_length=1_000, required=False, default="", allow_blank=True)
    tags = serializers.ListField(child=serializers.CharField(max_length=200), required=False, max_length=100)
    tags_match = serializers.ChoiceField(choices=MATCHES, default="all_strict")
    document_id = serializers.CharField(max_length=500, required=False, default="")
    chunk_id = serializers.UUIDField(required=False, default=None)

    def validate_limit(self, value: int) -> int:
        return min(value, MOST_NODES)


class HindsightGraphView(HindsightView):
    def get(self, request: Request, bank_id: str) -> Response:
        wanted = read_query(GraphInput, request)
        with tenant_transaction(self.tenant_id):
            graph = draw_memories(get_bank(self.access, bank_id), build_filter(wanted), limit=wanted["limit"])
        return Response(describe_memories(graph, limit=wanted["limit"]))
