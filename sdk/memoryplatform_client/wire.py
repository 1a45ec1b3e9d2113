"""Encoding Python values as JSON bodies, query parameters and paths of the API."""

import json
from collections.abc import Mapping
from datetime import date, datetime
from typing import Any
from urllib.parse import quote
from uuid import UUID

from pydantic import BaseModel

from memoryplatform_client.errors import UnusableFilter, UnusableId, UnusableText

DIRECTIONS = ("", ".", "..")


def to_wire(value: Any) -> Any:
    if isinstance(value, date):
        return write_time(value)
    if isinstance(value, UUID):
        return str(value)
    if isinstance(value, BaseModel):
        return to_wire(value.model_dump(exclude_none=True, by_alias=True))
    if isinstance(value, Mapping):
        return {str(name): to_wire(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [to_wire(inner) for inner in value]
    return value


def write_time(value: date) -> str:
    """A datetime without a zone is local time, as in the `datetime` module; the service would read it as UTC.

    A plain date is sent as a date. The service turns it into a range of moments in the query's time zone.
    """
    if isinstance(value, datetime) and value.tzinfo is None:
        value = value.astimezone()
    return value.isoformat()


def encode_body(body: Mapping[str, Any]) -> bytes:
    return to_bytes(json.dumps(to_wire(body), ensure_ascii=False))


def to_bytes(text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError as fault:
        raise UnusableText(fault) from None


def encode_query(params: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """None is left out. A list repeats its parameter's name."""
    return tuple(
        (name, word(inner)) for name, value in params.items() if value is not None for inner in list_entries(value)
    )


def list_entries(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list | tuple | set | frozenset) else [value]


def check_filters(params: Mapping[str, Any]) -> None:
    """Refuse empty filters: an empty list or None would not be sent at all, and the deletion would match everything."""
    entries = {name: list_entries(value) for name, value in params.items()}
    empty = [name for name, inner in entries.items() if not inner or any(one is None or one == "" for one in inner)]
    if empty:
        raise UnusableFilter(empty)


def word(value: Any) -> str:
    text = str(value).lower() if isinstance(value, bool) else str(to_wire(value))
    to_bytes(text)
    return text


def path_of(*parts: str | UUID) -> str:
    return "".join(f"/{quote(to_bytes(check_part(str(part))), safe='')}" for part in parts)


def check_part(part: str) -> str:
    """`.` and `..` would be resolved as path segments, and the service reads an encoded slash as a plain one."""
    if part in DIRECTIONS or "/" in part:
        raise UnusableId(part, "must not be empty, '.' or '..', nor hold a slash")
    return part


def document_path(document_id: str) -> str:
    """Document ids may hold slashes. An id that ends in `/chunks` would address the document's chunks instead."""
    parts = document_id.split("/")
    if not document_id or {".", ".."}.intersection(parts) or parts[1:][-1:] == ["chunks"]:
        raise UnusableId(document_id, "must not be empty, have '.' or '..' between slashes, nor end in '/chunks'")
    return f"/{quote(to_bytes(document_id), safe='/')}"
