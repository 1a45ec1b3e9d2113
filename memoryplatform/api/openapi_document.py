"""The finishing steps of the OpenAPI description: hooks that drf-spectacular runs over the document it has built."""

import json
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

JSON = "application/json"
EXAMPLES = Path(__file__).with_name("openapi_examples.json")
# One shared response per status: the document would repeat the same twelve in every operation.
ERROR_RESPONSES = {
    "400": ("BadRequest", "The request can't be read, such as malformed JSON."),
    "401": ("Unauthenticated", "The API key is missing, unknown, revoked or expired."),
    "402": ("QuotaExceeded", "A quota of the plan is used up."),
    "403": ("Forbidden", "The key or the member may not do this."),
    "404": ("NotFound", "It does not exist, or belongs to another tenant."),
    "406": ("NotAcceptable", "The API has no format of the Accept header."),
    "409": ("Conflict", "The state of the resource does not allow it, or the first request with this key still runs."),
    "412": ("PreconditionFailed", "The resource has changed since the version in If-Match."),
    "413": ("TooLarge", "The body is too large."),
    "415": ("UnsupportedMediaType", "The API does not read this Content-Type."),
    "422": ("Invalid", "Fields are missing or invalid; `errors` names them."),
    "429": ("RateLimited", "Too many requests. Retry-After has the seconds to wait."),
    "500": ("InternalError", "The service failed."),
    "502": ("ModelFailed", "The language model refused the request or gave no usable answer."),
    "503": ("Unavailable", "The service or its language model is busy or away. A retry may succeed."),
    "504": ("ModelTimeout", "The language model did not answer in time."),
}
LEAST_SHARED = 5  # operations with the same parameter, before it moves to the components
Document = dict[str, Any]


def drop_empty_defaults(result: Document, **_: Any) -> Document:
    """Leaves out `default: ""` where an empty value is refused: it stands for a parameter that was not given."""
    for shape in walk_objects(result):
        if shape.get("default") == "" and (shape.get("minLength") or "" not in list_choices(result, shape)):
            del shape["default"]
    return result


def list_choices(document: Document, shape: dict[str, Any]) -> list[Any]:
    """The values of an enum, also behind a reference; an empty text for a shape without an enum."""
    shapes = [shape, *shape.get("allOf", ()), *shape.get("oneOf", ())]
    found = [resolve(document, one).get("enum") for one in shapes]
    choices = [value for enum in found if enum for value in enum]
    return choices or [""]


def share_error_responses(result: Document, **_: Any) -> Document:
    shared = result["components"].setdefault("responses", {})
    for operation in list_operations(result):
        for status, response in operation["responses"].items():
            if status in ERROR_RESPONSES:
                name, description = ERROR_RESPONSES[status]
                described = {"description": description, "content": response["content"]}
                if shared.setdefault(name, described) == described:
                    operation["responses"][status] = {"$ref": f"#/components/responses/{name}"}
    return result


def share_parameters(result: Document, **_: Any) -> Document:
    """Moves a parameter that many operations have to the components, the most frequent one of each name."""
    lists = [operation["parameters"] for operation in list_operations(result) if "parameters" in operation]
    counted = Counter(json.dumps(one) for parameters in lists for one in parameters)
    shared: dict[str, Any] = {}
    for text, times in counted.most_common():
        if times >= LEAST_SHARED:
            parameter = json.loads(text)
            shared.setdefault(parameter["name"], parameter)
    for parameters in lists:
        for place, one in enumerate(parameters):
            if shared.get(one["name"]) == one:
                parameters[place] = {"$ref": f"#/components/parameters/{one['name']}"}
    result["components"]["parameters"] = shared
    return result


def add_examples(result: Document, **_: Any) -> Document:
    """Adds the examples. A response that several operations have is one of the components, by the name of the first."""
    examples = read_examples()
    texts = [one["response"] for one in examples.values() if isinstance(one.get("response"), str)]
    named = set(texts) & set(examples)
    result["components"]["examples"] = {name: {"value": examples[name]["response"]} for name in sorted(named)}
    for operation in list_operations(result):
        name = operation["operationId"]
        example = examples.get(name, {})
        if "request" in example:
            choose_media_type(operation["requestBody"])["example"] = example["request"]
        if "response" in example:
            shown = choose_media_type(find_success(operation))
            answer = name if name in named else example["response"]
            if isinstance(answer, str) and answer in named:
                shown["examples"] = {answer: {"$ref": f"#/components/examples/{answer}"}}
            else:
                shown["example"] = answer
    return result


def choose_media_type(part: dict[str, Any]) -> Any:
    """JSON where the part has it."""
    content = part["content"]
    return content.get(JSON) or next(iter(content.values()))


@cache
def read_examples() -> dict[str, dict[str, Any]]:
    """`request` and `response` of operations, by the operation's id. A response may be the id of one with the same."""
    return dict(json.loads(EXAMPLES.read_text()))


def list_operations(document: Document) -> Iterator[dict[str, Any]]:
    for methods in document["paths"].values():
        yield from methods.values()


def find_success(operation: dict[str, Any]) -> Any:
    return next(response for status, response in operation["responses"].items() if status.startswith("2"))


def resolve(document: Document, shape: dict[str, Any]) -> dict[str, Any]:
    reference = shape.get("$ref", "")
    return document["components"]["schemas"][reference.rsplit("/", 1)[-1]] if reference else shape


def walk_objects(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        yield value
        value = list(value.values())
    if isinstance(value, list):
        for inner in value:
            yield from walk_objects(inner)
