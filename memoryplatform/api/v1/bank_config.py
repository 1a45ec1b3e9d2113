"""`/v1/banks/{bank_id}/config`: all settings of a bank, which of them differ from a new one's, and their reset."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from banks.models import Bank
from memoryplatform.api.schema import ERRORS
from memoryplatform.api.serializers import ErrorOutput, Input, Output
from memoryplatform.api.v1.bank_settings import (
    USUAL,
    Fields,
    SettingsInput,
    SettingsOutput,
    build_change,
    describe_settings,
    reset,
)
from memoryplatform.api.v1.preconditions import IF_MATCH, read_expected, write_etag
from memoryplatform.api.views import TenantView
from memoryplatform.operations.banks.profile import change_bank, get_bank, read_version
from tenants.transactions import tenant_transaction


class SettingsChangeInput(SettingsInput):
    """The given ones change; null resets one."""

    def get_fields(self) -> Fields:
        fields = super().get_fields()
        for field in fields.values():
            field.allow_null = True
        return fields


class ConfigInput(Input):
    updates = SettingsChangeInput()


class OverridesOutput(SettingsOutput):
    def get_fields(self) -> Fields:
        fields = super().get_fields()
        for field in fields.values():
            field.required, field.allow_null = False, False
        return fields


class ConfigOutput(Output):
    bank_id = serializers.CharField()
    config = SettingsOutput()
    overrides = OverridesOutput(help_text="Those that differ from a new bank's.")


class ConfigView(TenantView):
    @extend_schema(
        operation_id="get_bank_config",
        summary="Get a bank's settings",
        description="All but its name: what Hindsight has, under Hindsight's names, and the others under ours.",
        responses={200: ConfigOutput, **ERRORS},
    )
    def get(self, _request: Request, bank_id: str) -> Response:
        with tenant_transaction(self.tenant_id):
            return render(get_bank(self.access, bank_id))

    @extend_schema(
        operation_id="change_bank_config",
        summary="Change the given settings of a bank",
        description="`If-Match` takes the ETag of the bank, which is that of its settings too.",
        parameters=[IF_MATCH],
        request=ConfigInput,
        responses={200: ConfigOutput, **ERRORS, 412: ErrorOutput},
    )
    def patch(self, request: Request, bank_id: str) -> Response:
        body = ConfigInput(data=request.data)
        body.is_valid(raise_exception=True)
        change = build_change(reset(body.validated_data["updates"]))
        return render(change_bank(self.access, bank_id, change, expected=read_expected(request)))

    @extend_schema(
        operation_id="reset_bank_config",
        summary="Give a bank the settings of a new one",
        description="Its background becomes empty, too. `If-Match` takes the ETag of the bank.",
        parameters=[IF_MATCH],
        responses={200: ConfigOutput, **ERRORS, 412: ErrorOutput},
    )
    def delete(self, request: Request, bank_id: str) -> Response:
        usual = build_change(USUAL)
        return render(change_bank(self.access, bank_id, usual, expected=read_expected(request)))


def render(bank: Bank) -> Response:
    told = {"bank_id": bank.bank_id, "config": describe_settings(bank), "overrides": list_overrides(bank)}
    return Response(ConfigOutput(told).data, headers=write_etag(read_version(bank)))


def list_overrides(bank: Bank) -> dict[str, Any]:
    return {name: value for name, value in describe_settings(bank).items() if value != USUAL[name]}
