"""`/v1/banks/{bank_id}/memories/{memory_id}`: show, edit, close, restore and delete one memory."""

from typing import Any, ClassVar
from uuid import UUID

from rest_framework import serializers
from rest_framework.response import Response

from banks.enums import Network
from banks.lifecycle.closing_by_hand import Invalidation
from banks.lifecycle.editing import UnitEdit
from banks.lifecycle.history import History
from banks.models import UnitSource
from memoryplatform.api.idempotency import idempotent
from memoryplatform.api.pagination import FOREIGN_CURSOR
from memoryplatform.api.routes import route
from memoryplatform.api.serializers import ConfidenceField, Input, Output
from memoryplatform.api.v1.fields import MetadataField, TagsField, TimeField
from memoryplatform.api.views import TenantView, write_etag
from memoryplatform.operations.access import name_of
from memoryplatform.operations.erasures.use_cases import erase_memory
from memoryplatform.operations.memories import single
from memoryplatform.operations.memories.described_units import DescribedUnit, document_of, quote

DEFAULT_CHANGES = 50  # per page
EVIDENCE = [Network.WORLD.value, Network.EXPERIENCE.value]


class UnitOutput(Output):
    id = serializers.UUIDField(source="unit.id")
    text = serializers.CharField(
        source="unit.rendered_text", help_text="The rendered text: a person's words begin with the speaker's name."
    )
    speaker = serializers.CharField(source="unit.speaker", help_text="Empty for a fact that a model wrote.")
    role = serializers.CharField(source="unit.role", help_text="user, assistant or tool; empty without a speaker.")
    type = serializers.CharField(source="unit.network", help_text="world, experience, opinion or observation.")
    fact_type = serializers.CharField(source="unit.network")
    kind = serializers.CharField(source="unit.kind")
    context = serializers.CharField(source="unit.context")  # type: ignore[assignment]  # the wire's name
    date = serializers.SerializerMethodField(help_text="The time of the event, else of the statement.")
    occurred_start = serializers.DateTimeField(source="unit.occurred_start", allow_null=True)
    occurred_end = serializers.DateTimeField(source="unit.occurred_end", allow_null=True)
    mentioned_at = serializers.DateTimeField(source="unit.mentioned_at")
    entities = serializers.SerializerMethodField(help_text="Names, separated by commas.")
    tags = serializers.ListField(child=serializers.CharField())
    metadata = serializers.DictField(child=serializers.CharField())
    document_id = serializers.CharField(allow_null=True)
    chunk_id = serializers.UUIDField(allow_null=True)
    confidence = serializers.FloatField(source="unit.confidence", allow_null=True)
    importance = serializers.FloatField(source="unit.importance")
    flags = serializers.ListField(
        source="unit.flags",
        child=serializers.CharField(),
        help_text="Findings in its text or source: secrets, personal_data, instructions.",
    )
    proof_count = serializers.IntegerField(source="unit.proof_count")
    valid_from = serializers.DateTimeField(source="unit.valid_from", allow_null=True)
    valid_until = serializers.DateTimeField(source="unit.valid_until", allow_null=True)
    recorded_at = serializers.DateTimeField(source="unit.recorded_at")
    expired_at = serializers.DateTimeField(source="unit.expired_at", allow_null=True)
    close_reason = serializers.CharField(source="unit.close_reason")
    superseded_by = serializers.UUIDField(source="unit.superseded_by_id", allow_null=True)
    state = serializers.SerializerMethodField(help_text="valid or invalidated.")
    invalidated_at = serializers.DateTimeField(source="unit.expired_at", allow_null=True)
    edited_at = serializers.DateTimeField(allow_null=True)
    updated_at = serializers.DateTimeField(source="unit.updated_at")

    def get_date(self, shown: DescribedUnit) -> str:
        return (shown.unit.occurred_start or shown.unit.mentioned_at).isoformat()

    def get_entities(self, shown: DescribedUnit) -> str:
        return ", ".join(entity.name for entity in shown.entities)

    def get_state(self, shown: DescribedUnit) -> str:
        return "valid" if shown.unit.expired_at is None else "invalidated"


class MemorySourceOutput(Output):
    role = serializers.CharField()
    message_id = serializers.UUIDField(allow_null=True)
    chunk_id = serializers.UUIDField(allow_null=True)
    document_id = serializers.SerializerMethodField()
    episode_id = serializers.SerializerMethodField()
    memory_id = serializers.UUIDField(source="other_unit_id", allow_null=True)
    start = serializers.IntegerField(allow_null=True)
    end = serializers.IntegerField(allow_null=True)
    text = serializers.SerializerMethodField(help_text="The quoted characters of the source.")
    name = serializers.SerializerMethodField(help_text="The speaker.")
    timestamp = serializers.SerializerMethodField()

    def get_document_id(self, source: UnitSource) -> str | None:
        return document_of(source) or None

    def get_episode_id(self, source: UnitSource) -> str | None:
        episode_id = source.episode_id or (source.message.episode_id if source.message else None)
        return str(episode_id) if episode_id else None

    def get_text(self, source: UnitSource) -> str:
        return quote(source)

    def get_name(self, source: UnitSource) -> str | None:
        return source.message.speaker if source.message else None

    def get_timestamp(self, source: UnitSource) -> str | None:
        row = source.message or source.chunk
        return row.said_at.isoformat() if row else None


class NamedEntityOutput(Output):
    id = serializers.UUIDField()
    canonical_name = serializers.CharField(source="name")
    kind = serializers.CharField()


class MemoryLinkOutput(Output):
    memory_id = serializers.UUIDField(source="unit.id")
    text = serializers.CharField(source="unit.rendered_text")
    type = serializers.CharField()
    weight = serializers.FloatField()
    direction = serializers.CharField(help_text="out: from this memory; in: to it.")


class UnitDetailOutput(UnitOutput):
    entities = NamedEntityOutput(many=True)  # type: ignore[assignment]  # a list of names where many are shown
    dimensions = serializers.DictField(source="unit.dimensions", child=serializers.CharField())
    sources = MemorySourceOutput(many=True)
    links = MemoryLinkOutput(many=True)


class ChangeOutput(Output):
    action = serializers.CharField()
    at = serializers.DateTimeField(source="changed_at")
    actor = serializers.CharField()
    reason = serializers.CharField()
    before = serializers.JSONField()
    after = serializers.JSONField()


class ChainedUnitOutput(Output):
    id = serializers.UUIDField()
    text = serializers.CharField(source="rendered_text")
    mentioned_at = serializers.DateTimeField()
    valid_from = serializers.DateTimeField(allow_null=True)
    valid_until = serializers.DateTimeField(allow_null=True)
    recorded_at = serializers.DateTimeField()
    expired_at = serializers.DateTimeField(allow_null=True)
    close_reason = serializers.CharField()


class HistoryOutput(Output):
    memory_id = serializers.UUIDField(source="unit.id")
    recorded_at = serializers.DateTimeField(source="unit.recorded_at")
    changes = ChangeOutput(many=True, help_text="Oldest first.")
    superseded_by = ChainedUnitOutput(many=True, help_text="The newer memories, next one first.")
    supersedes = ChainedUnitOutput(many=True, help_text="The older memories, latest one first.")


class HistoryPageOutput(HistoryOutput):
    next_cursor = serializers.UUIDField(
        required=False, allow_null=True, help_text="Cursor of the next page of changes, with limit or cursor only."
    )


class DeletedOutput(Output):
    success = serializers.BooleanField()
    message = serializers.CharField()
    deleted_count = serializers.IntegerField(source="removed.units")
    relationships_deleted = serializers.IntegerField(source="removed.relationships")
    entities_deleted = serializers.IntegerField(source="removed.entities")
    erasure_id = serializers.UUIDField(
        required=False, allow_null=True, help_text="The erasure with its receipt, if `sources` was given."
    )


class UnitEditInput(Input):
    """Only the given fields change. `state` closes (invalidated) or restores (valid) the memory and can't be
    combined.
    """

    text = serializers.CharField(max_length=100_000, required=False)
    fact_type = serializers.ChoiceField(choices=EVIDENCE, required=False)
    context = serializers.CharField(  # type: ignore[assignment]  # the wire's name, not DRF's attribute
        max_length=2_000, required=False, allow_blank=True
    )
    occurred_start = TimeField(required=False, allow_null=True)
    occurred_end = TimeField(required=False, allow_null=True, help_text="Exclusive.")
    mentioned_at = TimeField(required=False)
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
            raise serializers.ValidationError("state can't be combined with other fields.")
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
        choices=["update", "correction"], default="update", help_text="update: no longer true. correction: never true."
    )
    valid_until = TimeField(required=False, default=None, allow_null=True)
    explanation = serializers.CharField(max_length=500, required=False, default="", allow_blank=True)

    def invalidation(self, actor: str) -> Invalidation:
        return Invalidation(**self.validated_data, actor=actor)


class RestoreInput(Input):
    explanation = serializers.CharField(max_length=500, required=False, default="", allow_blank=True)


class DeletionInput(Input):
    sources = serializers.BooleanField(
        default=False, help_text="Also erase the words that the memory was taken from, wherever they are stored."
    )


class HistoryInput(Input):
    limit = serializers.IntegerField(
        min_value=1, max_value=200, required=False, help_text="Changes per page; all without limit and cursor."
    )
    cursor = serializers.UUIDField(required=False, help_text="`next_cursor` of the previous page.")


def cut_history(history: History, wanted: dict[str, Any]) -> dict[str, Any]:
    """The whole history, or a page of its changes. Refuses a cursor of another memory."""
    fields = {"unit": history.unit, "superseded_by": history.superseded_by, "supersedes": history.supersedes}
    if not wanted:
        return fields | {"changes": history.changes}
    limit, cursor = wanted.get("limit", DEFAULT_CHANGES), wanted.get("cursor")
    if cursor is not None and cursor not in {change.id for change in history.changes}:
        raise serializers.ValidationError({"cursor": [FOREIGN_CURSOR]}, code="invalid")
    following = [change for change in history.changes if cursor is None or change.id > cursor]
    page = following[:limit]
    return fields | {"changes": page, "next_cursor": page[-1].id if len(following) > limit else None}


def render_memory(shown: single.ShownMemory) -> Response:
    """The ETag covers editable fields only: a new proof or link must not refuse an edit."""
    return Response(UnitDetailOutput(shown.described).data, headers=write_etag(shown.version))


COUNTED_AS = {"units": "unit", "relationships": "relationship", "entities": "entity"}  # in a receipt


class MemoryView(TenantView):
    scopes: ClassVar[dict[str, str]] = {"PATCH": "write read"}  # the response shows the resource

    @route("get_memory", "Get a memory with its sources and links", UnitDetailOutput)
    def get(self, bank_id: str, memory_id: UUID) -> object:
        return render_memory(single.show_memory(self.access, bank_id, memory_id))

    @route("edit_memory", "Edit the given fields of a memory", UnitDetailOutput, body=UnitEditInput, if_match=True)
    def patch(self, bank_id: str, memory_id: UUID, body: UnitEditInput) -> object:
        """Every edit is in the history. A text that another current memory has is refused (409). A text that begins
        with the speaker's name keeps the speaker; any other text clears speaker and role. A new text of a fact is read
        again for entities and relationships, which replace the former ones.
        """
        state, reason, expected = body.validated_data.get("state"), body.validated_data["reason"], self.expected
        if state == "valid":
            return render_memory(
                single.restore_memory(self.access, bank_id, memory_id, reason=reason, expected=expected)
            )
        if state == "invalidated":
            closing = Invalidation("correction", explanation=reason, actor=name_of(self.access))
            return render_memory(single.invalidate_memory(self.access, bank_id, memory_id, closing, expected=expected))
        return render_memory(
            single.edit_memory(self.access, bank_id, memory_id, body.unit_edit(), expected=expected, reason=reason)
        )

    @route("delete_memory", "Delete a memory for good", DeletedOutput, query=DeletionInput, if_match=True)
    def delete(self, bank_id: str, memory_id: UUID, wanted: dict[str, Any]) -> object:
        """Also deletes everything that rests on it alone. The messages and documents that it was taken from stay
        readable, unless `sources` is true: then their words are erased too. To close a memory and keep its history,
        invalidate it instead.
        """
        message = f"Memory {memory_id} is deleted."
        if not wanted["sources"]:
            removed = single.delete_memory(self.access, bank_id, memory_id, expected=self.expected)
            return {"success": True, "message": message, "removed": removed, "erasure_id": None}
        erasure = erase_memory(self.access, bank_id, memory_id, expected=self.expected)
        counts = {name: erasure.erased.get(one, 0) for name, one in COUNTED_AS.items()}
        if erasure.completed_at is None:
            message = f"Memory {memory_id} is being erased."
        return {"success": True, "message": message, "removed": counts, "erasure_id": erasure.id}


class MemoryHistoryView(TenantView):
    @route(
        "get_memory_history",
        "Get the changes of a memory, and the memories before and after it",
        HistoryPageOutput,
        query=HistoryInput,
    )
    def get(self, bank_id: str, memory_id: UUID, wanted: dict[str, Any]) -> object:
        shape = HistoryPageOutput if wanted else HistoryOutput
        return Response(shape(cut_history(single.show_history(self.access, bank_id, memory_id), wanted)).data)


class InvalidateView(TenantView):
    scopes: ClassVar[dict[str, str]] = {"POST": "write read"}  # the response shows the resource

    @idempotent
    @route(
        "invalidate_memory",
        "Close a memory that is no longer true, or never was",
        UnitDetailOutput,
        body=InvalidateInput,
        if_match=True,
    )
    def post(self, bank_id: str, memory_id: UUID, body: InvalidateInput) -> object:
        closing, expected = body.invalidation(name_of(self.access)), self.expected
        return render_memory(single.invalidate_memory(self.access, bank_id, memory_id, closing, expected=expected))


class RestoreView(TenantView):
    scopes: ClassVar[dict[str, str]] = {"POST": "write read"}  # the response shows the resource

    @idempotent
    @route("restore_memory", "Restore a closed memory", UnitDetailOutput, body=RestoreInput, if_match=True)
    def post(self, bank_id: str, memory_id: UUID, body: RestoreInput) -> object:
        reason, expected = body.validated_data["explanation"], self.expected
        return render_memory(single.restore_memory(self.access, bank_id, memory_id, reason=reason, expected=expected))
