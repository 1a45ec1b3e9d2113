"""`/v1/banks/{bank_id}/recalls` and `/feedback`: the log of recalls and the feedback on their results."""

from typing import Any
from uuid import UUID

from django.db.models import BooleanField, F, IntegerField, Q
from django.db.models.expressions import ExpressionWrapper, Func
from rest_framework import serializers

from banks.models import Bank
from memoryplatform.api.idempotency import idempotent
from memoryplatform.api.routes import route
from memoryplatform.api.serializers import Input, Output
from memoryplatform.api.v1.lists import ListInput, list_of, list_rows
from memoryplatform.api.v1.recall import LeftOutOutput
from memoryplatform.api.views import TenantView
from memoryplatform.operations.banks.profile import bank_transaction
from memoryplatform.operations.feedback import mark_result, show_recall
from retrieval.models import Feedback, FeedbackQuerySet, RecallRecord
from retrieval.recall_log import get_oldest


class LoggedResultOutput(Output):
    id = serializers.UUIDField()
    kind = serializers.CharField(help_text="unit or chunk.")
    rank = serializers.IntegerField(help_text="From 1, over all banks of the call.")
    tokens = serializers.IntegerField()
    final = serializers.FloatField()
    relevance = serializers.FloatField(required=False, help_text="Not in the log of earlier versions.")
    ranks = serializers.DictField(child=serializers.IntegerField(), help_text="The rank in each channel, from 1.")


class LoggedRecallOutput(Output):
    recall_id = serializers.UUIDField()
    recalled_at = serializers.DateTimeField()
    purpose = serializers.CharField(help_text="recall, or reflect for a recall within a reflect.")
    query = serializers.CharField()
    query_type = serializers.CharField()
    tokens = serializers.IntegerField(help_text="Tokens of the results from this bank.")
    milliseconds = serializers.DictField(child=serializers.FloatField(), help_text="By stage.")
    left_out = LeftOutOutput(many=True)


class ListedRecallOutput(LoggedRecallOutput):
    result_count = serializers.IntegerField()
    has_trace = serializers.BooleanField()


class LoggedRecallDetailOutput(LoggedRecallOutput):
    results = LoggedResultOutput(many=True)
    trace = serializers.DictField(allow_null=True, help_text="Null if it was not stored.")


class RecallsView(TenantView):
    @route(
        "list_recalls", "List recalls, newest first", list_of(ListedRecallOutput, "RecallListOutput"), query=ListInput
    )
    def get(self, bank_id: str, wanted: dict[str, Any]) -> object:
        """A recall is listed about a second after its response, and kept for some weeks."""
        with bank_transaction(self.access, bank_id) as bank:
            rows = RecallRecord.objects.of_bank(bank).kept(get_oldest())
            counted = rows.defer("results", "trace").annotate(
                result_count=Func(F("results"), function="jsonb_array_length", output_field=IntegerField()),
                has_trace=ExpressionWrapper(Q(trace__isnull=False), output_field=BooleanField()),
            )
            return list_rows(counted, wanted, of=bank.id)


class LoggedRecallView(TenantView):
    @route("get_recall", "Get a recall with its results, and its trace if stored", LoggedRecallDetailOutput)
    def get(self, bank_id: str, recall_id: UUID) -> object:
        return show_recall(self.access, bank_id, recall_id)


class FeedbackInput(Input):
    recall_id = serializers.UUIDField(help_text="`recall_id` of the response.")
    memory_id = serializers.UUIDField(help_text="`id` of one of its results.")
    useful = serializers.BooleanField()
    comment = serializers.CharField(max_length=1_000, required=False, allow_blank=True, default="")


class FeedbackOutput(Output):
    id = serializers.UUIDField()
    recall_id = serializers.UUIDField()
    memory_id = serializers.UUIDField()
    useful = serializers.BooleanField()
    comment = serializers.CharField()
    rank = serializers.IntegerField(help_text="The rank of the result in its recall, from 1.")
    marked_by = serializers.CharField()
    created_at = serializers.DateTimeField()
    updated_at = serializers.DateTimeField()


class FeedbackListInput(ListInput):
    recall_id = serializers.UUIDField(required=False)
    memory_id = serializers.UUIDField(required=False)
    useful = serializers.BooleanField(required=False, allow_null=True, default=None)


class FeedbackView(TenantView):
    @idempotent
    @route("give_feedback", "Mark a recalled memory as useful or not", FeedbackOutput, 201, body=FeedbackInput)
    def post(self, bank_id: str, body: FeedbackInput) -> object:
        """Later feedback of the same caller on the same result replaces the earlier one."""
        return mark_result(self.access, bank_id, **body.validated_data)

    @route("list_feedback", "List feedback, newest first", list_of(FeedbackOutput), query=FeedbackListInput)
    def get(self, bank_id: str, wanted: dict[str, Any]) -> object:
        with bank_transaction(self.access, bank_id) as bank:
            return list_rows(find_feedback(bank, wanted), wanted, of=bank.id)


def find_feedback(bank: Bank, wanted: dict[str, Any]) -> FeedbackQuerySet:
    rows = Feedback.objects.of_bank(bank)
    if "memory_id" in wanted:
        rows = rows.about(wanted["memory_id"])
    if "recall_id" in wanted:
        rows = rows.filter(recall_id=wanted["recall_id"])
    return rows if wanted["useful"] is None else rows.filter(useful=wanted["useful"])
