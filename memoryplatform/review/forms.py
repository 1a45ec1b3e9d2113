"""What a reviewer fills in."""

from typing import Any

from django import forms
from unfold.widgets import (
    UnfoldAdminDecimalFieldWidget,
    UnfoldAdminSelectWidget,
    UnfoldAdminTextareaWidget,
)

from banks.models import MemoryUnit
from memoryplatform.operations.opinions.review import LONGEST_REASON, SAY_WHY, lacks_reason
from reflection.opinions.forming.cleaning import LONGEST_TEXT
from reflection.opinions.review import MARKS, Act, Review

LABELS = {  # in the order in which they are offered
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
    """`version` is that of the opinion which the reviewer saw."""

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
        # What is possible now is offered; what was possible when the page was opened is told apart as a conflict.
        acts: Any = self.fields["act"]
        acts.widget.choices = [(act, LABELS[act]) for act in possible]

    def clean(self) -> dict[str, Any]:
        given = super().clean()
        if given.get("act") is Act.EDIT and not self.errors and not self.find_edit():
            self.add_error(None, "Change the text or the confidence, or choose another act.")
        return given

    def find_edit(self) -> dict[str, Any]:
        """The fields that an edit changes."""
        given = {"text": self.cleaned_data.get("text"), "confidence": self.cleaned_data.get("confidence")}
        now = {"text": self.opinion.text, "confidence": self.opinion.confidence}
        return {name: value for name, value in given.items() if value not in {None, "", now[name]}}

    def review(self, actor: str) -> Review:
        act = self.cleaned_data["act"]
        return Review(act, actor, self.cleaned_data["reason"], **(self.find_edit() if act is Act.EDIT else {}))


def find_possible(opinion: MemoryUnit) -> list[Act]:
    if opinion.expired_at is not None:
        return [Act.RESTORE] if opinion.review == MemoryUnit.Review.RETIRED else []
    marks = [act for act, (before, _, _) in MARKS.items() if opinion.review in before and act is not Act.RESTORE]
    return [act for act in LABELS if act in {*marks, Act.EDIT}]
