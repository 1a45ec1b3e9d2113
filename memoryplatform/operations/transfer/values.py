"""Values of columns as JSON, and back with every doubt."""

import binascii
import math
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, TypeAlias
from uuid import UUID

import numpy as np
from django.contrib.postgres.fields import ArrayField
from django.db import models
from pgvector.django import VectorField

from memoryplatform.operations.transfer.identifiers import Renaming

Field: TypeAlias = "models.Field[Any, Any]"  # generic for the type checker alone

DEEPEST = 32
MOST_DIMENSIONS = 16_000  # of a vector, as pgvector has it
SUPERSEDED_BY = "superseded_by"  # the only id inside the JSON of a row: a change says which unit came after


class Unfit(Exception):
    """The value is none of its column."""


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


def read_value(field: Field, value: Any, renaming: Renaming) -> Any:
    """As Postgres reads it from JSON. Ids are renamed; the one exception is a recall's, which points at nothing."""
    if value is None:
        if not field.null:
            raise Unfit("must not be null")
        return None
    if isinstance(field, models.ForeignKey) or field.primary_key:
        return str(renaming.rename(read_uuid(value)))
    if field.name in {"before", "after"} and isinstance(field, models.JSONField):
        return rename_inside(read_json(value), renaming)
    for kind, read in READERS.items():
        if isinstance(field, kind):
            return read(field, value)
    raise Unfit("can't be imported")


def read_uuid(value: Any) -> UUID:
    try:
        return UUID(value)
    except (ValueError, TypeError, AttributeError):
        raise Unfit("must be a UUID") from None


def read_text(field: Field, value: Any) -> str:
    if not isinstance(value, str) or "\x00" in value:
        raise Unfit("must be a text without null characters")
    if field.max_length is not None and len(value) > field.max_length:
        raise Unfit(f"must have at most {field.max_length} characters")
    if field.choices and value not in {choice for choice, _ in field.flatchoices} and not (field.blank and not value):
        raise Unfit("is none of its choices")
    return value


def read_boolean(_field: Field, value: Any) -> bool:
    if not isinstance(value, bool):
        raise Unfit("must be true or false")
    return value


def read_integer(field: Field, value: Any) -> int:
    lowest, highest = (-(2**15), 2**15 - 1) if isinstance(field, models.SmallIntegerField) else (0, 2**31 - 1)
    if not isinstance(value, int) or isinstance(value, bool) or not lowest <= value <= highest:
        raise Unfit(f"must be an integer from {lowest} to {highest}")
    return value


def read_number(_field: Field, value: Any) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool) or not math.isfinite(value):
        raise Unfit("must be a number")
    return float(value)


def read_moment(_field: Field, value: Any) -> str:
    try:
        moment = datetime.fromisoformat(value)
    except (ValueError, TypeError):
        raise Unfit("must be a time, such as 2024-05-01T12:00:00+00:00") from None
    if moment.tzinfo is None:
        raise Unfit("must be a time with its zone")
    try:
        return moment.astimezone(UTC).isoformat()  # the database does not know every offset
    except OverflowError:
        raise Unfit("must be a time between the years 1 and 9999") from None


def read_bytes(field: Field, value: Any) -> str:
    """As Postgres writes them in text."""
    try:
        raw = binascii.unhexlify(value)
    except (ValueError, TypeError):
        raise Unfit("must be bytes in hexadecimal") from None
    if len(raw) > (field.max_length or 0):
        raise Unfit(f"must have at most {field.max_length} bytes")
    return f"\\x{raw.hex()}"


def read_vector(_field: Field, value: Any) -> str:
    if not isinstance(value, list) or not 0 < len(value) <= MOST_DIMENSIONS:
        raise Unfit("must be a list of numbers")
    return f"[{','.join(repr(read_number(_field, number)) for number in value)}]"


def read_json(value: Any, depth: int = 0) -> Any:
    if depth > DEEPEST:
        raise Unfit("is nested too deeply")
    if isinstance(value, str) and "\x00" in value:
        raise Unfit("must hold no null characters")
    if isinstance(value, dict):
        return {read_json(key, depth + 1): read_json(inner, depth + 1) for key, inner in value.items()}
    return [read_json(inner, depth + 1) for inner in value] if isinstance(value, list) else value


def read_texts(field: Field, value: Any) -> list[str]:
    if not isinstance(field, ArrayField) or not isinstance(value, list):
        raise Unfit("must be a list of texts")
    return [read_text(field.base_field, one) for one in value]


def rename_inside(value: Any, renaming: Renaming) -> Any:
    if not isinstance(value, dict):
        raise Unfit("must be an object")
    named = value.get(SUPERSEDED_BY)
    return value | ({SUPERSEDED_BY: str(renaming.rename(read_uuid(named)))} if named else {})


# The first that fits counts, and a subclass is also its base: those come first.
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
