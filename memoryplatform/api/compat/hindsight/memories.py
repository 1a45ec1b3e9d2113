"""`/memories`, `/observations` and `/consolidate`: retain, list and clear memories, and refresh observations."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any
from uuid import UUID

from rest_framework import serializers
from rest_framework.request import Request

from banks.enums import Network
from banks.models.unit import UnitQuerySet
from banks.retain.input import RetainItem
from memoryplatform.api.compat.hindsight import hindsight_view
from memoryplatform.api.compat.hindsight.memory import describe_listed
from memoryplatform.api.idempotency import idempotent, idempotent_operation, read_operation_key
from memoryplatform.api.serializers import Input, check_input
from memoryplatform.api.v1.banks import check_bank_id
from memoryplatform.api.v1.fields import TagFilterInput, TagsField, TimeField
from memoryplatform.api.v1.memories import STATES, TIME_FIELDS, check_no_body
from memoryplatform.api.v1.retain_items import ItemInput, ItemListField, ReadItems, read_items
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.banks.profile import bank_transaction
from memoryplatform.operations.banks.stats import KNOWN
from memoryplatform.operations.idempotency import build_key, name_operation
from memoryplatform.operations.kinds.delete_memories import Cleared, clear_memories
from memoryplatform.operations.memories.described_units import describe_units
from memoryplatform.operations.memories.memory_filter import MemoryFilter, Span, find_units
from memoryplatform.operations.models import Operation
from memoryplatform.operations.observations import consolidate_now, count_scopes, remake_observations
from memoryplatform.operations.retain import digest_items, retain
from memoryplatform.operations.running.kind_names import CONSOLIDATE, REFRESH_OBSERVATIONS
from memoryplatform.operations.running.submit import retry
from tenants.identifiers import uuid7

ITEM, TAGS = ItemInput(), TagsField()  # shared, because building them for each of 1,000 items takes seconds
CONSOLIDATING = (CONSOLIDATE, REFRESH_OBSERVATIONS)
UNSET_TIME = "unset"  # Hindsight stores no time for it; we store the time of the call


class HindsightRetainInput(Input):
    items = ItemListField(max_length=1_000)
    operation_id = serializers.UUIDField(required=False, allow_null=True, default=None)
    document_tags = TagsField(required=False, allow_null=True, default=None)
    dry_run = serializers.BooleanField(default=False)

    def get_fields(self) -> dict[str, Any]:
        """`async` is a Python keyword, so it can't be an attribute."""
        return super().get_fields() | {"async": serializers.BooleanField(default=False)}

    def validate_dry_run(self, value: bool) -> bool:  # noqa: FBT001  # DRF's signature
        """Refuses our own field, because Hindsight would ignore it and store the items."""
        if value:
            raise serializers.ValidationError("Use /memories/dry-run-extract here, or /v1/banks/{bank_id}/memories.")
        return value


def retain_items(access: BankAccess, bank_id: str, given: Any, *, header_key: str | None) -> dict[str, Any]:
    """Retains all items or none, because Hindsight refuses a request with one invalid item."""
    check_bank_id(bank_id)
    body = hindsight_view.read_body(HindsightRetainInput, given).validated_data
    if not body["items"]:
        return describe_retained(bank_id, None, items_count=0, is_async=body["async"]) | {"ignored": []}
    items = read_all([translate_item(item, body["document_tags"] or []) for item in body["items"]])
    key = build_key(body["operation_id"]) if body["operation_id"] and body["async"] else header_key
    good = share_document(items.good)
    operation = retain(access, bank_id, good, wait=not body["async"], idempotency_key=key)
    digest = digest_items(good)
    if operation.bank_key != bank_id or operation.payload.get("items_digest", digest) != digest:
        raise hindsight_view.Conflict(f"Operation {body['operation_id']} belongs to another call.")
    is_async = body["async"] or not operation.is_finished
    answer = describe_retained(bank_id, operation, items_count=len(items.good), is_async=is_async)
    return answer | {"ignored": list_left_out(body["items"])}


def read_all(given: Sequence[Any]) -> ReadItems:
    read = read_items(given)
    if read.faults:
        raise serializers.ValidationError({"items": {str(one.index): one.faults.detail for one in read.faults}})
    return read


def share_document(items: Sequence[RetainItem]) -> list[RetainItem]:
    """Hindsight puts all texts of a call that have no document_id into one document."""
    bare = [item for item in items if not item.document_id and not item.messages]
    shared = uuid7().hex if len(bare) > 1 else ""
    return [item if item.document_id or item.messages else replace(item, document_id=shared) for item in items]


def translate_item(item: Any, document_tags: Sequence[str]) -> Any:
    """Converts Hindsight's item to ours. Fields without a counterpart, e.g. strategies, are dropped."""
    if not isinstance(item, Mapping):
        return item
    known: dict[str, Any] = hindsight_view.drop_unknown(item, ITEM)
    if "messages" not in known:
        known.pop("thread", None)  # our field, which a text does not take
    if isinstance(known.get("content"), list):
        known["content"] = join_blocks(known["content"])
    if known.get("timestamp") == UNSET_TIME:
        del known["timestamp"]
    if document_tags:
        own = TAGS.run_validation(known.get("tags") or [])
        known["tags"] = list(dict.fromkeys([*own, *document_tags]))
    return known


def join_blocks(blocks: Sequence[Any]) -> str:
    """The text of a content that is a list of blocks. Images and files beside it are left out."""
    texts = [block["text"] for block in blocks if is_text(block)]
    if not texts:
        raise hindsight_view.Unprocessable("Only text can be retained: this service reads neither images nor files.")
    return "\n".join(texts)


def is_text(block: Any) -> bool:
    return isinstance(block, Mapping) and block.get("type") == "text" and isinstance(block.get("text"), str)


def list_left_out(items: Sequence[Any]) -> list[str]:
    """The places of images and files, such as `items.0.content.1`."""
    contents = [item.get("content") if isinstance(item, Mapping) else None for item in items]
    return [
        f"items.{place}.content.{number}"
        for place, blocks in enumerate(contents)
        if isinstance(blocks, list)
        for number, block in enumerate(blocks)
        if not is_text(block)
    ]


def describe_retained(bank_id: str, operation: Operation | None, *, items_count: int, is_async: bool) -> dict[str, Any]:
    operation_id: UUID | None = name_operation(operation) if operation and is_async else None
    result = (operation.result if operation else None) or {}
    return {
        "success": operation is None or operation.status != Operation.Status.FAILED,
        "bank_id": bank_id,
        "items_count": items_count,
        "async": is_async,
        "operation_id": operation_id,
        "operation_ids": [operation_id] if operation_id else None,
        "usage": hindsight_view.describe_usage(result.get("usage") or {}),
        "unit_ids": result.get("unit_ids", []),
    }


class ClearInput(Input):
    """Stricter than Hindsight: an unknown or empty parameter may be a filter that should have protected something."""

    type = serializers.CharField(required=False, default="")


class HindsightMemoriesView(hindsight_view.HindsightView):
    quotes_memories = False

    @idempotent_operation
    def post(self, request: Request, bank_id: str) -> object:
        key = read_operation_key(self, request)
        return retain_items(self.access, bank_id, request.data, header_key=key)

    def delete(self, request: Request, bank_id: str) -> object:
        """Without a type it deletes every memory of the bank, opinions and superseded ones included."""
        check_no_body(request)
        query = check_input(ClearInput, request.query_params)
        wanted = MemoryFilter(network=query.validated_data["type"], state="all")
        return describe_cleared(clear_memories(self.access, bank_id, wanted))


class HindsightMemoryListInput(TagFilterInput, hindsight_view.OffsetInput):
    type = serializers.CharField(required=False, default="", allow_blank=True)
    q = serializers.CharField(max_length=1_000, required=False, default="", allow_blank=True)
    state = serializers.ChoiceField(choices=["valid", "invalidated"], default="valid")
    consolidation_state = serializers.CharField(max_length=100, required=False, default="", allow_blank=True)
    document_id = serializers.CharField(max_length=500, required=False, default="")
    entity_id = serializers.UUIDField(required=False, default=None)
    time_field = serializers.ChoiceField(choices=list(TIME_FIELDS), required=False)
    start_date = TimeField(required=False, default=None)
    end_date = TimeField(required=False, default=None)

    def validate_consolidation_state(self, value: str) -> str:
        """Refuses the parameter, because ignoring it would show rows that the caller excluded."""
        if value:
            raise hindsight_view.NotOffered("Memories have no consolidation_state here: they can't be listed by it.")
        return value

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """A time window without `time_field` filters by created_at."""
        if attrs["start_date"] or attrs["end_date"]:
            attrs.setdefault("time_field", "created_at")
        return attrs


class HindsightMemoryListView(hindsight_view.HindsightView):
    def get(self, request: Request, bank_id: str) -> object:
        wanted = hindsight_view.read_query(HindsightMemoryListInput, request)
        with bank_transaction(self.access, bank_id) as bank:
            units = (
                find_units(bank, build_filter(wanted)).filter(network__in=KNOWN).defer("embedding", "second_embedding")
            )
            ordered = sort_units(units, wanted.get("time_field"))
            items = [describe_listed(shown) for shown in describe_units(bank, hindsight_view.cut_page(ordered, wanted))]
            return hindsight_view.describe_page(items, ordered.count(), wanted)


def sort_units(units: UnitQuerySet, time_field: str | None) -> UnitQuerySet:
    """Newest first. Units without the requested time are left out."""
    if time_field is None:
        return units.order_by("-mentioned_at", "-recorded_at", "-id")
    axis = TIME_FIELDS[time_field]
    return units.exclude(**{axis: None}).order_by(f"-{axis}", "-id")


def build_filter(wanted: dict[str, Any]) -> MemoryFilter:
    axis = TIME_FIELDS[wanted.get("time_field", "created_at")]
    found = MemoryFilter(
        letters=wanted["q"],
        network=wanted["type"],
        tags=tuple(wanted.get("tags", ())),
        tags_match=wanted["tags_match"],
        entity_id=wanted["entity_id"],
        document_id=wanted["document_id"],
        spans=(Span(axis, wanted["start_date"], wanted["end_date"]),),
    )
    return replace(found, state=STATES[wanted["state"]])  # type: ignore[arg-type]  # the choices are its values


def describe_cleared(cleared: Cleared) -> dict[str, Any]:
    """`deleted_count` is null while an operation deletes: its result has the count."""
    if cleared.operation is not None:
        message = f"The memories are being deleted by operation {cleared.operation.id}."
        return {"success": True, "message": message, "deleted_count": None}
    count = cleared.removed.units
    return {"success": True, "message": f"{count} memories are deleted.", "deleted_count": count}


class ConsolidateInput(Input):
    observation_scopes = serializers.ListField(required=False, allow_null=True, default=None)

    def validate_observation_scopes(self, value: list[Any] | None) -> list[Any] | None:
        """Refuses the parameter, because ignoring it would refresh observations that the caller excluded."""
        if value:
            raise hindsight_view.NotOffered("Observations cover all tags of an entity: leave out observation_scopes.")
        return value


class HindsightConsolidateView(hindsight_view.HindsightView):
    @idempotent
    def post(self, request: Request, bank_id: str) -> object:
        hindsight_view.read_body(ConsolidateInput, request.data or {})
        asked = consolidate_now(self.access, bank_id)
        return {"operation_id": str(asked.operation.id), "deduplicated": asked.was_waiting}


class HindsightRecoverView(hindsight_view.HindsightView):
    @idempotent
    def post(self, _request: Request, bank_id: str) -> object:
        """Tries the failed operations that make observations again."""
        with bank_transaction(self.access, bank_id) as bank:
            rows = Operation.objects.for_tenant(self.tenant_id).filter(bank=bank, kind__in=CONSOLIDATING)
            failed = list(rows.filter(status=Operation.Status.FAILED).values_list("id", flat=True))
        for operation_id in failed:
            retry(self.tenant_id, operation_id, actor=self.actor, banks=self.identity.banks)
        return {"retried_count": len(failed)}


class HindsightObservationsView(hindsight_view.HindsightView):
    def delete(self, _request: Request, bank_id: str) -> object:
        wanted = MemoryFilter(network=Network.OBSERVATION.value, state="all")
        return describe_cleared(clear_memories(self.access, bank_id, wanted))


class HindsightScopesView(hindsight_view.HindsightView):
    def get(self, request: Request, bank_id: str) -> object:
        wanted = hindsight_view.read_query(hindsight_view.OffsetInput, request)
        with bank_transaction(self.access, bank_id) as bank:
            scopes = count_scopes(bank)
        page = scopes[wanted["offset"] : wanted["offset"] + wanted["limit"]]
        rows = [{"tags": list(one.tags), "count": one.count} for one in page]
        return {"scopes": rows, "total": len(scopes), "limit": wanted["limit"], "offset": wanted["offset"]}


class HindsightMemoryObservationsView(hindsight_view.HindsightView):
    def delete(self, _request: Request, bank_id: str, memory_id: UUID) -> object:
        return {"deleted_count": remake_observations(self.access, bank_id, memory_id)}
