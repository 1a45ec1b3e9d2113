"""Reading requests Hindsight's way: what is not known is passed over, null is the same as left out, and a number or a
boolean may be written as a text. A number for a text is refused, as Hindsight refuses it.
"""

from collections.abc import Mapping
from typing import Any, TypeVar

from rest_framework import serializers
from rest_framework.request import Request

S = TypeVar("S", bound="serializers.Serializer[Any]")
LOOSE = (serializers.IntegerField, serializers.FloatField, serializers.BooleanField)


class InvalidQuery(serializers.ValidationError):
    """What is wrong stands in the address, whatever the method."""


def read_body(shape: type[S], given: Any) -> S:
    """Our own shape, filled with what it knows. Raises what an invalid request raises."""
    body = shape(data=given)
    body.initial_data = drop_unknown(given, body)
    body.is_valid(raise_exception=True)
    return body


def read_query(shape: type[S], request: Request) -> dict[str, Any]:
    """The parameters in the address. One that comes several times is a list where the shape has one."""
    query = shape()
    given = request.query_params
    known = {
        name: given.getlist(name) if isinstance(field, serializers.ListField) else given[name]
        for name, field in query.fields.items()
        if name in given
    }
    try:
        return dict(read_body(shape, known).validated_data)
    except serializers.ValidationError as fault:
        raise InvalidQuery(fault.detail) from fault


def drop_unknown(given: Any, field: Any) -> Any:
    if isinstance(field, serializers.Serializer) and isinstance(given, Mapping):
        return {
            name: drop_unknown(value, field.fields[name])
            for name, value in given.items()
            if name in field.fields and (value is not None or field.fields[name].allow_null)
        }
    child = getattr(field, "child", None)
    if isinstance(child, serializers.Serializer) and isinstance(given, list):
        return [drop_unknown(one, child) for one in given]
    return read_loosely(given, field) if isinstance(field, LOOSE) else given


def read_loosely(given: Any, field: Any) -> Any:
    """What can't be read stays as it is: whoever checks it says what is wrong."""
    try:
        return field.to_internal_value(given)
    except serializers.ValidationError:
        return given
