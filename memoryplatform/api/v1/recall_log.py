"""`/v1/banks/{bank_id}/recalls`: what was asked of a bank, and what came of it."""

from uuid import UUID

from django.db.models import BooleanField, F, IntegerField, Q
from django.db.models.expressions import ExpressionWrapper, Func
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from memoryplatform.api.schema import ERRORS
from memoryplatform.api.serializers import Output
from memoryplatform.api.v1.lists import ListInput, ListOutput, list_rows, read_query
from memoryplatform.api.v1.recall_output import LeftOutOutput
from memoryplatform.api.views import TenantView
from memoryplatform.operations.banks.profile import get_bank
from memoryplatform.operations.feedback import show_recall
from retrieval.log.recalls import get_oldest
from retrieval.models import RecallRecord
from tenants.transactions import tenant_transaction


class LoggedResultOutput(Output):
    id = serializers.UUIDField()
    kind = serializers.CharField(help_text="unit or chunk.")
    rank = serializers.IntegerField(help_text="From 1; over all banks where the call asked several.")
    tokens = serializers.IntegerField()
    final = serializers.FloatField()
    ranks = serializers.DictField(child=serializers.IntegerField(), help_text="The place in each channel, from 1.")


class LoggedRecallOutput(Output):
    recall_id = serializers.UUIDField()
    recalled_at = serializers.DateTimeField()
    purpose = serializers.CharField(help_text="recall, or reflect: a look-up for an answer.")
    query = serializers.CharField()
    query_type = serializers.CharField()
    tokens = serializers.IntegerField(help_text="Of the results from this bank.")
    milliseconds = serializers.DictField(child=serializers.FloatField(), help_text="By stage.")
    left_out = LeftOutOutput(many=True)


class ListedRecallOutput(LoggedRecallOutput):
    result_count = serializers.IntegerField()
    has_trace = serializers.BooleanField()


class RecallListOutput(ListOutput):
    items = ListedRecallOutput(many=True)


class LoggedRecallDetailOutput(LoggedRecallOutput):
    results = LoggedResultOutput(many=True)
    trace = serializers.DictField(allow_null=True, help_text="Null where it was not kept.")


class RecallsView(TenantView):
    @extend_schema(
        operation_id="list_recalls",
        summary="List what was recalled, newest first",
        description="A recall is listed about a second after its answer, and kept for some weeks.",
        parameters=[ListInput],
        responses={200: RecallListOutput, **ERRORS},
    )
    def get(self, request: Request, bank_id: str) -> Response:
        wanted = read_query(request, ListInput)
        with tenant_transaction(self.tenant_id):
            bank = get_bank(self.access, bank_id)
            rows = RecallRecord.objects.of_bank(bank).kept(get_oldest())
            counted = rows.defer("results", "trace").annotate(
                result_count=Func(F("results"), function="jsonb_array_length", output_field=IntegerField()),
                has_trace=ExpressionWrapper(Q(trace__isnull=False), output_field=BooleanField()),
            )
            return Response(RecallListOutput(list_rows(counted, wanted, of=bank.id)).data)


class LoggedRecallView(TenantView):
    @extend_schema(
        operation_id="get_recall",
        summary="Get a recall with its results, and its trace where that was kept",
        responses={200: LoggedRecallDetailOutput, **ERRORS},
    )
    def get(self, _request: Request, bank_id: str, recall_id: UUID) -> Response:
        record = show_recall(self.access, bank_id, recall_id)
        return Response(LoggedRecallDetailOutput(record).data)
