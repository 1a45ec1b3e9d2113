"""`/v1/banks/{bank_id}/memories/recall` and `/v1/recall`: what memory holds for a query."""

from typing import ClassVar

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from memoryplatform.api.schema import ERRORS
from memoryplatform.api.v1.recall_input import RecallAcrossInput, RecallInput
from memoryplatform.api.v1.recall_output import RecallOutput, describe_recalled
from memoryplatform.api.views import TenantView
from memoryplatform.operations.recall import recall


class RecallView(TenantView):
    scopes: ClassVar[dict[str, str]] = {"POST": "read"}

    @extend_schema(
        operation_id="recall",
        summary="Recall memories for a query",
        description="The best first, as many as `max_tokens` holds. Superseded memories are hidden unless `history`, "
        "`as_of`, `known_at` or the query itself asks for the past.",
        request=RecallInput,
        responses={200: RecallOutput, **ERRORS},
    )
    def post(self, request: Request, bank_id: str) -> Response:
        body = RecallInput(data=request.data)
        body.is_valid(raise_exception=True)
        query = body.recall_query()
        return Response(describe_recalled(recall(self.access, [bank_id], query), query))


class RecallAcrossView(TenantView):
    scopes: ClassVar[dict[str, str]] = {"POST": "read"}

    @extend_schema(
        operation_id="recall_across",
        summary="Recall memories from several banks",
        description="One answer out of all of them; each result names its bank.",
        request=RecallAcrossInput,
        responses={200: RecallOutput, **ERRORS},
    )
    def post(self, request: Request) -> Response:
        body = RecallAcrossInput(data=request.data)
        body.is_valid(raise_exception=True)
        query = body.recall_query()
        return Response(describe_recalled(recall(self.access, body.validated_data["banks"], query), query))
