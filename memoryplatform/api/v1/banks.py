"""`/v1/banks`: create, list, change and delete banks."""

from typing import Any

from rest_framework import serializers
from rest_framework.exceptions import PermissionDenied

from banks.enums import Mode
from banks.extraction_settings import (
    CHECKS,
    LONGEST_CATEGORY,
    LONGEST_DESCRIPTION,
    LONGEST_LANGUAGE,
    LONGEST_LEAVE_OUT,
    LONGEST_MISSION,
    MOST_CATEGORIES,
    MOST_TYPES,
)
from banks.models import Bank
from memoryplatform.api.idempotency import idempotent
from memoryplatform.api.pagination import PageInput, page_of, paginate
from memoryplatform.api.routes import route
from memoryplatform.api.serializers import Input, NumberField, Output
from memoryplatform.api.views import TenantView
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.banks import profile
from protection.modes import MODES
from protection.personal_data import PersonalKind
from tenants.bank_ids import WORDS, is_bank_id, is_new_bank_id
from tenants.transactions import tenant_transaction


def check_bank_id(value: str) -> None:
    if not is_bank_id(value):
        raise serializers.ValidationError(f"Must be {WORDS}.")


def check_new_bank_id(value: str) -> None:
    if not is_new_bank_id(value):
        raise serializers.ValidationError(f"Must be {WORDS}.")


WITHOUT_LLM = "Without a language model it has no effect."


class DispositionInput(Input):
    skepticism = serializers.IntegerField(min_value=1, max_value=5, required=False)
    literalism = serializers.IntegerField(min_value=1, max_value=5, required=False)
    empathy = serializers.IntegerField(min_value=1, max_value=5, required=False)


PROTECTION = (
    "off: not looked for. flag: stored, with a flag on the memory. redact: the found characters are replaced. "
    "quarantine: the item waits for a review. refuse: the call is refused."
)


class ProtectionInput(Input):
    secrets = serializers.ChoiceField(
        choices=MODES, required=False, help_text=f"API keys, private keys, passwords in URLs. {PROTECTION}"
    )
    personal_data = serializers.ChoiceField(
        choices=MODES, required=False, help_text="The kinds of data in personal_kinds; modes as above."
    )
    instructions = serializers.ChoiceField(
        choices=MODES, required=False, help_text="Text that tries to instruct the agent; modes as above."
    )
    personal_kinds = serializers.ListField(
        child=serializers.ChoiceField(choices=[kind.value for kind in PersonalKind]),
        required=False,
        max_length=len(PersonalKind),
        help_text="Which personal data is looked for. Default: all.",
    )
    phone_region = serializers.RegexField(
        r"^[A-Z]{2}$",
        required=False,
        allow_blank=True,
        help_text="The country of phone numbers without a country code, such as DE. Empty: those are not found.",
    )


class ProtectionOutput(Output):
    secrets = serializers.ChoiceField(choices=MODES)
    personal_data = serializers.ChoiceField(choices=MODES)
    instructions = serializers.ChoiceField(choices=MODES)
    personal_kinds = serializers.ListField(child=serializers.CharField())
    phone_region = serializers.CharField()


class TermInput(Input):
    name = serializers.CharField(max_length=LONGEST_CATEGORY)
    description = serializers.CharField(
        max_length=LONGEST_DESCRIPTION, allow_blank=True, default="", help_text="Tells the model what belongs to it."
    )


class TermOutput(Output):
    name = serializers.CharField()
    description = serializers.CharField(default="")


class ExtractionSettingsInput(Input):  # a docstring would be repeated for every bank
    extraction_mode = serializers.ChoiceField(
        choices=Mode.choices,
        required=False,
        help_text="narrative: comprehensive facts. calibrated: only unpredicted facts. verbatim: each "
        "exchange as it was said.",
    )
    retain_mission = serializers.CharField(
        max_length=LONGEST_MISSION,
        allow_blank=True,
        required=False,
        help_text=f"The purpose of this memory, and what to look for. {WITHOUT_LLM}",
    )
    leave_out = serializers.CharField(
        max_length=LONGEST_LEAVE_OUT,
        allow_blank=True,
        required=False,
        help_text=f"What must not become a memory. The archive keeps the source all the same. {WITHOUT_LLM}",
    )
    retain_language = serializers.CharField(
        max_length=LONGEST_LANGUAGE,
        allow_blank=True,
        required=False,
        help_text=f"The language of the facts, such as German. Empty: the language of the source. {WITHOUT_LLM}",
    )
    entity_types = serializers.ListField(
        child=TermInput(),
        required=False,
        max_length=MOST_TYPES,
        help_text=f"Types of entities beside PERSON, ORGANIZATION and the others, such as MEDICATION. {WITHOUT_LLM}",
    )
    entity_types_closed = serializers.BooleanField(
        required=False, help_text="The types of entity_types alone: every other entity is of the kind OTHER."
    )
    categories = serializers.ListField(
        child=TermInput(),
        required=False,
        max_length=MOST_CATEGORIES,
        help_text=f"Each fact gets those that apply, as metadata: category:NAME = true. {WITHOUT_LLM}",
    )

    def validate_entity_types(self, value: list[dict[str, str]]) -> list[dict[str, str]]:
        return check_list("entity_types", value)

    def validate_categories(self, value: list[dict[str, str]]) -> list[dict[str, str]]:
        return check_list("categories", value)


def check_list(name: str, value: list[dict[str, str]]) -> list[dict[str, str]]:
    try:
        CHECKS[name](value)
    except ValueError as fault:
        raise serializers.ValidationError(str(fault)) from None
    return value


class ExtractionSettingsOutput(Output):
    extraction_mode = serializers.ChoiceField(choices=Mode.choices)
    retain_mission = serializers.CharField()
    leave_out = serializers.CharField()
    retain_language = serializers.CharField()
    entity_types = TermOutput(many=True)
    entity_types_closed = serializers.BooleanField()
    categories = TermOutput(many=True)


class BankChangeInput(ExtractionSettingsInput):
    name = serializers.CharField(max_length=200, required=False)
    background = serializers.CharField(
        max_length=20_000, allow_blank=True, required=False, help_text="Who the agent is, in the first person."
    )
    learns_background = serializers.BooleanField(
        required=False, help_text="Merge statements about the agent itself into the background."
    )
    disposition = DispositionInput(required=False)
    bias_strength = NumberField(
        min_value=0.0, max_value=1.0, required=False, help_text="0 answers objectively, 1 is openly opinionated."
    )
    opinion_step = NumberField(
        min_value=0.001,
        max_value=0.999,
        required=False,
        allow_null=True,
        help_text="How far one piece of evidence moves an opinion. Null: the deployment's default.",
    )
    opinion_reach = NumberField(
        min_value=0.0,
        max_value=1.0,
        required=False,
        allow_null=True,
        help_text="The cosine above which a fact is evidence for an opinion. Null: the deployment's default.",
    )
    protection = ProtectionInput(
        required=False, help_text="What happens to secrets, personal data and instructions in texts that come in."
    )

    def change(self) -> profile.BankChange:
        given = dict(self.validated_data)
        given.pop("bank_id", None)
        cleared = frozenset(name for name, value in given.items() if value is None)
        return profile.BankChange(**given.pop("disposition", {}), **given, cleared=cleared)


class BankCreateInput(BankChangeInput):
    bank_id = serializers.CharField(
        required=False,
        trim_whitespace=False,
        validators=[check_new_bank_id],
        help_text="Your own id for the bank; generated if left out.",
    )


class BankListInput(PageInput):
    q = serializers.CharField(required=False, max_length=200, help_text="Part of the id or the name.")


class DispositionOutput(Output):
    skepticism = serializers.IntegerField(min_value=1, max_value=5)
    literalism = serializers.IntegerField(min_value=1, max_value=5)
    empathy = serializers.IntegerField(min_value=1, max_value=5)


class LegalHoldOutput(Output):
    reason = serializers.CharField()
    since = serializers.DateTimeField()


class BankOutput(ExtractionSettingsOutput):
    etag = staticmethod(profile.read_version)

    bank_id = serializers.CharField()
    name = serializers.CharField()
    background = serializers.CharField()
    learns_background = serializers.BooleanField()
    disposition = DispositionOutput()
    bias_strength = serializers.FloatField()
    opinion_step = serializers.FloatField(allow_null=True, help_text="Null: the deployment's default.")
    opinion_reach = serializers.FloatField(allow_null=True, help_text="Null: the deployment's default.")
    protection = ProtectionOutput()
    embedding_model = serializers.CharField()
    legal_hold = LegalHoldOutput(allow_null=True, help_text="Null unless an admin put the bank under legal hold.")
    created_at = serializers.DateTimeField()
    updated_at = serializers.DateTimeField()


class BankDeletedOutput(Output):
    success = serializers.BooleanField()
    message = serializers.CharField()
    operation_id = serializers.UUIDField(help_text="The operation that removes the rows; its result is the receipt.")


class BanksView(TenantView):
    quotes_memories = False

    @route("list_banks", "List banks, newest first", page_of("banks", BankOutput), query=BankListInput)
    def get(self, wanted: dict[str, Any]) -> object:
        with tenant_transaction(self.tenant_id):
            banks = profile.find_banks(self.access, words=wanted.get("q", ""))
            return paginate(banks, wanted, of=self.tenant_id)

    @idempotent
    @route("create_bank", "Create a bank", BankOutput, 201, body=BankCreateInput)
    def post(self, body: BankCreateInput) -> object:
        return create_bank_from_input(self.access, body)


class BankView(TenantView):
    @route("get_bank", "Get a bank", BankOutput)
    def get(self, bank_id: str) -> object:
        with profile.bank_transaction(self.access, bank_id) as bank:
            return bank

    @route("change_bank", "Change the given fields of a bank", BankOutput, body=BankChangeInput, if_match=True)
    def patch(self, bank_id: str, body: BankChangeInput) -> object:
        return profile.change_bank(self.access, bank_id, body.change(), expected=self.expected)

    @route("delete_bank", "Delete a bank with all its contents", BankDeletedOutput, if_match=True)
    def delete(self, bank_id: str) -> object:
        """The bank disappears at once; its rows are removed in the background."""
        operation = profile.delete_bank_for_good(self.access, bank_id, expected=self.expected)
        return {"success": True, "message": f"Bank '{bank_id}' is deleted.", "operation_id": operation.id}


def create_bank_from_input(access: BankAccess, body: BankCreateInput) -> Bank:
    """Precondition: the body is validated."""
    bank_id = body.validated_data.get("bank_id")
    if access.banks is not None and bank_id not in access.banks:
        raise PermissionDenied("This API key is limited to other banks.")
    return profile.create_bank(access, bank_id, body.change())
