"""A bank's profile under the peer's names. Its mission, its reflect mission and its background are our background."""

from typing import Any

from rest_framework import serializers

from banks.models import Bank
from banks.words import Mode
from memoryplatform.api.serializers import Input
from memoryplatform.operations.bank_profile import BankChange

# The peer's modes that ours do the same as. `calibrated` is ours alone and keeps its name.
MODES = {
    "concise": Mode.NARRATIVE,
    "verbose": Mode.NARRATIVE,
    "verbatim": Mode.VERBATIM,
    "calibrated": Mode.CALIBRATED,
}
PEER_MODE = {
    Mode.NARRATIVE.value: "concise",
    Mode.VERBATIM.value: "verbatim",
    Mode.CALIBRATED.value: "calibrated",
}
TRAITS = ("skepticism", "literalism", "empathy")


def make_trait() -> serializers.IntegerField:
    return serializers.IntegerField(min_value=1, max_value=5, required=False)


class TraitsInput(Input):
    skepticism = make_trait()
    literalism = make_trait()
    empathy = make_trait()


class SettingsInput(Input):
    """The peer's settings of a bank that have a counterpart here."""

    disposition_skepticism = make_trait()
    disposition_literalism = make_trait()
    disposition_empathy = make_trait()
    reflect_mission = serializers.CharField(max_length=20_000, required=False, allow_blank=True)
    retain_extraction_mode = serializers.ChoiceField(choices=list(MODES), required=False)

    def change(self) -> BankChange:
        return build_change(dict(self.validated_data))


class PeerBankInput(SettingsInput):
    name = serializers.CharField(max_length=200, required=False)
    mission = serializers.CharField(max_length=20_000, required=False, allow_blank=True)
    background = serializers.CharField(max_length=20_000, required=False, allow_blank=True)
    disposition = TraitsInput(required=False)


def build_change(given: dict[str, Any]) -> BankChange:
    """Single traits win over the older object of all three, the newest name of the mission over the older ones."""
    whole = given.get("disposition", {})
    traits = {trait: given.get(f"disposition_{trait}", whole.get(trait)) for trait in TRAITS}
    missions = (given.get(name) for name in ("reflect_mission", "mission", "background"))
    mode = given.get("retain_extraction_mode")
    return BankChange(
        name=given.get("name"),
        background=next((mission for mission in missions if mission is not None), None),
        extraction_mode=MODES[mode].value if mode else None,
        **traits,
    )


def describe_profile(bank: Bank) -> dict[str, Any]:
    return {
        "bank_id": bank.bank_id,
        "name": bank.name,
        "disposition": bank.disposition,
        "mission": bank.background,
        "background": bank.background,
    }


def describe_settings(bank: Bank) -> dict[str, Any]:
    traits = {f"disposition_{trait}": getattr(bank, trait) for trait in TRAITS}
    return {
        **traits,
        "reflect_mission": bank.background,
        "retain_extraction_mode": PEER_MODE[bank.extraction_mode],
    }
