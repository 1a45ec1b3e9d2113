"""`/v1/banks/{bank_id}/feedback` and `.../tuning`: what callers say about results, and what recall makes of it."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from banks.models import Bank
from memoryplatform.api.idempotency import idempotent
from memoryplatform.api.schema import ERRORS, IDEMPOTENCY_KEY
from memoryplatform.api.serializers import ErrorOutput, Input, Output
from memoryplatform.api.v1.lists import ListInput, ListOutput, list_rows, read_query
from memoryplatform.api.v1.preconditions import IF_MATCH, read_expected, write_etag
from memoryplatform.api.views import TenantView
from memoryplatform.operations.banks.profile import get_bank
from memoryplatform.operations.feedback import Tuning, change_tuning, mark_result, show_tuning
from retrieval.models import Feedback
from retrieval.models.feedback import FeedbackQuerySet
from tenants.transactions import tenant_transaction


class FeedbackInput(Input):
    recall_id = serializers.UUIDField(help_text="`recall_id` of the answer.")
    memory_id = serializers.UUIDField(help_text="`id` of one of its results.")
    useful = serializers.BooleanField()
    comment = serializers.CharField(max_length=1_000, required=False, allow_blank=True, default="")


class FeedbackOutput(Output):
    id = serializers.UUIDField()
    recall_id = serializers.UUIDField()
    memory_id = serializers.UUIDField()
    useful = serializers.BooleanField()
    comment = serializers.CharField()
    rank = serializers.IntegerField(help_text="Of the result in its recall, from 1.")
    marked_by = serializers.CharField()
    created_at = serializers.DateTimeField()
    updated_at = serializers.DateTimeField()


class FeedbackListInput(ListInput):
    recall_id = serializers.UUIDField(required=False)
    memory_id = serializers.UUIDField(required=False)
    useful = serializers.BooleanField(required=False, allow_null=True, default=None)


class FeedbackListOutput(ListOutput):
    items = FeedbackOutput(many=True)


class TuningInput(Input):
    learn_from_feedback = serializers.BooleanField()


class TuningOutput(Output):
    learn_from_feedback = serializers.BooleanField(help_text="Whether recall uses the weights.")
    weights = serializers.DictField(
        child=serializers.FloatField(), help_text="Of each channel: what the marks made of it so far, on or off."
    )
    marks = serializers.IntegerField(help_text="How many marks they rest on.")


class FeedbackView(TenantView):
    @extend_schema(
        operation_id="give_feedback",
        summary="Mark a recalled memory as useful or not",
        description="A later mark of the same caller on the same result replaces the earlier one.",
        parameters=[IDEMPOTENCY_KEY],
        request=FeedbackInput,
        responses={201: FeedbackOutput, **ERRORS},
    )
    @idempotent
    def post(self, request: Request, bank_id: str) -> Response:
        body = FeedbackInput(data=request.data)
        body.is_valid(raise_exception=True)
        marked = mark_result(self.access, bank_id, **body.validated_data)
        return Response(FeedbackOutput(marked).data, status=status.HTTP_201_CREATED)

    @extend_schema(
        operation_id="list_feedback",
        summary="List feedback, newest first",
        parameters=[FeedbackListInput],
        responses={200: FeedbackListOutput, **ERRORS},
    )
    def get(self, request: Request, bank_id: str) -> Response:
        wanted = read_query(request, FeedbackListInput)
        with tenant_transaction(self.tenant_id):
            bank = get_bank(self.access, bank_id)
            listed = list_rows(find_feedback(bank, wanted), wanted, of=bank.id)
            return Response(FeedbackListOutput(listed).data)


def find_feedback(bank: Bank, wanted: dict[str, Any]) -> FeedbackQuerySet:
    rows = Feedback.objects.of_bank(bank)
    if "memory_id" in wanted:
        rows = rows.about(wanted["memory_id"])
    if "recall_id" in wanted:
        rows = rows.filter(recall_id=wanted["recall_id"])
    return rows if wanted["useful"] is None else rows.filter(useful=wanted["useful"])


def render(tuning: Tuning) -> Response:
    return Response(TuningOutput(tuning).data, headers=write_etag(tuning.version))


class TuningView(TenantView):
    @extend_schema(
        operation_id="get_tuning",
        summary="Get what feedback taught a bank",
        responses={200: TuningOutput, **ERRORS},
    )
    def get(self, _request: Request, bank_id: str) -> Response:
        return render(show_tuning(self.access, bank_id))

    @extend_schema(
        operation_id="change_tuning",
        summary="Let recall use what feedback taught, or not",
        parameters=[IF_MATCH],
        request=TuningInput,
        responses={200: TuningOutput, **ERRORS, 412: ErrorOutput},
    )
    def patch(self, request: Request, bank_id: str) -> Response:
        body = TuningInput(data=request.data)
        body.is_valid(raise_exception=True)
        return render(change_tuning(self.access, bank_id, **body.validated_data, expected=read_expected(request)))
