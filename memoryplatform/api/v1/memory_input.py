"""What comes in where memories are listed, edited, closed and deleted."""

from typing import Any

from rest_framework import serializers

from banks.lifecycle.edit import UnitEdit
from banks.lifecycle.history import History
from banks.lifecycle.invalidate import Invalidation
from banks.words import Kind, Network
from memoryplatform.api.cursors import NOT_OF_THIS_LIST
from memoryplatform.api.serializers import ConfidenceField, Input
from memoryplatform.api.v1.labels import MetadataField, TagsField
from memoryplatform.api.v1.lists import ListInput, check_words
from memoryplatform.api.v1.moments import MomentField
from memoryplatform.api.v1.tag_conditions import MATCHES
from memoryplatform.api.v1.tag_filter import TagFilterInput
from memoryplatform.operations.memories.memory_filter import MemoryFilter, Span

STATES = {
    "current": "current",
    "valid": "current",
    "superseded": "superseded",
    "invalidated": "superseded",
    "all": "all",
}
TIME_FIELDS = {
    "created_at": "recorded_at",
    "updated_at": "updated_at",
    "mentioned_at": "mentioned_at",
    "occurred_start": "occurred_start",
    "occurred_end": "occurred_end",
}
SPANS = (
    ("start_date", "end_date"),
    ("occurred_after", "occurred_before"),
    ("mentioned_after", "mentioned_before"),
)
USUAL_CHANGES = 50  # a page
EVIDENCE = [Network.WORLD.value, Network.EXPERIENCE.value]


class MemoryFilterInput(TagFilterInput):
    q = serializers.CharField(
        max_length=1_000, required=False, default="", help_text="Words that a memory must have, in whichever form."
    )
    type = serializers.ChoiceField(choices=Network.values, required=False, default="", help_text="The network.")
    kind = serializers.ChoiceField(choices=Kind.values, required=False, default="")
    entity_id = serializers.UUIDField(required=False, default=None)
    document_id = serializers.CharField(max_length=500, required=False, default="")
    episode_id = serializers.UUIDField(required=False, default=None)
    thread = serializers.CharField(max_length=200, required=False, default="")
    time_field = serializers.ChoiceField(choices=list(TIME_FIELDS), default="mentioned_at")
    start_date = MomentField(required=False, default=None, help_text="Of time_field, from here on.")
    end_date = MomentField(required=False, default=None, help_text="Of time_field, before this.")
    occurred_after = MomentField(required=False, default=None)
    occurred_before = MomentField(required=False, default=None)
    mentioned_after = MomentField(required=False, default=None)
    mentioned_before = MomentField(required=False, default=None)
    state = serializers.ChoiceField(
        choices=list(STATES), default="current", help_text="valid is current, invalidated is superseded."
    )
    as_of = MomentField(required=False, default=None, help_text="What was true then.")
    known_at = MomentField(required=False, default=None, help_text="What was known then.")

    def validate_q(self, value: str) -> str:
        return check_words(value)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """What lies in a span that ends before it begins is nothing, and never what was meant."""
        for start, end in SPANS:
            if attrs[start] and attrs[end] and attrs[end] < attrs[start]:
                raise serializers.ValidationError({end: [f"Lies before {start}."]})
        checked: dict[str, Any] = super().validate(attrs)
        return checked

    def memory_filter(self) -> MemoryFilter:
        given = self.validated_data
        spans = (
            Span(TIME_FIELDS[given["time_field"]], given["start_date"], given["end_date"]),
            Span("occurred_start", given["occurred_after"], given["occurred_before"]),
            Span("mentioned_at", given["mentioned_after"], given["mentioned_before"]),
        )
        names = ("kind", "tags_match", "entity_id", "document_id", "episode_id", "thread", "as_of", "known_at")
        return MemoryFilter(
            words=given["q"],
            network=given["type"],
            tags=tuple(given.get("tags", ())),
            spans=spans,
            state=STATES[given["state"]],  # type: ignore[arg-type]  # the choices are its values
            **{name: given[name] for name in names},
        )


class UnitListInput(MemoryFilterInput, ListInput):
    pass


class ClearInput(MemoryFilterInput):
    """What only says how another filter is meant filters nothing by itself, and may have been meant to spare.

    Tags alone mean what has one of them: nobody who names a tag means what has none.
    """

    tags_match = serializers.ChoiceField(
        choices=MATCHES,
        default="any_strict",
        help_text="any and all take memories without a tag along. exact without tags finds those that have none.",
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if "tags_match" in self.initial_data and not attrs.get("tags") and attrs["tags_match"] != "exact":
            raise serializers.ValidationError({"tags_match": ["Says nothing without tags. Nothing is deleted."]})
        if "time_field" in self.initial_data and not (attrs["start_date"] or attrs["end_date"]):
            raise serializers.ValidationError(
                {"time_field": ["Says nothing without start_date or end_date. Nothing is deleted."]}
            )
        return super().validate(attrs)


class UnitEditInput(Input):
    """The given fields change. `state` closes (invalidated) or restores (valid) and stands alone."""

    text = serializers.CharField(max_length=100_000, required=False)
    fact_type = serializers.ChoiceField(choices=EVIDENCE, required=False)
    context = serializers.CharField(  # type: ignore[assignment]  # the wire's name, not DRF's attribute
        max_length=2_000, required=False, allow_blank=True
    )
    occurred_start = MomentField(required=False, allow_null=True)
    occurred_end = MomentField(required=False, allow_null=True, help_text="Exclusive.")
    mentioned_at = MomentField(required=False)
    importance = serializers.FloatField(min_value=0.0, max_value=1.0, required=False)
    confidence = ConfidenceField(required=False, help_text="Opinions only.")
    tags = TagsField(required=False)
    metadata = MetadataField(required=False)
    state = serializers.ChoiceField(choices=["valid", "invalidated"], required=False)
    reason = serializers.CharField(max_length=500, required=False, default="", allow_blank=True)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        fields = set(attrs) - {"reason"}
        if not fields:
            raise serializers.ValidationError("Give at least one field to change.")
        if "state" in fields and len(fields) > 1:
            raise serializers.ValidationError("state stands alone: edit before or after.")
        return attrs

    def unit_edit(self) -> UnitEdit:
        given = {name: value for name, value in self.validated_data.items() if name not in {"state", "reason"}}
        if "fact_type" in given:
            given["network"] = given.pop("fact_type")
        if "tags" in given:
            given["tags"] = tuple(given["tags"])
        cleared = frozenset(name for name, value in given.items() if value is None)
        return UnitEdit(**{name: value for name, value in given.items() if value is not None}, cleared=cleared)


class InvalidateInput(Input):
    reason = serializers.ChoiceField(
        choices=["update", "correction"], default="update", help_text="It is no longer so, or it never was."
    )
    valid_until = MomentField(required=False, default=None, allow_null=True)
    explanation = serializers.CharField(max_length=500, required=False, default="", allow_blank=True)

    def invalidation(self, actor: str) -> Invalidation:
        return Invalidation(**self.validated_data, actor=actor)


class RestoreInput(Input):
    explanation = serializers.CharField(max_length=500, required=False, default="", allow_blank=True)


class HistoryInput(Input):
    limit = serializers.IntegerField(
        min_value=1, max_value=200, required=False, help_text="Changes a page; all of them where nothing is asked for."
    )
    cursor = serializers.UUIDField(required=False, help_text="`next_cursor` of the page before.")

    def cut(self, history: History) -> dict[str, Any]:
        """The whole history, or a page of its changes. A cursor of another memory's is a place in none of them."""
        told = {"unit": history.unit, "superseded_by": history.superseded_by, "supersedes": history.supersedes}
        if not self.validated_data:
            return told | {"changes": history.changes}
        limit, cursor = self.validated_data.get("limit", USUAL_CHANGES), self.validated_data.get("cursor")
        if cursor is not None and cursor not in {change.id for change in history.changes}:
            raise serializers.ValidationError({"cursor": [NOT_OF_THIS_LIST]}, code="invalid")
        following = [change for change in history.changes if cursor is None or change.id > cursor]
        page = following[:limit]
        return told | {"changes": page, "next_cursor": page[-1].id if len(following) > limit else None}
