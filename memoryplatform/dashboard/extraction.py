"""The section "What to remember" of a bank's settings: its extraction settings, and a text to try them on."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from django import forms
from django.utils import timezone

from banks.enums import Mode
from banks.errors import BankError
from banks.extraction_settings import (
    CHECKS,
    LONGEST_LANGUAGE,
    LONGEST_LEAVE_OUT,
    LONGEST_MISSION,
    ExtractionSettings,
)
from banks.models import Bank
from banks.retain.input import RetainItem
from memoryplatform.dashboard.access import BankRequest
from memoryplatform.operations.banks import profile
from memoryplatform.operations.banks.profile import BankChange
from memoryplatform.operations.dry_run import dry_run
from memoryplatform.operations.errors import OperationError
from providers.errors import EmbeddingModelUnavailable
from providers.llm.errors import LLMError
from tenants.transactions import QuotaExceeded

LONGEST_TRIAL = 20_000  # characters
OUTCOMES = {
    "add": ("New", "badge-good", "A new memory."),
    "merge": ("Adds to a memory", "badge-accent", "A memory that the bank holds would get this text."),
    "update": ("Replaces a memory", "badge-warn", "A memory that the bank holds would end."),
    "repeat": ("Known", "", "The bank holds this. It would count one more proof."),
}
EXTRACTION_WORDS = {
    Mode.NARRATIVE: "Narrative: a few self-contained facts per episode",
    Mode.CALIBRATED: "Calibrated: only facts that were not to be expected",
    Mode.VERBATIM: "Verbatim: each exchange as it was said",
}
Terms = Sequence[Mapping[str, str]]


class TermsField(forms.CharField):
    """One term on each line: "NAME: description"."""

    def __init__(self, check: Callable[[Terms], None], **options: Any) -> None:
        super().__init__(required=False, widget=forms.Textarea({"rows": 4, "spellcheck": "false"}), **options)
        self.check = check

    def clean(self, value: Any) -> list[dict[str, str]]:
        terms = []
        for line in super().clean(value).splitlines():
            name, _, description = line.strip().partition(": ")
            if name:
                terms.append({"name": name.strip().removesuffix(":"), "description": description.strip()})
        try:
            self.check(terms)
        except ValueError as fault:
            raise forms.ValidationError(str(fault)) from None
        return terms

    def prepare_value(self, value: Any) -> Any:
        if not isinstance(value, list):
            return value
        pairs = ((one["name"], one.get("description", "")) for one in value)
        return "\n".join(f"{name}: {words}" if words else name for name, words in pairs)


class ExtractionForm(forms.Form):
    extraction_mode = forms.ChoiceField(
        label="Extraction",
        choices=[(mode.value, EXTRACTION_WORDS[mode]) for mode in Mode],
        help_text="How conversations become memories. A change holds for what is retained from now on.",
    )
    retain_mission = forms.CharField(
        label="Purpose",
        required=False,
        max_length=LONGEST_MISSION,
        widget=forms.Textarea(
            {"rows": 4, "placeholder": "Remember what patients take, what they can't stand, and what was agreed."}
        ),
        help_text="What this memory is for, and what to look for.",
    )
    leave_out = forms.CharField(
        label="Leave out",
        required=False,
        max_length=LONGEST_LEAVE_OUT,
        widget=forms.Textarea({"rows": 2, "placeholder": "Small talk, prices, anything about relatives."}),
        help_text="No fact is written about this. The archive keeps the source all the same.",
    )
    retain_language = forms.CharField(
        label="Language",
        required=False,
        max_length=LONGEST_LANGUAGE,
        widget=forms.TextInput({"placeholder": "The language of the source"}),
        help_text="The language in which facts are written, such as German.",
    )
    entity_types = TermsField(
        CHECKS["entity_types"],
        label="Types of entities",
        help_text="One on each line, such as “MEDICATION: a drug that a patient takes”. They come beside PERSON, "
        "ORGANIZATION, LOCATION, PRODUCT and CONCEPT.",
    )
    entity_types_closed = forms.BooleanField(
        label="Only these types", required=False, help_text="Every other entity is OTHER."
    )
    categories = TermsField(
        CHECKS["categories"],
        label="Categories",
        help_text="One on each line, such as “allergies: what must not be given”. A fact gets those that apply, and "
        "recall can filter by them.",
    )
    version = forms.CharField(widget=forms.HiddenInput, required=False)

    def __init__(self, given: Any = None, initial: dict[str, Any] | None = None) -> None:
        """Other forms of the page have a version too, so the ids have a name."""
        super().__init__(given, initial=initial, auto_id="extraction_%s")

    @classmethod
    def of(cls, bank: Bank) -> "ExtractionForm":
        names = ("extraction_mode", *ExtractionSettings.names())
        stored = {name: getattr(bank, name) for name in names}
        return cls(initial=stored | {"version": profile.read_version(bank)})

    def settings(self) -> dict[str, Any]:
        return {
            name: value.replace("\r\n", "\n") if isinstance(value, str) else value
            for name, value in self.cleaned_data.items()
            if name != "version"
        }

    def change(self) -> BankChange:
        return BankChange(**self.settings())


def try_text(request: BankRequest, text: str, settings: dict[str, Any] | None) -> dict[str, Any]:
    """The result of a dry run for the page: the facts, or the fault."""
    text = text.replace("\r\n", "\n").replace("\x00", "").strip()
    if not text or len(text) > LONGEST_TRIAL:
        return {"fault": f"Write a text of at most {LONGEST_TRIAL:,} characters."}
    item = RetainItem(timezone.now(), text=text, is_dated=False)
    try:
        tried = dry_run(request.access.to_bank(), request.bank.bank_id, [item], overrides=settings)
    except (BankError, OperationError, QuotaExceeded, LLMError, EmbeddingModelUnavailable) as error:
        return {"fault": str(error)}
    (shown,) = tried.items
    facts = [(fact, OUTCOMES[fact.outcome]) for fact in shown.run.facts]
    return {
        "facts": facts,
        "problems": [*shown.run.errors, *shown.notes],
        "engine": tried.engine,
        "tokens": tried.usage.input_tokens + tried.usage.output_tokens,
    }
