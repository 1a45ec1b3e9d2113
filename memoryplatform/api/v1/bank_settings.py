"""A bank's settings, flat, as they come in and go out: under Hindsight's names where it has them, else under ours."""

from typing import Any

from django.db.models import NOT_PROVIDED
from rest_framework import serializers

from banks.models import Bank
from banks.words import Mode
from memoryplatform.api.serializers import Input, Output
from memoryplatform.api.v1.banks import BankChangeInput, BankOutput
from memoryplatform.operations.banks.profile import BankChange

HINDSIGHT_NAMES = {
    "skepticism": "disposition_skepticism",
    "literalism": "disposition_literalism",
    "empathy": "disposition_empathy",
    "background": "reflect_mission",
    "extraction_mode": "retain_extraction_mode",
}
# A bank's name says which one it is; all else that can be changed of it is a setting.
OURS = [field for field in BankChange.names() if field != "name" and field not in HINDSIGHT_NAMES]
NAMES = HINDSIGHT_NAMES | {field: field for field in OURS}

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

Fields = dict[str, "serializers.Field[Any, Any, Any, Any]"]


def make_trait(**options: Any) -> serializers.IntegerField:
    return serializers.IntegerField(min_value=1, max_value=5, required=False, **options)


class SettingsInput(Input):
    disposition_skepticism = make_trait()
    disposition_literalism = make_trait()
    disposition_empathy = make_trait()
    reflect_mission = serializers.CharField(
        max_length=20_000, required=False, allow_blank=True, help_text="The bank's background."
    )
    retain_extraction_mode = serializers.ChoiceField(
        choices=list(MODES), required=False, help_text="concise and verbose are our narrative."
    )

    def get_fields(self) -> Fields:
        """Ours are checked as an edit of the bank checks them."""
        return super().get_fields() | pick_ours(BankChangeInput())

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

    def get_fields(self) -> Fields:
        return super().get_fields() | pick_ours(BankOutput())


def pick_ours(profile: "serializers.Serializer[Any]") -> Fields:
    fields = profile.get_fields()
    return {name: fields[name] for name in OURS}


def build_change(given: dict[str, Any]) -> BankChange:
    """None clears a setting that a new bank has none of, and leaves any other as it is."""
    told = {field: given[name] for field, name in NAMES.items() if name in given}
    cleared = frozenset(field for field, value in told.items() if value is None and USUAL[NAMES[field]] is None)
    mode = told.pop("extraction_mode", None)
    return BankChange(**told, extraction_mode=MODES[mode].value if mode else None, cleared=cleared)


def describe_settings(bank: Bank) -> dict[str, Any]:
    told = {name: getattr(bank, field) for field, name in NAMES.items()}
    return told | {"retain_extraction_mode": NAME_OF[bank.extraction_mode]}


def make_usual() -> Bank:
    """A new bank. What the database fills in would stand in it only once it is stored."""
    filled = {field.name: field.db_default for field in Bank._meta.local_concrete_fields if field.name in NAMES}
    return Bank(**{name: value for name, value in filled.items() if value is not NOT_PROVIDED})


USUAL = describe_settings(make_usual())


def reset(given: dict[str, Any]) -> dict[str, Any]:
    """Null stands for what a new bank has."""
    return {name: USUAL[name] if value is None else value for name, value in given.items()}
