import time
from typing import Any

import pytest

from reflection.reflect.response_schema import DEEPEST, SchemaInvalid, check_schema, find_fault
from tests.clock import holds_to_a_time

DIALECT = "https://json-schema.org/draft/2020-12/schema"
CITY: dict[str, Any] = {
    "type": "object",
    "properties": {"city": {"$ref": "#/$defs/name"}, "pattern": {"type": "string"}},
    "required": ["city"],
    "$defs": {"name": {"type": "string", "pattern": "^[A-Z]"}},
}


def nest(levels: int) -> dict[str, Any]:
    schema: dict[str, Any] = {}
    for _ in range(levels):
        schema = {"items": schema}
    return schema


@pytest.mark.parametrize(
    ("value", "place"),
    [({"city": "Lisbon"}, None), ({"city": "lisbon"}, "city"), ({"city": 3}, "city"), ({}, "the top"), ([], "the top")],
)
def test_a_value_is_held_against_it(value: Any, place: str | None) -> None:
    check_schema(CITY)
    fault = find_fault(CITY, value)
    assert fault is None if place is None else fault is not None and fault.startswith(f"At {place}: ")


@pytest.mark.parametrize(
    ("schema", "reason"),
    [
        ({"type": "text"}, "is not valid under any of the given schemas"),
        ({"properties": 3}, "is not of type"),
        ({"$ref": "https://example.com/schema.json"}, "must point into the schema itself"),
        ({"$ref": "file:///etc/passwd"}, "must point into the schema itself"),
        ({"items": {"$dynamicRef": "other.json"}}, "must point into the schema itself"),
        ({"$ref": "#/$defs/nowhere"}, "leads nowhere"),
        ({"pattern": "("}, "is not a .regex"),
        ({"patternProperties": {"a": {}}}, "not supported"),
        ({"properties": {"properties": {"patternProperties": {"a": {}}}}}, "not supported"),
        ({"$ref": "#/default", "default": {"patternProperties": {"a": {}}}}, "not supported"),
        ({"$ref": "#/const", "const": {"items": {"$ref": "other.json"}}}, "must point into the schema itself"),
        (nest(DEEPEST + 1), "nested deeper"),
        ({"description": "x" * 70_000}, "bytes"),
        ({"anyOf": [{}] * 1_000}, "more than 1000 objects"),
    ],
)
def test_an_unusable_schema_is_refused_with_the_reason(schema: dict[str, Any], reason: str) -> None:
    with pytest.raises(SchemaInvalid, match=reason):
        check_schema(schema)


@pytest.mark.parametrize(
    "schema",
    [
        {"properties": {"patternProperties": {"type": "string"}, "$ref": {"type": "string"}}},
        {"$defs": {"patternProperties": {}}},
        {"default": {"$ref": "other.json"}, "examples": [{"patternProperties": {"a": {}}}]},
        {"enum": [{"$ref": "other.json"}], "items": {"const": {"$ref": "#/$defs/nowhere"}}},
    ],
)
def test_names_of_properties_and_data_are_no_keywords(schema: dict[str, Any]) -> None:
    check_schema(schema)


def doubling(levels: int) -> dict[str, Any]:
    definitions: dict[str, Any] = {f"d{n}": {"allOf": [{"$ref": f"#/$defs/d{n + 1}"}] * 2} for n in range(levels)}
    return {"$ref": "#/$defs/d0", "$defs": {**definitions, f"d{levels}": {"type": "string"}}}


@holds_to_a_time
@pytest.mark.parametrize(
    ("schema", "value"),
    [
        (doubling(40), "x"),
        ({"pattern": "^(a|aa)+$"}, "a" * 60 + "!"),
        ({"$ref": "#"}, 1),
        ({"allOf": [{"$schema": DIALECT, "pattern": "^(a|aa)+$"}]}, "a" * 60 + "!"),
        ({"items": {"anyOf": [{"const": n} for n in range(300)]}}, list(range(5_000, 15_000))),
    ],
)
def test_a_schema_that_would_take_for_ever_is_given_up(schema: dict[str, Any], value: Any) -> None:
    check_schema(schema)
    begun = time.monotonic()
    assert find_fault(schema, value) == "The schema takes too much to check."
    assert time.monotonic() - begun < 10
