"""`/graph`: memories and the stored links between them, for drawing."""

from collections.abc import Sequence
from typing import Any

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from banks.models import Bank, Link
from memoryplatform.api.compat.hindsight.fact_types import KNOWN
from memoryplatform.api.compat.hindsight.memory_shapes import describe_listed
from memoryplatform.api.compat.hindsight.peer_view import PeerView
from memoryplatform.api.compat.hindsight.tolerance import read_query
from memoryplatform.api.serializers import Input
from memoryplatform.api.v1.tag_conditions import MATCHES
from memoryplatform.operations.bank_profile import get_bank
from memoryplatform.operations.described_units import DescribedUnit, describe_units
from memoryplatform.operations.memory_filter import MemoryFilter, find_units
from tenants.transactions import tenant_transaction

MOST_NODES = 1_000
LONGEST_LABEL = 60  # characters


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


class PeerGraphView(PeerView):
    def get(self, request: Request, bank_id: str) -> Response:
        wanted = read_query(GraphInput, request)
        with tenant_transaction(self.tenant_id):
            bank = get_bank(self.access, bank_id)
            units = find_units(bank, build_filter(wanted)).filter(network__in=KNOWN).defer("embedding")
            shown = describe_units(bank, list(units.order_by("-id")[: wanted["limit"]]))
            return Response(
                {
                    "nodes": [{"data": describe_node(one)} for one in shown],
                    "edges": [{"data": edge} for edge in read_edges(bank, shown)],
                    "table_rows": [describe_listed(one) for one in shown],
                    "total_units": units.count(),
                    "limit": wanted["limit"],
                }
            )


def build_filter(wanted: dict[str, Any]) -> MemoryFilter:
    return MemoryFilter(
        letters=wanted["q"],
        network=wanted["type"],
        tags=tuple(wanted.get("tags", ())),
        tags_match=wanted["tags_match"],
        document_id=wanted["document_id"],
        chunk_id=wanted["chunk_id"],
    )


def describe_node(shown: DescribedUnit) -> dict[str, Any]:
    return {"id": shown.unit.id, "label": shown.unit.text[:LONGEST_LABEL], "text": shown.unit.text}


def read_edges(bank: Bank, shown: Sequence[DescribedUnit]) -> list[dict[str, Any]]:
    """Between two that are shown. Call inside a tenant transaction."""
    ids = [one.unit.id for one in shown]
    rows = Link.objects.for_tenant(bank.tenant_id).filter(source_id__in=ids, target_id__in=ids).order_by("id")
    return [
        {
            "id": f"{row.source_id}-{row.target_id}-{row.type}",
            "source": row.source_id,
            "target": row.target_id,
            "linkType": row.type,
            "weight": row.weight,
        }
        for row in rows
    ]
