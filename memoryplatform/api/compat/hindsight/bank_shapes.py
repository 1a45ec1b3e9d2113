"""A bank's profile under Hindsight's names. Its mission, its reflect mission and its background are our background."""

from dataclasses import replace
from typing import Any

from rest_framework import serializers

from banks.models import Bank
from memoryplatform.api.serializers import Input
from memoryplatform.api.v1.bank_settings import SettingsInput, build_change, make_trait
from memoryplatform.operations.banks.profile import BankChange


class TraitsInput(Input):
    skepticism = make_trait()
    literalism = make_trait()
    empathy = make_trait()


class HindsightBankInput(SettingsInput):
    name = serializers.CharField(max_length=200, required=False)
    mission = serializers.CharField(max_length=20_000, required=False, allow_blank=True)
    background = serializers.CharField(max_length=20_000, required=False, allow_blank=True)
    disposition = TraitsInput(required=False)

    def change(self) -> BankChange:
        """Single traits win over the older object of all three, the newest name of the mission over the older ones."""
        given = dict(self.validated_data)
        whole = {f"disposition_{trait}": value for trait, value in given.get("disposition", {}).items()}
        missions = (given.get(name) for name in ("reflect_mission", "mission", "background"))
        mission = next((one for one in missions if one is not None), None)
        return replace(build_change(whole | given | {"reflect_mission": mission}), name=given.get("name"))


def describe_profile(bank: Bank) -> dict[str, Any]:
    return {
        "bank_id": bank.bank_id,
        "name": bank.name,
        "disposition": bank.disposition,
        "mission": bank.background,
        "background": bank.background,
    }
