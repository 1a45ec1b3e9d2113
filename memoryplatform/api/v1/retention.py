"""`/v1/banks/{bank_id}/retention-rules`: how long memories are kept as they are."""

from typing import ClassVar
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from banks.words import Network
from memoryplatform.api.idempotency import idempotent
from memoryplatform.api.schema import ERRORS, IDEMPOTENCY_KEY
from memoryplatform.api.serializers import ErrorOutput, Input, Output
from memoryplatform.api.v1.lists import ListInput, ListOutput, list_rows, read_query
from memoryplatform.api.v1.preconditions import IF_MATCH, read_expected, write_etag
from memoryplatform.api.views import TenantView
from memoryplatform.operations.banks.profile import get_bank
from memoryplatform.operations.banks.retention import (
    ShownRule,
    apply_now,
    change_rule,
    create_rule,
    delete_rule,
    get_rule,
    read_version,
    show_rule,
)
from reflection.models import RetentionRule
from tenants.transactions import tenant_transaction

MOST_DAYS = 36_500
SINCE = "Since it was last said; of an opinion, since it was last affirmed."


class RuleChangeInput(Input):
    name = serializers.CharField(max_length=100, required=False)
    network = serializers.ChoiceField(
        choices=Network.values, required=False, allow_blank=True, help_text="Left out: every one."
    )
    tag = serializers.CharField(max_length=200, required=False, allow_blank=True, help_text="Left out: any or none.")
    days = serializers.IntegerField(min_value=1, max_value=MOST_DAYS, required=False, help_text=SINCE)
    action = serializers.ChoiceField(
        choices=RetentionRule.Action.values,
        required=False,
        help_text="fade ranks lower what nobody recalled; delete is for good.",
    )
    enabled = serializers.BooleanField(required=False)


class RuleInput(RuleChangeInput):
    name = serializers.CharField(max_length=100)
    days = serializers.IntegerField(min_value=1, max_value=MOST_DAYS, help_text=SINCE)


class RuleOutput(Output):
    id = serializers.UUIDField(source="rule.id")
    name = serializers.CharField(source="rule.name")
    network = serializers.CharField(source="rule.network")
    tag = serializers.CharField(source="rule.tag")
    days = serializers.IntegerField(source="rule.days")
    action = serializers.CharField(source="rule.action")
    enabled = serializers.BooleanField(source="rule.enabled")
    matches = serializers.IntegerField(help_text="Memories that it is over for: what the next night will take.")
    applied_at = serializers.DateTimeField(source="rule.applied_at", allow_null=True)
    created_at = serializers.DateTimeField(source="rule.created_at")


class RuleListOutput(ListOutput):
    items = RuleOutput(many=True)


class AppliedOutput(Output):
    operation_id = serializers.UUIDField()


def render(shown: ShownRule, status_code: int = status.HTTP_200_OK) -> Response:
    return Response(RuleOutput(shown).data, status=status_code, headers=write_etag(read_version(shown.rule)))


class RulesView(TenantView):
    @extend_schema(
        operation_id="list_retention_rules",
        summary="List retention rules",
        parameters=[ListInput],
        responses={200: RuleListOutput, **ERRORS},
    )
    def get(self, request: Request, bank_id: str) -> Response:
        wanted = read_query(request, ListInput)
        with tenant_transaction(self.tenant_id):
            bank = get_bank(self.access, bank_id)
            listed = list_rows(RetentionRule.objects.of_bank(bank), wanted, of=bank.id)
            items = [show_rule(bank, rule) for rule in listed.items]
            return Response(RuleListOutput(vars(listed) | {"items": items}).data)

    @extend_schema(
        operation_id="create_retention_rule",
        summary="Create a retention rule",
        description="Rules are applied every night; `matches` says what that would mean now.",
        parameters=[IDEMPOTENCY_KEY],
        request=RuleInput,
        responses={201: RuleOutput, **ERRORS},
    )
    @idempotent
    def post(self, request: Request, bank_id: str) -> Response:
        body = RuleInput(data=request.data)
        body.is_valid(raise_exception=True)
        rule = create_rule(self.access, bank_id, **body.validated_data)
        return render(rule, status.HTTP_201_CREATED)


class RuleView(TenantView):
    scopes: ClassVar[dict[str, str]] = {"PATCH": "write read"}  # the answer shows it

    @extend_schema(
        operation_id="get_retention_rule", summary="Get a retention rule", responses={200: RuleOutput, **ERRORS}
    )
    def get(self, _request: Request, bank_id: str, rule_id: UUID) -> Response:
        with tenant_transaction(self.tenant_id):
            bank = get_bank(self.access, bank_id)
            return render(show_rule(bank, get_rule(bank, rule_id)))

    @extend_schema(
        operation_id="change_retention_rule",
        summary="Change a retention rule",
        parameters=[IF_MATCH],
        request=RuleChangeInput,
        responses={200: RuleOutput, **ERRORS, 412: ErrorOutput},
    )
    def patch(self, request: Request, bank_id: str, rule_id: UUID) -> Response:
        body = RuleChangeInput(data=request.data)
        body.is_valid(raise_exception=True)
        expected = read_expected(request)
        return render(change_rule(self.access, bank_id, rule_id, body.validated_data, expected=expected))

    @extend_schema(
        operation_id="delete_retention_rule",
        summary="Delete a retention rule",
        description="What it faded comes back with the next night; what it deleted does not.",
        parameters=[IF_MATCH],
        responses={204: None, **ERRORS, 412: ErrorOutput},
    )
    def delete(self, request: Request, bank_id: str, rule_id: UUID) -> Response:
        delete_rule(self.access, bank_id, rule_id, expected=read_expected(request))
        return Response(status=status.HTTP_204_NO_CONTENT)


class ApplyView(TenantView):
    @extend_schema(
        operation_id="tend_bank",
        summary="Do now what is done for a bank every night",
        description="Retention rules, uniting observations that say the same, summaries of old episodes.",
        parameters=[IDEMPOTENCY_KEY],
        request=None,
        responses={202: AppliedOutput, **ERRORS},
    )
    @idempotent
    def post(self, _request: Request, bank_id: str) -> Response:
        operation = apply_now(self.access, bank_id)
        return Response(AppliedOutput({"operation_id": operation.id}).data, status=status.HTTP_202_ACCEPTED)
