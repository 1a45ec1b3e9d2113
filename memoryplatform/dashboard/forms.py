"""Forms of the tenant's pages. They check the shape of the input; the use-cases check the rest."""

from collections.abc import Iterable
from datetime import datetime, time
from typing import Any, cast

from django import forms
from django.conf import settings
from django.utils.timezone import make_aware

from memoryplatform.operations.audit_log import AuditFilter
from memoryplatform.operations.webhooks import WebhookFields
from tenants.bank_ids import WORDS, is_new_bank_id
from tenants.models import ApiKey, Member
from tenants.webhook_outbox import EVENTS

LIFETIMES = (("", "Never"), ("30", "30 days"), ("90", "90 days"), ("365", "1 year"))
OVERLAPS = (("0", "At once"), ("1", "After 1 day"), ("7", "After 7 days"), ("30", "After 30 days"))


class AuditForm(forms.Form):
    """Filters of the audit log. A value that can't be read does not filter; the pages say so."""

    action = forms.CharField(label="Action", required=False, max_length=60)
    actor = forms.CharField(label="By", required=False, max_length=254)
    target = forms.CharField(label="Object", required=False, max_length=300)
    since = forms.DateField(label="From", required=False, widget=forms.DateInput(attrs={"type": "date"}))
    until = forms.DateField(label="To", required=False, widget=forms.DateInput(attrs={"type": "date"}))

    def wanted(self) -> AuditFilter:
        self.is_valid()
        given = self.cleaned_data
        since, last = (given.get(name) for name in ("since", "until"))
        return AuditFilter(
            given.get("action", ""),
            given.get("actor", ""),
            make_aware(datetime.combine(since, time())) if since else None,
            make_aware(datetime.combine(last, time.max)) if last else None,
            given.get("target", ""),
        )


class TenantForm(forms.Form):
    name = forms.CharField(label="Name", max_length=200, help_text="Your company, team or project.")


class InvitationForm(forms.Form):
    email = forms.EmailField(label="E-mail address")
    role = forms.ChoiceField(label="Role", choices=Member.Role.choices, initial=Member.Role.MEMBER)


class RoleForm(forms.Form):
    role = forms.ChoiceField(choices=Member.Role.choices)


class ApiKeyForm(forms.Form):
    name = forms.CharField(label="Name", max_length=200, help_text="Where the key is used, such as “support agent”.")
    scopes = forms.MultipleChoiceField(
        label="Rights",
        choices=ApiKey.Scope.choices,
        initial=[ApiKey.Scope.READ, ApiKey.Scope.WRITE],
        widget=forms.CheckboxSelectMultiple({"class": "check"}),
        help_text="Read recalls, write retains and corrects, admin includes both and manages the tenant.",
    )
    banks = forms.MultipleChoiceField(
        label="Banks",
        required=False,
        widget=forms.CheckboxSelectMultiple({"class": "check"}),
        help_text="Choose none for every bank, including those that are created later.",
    )
    lifetime = forms.ChoiceField(label="Expires", choices=LIFETIMES, required=False)

    def __init__(self, *args: Any, banks: Iterable[tuple[str, str]], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = cast("forms.MultipleChoiceField", self.fields["banks"])
        field.choices = [(bank_id, name or bank_id) for bank_id, name in banks]

    def clean_banks(self) -> tuple[str, ...] | None:
        return tuple(self.cleaned_data["banks"]) or None


class UsageForm(forms.Form):
    GROUPS = (
        ("day", "Day"),
        ("bank", "Bank"),
        ("day bank", "Day and bank"),
        ("key", "API key"),
        ("kind", "Kind"),
        ("model", "Model"),
    )
    MEASURES = (
        ("requests", "Requests"),
        ("llm_tokens", "LLM tokens"),
        ("embedding_tokens", "Embedding tokens"),
        ("memories", "New memories"),
        ("cost", "Cost"),
    )
    since = forms.DateField(label="From", required=False, widget=forms.DateInput({"type": "date"}))
    until = forms.DateField(label="To", required=False, widget=forms.DateInput({"type": "date"}))
    measure = forms.ChoiceField(label="Measure", choices=MEASURES, required=False)
    by = forms.ChoiceField(label="Grouped by", choices=GROUPS, required=False)


class RotationForm(forms.Form):
    overlap = forms.ChoiceField(label="The old key ends", choices=OVERLAPS, initial="7")


class BankForm(forms.Form):
    bank_id = forms.CharField(
        label="Id",
        max_length=200,
        help_text="Programs use it in their calls, such as support-agent. It can't be changed.",
    )
    name = forms.CharField(label="Name", max_length=200, required=False, help_text="Left empty, it is the id.")
    background = forms.CharField(
        label="Background",
        max_length=20_000,
        required=False,
        widget=forms.Textarea({"rows": 3}),
        help_text="Who the agent is, in the first person: “I answer questions of customers of Acme.”",
    )

    def clean_bank_id(self) -> str:
        bank_id: str = self.cleaned_data["bank_id"]
        if not is_new_bank_id(bank_id):
            raise forms.ValidationError(f"Must be {WORDS}.")
        return bank_id


class WebhookForm(forms.Form):
    """A form without `banks` changes a webhook, whose bank stays as it is."""

    url = forms.CharField(label="Address", max_length=2_000)
    name = forms.CharField(label="Name", max_length=200, required=False)
    events = forms.MultipleChoiceField(
        label="Events",
        choices=[(name, name) for name in EVENTS],
        widget=forms.CheckboxSelectMultiple({"class": "check"}),
    )

    def __init__(self, *args: Any, banks: Iterable[str] | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        reach = "a private address too" if settings.WEBHOOK_PRIVATE_ADDRESSES else "a public address"
        self.fields["url"].help_text = f"http:// or https://, {reach}."
        if banks is not None:
            choices = [("", "All banks"), *((bank, bank) for bank in banks)]
            self.fields["bank_id"] = forms.ChoiceField(label="Bank", choices=choices, required=False)

    def read_fields(self) -> WebhookFields:
        given = self.cleaned_data
        return WebhookFields(given["url"], tuple(given["events"]), given["name"], bank_id=given.get("bank_id") or None)
