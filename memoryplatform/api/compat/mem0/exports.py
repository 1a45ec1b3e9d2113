"""`/v1/exports/`: memories in a JSON schema of the caller's.

The service stores the request and reads the memories when the caller fetches the result. No model is asked: a property
takes the value of the same name, or null.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from memoryplatform.api.compat.mem0.filter_conditions import read_uuid
from memoryplatform.api.compat.mem0.filter_grammar import read_request_filters, without_expired
from memoryplatform.api.compat.mem0.mem0_view import Mem0View, NotFound, PageRequest
from memoryplatform.api.compat.mem0.memories import list_memories
from memoryplatform.api.compat.mem0.owners import KINDS
from memoryplatform.api.idempotency import idempotent
from memoryplatform.api.serializers import find_json_fault
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.export_requests import (
    find_export_request,
    find_latest_export_request,
    keep_export_request,
)
from memoryplatform.operations.models import Operation

DEEPEST_SCHEMA = 10
MOST_PARTS = 200  # references can repeat
LOCAL_REFERENCE = "#/"
TEXT_NAMES = {"memory", "memories", "text", "content", "fact", "facts"}  # property names that take the memory's text
Memory = Mapping[str, Any]
MOST_EXPORTED = 10_000
RECEIVED = "Memory export request received. The export will be ready in a few seconds."
NO_EXPORT = "No memory export request found"


# An object is a dict of shapes, a list is a list of one shape, and a single value is None.
ExportShape = dict[str, Any] | list[Any] | None


@dataclass
class SchemaReader:
    root: Mapping[str, Any]
    parts: int = field(default=0, init=False)

    def read(self, schema: Any, *, depth: int = 0) -> ExportShape:
        self.parts += 1
        if self.parts > MOST_PARTS or depth > DEEPEST_SCHEMA:
            raise serializers.ValidationError(
                f"With references followed, a schema has at most {MOST_PARTS} properties, {DEEPEST_SCHEMA} deep."
            )
        schema = self.resolve(schema)
        properties, items = schema.get("properties"), schema.get("items")
        if isinstance(properties, Mapping):
            return {name: self.read(one, depth=depth + 1) for name, one in properties.items()}
        if isinstance(items, Mapping) or schema.get("type") == "array":
            return [self.read(items if isinstance(items, Mapping) else {}, depth=depth + 1)]
        return None

    def resolve(self, schema: Any) -> Mapping[str, Any]:
        """Follows local references, and takes the first of several choices that is not null."""
        for _ in range(DEEPEST_SCHEMA):
            if not isinstance(schema, Mapping):
                return {}
            choices = next((schema[name] for name in ("anyOf", "oneOf", "allOf") if schema.get(name)), None)
            if isinstance(schema.get("$ref"), str):
                schema = self.follow(schema["$ref"])
            elif isinstance(choices, list):
                schema = next((one for one in choices if one != {"type": "null"}), {})
            else:
                return schema
        return {}

    def follow(self, reference: str) -> Any:
        if reference == "#":
            return self.root
        found: Any = self.root if reference.startswith(LOCAL_REFERENCE) else {}
        for name in reference.removeprefix(LOCAL_REFERENCE).split("/"):
            found = found.get(name, {}) if isinstance(found, Mapping) else {}
        return found


def parse_schema(given: Any) -> dict[str, Any]:
    """Accepts an object or its JSON text."""
    if isinstance(given, str):
        try:
            given = json.loads(given)
        except (ValueError, RecursionError):
            given = None
    if not isinstance(given, dict) or not given:
        raise serializers.ValidationError("Schema is required and must be a valid object")
    if fault := find_json_fault(given):
        raise serializers.ValidationError({"schema": [fault]})
    return given


def fill_shape(shape: ExportShape, memories: Sequence[Memory], name: str = "") -> Any:
    """A list gets one entry per memory. A single value comes from the first memory that has it."""
    if isinstance(shape, list):
        entries = [fill_shape(shape[0], [memory], name) for memory in memories]
        return [entry for entry in entries if entry is not None]
    if isinstance(shape, dict):
        return {one: fill_shape(inner, memories, one) for one, inner in shape.items()}
    values = (find_value(memory, name) for memory in memories)
    return next((value for value in values if value is not None), None)


def find_value(memory: Memory, name: str) -> Any:
    """The caller's metadata comes before our own fields."""
    metadata: Mapping[str, Any] = memory["metadata"]
    if name in metadata:
        return metadata[name]
    return memory["memory"] if name in TEXT_NAMES else memory.get(name)


class ExportsView(Mem0View):
    @idempotent
    def post(self, request: Request) -> Response:
        given = request.data if isinstance(request.data, Mapping) else {}
        schema, filters = parse_schema(given.get("schema")), read_export_filters(given)
        SchemaReader(schema).read(schema)
        read_request_filters({"filters": filters})
        kept = keep_export_request(self.access, {"schema": schema, "filters": filters})
        return Response({"message": RECEIVED, "id": kept.id}, status=status.HTTP_201_CREATED)


class ExportResultView(Mem0View):
    scopes: ClassVar[dict[str, str]] = {"POST": "read"}

    def post(self, request: Request) -> object:
        kept = find_request(self.access, request.data if isinstance(request.data, Mapping) else {})
        if kept is None or "schema" not in kept.payload["request"]:  # a job of profiles has none
            raise NotFound(NO_EXPORT)
        asked = kept.payload["request"]
        condition = without_expired(read_request_filters({"filters": asked["filters"]}))
        _, memories = list_memories(self.access, condition, PageRequest(1, MOST_EXPORTED))
        return fill_shape(SchemaReader(asked["schema"]).read(asked["schema"]), memories)


def find_request(access: BankAccess, given: Mapping[str, Any]) -> Operation | None:
    """Finds a request by its id, or the newest with these filters."""
    if given.get("memory_export_id") is not None:
        return find_export_request(access, read_uuid("memory_export_id", given["memory_export_id"]))
    filters = read_export_filters(given)
    read_request_filters({"filters": filters})
    return find_latest_export_request(access, filters=filters)


def read_export_filters(given: Mapping[str, Any]) -> dict[str, Any]:
    """The ids may also be top-level fields, as the client's keyword arguments send them."""
    filters = given.get("filters") or {}
    if not isinstance(filters, Mapping):
        raise serializers.ValidationError({"filters": ["Must be an object."]})
    beside = {name: given[name] for name in KINDS if given.get(name) is not None}
    return {**filters, **beside}
