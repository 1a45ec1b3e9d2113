"""`/v1/banks/{bank_id}/memories`: retain, list and clear memories."""

from dataclasses import replace
from typing import Any

from rest_framework import serializers
from rest_framework.exceptions import PermissionDenied
from rest_framework.request import Request
from rest_framework.response import Response

from banks.enums import Kind, Network
from banks.models import Bank
from memoryplatform.api.errors import list_faults
from memoryplatform.api.idempotency import idempotent_operation, read_operation_key
from memoryplatform.api.routes import route
from memoryplatform.api.v1.banks import check_bank_id
from memoryplatform.api.v1.dry_run import DryRunOutput, describe_dry_run
from memoryplatform.api.v1.fields import MATCHES, TagFilterInput, TimeField
from memoryplatform.api.v1.lists import ListInput, ListPage, check_words, list_of, list_rows
from memoryplatform.api.v1.memory import DeletedOutput, UnitOutput
from memoryplatform.api.v1.retain_items import ReadItems, RetainInput, RetainOutput, read_items
from memoryplatform.api.views import TenantView
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.banks.profile import bank_transaction
from memoryplatform.operations.dry_run import dry_run
from memoryplatform.operations.kinds.delete_memories import Cleared, clear_memories
from memoryplatform.operations.memories import memory_filter
from memoryplatform.operations.memories.described_units import describe_units
from memoryplatform.operations.models import Operation
from memoryplatform.operations.retain import retain
from tenants.models import ApiKey

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


class MemoryFilterInput(TagFilterInput):
    q = serializers.CharField(
        max_length=1_000, required=False, default="", help_text="Words that a memory must contain, in any form."
    )
    type = serializers.ChoiceField(choices=Network.values, required=False, default="", help_text="The network.")
    kind = serializers.ChoiceField(choices=Kind.values, required=False, default="")
    entity_id = serializers.UUIDField(required=False, default=None)
    document_id = serializers.CharField(max_length=500, required=False, default="")
    episode_id = serializers.UUIDField(required=False, default=None)
    thread = serializers.CharField(max_length=200, required=False, default="")
    time_field = serializers.ChoiceField(choices=list(TIME_FIELDS), default="mentioned_at")
    start_date = TimeField(required=False, default=None, help_text="Start of the range of time_field, inclusive.")
    end_date = TimeField(required=False, default=None, help_text="End of the range of time_field, exclusive.")
    occurred_after = TimeField(required=False, default=None)
    occurred_before = TimeField(required=False, default=None)
    mentioned_after = TimeField(required=False, default=None)
    mentioned_before = TimeField(required=False, default=None)
    state = serializers.ChoiceField(
        choices=list(STATES), default="current", help_text="valid means current, invalidated means superseded."
    )
    as_of = TimeField(required=False, default=None, help_text="Only what was true at this time.")
    known_at = TimeField(required=False, default=None, help_text="Only what was known at this time.")

    def validate_q(self, value: str) -> str:
        return check_words(value)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Refuses a range that ends before it begins."""
        for start, end in SPANS:
            if attrs[start] and attrs[end] and attrs[end] < attrs[start]:
                raise serializers.ValidationError({end: [f"Lies before {start}."]})
        checked: dict[str, Any] = super().validate(attrs)
        return checked


def build_memory_filter(wanted: dict[str, Any]) -> memory_filter.MemoryFilter:
    spans = (
        memory_filter.Span(TIME_FIELDS[wanted["time_field"]], wanted["start_date"], wanted["end_date"]),
        memory_filter.Span("occurred_start", wanted["occurred_after"], wanted["occurred_before"]),
        memory_filter.Span("mentioned_at", wanted["mentioned_after"], wanted["mentioned_before"]),
    )
    names = ("kind", "tags_match", "entity_id", "document_id", "episode_id", "thread", "as_of", "known_at")
    return memory_filter.MemoryFilter(
        words=wanted["q"],
        network=wanted["type"],
        tags=tuple(wanted.get("tags", ())),
        spans=spans,
        state=STATES[wanted["state"]],  # type: ignore[arg-type]  # the choices are its values
        **{name: wanted[name] for name in names},
    )


class UnitListInput(MemoryFilterInput, ListInput):
    pass


class ClearInput(MemoryFilterInput):
    """Refuses a modifier without its filter, which may have been meant to protect something.

    Tags match strictly by default: a caller that names a tag does not mean memories without tags.
    """

    tags_match = serializers.ChoiceField(
        choices=MATCHES,
        default="any_strict",
        help_text="any and all also match memories without tags. exact without tags matches memories without tags.",
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if "tags_match" in self.initial_data and not attrs.get("tags") and attrs["tags_match"] != "exact":
            raise serializers.ValidationError({"tags_match": ["Has no effect without tags. Nothing is deleted."]})
        if "time_field" in self.initial_data and not (attrs["start_date"] or attrs["end_date"]):
            raise serializers.ValidationError(
                {"time_field": ["Has no effect without start_date or end_date. Nothing is deleted."]}
            )
        return super().validate(attrs)


def list_memories(access: BankAccess, bank_id: str, wanted: dict[str, Any]) -> ListPage:
    with bank_transaction(access, bank_id) as bank:
        chosen = build_memory_filter(wanted)
        check_named(bank, chosen)
        page = list_rows(
            memory_filter.find_units(bank, chosen).defer("embedding", "second_embedding"), wanted, of=bank.id
        )
        return replace(page, items=describe_units(bank, page.items))


class MemoryListView(TenantView):
    @route(
        "list_memories_of_bank",
        "List memories, newest first, at Hindsight's address",
        list_of(UnitOutput),
        query=UnitListInput,
    )
    def get(self, bank_id: str, wanted: dict[str, Any]) -> object:
        return list_memories(self.access, bank_id, wanted)


class ClearedOutput(DeletedOutput):
    """The counts cover memories that are already deleted."""

    operation_id = serializers.UUIDField(allow_null=True, help_text="The operation that deletes the rest, if any.")


class MemoriesView(TenantView):
    quotes_memories = False

    def stores_nothing(self, request: Request) -> bool:
        return isinstance(request.data, dict) and request.data.get("dry_run") is True

    @idempotent_operation
    @route("retain", "Retain conversations, texts and facts", RetainOutput, body=RetainInput, or_answer=DryRunOutput)
    def post(self, bank_id: str, body: RetainInput) -> object:
        """Items are independent: a refused item does not affect the others. A missing bank is created. A small call
        waits for its memories; a large or `async` call returns the operation. With `dry_run` nothing is stored: the
        answer has the facts that would be, and the scope `read` is needed too.
        """
        check_bank_id(bank_id)
        read = read_items(body.validated_data["items"])
        if not read.good:
            raise serializers.ValidationError(
                {"items": {str(fault.index): fault.faults.detail for fault in read.faults}}
            )
        if body.validated_data["dry_run"]:
            return self.try_items(bank_id, body, read)
        operation = retain(
            self.access,
            bank_id,
            read.good,
            wait=not body.validated_data["async"],
            idempotency_key=read_operation_key(self, self.request),
        )
        return describe_retained(bank_id, operation, read)

    def try_items(self, bank_id: str, body: RetainInput, read: ReadItems) -> Response:
        if not self.identity.allows(ApiKey.Scope.READ):
            raise PermissionDenied("A dry run shows memories, so it needs the scope 'read' too.")
        tried = dry_run(self.access, bank_id, read.good, overrides=body.validated_data.get("settings"))
        return Response(DryRunOutput(describe_dry_run(bank_id, tried, read)).data)

    @route("list_memories", "List memories, newest first", list_of(UnitOutput), query=UnitListInput)
    def get(self, bank_id: str, wanted: dict[str, Any]) -> object:
        return list_memories(self.access, bank_id, wanted)

    @route("clear_memories", "Delete all memories that match a filter", ClearedOutput, query=ClearInput)
    def delete(self, bank_id: str, wanted: dict[str, Any]) -> object:
        """Deletes for good, with everything that rests on them alone. Without a filter: every current memory of the
        bank; `state=all` includes superseded ones. Messages and documents stay. A large deletion runs in the
        background; the operation's result is the receipt.
        """
        check_no_body(self.request)
        chosen = build_memory_filter(wanted)
        with bank_transaction(self.access, bank_id) as bank:
            check_named(bank, chosen)
        return describe_cleared(clear_memories(self.access, bank_id, chosen))


def check_named(bank: Bank, wanted: memory_filter.MemoryFilter) -> None:
    """Call inside a tenant transaction."""
    memory_filter.check_entities(bank, [wanted.entity_id])
    memory_filter.check_episode(bank, wanted.episode_id)


def check_no_body(request: Request) -> None:
    """Refuses a body: an ignored filter would match everything."""
    if request.body.strip() not in {b"", b"{}", b"null"}:
        raise serializers.ValidationError(
            "This call takes no body: send filters in the query string. Nothing is deleted."
        )


def describe_cleared(cleared: Cleared) -> dict[str, Any]:
    operation = cleared.operation
    message = f"{cleared.removed.units} memories are deleted."
    return {
        "success": True,
        "message": message if operation is None else "The memories are being deleted.",
        "removed": cleared.removed,
        "operation_id": operation.id if operation else None,
    }


def describe_retained(bank_id: str, operation: Operation, read: ReadItems) -> dict[str, Any]:
    result = operation.result or {}
    return {
        "success": operation.status != Operation.Status.FAILED,
        "bank_id": bank_id,
        "items_count": len(read.good),
        "item_errors": [
            {"index": fault.index, "accepted": fault.is_accepted, "faults": list_faults(fault.faults)}
            for fault in read.faults
        ],
        "async": not operation.is_finished,
        "operation_id": operation.id,
        "status": operation.status,
        "unit_ids": result.get("unit_ids", []),
        "errors": result.get("errors", [operation.error_detail] if operation.error_detail else []),
        "notes": result.get("notes", []),
        "quarantined": (operation.result or operation.payload).get("quarantined", []),
        "changes": result.get("changes", []),
        "change_count": result.get("change_count", 0),
        "usage": operation.usage,
    }
