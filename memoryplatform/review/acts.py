"""Review acts in the admin: the forms, one act, and one act on several opinions."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django import forms
from django.contrib import messages
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.http import HttpRequest
from django.template.response import TemplateResponse
from unfold.widgets import UnfoldAdminDecimalFieldWidget, UnfoldAdminSelectWidget, UnfoldAdminTextareaWidget

from banks.admin.memory_admin import note_listing, parse_id
from banks.errors import BankError
from banks.models import Bank, MemoryUnit
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.opinions.review import (
    LONGEST_REASON,
    SAY_WHY,
    find_possible_acts,
    lacks_reason,
    review,
)
from memoryplatform.operations.opinions.shown import list_opinions
from reflection.models import Opinion, OpinionRevision
from reflection.opinions.claims import LONGEST_TEXT
from reflection.opinions.review import Act, Review
from tenants.audit import build_actor
from tenants.models import User
from tenants.platform_admin import PLATFORM
from tenants.transactions import tenant_transaction

LABELS = {  # in the order of the menu
    Act.APPROVE: "Approve: it stands as it is",
    Act.EDIT: "Edit its text or confidence",
    Act.PIN: "Pin: no evidence changes it",
    Act.UNPIN: "Unpin: evidence moves it again",
    Act.RETIRE: "Retire: it is held no more",
    Act.RESTORE: "Restore: it is held again",
}


class ReasonForm(forms.Form):
    reason = forms.CharField(
        max_length=LONGEST_REASON, required=False, widget=UnfoldAdminTextareaWidget(attrs={"rows": 2})
    )

    def __init__(self, *args: Any, chosen: Act | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.chosen = chosen

    def clean(self) -> dict[str, Any]:
        given = super().clean() or {}
        act = self.chosen or given.get("act")
        if act and "reason" not in self.errors and lacks_reason(act, given.get("reason", "")):
            self.add_error("reason", SAY_WHY)
        return given


class ReviewForm(ReasonForm):
    """`version` is that of the opinion when the page was opened."""

    version = forms.CharField(widget=forms.HiddenInput)
    act = forms.TypedChoiceField(
        choices=list(LABELS.items()),
        coerce=Act,
        widget=UnfoldAdminSelectWidget(attrs={"x-model": "act"}),
    )
    text = forms.CharField(max_length=LONGEST_TEXT, required=False, widget=UnfoldAdminTextareaWidget(attrs={"rows": 3}))
    confidence = forms.FloatField(
        min_value=0.0,
        max_value=1.0,
        required=False,
        widget=UnfoldAdminDecimalFieldWidget(attrs={"step": "any", "min": "0", "max": "1"}),
    )

    def __init__(self, *args: Any, opinion: MemoryUnit, **kwargs: Any) -> None:
        possible = find_possible(opinion)
        usual = {"text": opinion.text, "confidence": opinion.confidence, "act": next(iter(possible), None)}
        super().__init__(*args, initial=usual, **kwargs)
        self.opinion = opinion
        # The menu offers the acts that are possible now; an act of an older page becomes a conflict.
        acts: Any = self.fields["act"]
        acts.widget.choices = [(act, LABELS[act]) for act in possible]

    def clean(self) -> dict[str, Any]:
        given = super().clean()
        if given.get("act") is Act.EDIT and not self.errors and not self.find_edit():
            self.add_error(None, "Change the text or the confidence, or choose another act.")
        return given

    def find_edit(self) -> dict[str, Any]:
        """The fields with a new value."""
        given = {"text": self.cleaned_data.get("text"), "confidence": self.cleaned_data.get("confidence")}
        now = {"text": self.opinion.text, "confidence": self.opinion.confidence}
        return {name: value for name, value in given.items() if value not in {None, "", now[name]}}

    def review(self, actor: str) -> Review:
        act = self.cleaned_data["act"]
        return Review(act, actor, self.cleaned_data["reason"], **(self.find_edit() if act is Act.EDIT else {}))


def find_possible(opinion: MemoryUnit) -> list[Act]:
    """In the order of the menu."""
    possible = find_possible_acts(opinion)
    return [act for act in LABELS if act in possible]


def name_reviewer(request: HttpRequest) -> str:
    """The e-mail address, cut to the length of the actor column."""
    email = request.user.email if isinstance(request.user, User) else ""
    return email[: OpinionRevision._meta.get_field("actor").max_length]


def build_access(request: HttpRequest, tenant_id: UUID) -> BankAccess:
    user_id = request.user.id if isinstance(request.user, User) else None
    return BankAccess(tenant_id, actor=build_actor(request, user_id=user_id))


def act_on(request: HttpRequest, opinion: Opinion, given: Review, *, version: str) -> None:
    """Raises a BankError where the act is impossible, or the opinion has changed since the page was opened."""
    access = build_access(request, opinion.tenant_id)
    review(access, opinion.bank.bank_id, opinion.pk, given, expected=frozenset({version}))


def read_versions(opinions: Sequence[Opinion]) -> dict[UUID, str]:
    by_bank: defaultdict[Bank, list[Opinion]] = defaultdict(list)
    for opinion in opinions:
        by_bank[opinion.bank].append(opinion)
    found: dict[UUID, str] = {}
    for bank, some in by_bank.items():
        with tenant_transaction(bank.tenant_id):
            found |= {one.described.unit.id: one.version for one in list_opinions(bank, some)}
    return found


MOST = 100  # opinions at once
DONE = {Act.APPROVE: "approved", Act.RETIRE: "retired", Act.PIN: "pinned"}


def review_selected(request: HttpRequest, act: Act, context: dict[str, Any]) -> TemplateResponse | None:
    """The page that asks for a reason, or None after the act. `context` is that of every admin page."""
    is_confirmed = "confirmed" in request.POST
    form = ReasonForm(request.POST if is_confirmed else None, chosen=act)
    chosen = read_chosen(request)
    if is_confirmed and form.is_valid():
        given = Review(act, name_reviewer(request), form.cleaned_data["reason"])
        perform(request, chosen, given)
        return None
    note_listing(request, str(Opinion._meta.model_name), chosen)
    versions = read_versions(chosen)
    page = {
        "title": LABELS[act].partition(":")[0],
        "subtitle": LABELS[act],
        "form": form,
        "action": f"{act.value}_selected",
        "act": act,
        "chosen": [(opinion, versions[opinion.pk]) for opinion in chosen],
        "checkbox_name": ACTION_CHECKBOX_NAME,
    }
    return TemplateResponse(request, "admin/reflection/opinion/review_selected.html", {**context, **page})


def read_chosen(request: HttpRequest) -> list[Opinion]:
    """By their ids alone: an opinion that has left the queue gets an error, it is not dropped."""
    given = request.POST.getlist(ACTION_CHECKBOX_NAME)[:MOST]
    ids = [found for found in map(parse_id, given) if found]
    rows = (
        Opinion.objects.using(PLATFORM)
        .filter(pk__in=ids)
        .select_related("bank", "tenant")
        .defer("embedding", "second_embedding")
    )
    return list(rows.order_by("-id"))


def find_malformed(request: HttpRequest) -> list[str]:
    """The submitted values that are no ids."""
    return [given for given in request.POST.getlist(ACTION_CHECKBOX_NAME) if parse_id(given) is None]


def perform(request: HttpRequest, opinions: Sequence[Opinion], given: Review) -> None:
    seen = {text.partition("-")[0]: text for text in request.POST.getlist("version")}
    done = 0
    for opinion in opinions:
        try:
            act_on(request, opinion, given, version=seen.get(opinion.pk.hex, ""))
            done += 1
        except BankError as error:
            messages.error(request, f"“{opinion}” was left as it is: {error}")
    if done:
        messages.success(request, f"{done} opinion{'' if done == 1 else 's'} {DONE[given.act]}.")
