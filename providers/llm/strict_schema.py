"""A pydantic model as the JSON schema that strict structured output accepts."""

import re
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

# Strict endpoints refuse these. The pydantic model itself still checks them in the answer.
REFUSED_KEYWORDS = {"default", "minLength", "maxLength", "uniqueItems", "discriminator", "title"}

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
    if definitions:
        schema["$defs"] = {name: tighten(definition) for name, definition in definitions.items()}
    name = NOT_IN_NAMES.sub("_", model.__name__)[:LONGEST_NAME]
    return StrictSchema(name, schema, strict=not has_free_keys(schema))


def tighten(schema: dict[str, Any]) -> dict[str, Any]:
    """Require every property and allow no other, at every level.

    Strict schemas have no oneOf, so a union becomes an anyOf. They allow nothing beside a reference.
    """
    if "$ref" in schema:
        return {"$ref": schema["$ref"]}
    kept = {key: value for key, value in schema.items() if key not in REFUSED_KEYWORDS}
    if "oneOf" in kept:
        kept["anyOf"] = kept.pop("oneOf")
    for key in ("anyOf", "allOf", "prefixItems"):
        if key in kept:
            kept[key] = [tighten(one) for one in kept[key]]
    if isinstance(kept.get("items"), dict):
        kept["items"] = tighten(kept["items"])
    return close(kept) if "properties" in kept or is_empty_object(kept) else kept


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
