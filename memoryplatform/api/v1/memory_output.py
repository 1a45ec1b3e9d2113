"""What goes out where memories are listed, shown, edited and closed."""

from rest_framework import serializers

from banks.models import UnitSource
from memoryplatform.api.serializers import Output
from memoryplatform.api.v1.lists import ListOutput
from memoryplatform.operations.memories.described_units import DescribedUnit, document_of, quote


class UnitOutput(Output):
    id = serializers.UUIDField(source="unit.id")
    text = serializers.CharField(source="unit.text")
    type = serializers.CharField(source="unit.network", help_text="world, experience, opinion or observation.")
    fact_type = serializers.CharField(source="unit.network")
    kind = serializers.CharField(source="unit.kind")
    context = serializers.CharField(source="unit.context")  # type: ignore[assignment]  # the wire's name
    date = serializers.SerializerMethodField(help_text="When it happened, else when it was said.")
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


class UnitListOutput(ListOutput):
    items = UnitOutput(many=True)


class MemorySourceOutput(Output):
    role = serializers.CharField()
    message_id = serializers.UUIDField(allow_null=True)
    chunk_id = serializers.UUIDField(allow_null=True)
    document_id = serializers.SerializerMethodField()
    episode_id = serializers.SerializerMethodField()
    memory_id = serializers.UUIDField(source="other_unit_id", allow_null=True)
    start = serializers.IntegerField(allow_null=True)
    end = serializers.IntegerField(allow_null=True)
    text = serializers.SerializerMethodField(help_text="Those characters, as they were said or written.")
    name = serializers.SerializerMethodField(help_text="Who said it.")
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
    text = serializers.CharField(source="unit.text")
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
    text = serializers.CharField()
    mentioned_at = serializers.DateTimeField()
    valid_from = serializers.DateTimeField(allow_null=True)
    valid_until = serializers.DateTimeField(allow_null=True)
    recorded_at = serializers.DateTimeField()
    expired_at = serializers.DateTimeField(allow_null=True)
    close_reason = serializers.CharField()


class HistoryOutput(Output):
    memory_id = serializers.UUIDField(source="unit.id")
    recorded_at = serializers.DateTimeField(source="unit.recorded_at")
    changes = ChangeOutput(many=True, help_text="The oldest first.")
    superseded_by = ChainedUnitOutput(many=True, help_text="Forward, the next first.")
    supersedes = ChainedUnitOutput(many=True, help_text="Back, the latest first.")


class HistoryPageOutput(HistoryOutput):
    next_cursor = serializers.UUIDField(
        required=False, allow_null=True, help_text="Of the changes, where a page of them was asked for."
    )


class DeletedOutput(Output):
    success = serializers.BooleanField()
    message = serializers.CharField()
    deleted_count = serializers.IntegerField(source="removed.units")
    relationships_deleted = serializers.IntegerField(source="removed.relationships")
    entities_deleted = serializers.IntegerField(source="removed.entities")
