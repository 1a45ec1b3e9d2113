"""`/v1/banks/{bank_id}/retention-rules`: how long memories are kept."""

from typing import Any, ClassVar
from uuid import UUID

from rest_framework import serializers

from banks.enums import Network
from memoryplatform.api.idempotency import idempotent
from memoryplatform.api.routes import route
from memoryplatform.api.serializers import Input, Output
from memoryplatform.api.v1.lists import ListInput, list_of, list_rows
from memoryplatform.api.views import TenantView
from memoryplatform.operations.banks import retention
from memoryplatform.operations.banks.profile import bank_transaction
from reflection.models import RetentionRule

MOST_DAYS = 36_500
SINCE = "Days since it was last said; for an opinion, since it was last affirmed."


class RuleChangeInput(Input):
    name = serializers.CharField(max_length=100, required=False)
    network = serializers.ChoiceField(
        choices=Network.values, required=False, allow_blank=True, help_text="Default: all networks."
    )
    tag = serializers.CharField(
        max_length=200, required=False, allow_blank=True, help_text="Default: memories with any tag or none."
    )
    days = serializers.IntegerField(min_value=1, max_value=MOST_DAYS, required=False, help_text=SINCE)
    action = serializers.ChoiceField(
        choices=RetentionRule.Action.values,
        required=False,
        help_text="fade ranks unrecalled memories lower; delete is for good.",
    )
    enabled = serializers.BooleanField(required=False)


class RuleInput(RuleChangeInput):
    name = serializers.CharField(max_length=100)
    days = serializers.IntegerField(min_value=1, max_value=MOST_DAYS, help_text=SINCE)


class RuleOutput(Output):
    etag = staticmethod(lambda shown: retention.read_version(shown.rule))

    id = serializers.UUIDField(source="rule.id")
    name = serializers.CharField(source="rule.name")
    network = serializers.CharField(source="rule.network")
    tag = serializers.CharField(source="rule.tag")
    days = serializers.IntegerField(source="rule.days")
    action = serializers.CharField(source="rule.action")
    enabled = serializers.BooleanField(source="rule.enabled")
    matches = serializers.IntegerField(
        help_text="The number of memories that the next nightly maintenance will fade or delete."
    )
    applied_at = serializers.DateTimeField(source="rule.applied_at", allow_null=True)
    created_at = serializers.DateTimeField(source="rule.created_at")


class AppliedOutput(Output):
    operation_id = serializers.UUIDField()


class RulesView(TenantView):
    @route("list_retention_rules", "List retention rules", list_of(RuleOutput), query=ListInput)
    def get(self, bank_id: str, wanted: dict[str, Any]) -> object:
        with bank_transaction(self.access, bank_id) as bank:
            listed = list_rows(RetentionRule.objects.of_bank(bank), wanted, of=bank.id)
            items = [retention.show_rule(bank, rule) for rule in listed.items]
            return vars(listed) | {"items": items}

    @idempotent
    @route("create_retention_rule", "Create a retention rule", RuleOutput, 201, body=RuleInput)
    def post(self, bank_id: str, body: RuleInput) -> object:
        """Nightly maintenance applies the rules; `matches` counts the memories concerned now."""
        return retention.create_rule(self.access, bank_id, **body.validated_data)


class RuleView(TenantView):
    scopes: ClassVar[dict[str, str]] = {"PATCH": "write read"}  # the response shows the resource

    @route("get_retention_rule", "Get a retention rule", RuleOutput)
    def get(self, bank_id: str, rule_id: UUID) -> object:
        with bank_transaction(self.access, bank_id) as bank:
            return retention.show_rule(bank, retention.get_rule(bank, rule_id))

    @route("change_retention_rule", "Change a retention rule", RuleOutput, body=RuleChangeInput, if_match=True)
    def patch(self, bank_id: str, rule_id: UUID, body: RuleChangeInput) -> object:
        return retention.change_rule(self.access, bank_id, rule_id, body.validated_data, expected=self.expected)

    @route("delete_retention_rule", "Delete a retention rule", None, 204, if_match=True)
    def delete(self, bank_id: str, rule_id: UUID) -> None:
        """The next nightly maintenance restores faded memories; deleted ones stay deleted."""
        retention.delete_rule(self.access, bank_id, rule_id, expected=self.expected)


class ApplyView(TenantView):
    @idempotent
    @route("tend_bank", "Run the nightly maintenance of a bank now", AppliedOutput, 202)
    def post(self, bank_id: str) -> object:
        """Retention rules, duplicate observations, summaries of old months. Its kind is `tend_bank`."""
        return {"operation_id": retention.run_maintenance_now(self.access, bank_id).id}
