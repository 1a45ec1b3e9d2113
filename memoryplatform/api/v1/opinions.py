"""`/v1/banks/{bank_id}/opinions`: the agent's beliefs with evidence and history, and their review by people."""

from typing import Any, ClassVar, get_args
from uuid import UUID

from rest_framework import serializers
from rest_framework.response import Response

from banks.models import Bank
from banks.models.unit import UnitQuerySet
from memoryplatform.api.idempotency import idempotent_operation
from memoryplatform.api.routes import route
from memoryplatform.api.serializers import ConfidenceField, Input, Output
from memoryplatform.api.v1.fields import TagFilterInput
from memoryplatform.api.v1.lists import ListInput, ListOutput, ListPage, OffsetInput, OffsetOutput, list_rows
from memoryplatform.api.v1.memory import MemorySourceOutput, NamedEntityOutput
from memoryplatform.api.views import TenantView, write_etag
from memoryplatform.operations.access import name_of
from memoryplatform.operations.banks.profile import bank_transaction
from memoryplatform.operations.memories.memory_filter import check_entities
from memoryplatform.operations.observation_refreshes import name_observer
from memoryplatform.operations.opinions.review import LONGEST_REASON, SAY_WHY, WITHOUT_REASON, lacks_reason, review
from memoryplatform.operations.opinions.shown import (
    OpinionFilter,
    ShownOpinion,
    ShownRevision,
    TagView,
    find_opinions,
    find_revisions,
    get_opinion,
    list_opinions,
    order_by_change,
    show_opinion,
    show_steps,
)
from reflection.models import OpinionRevision
from reflection.opinions.claims import LONGEST_TEXT
from reflection.opinions.history import Stance
from reflection.opinions.review import Act, Review

REVIEWS = ["new", "approved", "pinned", "retired", "all"]
STANCES = list(get_args(Stance))
ACTIONS = [act.value for act in Act]
EVIDENCE_TYPES = "world or experience; opinion for a statement of the agent that was merged into this opinion."


def read_tag_view(given: dict[str, Any]) -> TagView:
    return TagView(tuple(given.get("tags", ())), given["tags_match"])


class OpinionInput(TagFilterInput):
    """Tags that limit the opinions and the evidence in the response."""


class OpinionListInput(TagFilterInput, ListInput):
    review = serializers.ChoiceField(
        choices=REVIEWS,
        required=False,
        default="",
        help_text="new: not reviewed yet. all: includes retired and superseded opinions. Default: all "
        "opinions that the agent holds.",
    )
    entity_id = serializers.UUIDField(required=False, default=None)
    min_confidence = serializers.FloatField(min_value=0.0, max_value=1.0, required=False, default=0.0)
    q = serializers.CharField(
        max_length=1_000, required=False, default="", help_text="Words that it must contain, in any form."
    )
    order = serializers.ChoiceField(
        choices=["formed", "changed"],
        default="formed",
        help_text="Newest first by formation or by last change; changed needs an offset.",
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if attrs["order"] == "changed" and attrs.get("cursor"):
            raise serializers.ValidationError({"cursor": "Needs order=formed; send an offset."})
        checked: dict[str, Any] = super().validate(attrs)
        return checked


def build_opinion_filter(wanted: dict[str, Any]) -> OpinionFilter:
    return OpinionFilter(
        wanted["review"], wanted["entity_id"], wanted["min_confidence"], wanted["q"], read_tag_view(wanted)
    )


class ReviewInput(Input):
    action = serializers.ChoiceField(
        choices=ACTIONS,
        help_text="Evidence does not change a pinned opinion. A retired opinion is not recalled until it is restored.",
    )
    reason = serializers.CharField(
        max_length=LONGEST_REASON,
        default="",
        allow_blank=True,
        help_text=f"Part of the history; all actions but {' and '.join(sorted(WITHOUT_REASON))} need one.",
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
            raise serializers.ValidationError(dict.fromkeys(sorted(given), "Only for edit."))
        return attrs

    def review(self, actor: str) -> Review:
        given = self.validated_data
        return Review(Act(given["action"]), actor, given["reason"], given.get("text"), given.get("confidence"))


class OpinionOutput(Output):
    id = serializers.UUIDField(source="described.unit.id")
    text = serializers.CharField(source="described.unit.rendered_text")
    confidence = serializers.FloatField(source="described.unit.confidence")
    review = serializers.CharField(source="described.unit.review", help_text="Empty, approved, pinned or retired.")
    entities = NamedEntityOutput(source="described.entities", many=True)
    tags = serializers.ListField(source="described.tags", child=serializers.CharField())
    formed_at = serializers.DateTimeField(source="described.unit.recorded_at")
    changed_at = serializers.DateTimeField()
    revision = serializers.IntegerField(help_text="The number of its newest revision.")
    expired_at = serializers.DateTimeField(source="described.unit.expired_at", allow_null=True)
    superseded_by = serializers.UUIDField(allow_null=True, help_text="Also null if that one is not visible.")


class OpinionListOutput(ListOutput):
    items = OpinionOutput(many=True)
    engine = serializers.CharField(
        help_text="The model that forms and weighs opinions; `builtin` without one: then none are formed."
    )


class RevisionEvidenceOutput(Output):
    memory_id = serializers.UUIDField(source="unit.id")
    text = serializers.CharField(help_text="The text at that time.")
    type = serializers.CharField(source="unit.network", help_text=EVIDENCE_TYPES)
    taken_back = serializers.BooleanField(
        help_text="The evidence no longer counts: it was corrected or edited, concerns a former wording, or "
        "moved to another entity."
    )


class EvidenceOutput(RevisionEvidenceOutput):
    mentioned_at = serializers.DateTimeField(source="unit.mentioned_at")
    bearing = serializers.CharField(help_text="The cause of its revision: formed, restated, revised or a verdict.")
    at = serializers.DateTimeField(help_text="The time of that revision.")
    revision = serializers.IntegerField(allow_null=True, help_text="The number of that revision.")
    stance = serializers.ChoiceField(
        choices=STANCES,
        help_text="Its relation to the present text; former: it concerns an earlier wording.",
    )
    expired_at = serializers.DateTimeField(
        source="unit.expired_at", allow_null=True, help_text="When it was closed; null while it is current."
    )


class OpinionDetailOutput(OpinionOutput):
    evidence = EvidenceOutput(many=True, help_text="The facts that formed it, then those that changed it, in order.")
    sources = MemorySourceOutput(many=True, help_text="The agent's own statements, and the supporting facts.")
    hidden_evidence = serializers.IntegerField(help_text="The number of facts that the requested tags exclude.")


class RevisionOutput(Output):
    number = serializers.IntegerField(source="revision.number", help_text="From 1.")
    cause = serializers.ChoiceField(source="revision.cause", choices=OpinionRevision.Cause.choices)
    at = serializers.DateTimeField(source="revision.created_at")
    confidence_before = serializers.FloatField(source="revision.confidence_before", allow_null=True)
    confidence_after = serializers.FloatField(source="revision.confidence_after")
    text_before = serializers.CharField(
        source="revision.text_before",
        help_text="Empty for the first revision, after its evidence was deleted, or if it comes from hidden evidence.",
    )
    text_after = serializers.CharField(
        source="revision.text_after",
        help_text="Empty after its evidence was deleted, or if it comes from hidden evidence.",
    )
    step = serializers.FloatField(
        source="revision.step", allow_null=True, help_text="The step of one piece of evidence at that time."
    )
    evidence = RevisionEvidenceOutput(many=True, help_text="The evidence of this revision that still exists.")
    evidence_deleted = serializers.IntegerField(source="deleted", help_text="The number of deleted pieces of evidence.")
    hidden_evidence = serializers.IntegerField(
        source="hidden", help_text="The number of pieces that the requested tags exclude."
    )
    evidence_id = serializers.UUIDField(
        source="revision.evidence_id", allow_null=True, help_text="The first piece of evidence."
    )
    evidence_text = serializers.SerializerMethodField(help_text="The text of the first piece at that time.")
    withdrawn = serializers.BooleanField(
        source="revision.withdrawn",
        help_text="The revision was undone: its evidence was deleted, corrected or edited, concerns a "
        "former wording, or moved to another entity.",
    )
    reasoning = serializers.CharField(source="revision.reasoning", help_text="Empty if some evidence is hidden.")
    actor = serializers.CharField(source="revision.actor")

    def get_evidence_text(self, shown: ShownRevision) -> str | None:
        return next((one.text for one in shown.evidence if one.unit.id == shown.revision.evidence_id), None)


class RevisionListOutput(OffsetOutput):
    items = RevisionOutput(many=True, help_text="Oldest first.")


class RevisionListInput(TagFilterInput, OffsetInput):
    pass


def render_opinion(shown: ShownOpinion) -> Response:
    answer = {
        **OpinionOutput(shown.listed).data,
        "evidence": EvidenceOutput(shown.evidence, many=True).data,
        "sources": MemorySourceOutput(shown.listed.described.sources, many=True).data,
        "hidden_evidence": shown.hidden_evidence,
    }
    return Response(answer, headers=write_etag(shown.listed.version))


def list_page(bank: Bank, units: UnitQuerySet, wanted: dict[str, Any]) -> ListPage:
    """Call inside a tenant transaction."""
    if wanted["order"] == "formed":
        return list_rows(units, wanted, of=bank.id)
    limit, offset = wanted["limit"], wanted["offset"]
    found = list(order_by_change(bank, units)[offset : offset + limit])
    return ListPage(found, units.count(), limit, offset, None)


class OpinionsView(TenantView):
    @route("list_opinions", "List opinions, newest first", OpinionListOutput, query=OpinionListInput)
    def get(self, bank_id: str, wanted: dict[str, Any]) -> object:
        with bank_transaction(self.access, bank_id) as bank:
            chosen = build_opinion_filter(wanted)
            check_entities(bank, [chosen.entity_id])
            page = list_page(bank, find_opinions(bank, chosen).defer("embedding", "second_embedding"), wanted)
            items = list_opinions(bank, page.items, chosen.view)
            return vars(page) | {"items": items, "engine": name_observer(self.tenant_id)}


class OpinionView(TenantView):
    @route("get_opinion", "Get an opinion with its evidence", OpinionDetailOutput, query=OpinionInput)
    def get(self, bank_id: str, opinion_id: UUID, wanted: dict[str, Any]) -> object:
        """Tags that the opinion lacks give a 404. Evidence without matching tags is left out."""
        return render_opinion(show_opinion(self.access, bank_id, opinion_id, read_tag_view(wanted)))


class OpinionRevisionsView(TenantView):
    @route(
        "list_opinion_revisions",
        "List the revisions of an opinion, oldest first",
        RevisionListOutput,
        query=RevisionListInput,
    )
    def get(self, bank_id: str, opinion_id: UUID, wanted: dict[str, Any]) -> object:
        """Evidence without matching tags is left out, with the reasons and wordings that come from it."""
        limit, offset = wanted["limit"], wanted["offset"]
        view = read_tag_view(wanted)
        with bank_transaction(self.access, bank_id) as bank:
            opinion, rows = get_opinion(bank, opinion_id, view), find_revisions(bank, opinion_id)
            items = show_steps(bank, opinion, list(rows[offset : offset + limit]), view)
            return {"total": rows.count(), "limit": limit, "offset": offset, "items": items}


class OpinionReviewView(TenantView):
    scopes: ClassVar[dict[str, str]] = {"POST": "write read"}  # the response shows the resource

    @idempotent_operation
    @route(
        "review_opinion",
        "Approve, edit, retire, pin, unpin or restore an opinion",
        OpinionDetailOutput,
        body=ReviewInput,
        if_match=True,
    )
    def post(self, bank_id: str, opinion_id: UUID, body: ReviewInput) -> object:
        """Every review is in the history with its reason. A text that another opinion has is refused (409)."""
        given = body.review(name_of(self.access))
        return render_opinion(review(self.access, bank_id, opinion_id, given, expected=self.expected))
