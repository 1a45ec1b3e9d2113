"""`/memories`, POST: retaining. A bank comes into being with its first memory."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any
from uuid import UUID

from rest_framework import serializers

from banks.retain.input import RetainItem
from memoryplatform.api.compat.hindsight.errors import Conflict, Unprocessable
from memoryplatform.api.compat.hindsight.tolerance import drop_unknown, read_body
from memoryplatform.api.compat.hindsight.usage import describe_usage
from memoryplatform.api.serializers import Input
from memoryplatform.api.v1.banks import check_bank_id
from memoryplatform.api.v1.labels import TagsField
from memoryplatform.api.v1.retain_shapes import ItemInput, ItemList, ReadItems, read_items
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.hindsight_operation_names import build_key, name_operation
from memoryplatform.operations.models import Operation
from memoryplatform.operations.retain import digest_items, retain
from tenants.identifiers import uuid7

ITEM, TAGS = ItemInput(), TagsField()  # once for all: to make them for each of a thousand items takes seconds
WITHOUT_DATE = "unset"  # Hindsight stores no time then; we store the time of the call


class HindsightRetainInput(Input):
    items = ItemList(max_length=1_000)
    operation_id = serializers.UUIDField(required=False, allow_null=True, default=None)
    document_tags = TagsField(required=False, allow_null=True, default=None)

    def get_fields(self) -> dict[str, Any]:
        """`async` is a word of Python, so it can't be written as an attribute."""
        return super().get_fields() | {"async": serializers.BooleanField(default=False)}


def retain_items(access: BankAccess, bank_id: str, given: Any, *, header_key: str | None) -> dict[str, Any]:
    """All items or none: Hindsight refuses a request with a bad one."""
    check_bank_id(bank_id)
    body = read_body(HindsightRetainInput, given).validated_data
    if not body["items"]:
        return describe_retained(bank_id, None, items_count=0, is_async=body["async"])
    items = read_all([translate_item(item, body["document_tags"] or []) for item in body["items"]])
    key = build_key(body["operation_id"]) if body["operation_id"] and body["async"] else header_key
    good = share_document(items.good)
    operation = retain(access, bank_id, good, wait=not body["async"], idempotency_key=key)
    digest = digest_items(good)
    if operation.bank_key != bank_id or operation.payload.get("items_digest", digest) != digest:
        raise Conflict(f"Operation {body['operation_id']} belongs to another call.")
    is_async = body["async"] or not operation.is_finished
    return describe_retained(bank_id, operation, items_count=len(items.good), is_async=is_async)


def read_all(given: Sequence[Any]) -> ReadItems:
    read = read_items(given)
    if read.faults:
        raise serializers.ValidationError({"items": {str(one.index): one.faults.detail for one in read.faults}})
    return read


def share_document(items: Sequence[RetainItem]) -> list[RetainItem]:
    """Hindsight puts all texts of a call that name no document into one."""
    bare = [item for item in items if not item.document_id and not item.messages]
    shared = uuid7().hex if len(bare) > 1 else ""
    return [item if item.document_id or item.messages else replace(item, document_id=shared) for item in items]


def translate_item(item: Any, document_tags: Sequence[str]) -> Any:
    """Hindsight's item as ours. What has no counterpart (strategies, scopes of observations) is passed over."""
    if not isinstance(item, Mapping):
        return item
    known: dict[str, Any] = drop_unknown(item, ITEM)
    if "messages" not in known:
        known.pop("thread", None)  # of ours, and not of a text
    if isinstance(known.get("content"), list):
        known["content"] = join_blocks(known["content"])
    if known.get("timestamp") == WITHOUT_DATE:
        del known["timestamp"]
    if document_tags:
        own = TAGS.run_validation(known.get("tags") or [])
        known["tags"] = list(dict.fromkeys([*own, *document_tags]))
    return known


def join_blocks(blocks: Sequence[Any]) -> str:
    """Refused as Hindsight refuses it whose model can't see."""
    texts = [block.get("text") for block in blocks if isinstance(block, Mapping) and block.get("type") == "text"]
    if len(texts) < len(blocks) or not all(isinstance(text, str) for text in texts):
        raise Unprocessable("Only text can be retained: this service reads neither images nor files.")
    return "\n".join(str(text) for text in texts)


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
        "usage": describe_usage(result.get("usage") or {}),
        "unit_ids": result.get("unit_ids", []),
    }
