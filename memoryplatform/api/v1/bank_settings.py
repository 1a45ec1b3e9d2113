"""A bank's settings, flat and under Hindsight's names, as they come in and go out."""

from typing import Any

from rest_framework import serializers

from banks.models import Bank
from banks.words import Mode
from memoryplatform.api.serializers import Input, Output
from memoryplatform.operations.banks.profile import BankChange

# Hindsight's modes that ours do the same as. `calibrated` is ours alone and keeps its name.
MODES = {
    "concise": Mode.NARRATIVE,
    "verbose": Mode.NARRATIVE,
    "verbatim": Mode.VERBATIM,
    "calibrated": Mode.CALIBRATED,
}
NAME_OF = {
    Mode.NARRATIVE.value: "concise",
    Mode.VERBATIM.value: "verbatim",
    Mode.CALIBRATED.value: "calibrated",
}
TRAITS = ("skepticism", "literalism", "empathy")


def make_trait(**options: Any) -> serializers.IntegerField:
    return serializers.IntegerField(min_value=1, max_value=5, required=False, **options)


class SettingsInput(Input):
    disposition_skepticism = make_trait()
    disposition_literalism = make_trait()
    disposition_empathy = make_trait()
    reflect_mission = serializers.CharField(max_length=20_000, required=False, allow_blank=True)
    retain_extraction_mode = serializers.ChoiceField(choices=list(MODES), required=False)

    def change(self) -> BankChange:
        return build_change(dict(self.validated_data))


class SettingsOutput(Output):
    disposition_skepticism = serializers.IntegerField(min_value=1, max_value=5)
    disposition_literalism = serializers.IntegerField(min_value=1, max_value=5)
    disposition_empathy = serializers.IntegerField(min_value=1, max_value=5)
    reflect_mission = serializers.CharField(help_text="The bank's background.")
    retain_extraction_mode = serializers.ChoiceField(
        choices=sorted(NAME_OF.values()), help_text="concise is our narrative."
    )


def build_change(given: dict[str, Any]) -> BankChange:
    mode = given.get("retain_extraction_mode")
    return BankChange(
        background=given.get("reflect_mission"),
        skepticism=given.get("disposition_skepticism"),
        literalism=given.get("disposition_literalism"),
        empathy=given.get("disposition_empathy"),
        extraction_mode=MODES[mode].value if mode else None,
    )


def describe_settings(bank: Bank) -> dict[str, Any]:
    traits = {f"disposition_{trait}": getattr(bank, trait) for trait in TRAITS}
    return {
        **traits,
        "reflect_mission": bank.background,
        "retain_extraction_mode": NAME_OF[bank.extraction_mode],
    }


USUAL = describe_settings(Bank())


def reset(given: dict[str, Any]) -> dict[str, Any]:
    """Null stands for what a new bank has."""
    return {name: USUAL[name] if value is None else value for name, value in given.items()}
