"""The shape that an export shall have: a JSON schema, read into a small tree before any memory is."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from rest_framework import serializers

from memoryplatform.api.any_json import find_fault

DEEPEST = 10
MOST_PARTS = 200  # a reference can be followed again and again
LOCAL = "#/"


@dataclass(frozen=True)
class Shape:
    """`properties` of an object, `items` of a list; neither: a single value."""

    properties: Mapping[str, "Shape"] | None = None
    items: "Shape | None" = None


@dataclass
class SchemaReader:
    root: Mapping[str, Any]
    parts: int = field(default=0, init=False)

    def read(self, schema: Any, *, depth: int = 0) -> Shape:
        self.parts += 1
        if self.parts > MOST_PARTS or depth > DEEPEST:
            raise serializers.ValidationError(
                f"The schema must have at most {MOST_PARTS} properties, {DEEPEST} deep, with references followed."
            )
        schema = self.resolve(schema)
        properties, items = schema.get("properties"), schema.get("items")
        if isinstance(properties, Mapping):
            return Shape({name: self.read(one, depth=depth + 1) for name, one in properties.items()})
        if isinstance(items, Mapping) or schema.get("type") == "array":
            return Shape(items=self.read(items if isinstance(items, Mapping) else {}, depth=depth + 1))
        return Shape()

    def resolve(self, schema: Any) -> Mapping[str, Any]:
        """Through references within the schema, and of several choices the first that is not null."""
        for _ in range(DEEPEST):
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
        found: Any = self.root if reference.startswith(LOCAL) else {}
        for name in reference.removeprefix(LOCAL).split("/"):
            found = found.get(name, {}) if isinstance(found, Mapping) else {}
        return found


def parse_schema(given: Any) -> dict[str, Any]:
    """An object, or one that came as its JSON."""
    if isinstance(given, str):
        try:
            given = json.loads(given)
        except (ValueError, RecursionError):
            given = None
    if not isinstance(given, dict) or not given:
        raise serializers.ValidationError("Schema is required and must be a valid object")
    if fault := find_fault(given):
        raise serializers.ValidationError({"schema": [fault]})
    return given


def read_shape(schema: Mapping[str, Any]) -> Shape:
    return SchemaReader(schema).read(schema)
