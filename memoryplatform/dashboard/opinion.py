"""The page of one opinion: its state, its steps with their evidence, and its review."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django import forms
from django.contrib import messages
from django.http import HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_GET, require_POST

from banks.errors import BankError, MemoryChanged
from banks.models import Bank, MemoryUnit
from memoryplatform.dashboard.access import BankRequest, bank_page
from memoryplatform.dashboard.opinion_history import (
    MOST_SOURCES,
    STEP_WORDS,
    build_steps,
    find_move,
    place_points,
    quote_source,
)
from memoryplatform.operations.access import name_of
from memoryplatform.operations.account.access import Right
from memoryplatform.operations.errors import OperationError
from memoryplatform.operations.opinions import queues
from memoryplatform.operations.opinions.review import (
    LONGEST_REASON,
    SAY_WHY,
    find_possible_acts,
    lacks_reason,
    review,
)
from memoryplatform.operations.opinions.shown import (
    ShownOpinion,
    find_revisions,
    get_opinion,
    show,
    show_revisions,
)
from reflection.models import Opinion, OpinionRevision
from reflection.models.opinions import Concern
from reflection.opinions.claims import LONGEST_TEXT
from reflection.opinions.review import Act, Review
from tenants.transactions import QuotaExceeded, tenant_transaction

MOST_STEPS = 100  # of a page of the history
Cause = OpinionRevision.Cause
ACTS = {  # title, icon, explanation, and the message after it
    Act.APPROVE: ("Approve", "check", "It stands as it is.", "The opinion is approved."),
    Act.PIN: ("Pin", "pin", "No evidence changes it.", "The opinion is pinned. No evidence changes it."),
    Act.UNPIN: ("Unpin", "pin", "Evidence moves it again.", "Evidence moves the opinion again."),
    Act.RETIRE: ("Retire", "archive", "It is held no more.", "The opinion is retired. It is not recalled any more."),
    Act.RESTORE: ("Restore", "undo-2", "It is held again.", "The agent holds the opinion again."),
    Act.EDIT: ("Edit", "pencil", "Change its words or its confidence.", "The opinion is changed."),
}
CONFLICT = "This opinion has changed since you opened it. The page shows it as it is now; look, then send again."


@dataclass(frozen=True)
class State:
    """The one state of an opinion: whether people agree with it, or why they should look at it."""

    word: str
    look: str = ""  # of the badge
    why: str = ""
    since: datetime | None = None


@bank_page(Right.VIEW)
@require_GET
def opinion(request: BankRequest, opinion_id: UUID) -> HttpResponse:
    return show_page(request, opinion_id, None)


def show_page(request: BankRequest, opinion_id: UUID, form: "ReviewForm | None", *, status: int = 200) -> HttpResponse:
    bank = request.bank
    before = request.GET.get("before", "")
    with tenant_transaction(request.access.tenant_id):
        row = get_opinion(bank, opinion_id)
        shown = show(bank, row)
        urgency = Opinion.objects.of_bank(bank).with_urgency().values_list("urgency", flat=True).get(id=opinion_id)
        history = find_revisions(bank, opinion_id).order_by("-number")
        if before.isdecimal() and len(before) < 10:  # noqa: PLR2004  # a number of the column
            history = history.filter(number__lt=int(before))
        found = list(history[: MOST_STEPS + 1])
        steps = build_steps(bank, show_revisions(bank, found[:MOST_STEPS][::-1]))
        reviews = OpinionRevision.objects.of_bank(bank).filter(
            opinion_id=opinion_id, cause__in=OpinionRevision.BY_PEOPLE
        )
        people = list(reviews.order_by("-number")[:20])
        successor = read_successor(bank, shown)
    end = row.expired_at or timezone.now()
    possible = find_possible_acts(row)
    context = {
        "opinion": row,
        "shown": shown,
        "described": shown.listed.described,
        "version": shown.listed.version,
        "state": find_state(row, queues.find_concern(urgency), [one.revision for one in steps]),
        "steps": steps,
        "points": place_points(steps, end),
        "chart_end": end,
        "earlier": f"?before={found[MOST_STEPS - 1].number}" if len(found) > MOST_STEPS else "",
        "is_earlier_page": bool(before),
        "moved": find_move((row.confidence or 0.0) - steps[0].revision.confidence_after) if steps else 0.0,
        "supporting": count_facts(shown, "for"),
        "opposing": count_facts(shown, "against"),
        "former": count_facts(shown, "former"),
        "reviews": [(one, STEP_WORDS[Cause(one.cause)][0]) for one in people],
        "said": [one for source in shown.listed.described.sources if (one := quote_source(bank, source, row.id))][
            :MOST_SOURCES
        ],
        "successor": successor,
        "form": form or ReviewForm(opinion=row, version=shown.listed.version),
        "acts": [(act, *ACTS[act][:3]) for act in ACTS if act in possible - {Act.EDIT}],
        "can_edit": Act.EDIT in possible,
        "is_editing": form is not None and form.data.get("act") == Act.EDIT,
        "longest_reason": LONGEST_REASON,
        "longest_text": LONGEST_TEXT,
    }
    return render(request, "dashboard/opinions/opinion.html", context, status=status)


def find_state(opinion: MemoryUnit, concern: Concern | None, steps: Sequence[OpinionRevision]) -> State:
    """`steps` are the last ones, the oldest first."""
    since = {one.cause: one.created_at for one in steps if not one.withdrawn}
    if opinion.review == MemoryUnit.Review.RETIRED:
        return State("retired", "warn", "by a person", since.get(Cause.RETIRED))
    if opinion.expired_at is not None:
        return State("replaced", "warn", "by another opinion", opinion.expired_at)
    if concern is Concern.CONTRADICTED:
        is_last = bool(steps) and steps[-1].cause == Cause.CONTRADICT  # the verdict says it already
        return State("needs review", "bad", "" if is_last else "a memory contradicted it", since.get(Cause.CONTRADICT))
    if concern is Concern.CHANGED:
        return State("needs review", "warn", "it has changed much since the last review")
    if concern is Concern.NEW:
        return State("needs review", "accent", "nobody has looked at it yet")
    why = "no new evidence moves it" if opinion.review == MemoryUnit.Review.PINNED else ""
    return State(opinion.review or "reviewed", "good", why)


def count_facts(shown: ShownOpinion, stance: str) -> int:
    return len({one.unit.id for one in shown.evidence if one.stance == stance and not one.taken_back})


def read_successor(bank: Bank, shown: ShownOpinion) -> MemoryUnit | None:
    found = shown.listed.superseded_by
    return MemoryUnit.objects.of_bank(bank).only("id", "text", "speaker").filter(id=found).first() if found else None


class ReviewForm(forms.Form):
    """`version` is that of the opinion when the page was opened."""

    act = forms.TypedChoiceField(choices=[(act.value, act.value) for act in Act], coerce=Act)
    version = forms.CharField(max_length=100)
    reason = forms.CharField(max_length=LONGEST_REASON, required=False)
    text = forms.CharField(max_length=LONGEST_TEXT, required=False)
    confidence = forms.FloatField(min_value=0.0, max_value=1.0, required=False)

    def __init__(self, data: QueryDict | None = None, *, opinion: MemoryUnit, version: str) -> None:
        usual = {"text": opinion.text, "confidence": round(opinion.confidence or 0.0, 2), "version": version}
        super().__init__(data, initial=usual)
        self.opinion = opinion

    def clean(self) -> dict[str, Any]:
        given = super().clean() or {}
        act = given.get("act")
        if act and "reason" not in self.errors and lacks_reason(act, given.get("reason", "")):
            self.add_error("reason", SAY_WHY)
        if act is Act.EDIT and not self.errors and not self.find_edit():
            self.add_error(None, "Change the words or the confidence first.")
        return given

    def find_edit(self) -> dict[str, Any]:
        """The fields with a new value. The form shows a confidence of two digits."""
        text, confidence = self.cleaned_data.get("text"), self.cleaned_data.get("confidence")
        found: dict[str, Any] = {"text": text} if text and text != self.opinion.text else {}
        is_new = confidence is not None and round(confidence, 2) != round(self.opinion.confidence or 0.0, 2)
        return found | ({"confidence": confidence} if is_new else {})


@bank_page(Right.WRITE)
@require_POST
def review_opinion(request: BankRequest, opinion_id: UUID) -> HttpResponse:
    with tenant_transaction(request.access.tenant_id):
        row = get_opinion(request.bank, opinion_id)
    form = ReviewForm(request.POST, opinion=row, version=request.POST.get("version", ""))
    if not form.is_valid():
        return show_page(request, opinion_id, form, status=422)
    access, given = request.access.to_bank(), form.cleaned_data
    act = given["act"]
    asked = Review(act, name_of(access), given["reason"], **(form.find_edit() if act is Act.EDIT else {}))
    try:
        review(access, request.bank.bank_id, opinion_id, asked, expected=frozenset({given["version"]}))
    except MemoryChanged:
        form.add_error(None, CONFLICT)
        return show_page(request, opinion_id, form, status=409)
    except (BankError, OperationError, QuotaExceeded) as error:
        form.add_error(None, str(error))
        return show_page(request, opinion_id, form, status=422)
    queues.forget_counts(request.bank)
    messages.success(request, ACTS[act][3])
    return redirect("opinion", request.bank.bank_id, opinion_id)
