"""`/config`: the settings of a bank. Only what has a counterpart here can be set."""

from typing import Any

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from memoryplatform.api.compat.hindsight.banks import create_or_change
from memoryplatform.api.compat.hindsight.errors import BadRequest
from memoryplatform.api.compat.hindsight.hindsight_view import HindsightView
from memoryplatform.api.compat.hindsight.tolerance import read_body
from memoryplatform.api.serializers import Input
from memoryplatform.api.v1.bank_config import ConfigView, render
from memoryplatform.api.v1.bank_settings import USUAL, SettingsInput, reset
from memoryplatform.api.v1.banks import check_bank_id
from memoryplatform.api.v1.preconditions import read_expected

ENVIRONMENT = "HINDSIGHT_API_"  # Hindsight takes a setting under the name of its variable too


class HindsightConfigInput(Input):
    updates = serializers.DictField()


class HindsightConfigView(HindsightView, ConfigView):
    def patch(self, request: Request, bank_id: str) -> Response:
        """Makes the bank where it is not there, as Hindsight does."""
        check_bank_id(bank_id)
        updates = read_body(HindsightConfigInput, request.data).validated_data["updates"]
        change = read_body(SettingsInput, read_settings(updates)).change()
        return render(create_or_change(self.access, bank_id, change, expected=read_expected(request)))


def read_settings(updates: dict[str, Any]) -> dict[str, Any]:
    given = {name.removeprefix(ENVIRONMENT).lower(): value for name, value in updates.items()}
    unknown = sorted(set(given) - set(USUAL))
    if unknown:
        raise BadRequest(f"Not a setting here: {', '.join(unknown)}. Valid fields: {', '.join(sorted(USUAL))}")
    return reset(given)
