"""A pydantic model as the JSON schema that strict structured output accepts."""

import json
import re
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

# Strict endpoints refuse these. The pydantic model itself still checks them in the answer.
LEFT_OUT = {"default", "minLength", "maxLength", "uniqueItems", "discriminator", "title"}

NOT_IN_NAMES = re.compile(r"[^a-zA-Z0-9_-]")  # such as the brackets of a generic model
LONGEST_NAME = 64


@dataclass(frozen=True)
class StrictSchema:
    """`strict` is false for a model with free keys, which a strict schema can't express."""

    name: str
    schema: dict[str, Any]
    strict: bool


def build_strict_schema(model: type[BaseModel]) -> StrictSchema:
    whole = model.model_json_schema()
    definitions = whole.pop("$defs", {})
    schema = tighten(whole)
    tightened = {name: tighten(definition) for name, definition in definitions.items()}
    schema, shared = inline(schema, tightened)
    if shared:
        schema["$defs"] = shared
    name = NOT_IN_NAMES.sub("_", model.__name__)[:LONGEST_NAME]
    return StrictSchema(name, schema, strict=not has_free_keys(schema))


def tighten(schema: dict[str, Any]) -> dict[str, Any]:
    """Require every property and allow no other, at every level.

    Strict schemas have no oneOf, so a union becomes an anyOf. They allow nothing beside a reference.
    """
    if "$ref" in schema:
        return {"$ref": schema["$ref"]}
    kept = {key: value for key, value in schema.items() if key not in LEFT_OUT}
    if "properties" in kept or "enum" in kept:
        kept.pop("description", None)  # the docstring of a class is for its readers
    if "oneOf" in kept:
        kept["anyOf"] = kept.pop("oneOf")
    if "anyOf" in kept and all(set(one) == {"type"} for one in kept["anyOf"]):
        kept["type"] = [one["type"] for one in kept.pop("anyOf")]
    for key in ("anyOf", "allOf", "prefixItems"):
        if key in kept:
            kept[key] = [tighten(one) for one in kept[key]]
    if isinstance(kept.get("items"), dict):
        kept["items"] = tighten(kept["items"])
    return close(kept) if "properties" in kept or is_empty_object(kept) else kept


def inline(schema: dict[str, Any], definitions: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Puts a definition that is referred to once in place of its reference: a model pays for each token of a schema."""
    while True:
        text = json.dumps([schema, definitions])
        once = next((name for name in definitions if text.count(json.dumps(build_reference(name))) == 1), None)
        if once is None:
            return schema, definitions
        definition = definitions.pop(once)
        schema = put_in_place(schema, build_reference(once), definition)
        definitions = put_in_place(definitions, build_reference(once), definition)


def build_reference(name: str) -> dict[str, str]:
    return {"$ref": f"#/$defs/{name}"}


def put_in_place(value: Any, reference: dict[str, str], definition: Any) -> Any:
    if value == reference:
        return definition
    if isinstance(value, dict):
        return {key: put_in_place(one, reference, definition) for key, one in value.items()}
    return [put_in_place(one, reference, definition) for one in value] if isinstance(value, list) else value


def close(schema: dict[str, Any]) -> dict[str, Any]:
    properties = {name: tighten(one) for name, one in schema.get("properties", {}).items()}
    return {**schema, "properties": properties, "required": list(properties), "additionalProperties": False}


def is_empty_object(schema: dict[str, Any]) -> bool:
    return schema.get("type") == "object" and "additionalProperties" not in schema


def has_free_keys(schema: Any) -> bool:
    if isinstance(schema, list):
        return any(has_free_keys(one) for one in schema)
    if not isinstance(schema, dict):
        return False
    return bool(schema.get("additionalProperties")) or any(has_free_keys(one) for one in schema.values())
