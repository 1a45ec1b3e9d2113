"""The settings of a bank: its name, extraction, protection, retention rules, legal hold and deletion."""

from typing import Any
from uuid import UUID

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_POST

from banks.enums import Network
from banks.errors import BankError
from banks.models import Bank
from memoryplatform.dashboard.access import LAST_BANK, BankRequest, bank_page, perform
from memoryplatform.dashboard.extraction import LONGEST_TRIAL, ExtractionForm, try_text
from memoryplatform.operations.account.access import Right
from memoryplatform.operations.account.own_llm import find_llm
from memoryplatform.operations.banks import legal_hold, profile, retention
from memoryplatform.operations.banks.embedding_model import get_state
from memoryplatform.operations.banks.profile import BankChange
from memoryplatform.operations.errors import OperationError
from protection.modes import MODES
from protection.personal_data import PersonalKind
from providers.llm.protocol import Task
from reflection.errors import ChangedMeanwhile, ReflectionError
from reflection.models import RetentionRule
from tenants.transactions import tenant_transaction

CONFLICT = (
    "These settings have changed since you opened them, so nothing is saved. Your input is still here. "
    "To see the change, open the page again."
)
RULE_ID = "rule_%s"  # both forms of the settings have a name
MODE_WORDS = {
    "off": "Off: not looked for",
    "flag": "Flag: store it, and mark the memory",
    "redact": "Redact: replace the found characters",
    "quarantine": "Quarantine: wait for a review",
    "refuse": "Refuse: the call is an error",
}
MODE_CHOICES = [(mode, MODE_WORDS[mode]) for mode in MODES]


class SettingsForm(forms.Form):
    name = forms.CharField(
        label="Name", max_length=200, help_text="The agent calls itself by this name in its answers."
    )
    learns_background = forms.BooleanField(
        label="Learn the background",
        required=False,
        help_text="Statements about the agent itself are merged into its background.",
    )
    opinion_step = forms.FloatField(
        label="Opinion step",
        required=False,
        min_value=0.001,
        max_value=0.999,
        widget=forms.NumberInput({"step": "0.001", "placeholder": "Default"}),
        help_text="How far one piece of evidence moves the confidence of an opinion. Empty: the default.",
    )
    opinion_reach = forms.FloatField(
        label="Opinion reach",
        required=False,
        min_value=0,
        max_value=1,
        widget=forms.NumberInput({"step": "0.01", "placeholder": "Default"}),
        help_text="How similar a fact must be to bear on an opinion (cosine, 0 to 1). Empty: the default.",
    )
    secrets = forms.ChoiceField(
        label="Secrets", choices=MODE_CHOICES, help_text="API keys, private keys, passwords in URLs."
    )
    personal_data = forms.ChoiceField(
        label="Personal data", choices=MODE_CHOICES, help_text="The kinds of data that are ticked below."
    )
    personal_kinds = forms.MultipleChoiceField(
        label="Kinds of personal data",
        required=False,
        choices=[
            (kind.value, kind.value.upper() if kind == PersonalKind.IBAN else kind.value) for kind in PersonalKind
        ],
        widget=forms.CheckboxSelectMultiple({"class": "check"}),
    )
    phone_region = forms.RegexField(
        r"^[A-Z]{2}$",
        label="Country of phone numbers",
        required=False,
        help_text="For numbers without a country code, such as DE. Empty: those are not found.",
    )
    instructions = forms.ChoiceField(
        label="Instructions",
        choices=MODE_CHOICES,
        help_text="Text that tries to instruct the agent, such as “ignore what you were told”.",
    )
    version = forms.CharField(widget=forms.HiddenInput, required=False)

    def change(self) -> BankChange:
        given = dict(self.cleaned_data)
        given.pop("version")
        parts = ("secrets", "personal_data", "instructions", "personal_kinds", "phone_region")
        protection = {name: given.pop(name) for name in parts}
        cleared = frozenset(name for name in ("opinion_step", "opinion_reach") if given[name] is None)
        return BankChange(**given, protection=protection, cleared=cleared)


class RuleForm(forms.Form):
    name = forms.CharField(label="Name", max_length=100)
    action = forms.ChoiceField(
        label="Action", choices=[("fade", "Fade: rank lower until recalled"), ("delete", "Delete for good")]
    )
    network = forms.ChoiceField(
        label="Network", required=False, choices=[("", "Every network"), *((one, one) for one in Network.values)]
    )
    tag = forms.CharField(label="Tag", required=False, max_length=200)
    days = forms.IntegerField(label="After days", min_value=1, max_value=36_500)


@bank_page(Right.VIEW)
@require_GET
def bank_settings(request: BankRequest) -> HttpResponse:
    return show_settings(request)


def read_settings(row: Bank) -> dict[str, Any]:
    names = ("name", "learns_background", "opinion_step", "opinion_reach")
    return {**{name: getattr(row, name) for name in names}, **row.protection, "version": profile.read_version(row)}


def show_settings(
    request: BankRequest,
    form: SettingsForm | None = None,
    rule_form: RuleForm | None = None,
    extraction_form: ExtractionForm | None = None,
    typed_id: str | None = None,
) -> HttpResponse:
    """A form that is left out shows what is stored. `typed_id` is a wrong id, typed to delete the bank."""
    with tenant_transaction(request.access.tenant_id):
        rules = list(RetentionRule.objects.of_bank(request.bank).order_by("id"))
    given = [one for one in (form, rule_form, extraction_form) if one is not None]
    context = {
        "form": form or SettingsForm(initial=read_settings(request.bank)),
        "rule_form": rule_form or RuleForm(auto_id=RULE_ID),
        "extraction_form": extraction_form or ExtractionForm.of(request.bank),
        "model": getattr(find_llm(request.access.tenant_id, Task.EXTRACT), "model_id", ""),
        "rules": rules,
        "embedding": get_state(request.access.to_bank(), request.bank.bank_id),
        "longest_trial": LONGEST_TRIAL,
        "typed_id": typed_id,
    }
    status = 422 if typed_id is not None or any(one.errors for one in given) else 200
    return render(request, "dashboard/bank/settings.html", context, status=status)


@bank_page(Right.MANAGE)
@require_POST
def change_extraction(request: BankRequest) -> HttpResponse:
    form = ExtractionForm(request.POST)
    if form.is_valid() and save_settings(request, form, form.change()):
        messages.success(request, "The bank remembers by these settings from now on.")
        return redirect("bank_settings", request.bank.bank_id)
    return show_settings(request, extraction_form=form)


@bank_page(Right.WRITE)
@require_POST
def try_extraction(request: BankRequest) -> HttpResponse:
    """With the settings of the form, saved or not. A person who can't change them sends none."""
    form = ExtractionForm(request.POST) if "retain_mission" in request.POST else None
    if form is None or form.is_valid():
        tried = try_text(request, request.POST.get("text", ""), form.settings() if form else None)
    else:
        faults = ((form[name].label, map(str, found)) for name, found in form.errors.items())
        tried = {"fault": " ".join(f"{label}: {' '.join(texts)}" for label, texts in faults)}
    return render(request, "dashboard/bank/tried.html", {"tried": tried})


def save_settings(request: BankRequest, form: SettingsForm | ExtractionForm, change: BankChange) -> bool:
    version = form.cleaned_data["version"]
    expected = frozenset({version}) if version else None
    try:
        profile.change_bank(request.access.to_bank(), request.bank.bank_id, change, expected=expected)
    except ChangedMeanwhile:
        form.add_error(None, CONFLICT)
        return False
    except (BankError, OperationError, ReflectionError) as error:
        form.add_error(None, str(error))
        return False
    return True


@bank_page(Right.MANAGE)
@require_POST
def change_bank(request: BankRequest) -> HttpResponse:
    form = SettingsForm(request.POST)
    if form.is_valid() and save_settings(request, form, form.change()):
        messages.success(request, "The settings are saved.")
        return redirect("bank_settings", request.bank.bank_id)
    return show_settings(request, form)


@bank_page(Right.MANAGE)
@require_POST
def create_rule(request: BankRequest) -> HttpResponse:
    form = RuleForm(request.POST, auto_id=RULE_ID)
    if form.is_valid():
        try:
            shown = retention.create_rule(request.access.to_bank(), request.bank.bank_id, **form.cleaned_data)
        except ReflectionError as error:
            form.add_error(None, str(error))
        else:
            done = "fades" if shown.rule.action == RetentionRule.Action.FADE else "deletes"
            messages.success(request, f"The rule {done} {shown.matches} memories in the coming night.")
            return redirect("bank_settings", request.bank.bank_id)
    return show_settings(request, rule_form=form)


@bank_page(Right.MANAGE)
@require_POST
def switch_rule(request: BankRequest, rule_id: UUID) -> HttpResponse:
    enabled = request.POST.get("enabled") == "yes"

    def act() -> str:
        retention.change_rule(request.access.to_bank(), request.bank.bank_id, rule_id, {"enabled": enabled})
        return "The rule is on." if enabled else "The rule is off."

    return perform(request, act, reverse("bank_settings", args=[request.bank.bank_id]))


@bank_page(Right.MANAGE)
@require_POST
def delete_rule(request: BankRequest, rule_id: UUID) -> HttpResponse:
    def act() -> str:
        retention.delete_rule(request.access.to_bank(), request.bank.bank_id, rule_id)
        return "The rule is deleted. The next night restores the memories that it faded."

    return perform(request, act, reverse("bank_settings", args=[request.bank.bank_id]))


@bank_page(Right.MANAGE)
@require_POST
def change_hold(request: BankRequest) -> HttpResponse:
    """With a reason the bank is held, without one the hold is lifted."""
    reason = request.POST.get("reason", "").strip().replace("\x00", "")[:500]

    def act() -> str:
        access, bank_id = request.access.to_bank(), request.bank.bank_id
        if reason:
            legal_hold.set_hold(access, bank_id, reason)
            return "The bank is under legal hold: nothing of it can be deleted."
        legal_hold.lift_hold(access, bank_id)
        return "The legal hold is lifted."

    return perform(request, act, reverse("bank_settings", args=[request.bank.bank_id]))


@bank_page(Right.MANAGE)
@require_POST
def delete_bank(request: BankRequest) -> HttpResponse:
    """The person types the id of the bank, so that no slip deletes it."""
    bank_id, typed_id = request.bank.bank_id, request.POST.get("bank_id", "")
    if typed_id.strip() != bank_id:
        return show_settings(request, typed_id=typed_id)

    def act() -> str:
        profile.delete_bank_for_good(request.access.to_bank(), bank_id)
        request.session.pop(LAST_BANK, None)  # the menu no longer offers its pages
        return f"The bank {bank_id} is deleted. Its memories are erased in the background."

    return perform(request, act, "dashboard")
