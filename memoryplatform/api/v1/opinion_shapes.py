"""What comes in and goes out where opinions are listed, followed and reviewed."""

from typing import Any, get_args

from rest_framework import serializers

from memoryplatform.api.serializers import ConfidenceField, Input, Output
from memoryplatform.api.v1.lists import ListInput, ListOutput
from memoryplatform.api.v1.memory_output import MemorySourceOutput, NamedEntityOutput
from memoryplatform.api.v1.tag_filter import TagFilterInput
from memoryplatform.operations.opinions.lists import OpinionFilter
from memoryplatform.operations.opinions.review import LONGEST_REASON, SAY_WHY, WITHOUT_REASON, lacks_reason
from memoryplatform.operations.opinions.revision_evidence import ShownRevision
from memoryplatform.operations.opinions.seen import TagView
from reflection.models import OpinionRevision
from reflection.opinions.forming.cleaning import LONGEST_TEXT
from reflection.opinions.history.turning import Stance
from reflection.opinions.review import Act, Review

REVIEWS = ["new", "approved", "pinned", "retired", "all"]
STANCES = list(get_args(Stance))
ACTIONS = [act.value for act in Act]


def read_view(given: dict[str, Any]) -> TagView:
    return TagView(tuple(given.get("tags", ())), given["tags_match"])


class OpinionInput(TagFilterInput):
    """Under which condition an opinion is looked at: what does not pass it is not shown."""


class OpinionListInput(TagFilterInput, ListInput):
    review = serializers.ChoiceField(
        choices=REVIEWS,
        required=False,
        default="",
        help_text="new: nobody has looked at it. Without: all that are held; all: also retired and superseded ones.",
    )
    entity_id = serializers.UUIDField(required=False, default=None)
    min_confidence = serializers.FloatField(min_value=0.0, max_value=1.0, required=False, default=0.0)
    q = serializers.CharField(
        max_length=1_000, required=False, default="", help_text="Words that it must have, in whichever form."
    )
    order = serializers.ChoiceField(
        choices=["formed", "changed"], default="formed", help_text="Newest first by either; changed takes an offset."
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if attrs["order"] == "changed" and attrs.get("cursor"):
            raise serializers.ValidationError({"cursor": "Goes with order=formed only; send an offset."})
        checked: dict[str, Any] = super().validate(attrs)
        return checked

    def opinion_filter(self) -> OpinionFilter:
        given = self.validated_data
        return OpinionFilter(
            given["review"],
            given["entity_id"],
            given["min_confidence"],
            given["q"],
            view=read_view(given),
        )


class ReviewInput(Input):
    action = serializers.ChoiceField(
        choices=ACTIONS,
        help_text="A pinned opinion is not moved by evidence; a retired one is not recalled until it is restored.",
    )
    reason = serializers.CharField(
        max_length=LONGEST_REASON,
        default="",
        allow_blank=True,
        help_text=f"Stands in the history; all but {' and '.join(sorted(WITHOUT_REASON))} need one.",
    )
    text = serializers.CharField(max_length=LONGEST_TEXT, required=False, help_text="For edit.")
    confidence = ConfidenceField(required=False, help_text="For edit.")

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        given = attrs.keys() & {"text", "confidence"}
        if lacks_reason(attrs["action"], attrs["reason"]):
            raise serializers.ValidationError({"reason": SAY_WHY})
        if attrs["action"] == Act.EDIT and not given:
            raise serializers.ValidationError("An edit needs a text or a confidence.")
        if attrs["action"] != Act.EDIT and given:
            raise serializers.ValidationError(dict.fromkeys(sorted(given), "Goes with edit only."))
        return attrs

    def review(self, actor: str) -> Review:
        given = self.validated_data
        return Review(Act(given["action"]), actor, given["reason"], given.get("text"), given.get("confidence"))


class OpinionOutput(Output):
    id = serializers.UUIDField(source="described.unit.id")
    text = serializers.CharField(source="described.unit.text")
    confidence = serializers.FloatField(source="described.unit.confidence")
    review = serializers.CharField(source="described.unit.review", help_text="Empty, approved, pinned or retired.")
    entities = NamedEntityOutput(source="described.entities", many=True)
    tags = serializers.ListField(source="described.tags", child=serializers.CharField())
    formed_at = serializers.DateTimeField(source="described.unit.recorded_at")
    changed_at = serializers.DateTimeField()
    revision = serializers.IntegerField(help_text="The number of its newest revision.")
    expired_at = serializers.DateTimeField(source="described.unit.expired_at", allow_null=True)
    superseded_by = serializers.UUIDField(allow_null=True, help_text="Null also where that one is not shown.")


class OpinionListOutput(ListOutput):
    items = OpinionOutput(many=True)


EVIDENCE_TYPES = "world or experience; opinion where it is a telling of the agent that became part of this one."


class EvidenceOutput(Output):
    memory_id = serializers.UUIDField(source="unit.id")
    text = serializers.CharField(help_text="As it read when it did that.")
    type = serializers.CharField(source="unit.network", help_text=EVIDENCE_TYPES)
    mentioned_at = serializers.DateTimeField(source="unit.mentioned_at")
    bearing = serializers.CharField(
        help_text="The cause of the revision that came from it: formed, restated, revised or a verdict."
    )
    at = serializers.DateTimeField(help_text="When it did that.")
    revision = serializers.IntegerField(allow_null=True, help_text="The number of that revision.")
    taken_back = serializers.BooleanField(
        help_text="It was corrected or edited since, judged a wording that went, or is of another entity: no more so."
    )
    stance = serializers.ChoiceField(
        choices=STANCES,
        help_text="What it says of the present text; former: it bore on a wording that the opinion has no more.",
    )
    expired_at = serializers.DateTimeField(
        source="unit.expired_at", allow_null=True, help_text="When it was closed; null while it holds."
    )


class OpinionDetailOutput(OpinionOutput):
    evidence = EvidenceOutput(many=True, help_text="What it was formed on, then what moved it, in that order.")
    sources = MemorySourceOutput(many=True, help_text="Where the agent said it, and the facts that speak for it.")
    hidden_evidence = serializers.IntegerField(help_text="How many facts the tags that were asked for leave out.")


class RevisionEvidenceOutput(Output):
    memory_id = serializers.UUIDField(source="unit.id")
    text = serializers.CharField(help_text="As it read then.")
    type = serializers.CharField(source="unit.network", help_text=EVIDENCE_TYPES)
    taken_back = serializers.BooleanField(
        help_text="It was corrected or edited since, judged a wording that went, or is of another entity: no more so."
    )


class RevisionOutput(Output):
    number = serializers.IntegerField(source="revision.number", help_text="From 1.")
    cause = serializers.ChoiceField(source="revision.cause", choices=OpinionRevision.Cause.choices)
    at = serializers.DateTimeField(source="revision.created_at")
    confidence_before = serializers.FloatField(source="revision.confidence_before", allow_null=True)
    confidence_after = serializers.FloatField(source="revision.confidence_after")
    text_before = serializers.CharField(
        source="revision.text_before",
        help_text="Empty before the first, where it went with deleted evidence, or came of what is not shown.",
    )
    text_after = serializers.CharField(
        source="revision.text_after",
        help_text="Empty where it went with deleted evidence, or came of what is not shown.",
    )
    step = serializers.FloatField(
        source="revision.step", allow_null=True, help_text="How far one piece of evidence moved it then."
    )
    evidence = RevisionEvidenceOutput(many=True, help_text="All that this revision came from and that is left of it.")
    evidence_deleted = serializers.IntegerField(source="deleted", help_text="How many pieces of it are gone.")
    hidden_evidence = serializers.IntegerField(
        source="hidden", help_text="How many pieces of it the tags that were asked for leave out."
    )
    evidence_id = serializers.UUIDField(source="revision.evidence_id", allow_null=True, help_text="The first of them.")
    evidence_text = serializers.SerializerMethodField(help_text="The first of them, as it read then.")
    withdrawn = serializers.BooleanField(
        source="revision.withdrawn",
        help_text="Its evidence was deleted, corrected or edited, judged a wording that went, or is of another entity: "
        "what it did was taken back.",
    )
    reasoning = serializers.CharField(
        source="revision.reasoning", help_text="Empty where some of what it came from is not shown."
    )
    actor = serializers.CharField(source="revision.actor")

    def get_evidence_text(self, shown: ShownRevision) -> str | None:
        return next((one.text for one in shown.evidence if one.unit.id == shown.revision.evidence_id), None)


class RevisionListOutput(Output):
    total = serializers.IntegerField()
    limit = serializers.IntegerField()
    offset = serializers.IntegerField()
    items = RevisionOutput(many=True, help_text="The oldest first.")


class RevisionListInput(TagFilterInput):
    limit = serializers.IntegerField(min_value=1, max_value=1_000, default=100, help_text="Rows a page.")
    offset = serializers.IntegerField(min_value=0, max_value=1_000_000, default=0, help_text="Rows to pass over.")
