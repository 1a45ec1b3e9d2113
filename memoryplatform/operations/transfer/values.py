"""Column values as JSON, and back with checks. Ids of a file become ids of the bank."""

import binascii
import hashlib
import hmac
import math
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, TypeAlias
from uuid import UUID

import numpy as np
import orjson
from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from pgvector.django import VectorField

Field: TypeAlias = "models.Field[Any, Any]"  # generic for the type checker alone
MAX_DEPTH = 32
MAX_DIMENSIONS = 16_000  # of pgvector
SUPERSEDED_BY = "superseded_by"  # the only id inside a row's JSON: a change names the successor
KEPT_BYTES = 12
UUID_BYTES = 16


class InvalidValue(Exception):
    """The value does not fit its column."""


@dataclass(frozen=True)
class IdRenaming:
    """Turns an id of a file into an id of a bank: always the same one, and another one in every bank.

    The first 96 bits stay. They are the time and the counter of a UUIDv7, so rows keep their order. The last 32 come
    from a keyed hash of the bank and the whole id, so a file can't name a row of another bank.
    """

    bank_pk: UUID

    def rename(self, old: UUID) -> UUID:
        key = settings.SECRET_KEY.encode()
        digest = hmac.digest(key, b"import:" + self.bank_pk.bytes + old.bytes, hashlib.sha256)
        return UUID(bytes=old.bytes[:KEPT_BYTES] + digest[: UUID_BYTES - KEPT_BYTES])


def write_value(field: Field, value: Any) -> Any:
    if value is None:
        return None
    if isinstance(field, models.BinaryField):
        return bytes(value).hex()
    if isinstance(field, VectorField):
        return np.asarray(value, dtype=np.float32).tolist()
    if isinstance(value, UUID):
        return str(value)
    return value.isoformat() if isinstance(value, datetime) else value


def read_value(field: Field, value: Any, renaming: IdRenaming) -> Any:
    """The value as Postgres reads it from JSON. Ids are renamed, except a recall's, which points at no row."""
    if value is None:
        if not field.null:
            raise InvalidValue("must not be null")
        return None
    if isinstance(field, models.ForeignKey) or field.primary_key:
        return str(renaming.rename(read_uuid(value)))
    if field.name in {"before", "after"} and isinstance(field, models.JSONField):
        return rename_inside(read_json(value), renaming)
    for kind, read in READERS.items():
        if isinstance(field, kind):
            return read(field, value)
    raise InvalidValue("can't be imported")


def read_uuid(value: Any) -> UUID:
    try:
        return UUID(value)
    except (ValueError, TypeError, AttributeError):
        raise InvalidValue("must be a UUID") from None


def read_text(field: Field, value: Any) -> str:
    if not isinstance(value, str) or "\x00" in value:
        raise InvalidValue("must be a text without null characters")
    if field.max_length is not None and len(value) > field.max_length:
        raise InvalidValue(f"must have at most {field.max_length} characters")
    if field.choices and value not in {choice for choice, _ in field.flatchoices} and not (field.blank and not value):
        raise InvalidValue("is not one of its choices")
    return value


def read_boolean(_field: Field, value: Any) -> bool:
    if not isinstance(value, bool):
        raise InvalidValue("must be true or false")
    return value


def read_integer(field: Field, value: Any) -> int:
    lowest, highest = (-(2**15), 2**15 - 1) if isinstance(field, models.SmallIntegerField) else (0, 2**31 - 1)
    if not isinstance(value, int) or isinstance(value, bool) or not lowest <= value <= highest:
        raise InvalidValue(f"must be an integer from {lowest} to {highest}")
    return value


def read_number(_field: Field, value: Any) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool) or not math.isfinite(value):
        raise InvalidValue("must be a number")
    return float(value)


def read_moment(_field: Field, value: Any) -> str:
    try:
        moment = datetime.fromisoformat(value)
    except (ValueError, TypeError):
        raise InvalidValue("must be a time, such as 2024-05-01T12:00:00+00:00") from None
    if moment.tzinfo is None:
        raise InvalidValue("must be a time with its zone")
    try:
        return moment.astimezone(UTC).isoformat()  # the database does not know every offset
    except OverflowError:
        raise InvalidValue("must be a time between the years 1 and 9999") from None


def read_bytes(field: Field, value: Any) -> str:
    """Bytes in Postgres' text form."""
    try:
        raw = binascii.unhexlify(value)
    except (ValueError, TypeError):
        raise InvalidValue("must be bytes in hexadecimal") from None
    if len(raw) > (field.max_length or 0):
        raise InvalidValue(f"must have at most {field.max_length} bytes")
    return f"\\x{raw.hex()}"


def read_vector(_field: Field, value: Any) -> str:
    if not isinstance(value, list) or not 0 < len(value) <= MAX_DIMENSIONS:
        raise InvalidValue("must be a list of numbers")
    if not set(map(type, value)) <= {int, float} or not all(map(math.isfinite, value)):
        raise InvalidValue("must be a number")
    return orjson.dumps(value).decode()


def read_json(value: Any, depth: int = 0) -> Any:
    if depth > MAX_DEPTH:
        raise InvalidValue("is nested too deeply")
    if isinstance(value, str) and "\x00" in value:
        raise InvalidValue("must hold no null characters")
    if isinstance(value, dict):
        return {read_json(key, depth + 1): read_json(inner, depth + 1) for key, inner in value.items()}
    return [read_json(inner, depth + 1) for inner in value] if isinstance(value, list) else value


def read_texts(field: Field, value: Any) -> list[str]:
    if not isinstance(field, ArrayField) or not isinstance(value, list):
        raise InvalidValue("must be a list of texts")
    return [read_text(field.base_field, one) for one in value]


def rename_inside(value: Any, renaming: IdRenaming) -> Any:
    if not isinstance(value, dict):
        raise InvalidValue("must be an object")
    named = value.get(SUPERSEDED_BY)
    return value | ({SUPERSEDED_BY: str(renaming.rename(read_uuid(named)))} if named else {})


# The first match counts, so subclasses come before their base classes.
READERS: dict[type[Field], Callable[[Field, Any], Any]] = {
    VectorField: read_vector,
    models.UUIDField: lambda _field, value: str(read_uuid(value)),
    models.CharField: read_text,
    models.TextField: read_text,
    models.BooleanField: read_boolean,
    models.FloatField: read_number,
    models.IntegerField: read_integer,
    models.DateTimeField: read_moment,
    models.BinaryField: read_bytes,
    ArrayField: read_texts,
    models.JSONField: lambda _field, value: read_json(value),
}
