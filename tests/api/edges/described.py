"""The operations of the OpenAPI description, as a table for tests."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from drf_spectacular.generators import SchemaGenerator

METHODS = ("get", "post", "put", "patch", "delete")
JSON = "application/json"
NOT_A = {"string": {"a": 1}, "integer": "many", "number": "much", "boolean": "perhaps", "array": 7, "object": 7}
Shape = dict[str, Any]


@dataclass(frozen=True)
class Operation:
    method: str
    path: str
    query: dict[str, Shape]
    body: dict[str, Shape]
    statuses: frozenset[int]

    @property
    def label(self) -> str:
        return f"{self.method} {self.path}"

    def url(self, things: dict[str, str]) -> str:
        return self.path.format_map(things)


def list_operations() -> list[Operation]:
    schema = SchemaGenerator().get_schema(request=None, public=True)  # type: ignore[no-untyped-call]  # theirs
    return list(read_operations(schema))


def read_operations(schema: Shape) -> Iterator[Operation]:
    for path, methods in schema["paths"].items():
        for method in METHODS:
            if method in methods:
                one = methods[method]
                given = [find_parameter(schema, each) for each in one.get("parameters", ())]
                query = {each["name"]: each["schema"] for each in given if each["in"] == "query"}
                content = one.get("requestBody", {}).get("content", {}).get(JSON, {})
                body = resolve(schema, content.get("schema", {})).get("properties", {})
                yield Operation(
                    method.upper(),
                    path,
                    {name: resolve(schema, shape) for name, shape in query.items()},
                    {name: resolve(schema, shape) for name, shape in body.items()},
                    frozenset(map(int, one["responses"])),
                )


def find_parameter(schema: Shape, given: Shape) -> Shape:
    """Parameters that many operations share are references to the components."""
    reference = given.get("$ref", "")
    return schema["components"]["parameters"][reference.rsplit("/", 1)[1]] if reference else given


def resolve(schema: Shape, shape: Shape) -> Shape:
    """Resolve a reference, or the first of several choices."""
    if "$ref" in shape:
        return resolve(schema, schema["components"]["schemas"][shape["$ref"].rsplit("/", 1)[1]])
    for word in ("allOf", "oneOf", "anyOf"):
        if word in shape:
            return resolve(schema, shape[word][0])
    return shape


def find_wrong_value(shape: Shape) -> Any:
    """None if every value is valid."""
    if "enum" in shape:
        return "no-such-choice"
    types = shape.get("type")
    named = types if isinstance(types, str) else next((one for one in types or () if one != "null"), "")
    return NOT_A.get(named)


def find_wrong_text(shape: Shape) -> str | None:
    """A wrong value for a query parameter, which is always text; None if every text is valid."""
    wrong = find_wrong_value(shape)
    if isinstance(wrong, str):
        return wrong
    return "neither" if shape.get("format") in {"uuid", "date-time", "date"} else None
