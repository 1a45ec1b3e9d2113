"""The API reference: the OpenAPI description, read once per process, as operations in groups.

A route belongs to the group that names the first fixed part of its address: `/v1/banks/{bank_id}/tags` → `tags`.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from http import HTTPStatus
from itertools import groupby
from typing import Any
from urllib.parse import urlencode

from django.utils.safestring import SafeString, mark_safe

from memoryplatform.api.openapi import build_openapi
from memoryplatform.dashboard.documentation import MARKDOWN, highlight_code, join_words, list_words

Schema = Mapping[str, Any]

GROUPS = {
    "Retain, recall, reflect": "retain recall reflect recalls feedback",
    "Memories": "memories tags graph relationships",
    "Banks": "banks config background stats directives tend embedding-model retention-rules legal-hold export import",
    "Opinions and summaries": "opinions observations mental-models",
    "Entities": "entities",
    "Sources": "documents chunks episodes messages",
    "Operations": "operations",
    "Webhooks": "webhooks",
    "Protection and audit": "quarantine erasures audit-events",
    "Account": "account",
    "Other": "other",
}
PARTS = " ".join(GROUPS.values()).split()
OTHER = PARTS[-1]  # a route that no group names yet
BY_OPERATION = {"retain": "retain", "recall": "recall"}  # below memories/, but the verbs stand together
SAMPLES = {"bank_id": "support", "query": "Where did Caroline move?", "content": "Caroline: I moved to Denver in June."}
LIMITS = {
    "default": ("default", ""),  # the words before and after the value
    "minimum": ("at least", ""),
    "maximum": ("at most", ""),
    "minLength": ("at least", "characters"),
    "maxLength": ("at most", "characters"),
    "minItems": ("at least", "items"),
    "maxItems": ("at most", "items"),
    "pattern": ("pattern", ""),
}
IN_BODY = "In the body"
PLACES = {"path": "In the path", "query": "In the query", "header": "In the headers"}


@dataclass(frozen=True)
class Field:
    """A parameter, or a property of a JSON object, with the properties of its own value."""

    name: str
    kind: str  # such as "string", "list of uuid", "object or null"
    is_required: bool
    description: SafeString
    limits: list[tuple[str, str, str]]
    choices: list[str]
    fields: list["Field"]


@dataclass(frozen=True)
class Answer:
    status: int
    media_type: str
    fields: list[Field]

    @property
    def name(self) -> str:
        return HTTPStatus(self.status).phrase


@dataclass(frozen=True)
class Operation:
    id: str
    method: str
    path: str
    summary: str
    description: SafeString
    part: str  # of its address, as in GROUPS
    inputs: dict[str, list[Field]]  # by their place, see PLACES
    body_type: str  # its media type; empty if the operation takes no body
    sample_body: str
    takes_session: bool
    answers: list[Answer]
    errors: list[Answer]

    @cached_property
    def group(self) -> str:
        return next(group for group, parts in GROUPS.items() if self.part in parts.split())

    @cached_property
    def words(self) -> str:
        return join_words(f"{self.id} {self.path} {self.summary}")

    @cached_property
    def sample_path(self) -> str:
        """The address with values: those of SAMPLES, and the names of others in capitals."""
        path = self.path
        for field in self.inputs.get("path", ()):
            path = path.replace(f"{{{field.name}}}", SAMPLES.get(field.name, field.name.upper()))
        needed = {one.name: SAMPLES.get(one.name, "…") for one in self.inputs.get("query", ()) if one.is_required}
        return f"{path}?{urlencode(needed)}" if needed else path

    @property
    def labelled_inputs(self) -> list[tuple[str, list[Field]]]:
        return [(PLACES.get(place, IN_BODY), fields) for place, fields in self.inputs.items() if fields]

    @property
    def tried(self) -> list[tuple[str, Field]]:
        """The inputs of the form, apart from the body."""
        return [(place, field) for place, fields in self.inputs.items() if place in PLACES for field in fields]

    def build_curl(self, address: str) -> SafeString:
        parts = [f"curl {address}{self.sample_path}", '-H "Authorization: Bearer $KEY"']
        if self.method != "GET" and not (self.method == "POST" and self.sample_body):
            parts.insert(1, f"-X {self.method}")
        if self.sample_body:
            parts.append(f"--json '{self.sample_body}'")
        elif self.body_type:
            parts += [f'-H "Content-Type: {self.body_type}"', "--data-binary @export.ndjson"]
        return mark_safe(highlight_code(" \\\n  ".join(parts), "bash", ""))  # noqa: S308  # Pygments escapes


@dataclass(frozen=True)
class Reference:
    operations: dict[str, Operation]

    @cached_property
    def groups(self) -> dict[str, list[Operation]]:
        """In the order of GROUPS."""
        ordered = sorted(self.operations.values(), key=lambda one: PARTS.index(one.part))
        return {group: list(found) for group, found in groupby(ordered, key=lambda one: one.group)}

    def search(self, query: str) -> dict[str, list[Operation]]:
        """The operations in which every word of the query begins a word, by group. Without a word: all of them."""
        words = list_words(query)
        found = {
            group: [one for one in operations if all(f" {word}" in one.words for word in words)]
            for group, operations in self.groups.items()
        }
        return {group: operations for group, operations in found.items() if operations}

    def find_neighbours(self, operation: Operation) -> tuple[Operation | None, Operation | None]:
        order = [one for operations in self.groups.values() for one in operations]
        place = order.index(operation)
        return (order[place - 1] if place else None), (order[place + 1] if place + 1 < len(order) else None)


@cache
def read_reference() -> Reference:
    described = json.loads(build_openapi())
    reader = Reader(described["components"])
    read = (
        reader.read_operation(path, method, operation)
        for path, methods in described["paths"].items()
        for method, operation in methods.items()
    )
    return Reference({one.id: one for one in read})


@dataclass(frozen=True)
class Reader:
    """Reads operations. A `$ref` becomes the schema, parameter or answer that it names."""

    components: Mapping[str, Mapping[str, Schema]]

    def read_operation(self, path: str, method: str, operation: Schema) -> Operation:
        inputs: dict[str, list[Field]] = {}
        for one in map(self.resolve, operation.get("parameters", ())):
            schema = {**one["schema"], "description": one.get("description", "")}
            field = self.read_field(one["name"], schema, is_required=one.get("required", False))
            inputs.setdefault(one["in"], []).append(field)
        bodies: Schema = operation.get("requestBody", {}).get("content", {})
        body_type = next(iter(bodies), "")
        body: Schema = bodies.get(body_type, {})
        inputs["body"] = self.read_fields(body.get("schema", {}))
        is_json = body_type == "application/json"
        answers = sorted(self.read_answers(operation["responses"]), key=lambda one: one.status)
        return Operation(
            id=operation["operationId"],
            method=method.upper(),
            path=path,
            summary=operation["summary"],
            description=render(operation.get("description", "")),
            part=find_part(operation["operationId"], path),
            inputs=inputs,
            body_type=body_type,
            sample_body=json.dumps(self.choose_sample(body), indent=2) if is_json else "",
            takes_session={"session": []} in operation["security"],
            answers=[one for one in answers if one.status < HTTPStatus.BAD_REQUEST],
            errors=[one for one in answers if one.status >= HTTPStatus.BAD_REQUEST],
        )

    def read_answers(self, responses: Schema) -> Iterator[Answer]:
        for status, response in responses.items():
            kinds: Schema = self.resolve(response).get("content", {}) or {"": {}}
            for media_type, content in kinds.items():
                if int(status) >= HTTPStatus.BAD_REQUEST and media_type != "application/json":
                    continue  # errors are JSON
                yield Answer(int(status), media_type, self.read_fields(content.get("schema", {})))

    def read_fields(self, schema: Schema) -> list[Field]:
        """The properties of an object, of a list's objects, or of the objects that a value may be."""
        schema = self.resolve(schema)
        for part in ("oneOf", "anyOf"):
            if part in schema:
                return [field for choice in schema[part] for field in self.read_fields(choice)]
        if "items" in schema:
            return self.read_fields(schema["items"])
        if isinstance(schema.get("additionalProperties"), dict):
            return self.read_fields(schema["additionalProperties"])
        required = schema.get("required", ())
        return [
            self.read_field(name, one, is_required=name in required)
            for name, one in schema.get("properties", {}).items()
        ]

    def read_field(self, name: str, given: Schema, *, is_required: bool) -> Field:
        schema = self.resolve(given)
        items = self.resolve(schema.get("items", {}))
        choices = [str(one) for part in (schema, items) for one in part.get("enum", ()) if one is not None]
        text = "\n".join(line for line in schema.get("description", "").splitlines() if not line.startswith("* `"))
        limits = [
            (before, write_limit(schema[key]), after)
            for key, (before, after) in LIMITS.items()
            if schema.get(key) is not None
        ]
        return Field(name, self.name_kind(schema), is_required, render(text), limits, choices, self.read_fields(schema))

    def name_kind(self, given: Schema) -> str:
        schema = self.resolve(given)
        for part in ("oneOf", "anyOf"):
            if part in schema:
                return " or ".join(dict.fromkeys(self.name_kind(one) for one in schema[part]))
        kinds = schema.get("type", "null" if schema.get("enum") == [None] else "any")
        named = [kinds] if isinstance(kinds, str) else list(kinds)
        if "array" in named:
            named[named.index("array")] = f"list of {self.name_kind(schema.get('items', {}))}"
        elif "format" in schema and "string" in named:
            named[named.index("string")] = schema["format"]
        return " or ".join(named)

    def resolve(self, schema: Schema) -> Schema:
        """The schema without `$ref` and `allOf`. A description beside them goes first."""
        parts = [*schema.get("allOf", ()), *([{"$ref": schema["$ref"]}] if "$ref" in schema else ())]
        resolved: dict[str, Any] = {}
        for part in parts:
            resolved |= self.resolve(self.follow(part["$ref"]) if "$ref" in part else part)
        return resolved | {key: value for key, value in schema.items() if key not in {"$ref", "allOf"}}

    def follow(self, reference: str) -> Schema:
        *_, kind, name = reference.split("/")
        return self.components[kind][name]

    def choose_sample(self, body: Schema) -> Any:
        return body.get("example") or self.build_sample("", body["schema"])

    def build_sample(self, name: str, given: Schema) -> Any:
        """A value of the schema. An object has its required properties, or its first one if none is required."""
        schema = self.resolve(given)
        if "oneOf" in schema:
            return self.build_sample(name, schema["oneOf"][0])
        for key in ("example", "default"):
            if schema.get(key) is not None:
                return schema[key]
        if "properties" in schema:
            properties = schema["properties"]
            shown = schema.get("required") or [key for key in properties if key in SAMPLES] or list(properties)[:1]
            return {key: self.build_sample(key, properties[key]) for key in shown}
        if "enum" in schema:
            return schema["enum"][0]
        if "items" in schema:
            return [self.build_sample(name, schema["items"])]
        kind = self.name_kind(schema).partition(" or ")[0]
        plain = {"integer": 1, "number": 0.5, "boolean": True, "object": {}, "date-time": "2026-06-01T09:00:00Z"}
        return plain.get(kind, SAMPLES.get(name, "…"))


def find_part(operation: str, path: str) -> str:
    fixed = [part for part in path.removeprefix("/v1/").split("/") if not part.startswith("{")]
    part = BY_OPERATION.get(operation) or (fixed[1] if len(fixed) > 1 and fixed[0] == "banks" else fixed[0])
    return part if part in PARTS else OTHER


def write_limit(value: object) -> str:
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else json.dumps(value).strip('"')


def render(text: str) -> SafeString:
    return mark_safe(str(MARKDOWN.render(text)))  # noqa: S308  # `html: False` escapes
