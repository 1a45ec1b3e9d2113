"""`/v1/banks/{bank_id}/opinions`: what the agent believes, why, and what people make of it."""

from typing import Any, ClassVar
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from banks.models import Bank
from banks.models.unit import UnitQuerySet
from memoryplatform.api.idempotency import idempotent_operation
from memoryplatform.api.schema import ERRORS, IDEMPOTENCY_KEY
from memoryplatform.api.serializers import ErrorOutput
from memoryplatform.api.v1.lists import Listed, list_rows
from memoryplatform.api.v1.opinion_shapes import (
    EvidenceOutput,
    OpinionDetailOutput,
    OpinionListInput,
    OpinionListOutput,
    OpinionOutput,
    ReviewInput,
    RevisionListInput,
    RevisionListOutput,
)
from memoryplatform.api.v1.preconditions import IF_MATCH, read_expected
from memoryplatform.api.v1.unit_shapes import MemorySourceOutput
from memoryplatform.api.views import TenantView
from memoryplatform.operations.access import name_of
from memoryplatform.operations.bank_profile import get_bank
from memoryplatform.operations.opinions import (
    ShownOpinion,
    find_opinions,
    find_revisions,
    list_opinions,
    order_by_change,
    review,
    show_opinion,
)
from memoryplatform.operations.revision_evidence import show_revisions
from tenants.transactions import tenant_transaction


def render(shown: ShownOpinion) -> Response:
    answer = {
        **OpinionOutput(shown.listed).data,
        "evidence": EvidenceOutput(shown.evidence, many=True).data,
        "sources": MemorySourceOutput(shown.listed.described.sources, many=True).data,
    }
    return Response(answer, headers={"ETag": f'"{shown.listed.version}"'})


def list_page(bank: Bank, units: UnitQuerySet, wanted: dict[str, Any]) -> Listed:
    """Call inside a tenant transaction."""
    if wanted["order"] == "formed":
        return list_rows(units, wanted)
    limit, offset = wanted["limit"], wanted["offset"]
    found = list(order_by_change(bank, units)[offset : offset + limit])
    return Listed(found, units.count(), limit, offset, None)


class OpinionsView(TenantView):
    @extend_schema(
        operation_id="list_opinions",
        summary="List what the agent believes, newest first",
        parameters=[OpinionListInput],
        responses={200: OpinionListOutput, **ERRORS},
    )
    def get(self, request: Request, bank_id: str) -> Response:
        query = OpinionListInput(data=request.query_params)
        query.is_valid(raise_exception=True)
        with tenant_transaction(self.tenant_id):
            bank = get_bank(self.access, bank_id)
            units = find_opinions(bank, query.opinion_filter()).defer("embedding")
            page = list_page(bank, units, query.validated_data)
            shown = Listed(list_opinions(bank, page.items), page.total, page.limit, page.offset, page.next_cursor)
        return Response(OpinionListOutput(shown).data)


class OpinionView(TenantView):
    @extend_schema(
        operation_id="get_opinion",
        summary="Get an opinion with its evidence",
        responses={200: OpinionDetailOutput, **ERRORS},
    )
    def get(self, _request: Request, bank_id: str, opinion_id: UUID) -> Response:
        return render(show_opinion(self.access, bank_id, opinion_id))


class OpinionRevisionsView(TenantView):
    @extend_schema(
        operation_id="list_opinion_revisions",
        summary="Follow an opinion from its formation to what it is now",
        parameters=[RevisionListInput],
        responses={200: RevisionListOutput, **ERRORS},
    )
    def get(self, request: Request, bank_id: str, opinion_id: UUID) -> Response:
        query = RevisionListInput(data=request.query_params)
        query.is_valid(raise_exception=True)
        limit, offset = query.validated_data["limit"], query.validated_data["offset"]
        with tenant_transaction(self.tenant_id):
            bank = get_bank(self.access, bank_id)
            rows = find_revisions(bank, opinion_id)
            items = show_revisions(bank, list(rows[offset : offset + limit]))
            page = {"total": rows.count(), "limit": limit, "offset": offset, "items": items}
            return Response(RevisionListOutput(page).data)


class OpinionReviewView(TenantView):
    scopes: ClassVar[dict[str, str]] = {"POST": "write read"}  # the answer shows it

    @extend_schema(
        operation_id="review_opinion",
        summary="Approve, edit, retire, pin, unpin or restore an opinion",
        description="Each act stands in its history with its reason. A text that another opinion has is refused (409).",
        parameters=[IDEMPOTENCY_KEY, IF_MATCH],
        request=ReviewInput,
        responses={200: OpinionDetailOutput, **ERRORS, 412: ErrorOutput},
    )
    @idempotent_operation
    def post(self, request: Request, bank_id: str, opinion_id: UUID) -> Response:
        body = ReviewInput(data=request.data)
        body.is_valid(raise_exception=True)
        given = body.review(name_of(self.access))
        return render(review(self.access, bank_id, opinion_id, given, expected=read_expected(request)))
