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
from memoryplatform.api.v1.memory_output import MemorySourceOutput
from memoryplatform.api.v1.opinion_shapes import (
    EvidenceOutput,
    OpinionDetailOutput,
    OpinionInput,
    OpinionListInput,
    OpinionListOutput,
    OpinionOutput,
    ReviewInput,
    RevisionListInput,
    RevisionListOutput,
    read_view,
)
from memoryplatform.api.v1.preconditions import IF_MATCH, read_expected
from memoryplatform.api.views import TenantView
from memoryplatform.operations.access import name_of
from memoryplatform.operations.banks.profile import get_bank
from memoryplatform.operations.named_in_filters import check_entities
from memoryplatform.operations.opinions.lists import (
    find_opinions,
    find_revisions,
    get_opinion,
    list_opinions,
    order_by_change,
)
from memoryplatform.operations.opinions.review import review
from memoryplatform.operations.opinions.shown import ShownOpinion, show_opinion, show_steps
from tenants.transactions import tenant_transaction


def render(shown: ShownOpinion) -> Response:
    answer = {
        **OpinionOutput(shown.listed).data,
        "evidence": EvidenceOutput(shown.evidence, many=True).data,
        "sources": MemorySourceOutput(shown.listed.described.sources, many=True).data,
        "hidden_evidence": shown.hidden_evidence,
    }
    return Response(answer, headers={"ETag": f'"{shown.listed.version}"'})


def list_page(bank: Bank, units: UnitQuerySet, wanted: dict[str, Any]) -> Listed:
    """Call inside a tenant transaction."""
    if wanted["order"] == "formed":
        return list_rows(units, wanted, of=bank.id)
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
            wanted = query.opinion_filter()
            check_entities(bank, [wanted.entity_id])
            page = list_page(bank, find_opinions(bank, wanted).defer("embedding"), query.validated_data)
            items = list_opinions(bank, page.items, wanted.view)
            shown = Listed(items, page.total, page.limit, page.offset, page.next_cursor)
        return Response(OpinionListOutput(shown).data)


class OpinionView(TenantView):
    @extend_schema(
        operation_id="get_opinion",
        summary="Get an opinion with its evidence",
        description="Under tags that it does not have it is not found, and evidence that does not pass is left out.",
        parameters=[OpinionInput],
        responses={200: OpinionDetailOutput, **ERRORS},
    )
    def get(self, request: Request, bank_id: str, opinion_id: UUID) -> Response:
        query = OpinionInput(data=request.query_params)
        query.is_valid(raise_exception=True)
        return render(show_opinion(self.access, bank_id, opinion_id, read_view(query.validated_data)))


class OpinionRevisionsView(TenantView):
    @extend_schema(
        operation_id="list_opinion_revisions",
        summary="Follow an opinion from its formation to what it is now",
        description="Under tags, evidence that does not pass is left out, with reasons and wordings that came of it.",
        parameters=[RevisionListInput],
        responses={200: RevisionListOutput, **ERRORS},
    )
    def get(self, request: Request, bank_id: str, opinion_id: UUID) -> Response:
        query = RevisionListInput(data=request.query_params)
        query.is_valid(raise_exception=True)
        limit, offset = query.validated_data["limit"], query.validated_data["offset"]
        with tenant_transaction(self.tenant_id):
            bank, view = get_bank(self.access, bank_id), read_view(query.validated_data)
            opinion, rows = get_opinion(bank, opinion_id, view), find_revisions(bank, opinion_id)
            items = show_steps(bank, opinion, list(rows[offset : offset + limit]), view)
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
