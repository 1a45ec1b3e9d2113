"""Whether a value of a JSON body has the type that its field is described with.

The framework's fields read forms, where all is text: to them 5 is a text, "no" a boolean and "100" an integer. In JSON
each of these is a slip, and what was meant by it is not for us to guess.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from rest_framework import serializers

TYPES: dict[type[Any], tuple[type, ...]] = {
    serializers.CharField: (str,),
    serializers.UUIDField: (str,),
    serializers.BooleanField: (bool,),
    serializers.IntegerField: (int,),
    serializers.FloatField: (int, float),
}


def check_types(field: Any, value: Any) -> None:
    """Raises a ValidationError that has the faults by their place.

    Whether null may stand there is for the field to say, and what is in an object for the `Input` that reads it.
    """
    if isinstance(field, serializers.ListField) and isinstance(value, list):
        check_all((str(place), field.child, inner) for place, inner in enumerate(value))
    elif isinstance(field, serializers.DictField) and isinstance(value, Mapping):
        check_all((name, field.child, inner) for name, inner in value.items())
    elif isinstance(field, serializers.ChoiceField):
        if value is not None and not any(isinstance(choice, type(value)) for choice in field.choices):
            field.fail("invalid_choice", input=value)
    elif value is not None:
        check_own_type(field, value)


def check_all(given: Iterable[tuple[str, Any, Any]]) -> None:
    """Of each its place, its field and its value."""
    faults: dict[str, Any] = {}
    for place, field, value in given:
        try:
            check_types(field, value)
        except serializers.ValidationError as fault:
            faults[place] = fault.detail
    if faults:
        raise serializers.ValidationError(faults)


def check_own_type(field: Any, value: Any) -> None:
    """By the very type: true is no 1, though Python takes it for one."""
    for kind, wanted in TYPES.items():
        if isinstance(field, kind) and type(value) not in wanted:
            field.fail("invalid")
