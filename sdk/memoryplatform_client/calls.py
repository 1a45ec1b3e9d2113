"""A request as a value: its content, whether it may be repeated, and the parser of its response."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar
from uuid import uuid4

import httpx
from pydantic import BaseModel, ValidationError

from memoryplatform_client.errors import UnreadableAnswer
from memoryplatform_client.headers import check_header
from memoryplatform_client.wire import encode_body, encode_query

T = TypeVar("T")
M = TypeVar("M", bound=BaseModel)
KEY_HEADER = "Idempotency-Key"
HEADER_OF = {"idempotency_key": KEY_HEADER, "if_match": "If-Match"}
JSON = "application/json"


@dataclass(frozen=True)
class Call(Generic[T]):
    """`repeatable`: the request is idempotent, so it may be sent again when no response arrived.

    `longest`: the caller's own timeout in seconds, where it is shorter than the client's.
    """

    method: str
    path: str
    parse: Callable[[httpx.Response], T]
    query: tuple[tuple[str, str], ...] = ()
    content: bytes | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    repeatable: bool = False
    longest: float = math.inf


def fetch(path: str, parse: Callable[[httpx.Response], T], params: Mapping[str, Any] | None = None) -> Call[T]:
    return Call("GET", path, parse, query=encode_query(params or {}), repeatable=True)


def ask(path: str, parse: Callable[[httpx.Response], T], body: Mapping[str, Any]) -> Call[T]:
    """A POST that only reads."""
    return Call("POST", path, parse, content=encode_body(body), headers={"Content-Type": JSON}, repeatable=True)


def submit(path: str, parse: Callable[[httpx.Response], T], fields: Mapping[str, Any]) -> Call[T]:
    """A POST that writes. Without a given idempotency key, one is generated here, so that all attempts share it."""
    body, headers = part_headers(fields)
    keyed = {KEY_HEADER: uuid4().hex, "Content-Type": JSON, **headers}
    return Call("POST", path, parse, content=encode_body(body), headers=keyed, repeatable=True)


def change(path: str, parse: Callable[[httpx.Response], T], fields: Mapping[str, Any]) -> Call[T]:
    body, headers = part_headers(fields)
    return Call("PATCH", path, parse, content=encode_body(body), headers={"Content-Type": JSON, **headers})


def put(
    path: str,
    parse: Callable[[httpx.Response], T],
    fields: Mapping[str, Any],
    params: Mapping[str, Any] | None = None,
) -> Call[T]:
    query, headers = encode_query(params or {}), {"Content-Type": JSON}
    return Call("PUT", path, parse, query=query, content=encode_body(fields), headers=headers, repeatable=True)


def part_headers(fields: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, str]]:
    """Separate the fields that are sent as headers from those of the body."""
    given = {name: fields[name] for name in HEADER_OF if fields.get(name) is not None}
    headers = {HEADER_OF[name]: check_header(name, value) for name, value in given.items()}
    return {name: value for name, value in fields.items() if name not in HEADER_OF}, headers


def remove(
    path: str,
    parse: Callable[[httpx.Response], T],
    params: Mapping[str, Any] | None = None,
    *,
    if_match: str | None = None,
) -> Call[T]:
    _, headers = part_headers({"if_match": if_match})
    return Call("DELETE", path, parse, query=encode_query(params or {}), headers=headers)


def reader(model: type[M]) -> Callable[[httpx.Response], M]:
    def read(response: httpx.Response) -> M:
        return validate(model, read_object(response), response)

    return read


def tagged_reader(model: type[M]) -> Callable[[httpx.Response], M]:
    """Read the model and its ETag, which the service sends as a header and expects with the next edit."""

    def read(response: httpx.Response) -> M:
        return validate(model, {**read_object(response), "etag": response.headers.get("ETag", "")}, response)

    return read


def read_nothing(_response: httpx.Response) -> None:
    return None


def read_object(response: httpx.Response) -> dict[str, Any]:
    try:
        body = response.json()
    except ValueError as fault:
        raise UnreadableAnswer(f"The answer is not JSON: {fault}", response) from fault
    if not isinstance(body, dict):
        raise UnreadableAnswer("The answer is no object.", response)
    return body


def validate(model: type[M], data: Any, response: httpx.Response) -> M:
    try:
        return model.model_validate(data)
    except ValidationError as fault:
        raise UnreadableAnswer(str(fault), response) from fault


def without_none(**fields: Any) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}
