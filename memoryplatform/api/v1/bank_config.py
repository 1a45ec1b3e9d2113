"""`/v1/banks/{bank_id}/config`: all settings of a bank in one flat object, the overrides, and a reset.

A setting that Hindsight has goes by Hindsight's name; the others go by ours.
"""

from typing import Any

from django.db.models import NOT_PROVIDED
from rest_framework import serializers
from rest_framework.response import Response

from banks.enums import Mode
from banks.extraction_settings import LONGEST_LANGUAGE
from banks.models import Bank
from memoryplatform.api.routes import route
from memoryplatform.api.serializers import Input, Output
from memoryplatform.api.v1.banks import BankChangeInput, BankOutput
from memoryplatform.api.views import TenantView, write_etag
from memoryplatform.operations.banks.profile import BankChange, bank_transaction, change_bank, read_version

HINDSIGHT_NAMES = {
    "skepticism": "disposition_skepticism",
    "literalism": "disposition_literalism",
    "empathy": "disposition_empathy",
    "background": "reflect_mission",
    "extraction_mode": "retain_extraction_mode",
    "retain_language": "llm_output_language",
}
# Every editable field of a bank is a setting, except its name. Settings that only Hindsight has are in its interface.
NOT_SETTINGS = ("name", "hindsight_settings")
OWN_NAMES = [field for field in BankChange.names() if field not in NOT_SETTINGS and field not in HINDSIGHT_NAMES]
NAMES = HINDSIGHT_NAMES | {field: field for field in OWN_NAMES}
# Hindsight's modes with our counterparts. `calibrated` exists here only.
MODES = {
    "concise": Mode.NARRATIVE,
    "verbose": Mode.NARRATIVE,
    "verbatim": Mode.VERBATIM,
    "calibrated": Mode.CALIBRATED,
}
MODE_NAMES = {mode.value: name for name, mode in reversed(MODES.items())}  # concise replaces verbose
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
    llm_output_language = serializers.CharField(
        max_length=LONGEST_LANGUAGE, required=False, allow_blank=True, help_text="The bank's retain_language."
    )

    def get_fields(self) -> Fields:
        """Our own settings have the fields of a bank edit."""
        return super().get_fields() | pick_own_fields(BankChangeInput())

    def change(self) -> BankChange:
        return build_change(dict(self.validated_data))


class SettingsOutput(Output):
    disposition_skepticism = serializers.IntegerField(min_value=1, max_value=5)
    disposition_literalism = serializers.IntegerField(min_value=1, max_value=5)
    disposition_empathy = serializers.IntegerField(min_value=1, max_value=5)
    reflect_mission = serializers.CharField(help_text="The bank's background.")
    retain_extraction_mode = serializers.ChoiceField(
        choices=sorted(MODE_NAMES.values()), help_text="concise is our narrative."
    )
    llm_output_language = serializers.CharField(help_text="The bank's retain_language.")

    def get_fields(self) -> Fields:
        return super().get_fields() | pick_own_fields(BankOutput())


def pick_own_fields(profile: "serializers.Serializer[Any]") -> Fields:
    fields = profile.get_fields()
    return {name: fields[name] for name in OWN_NAMES}


def build_change(given: dict[str, Any]) -> BankChange:
    """None clears a setting whose default is None, and leaves any other unchanged."""
    fields = {field: given[name] for field, name in NAMES.items() if name in given}
    cleared = frozenset(field for field, value in fields.items() if value is None and DEFAULTS[NAMES[field]] is None)
    mode = fields.pop("extraction_mode", None)
    return BankChange(**fields, extraction_mode=MODES[mode].value if mode else None, cleared=cleared)


def describe_settings(bank: Bank) -> dict[str, Any]:
    fields = {name: getattr(bank, field) for field, name in NAMES.items()}
    return fields | {"retain_extraction_mode": MODE_NAMES[bank.extraction_mode]}


def make_default_bank() -> Bank:
    """An unsaved bank with the database defaults, which Django sets only on save."""
    filled = {field.name: field.db_default for field in Bank._meta.local_concrete_fields if field.name in NAMES}
    return Bank(**{name: value for name, value in filled.items() if value is not NOT_PROVIDED})


DEFAULTS = describe_settings(make_default_bank())


def replace_nulls(given: dict[str, Any]) -> dict[str, Any]:
    """Replaces null by the default."""
    return {name: DEFAULTS[name] if value is None else value for name, value in given.items()}


class SettingsChangeInput(SettingsInput):
    """Only the given settings change. Null resets a setting."""

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
    overrides = OverridesOutput(help_text="The settings that differ from the defaults.")


class ConfigView(TenantView):
    @route("get_bank_config", "Get a bank's settings", ConfigOutput)
    def get(self, bank_id: str) -> object:
        """All settings except the name. Settings that Hindsight has go by Hindsight's names."""
        with bank_transaction(self.access, bank_id) as bank:
            return render_config(bank)

    @route("change_bank_config", "Change the given settings of a bank", ConfigOutput, body=ConfigInput, if_match=True)
    def patch(self, bank_id: str, body: ConfigInput) -> object:
        """`If-Match` takes the ETag of the bank."""
        change = build_change(replace_nulls(body.validated_data["updates"]))
        return render_config(change_bank(self.access, bank_id, change, expected=self.expected))

    @route("reset_bank_config", "Reset a bank's settings to the defaults", ConfigOutput, if_match=True)
    def delete(self, bank_id: str) -> object:
        """Also clears the background. `If-Match` takes the ETag of the bank."""
        usual = build_change(DEFAULTS)
        return render_config(change_bank(self.access, bank_id, usual, expected=self.expected))


def render_config(bank: Bank) -> Response:
    fields = {"bank_id": bank.bank_id, "config": describe_settings(bank), "overrides": list_overrides(bank)}
    return Response(ConfigOutput(fields).data, headers=write_etag(read_version(bank)))


def list_overrides(bank: Bank) -> dict[str, Any]:
    return {name: value for name, value in describe_settings(bank).items() if value != DEFAULTS[name]}
