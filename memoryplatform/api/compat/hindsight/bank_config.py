"""`/config`: the settings of a bank. Only what has a counterpart here can be set."""

from typing import Any

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from banks.models import Bank
from memoryplatform.api.compat.hindsight.bank_shapes import SettingsInput, describe_settings
from memoryplatform.api.compat.hindsight.banks import create_or_change
from memoryplatform.api.compat.hindsight.errors import BadRequest
from memoryplatform.api.compat.hindsight.peer_view import PeerView
from memoryplatform.api.compat.hindsight.tolerance import read_body
from memoryplatform.api.serializers import Input
from memoryplatform.api.v1.banks import check_bank_id
from memoryplatform.operations.bank_profile import BankChange, change_bank, get_bank
from tenants.transactions import tenant_transaction

ENVIRONMENT = "HINDSIGHT_API_"  # the peer takes a setting under the name of its variable too
USUAL = describe_settings(Bank())


class ConfigInput(Input):
    updates = serializers.DictField()


class PeerConfigView(PeerView):
    def get(self, _request: Request, bank_id: str) -> Response:
        with tenant_transaction(self.tenant_id):
            return Response(describe_config(get_bank(self.access, bank_id)))

    def patch(self, request: Request, bank_id: str) -> Response:
        """Makes the bank where it is not there, as the peer does."""
        check_bank_id(bank_id)
        updates = read_body(ConfigInput, request.data).validated_data["updates"]
        change = read_body(SettingsInput, read_settings(updates)).change()
        return Response(describe_config(create_or_change(self.access, bank_id, change)))

    def delete(self, _request: Request, bank_id: str) -> Response:
        usual = SettingsInput(data=USUAL)
        usual.is_valid(raise_exception=True)
        change: BankChange = usual.change()
        return Response(describe_config(change_bank(self.access, bank_id, change)))


def read_settings(updates: dict[str, Any]) -> dict[str, Any]:
    """Null resets a setting."""
    given = {name.removeprefix(ENVIRONMENT).lower(): value for name, value in updates.items()}
    unknown = sorted(set(given) - set(USUAL))
    if unknown:
        raise BadRequest(f"Not a setting here: {', '.join(unknown)}. Valid fields: {', '.join(sorted(USUAL))}")
    return {name: USUAL[name] if value is None else value for name, value in given.items()}


def describe_config(bank: Bank) -> dict[str, Any]:
    settings = describe_settings(bank)
    overrides = {name: value for name, value in settings.items() if value != USUAL[name]}
    return {"bank_id": bank.bank_id, "config": settings, "overrides": overrides}
