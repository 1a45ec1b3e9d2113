"""Base serializers: checks on the way in, fields on the way out. They never create or update rows.

Notes on `Input`, which has no docstring because OpenAPI would repeat it for every subclass:
- It refuses unknown fields, so a typo never passes for a default.
- In a query string it refuses an empty value (DRF would ignore the filter and return everything) and a parameter that
  occurs twice but is no list (DRF would take the last).
- In JSON it refuses a value of another type than its field's: DRF's fields read forms, where 5 is a text, "no" a
  boolean and "100" an integer.
- All instances of a class share their fields, so a field must not depend on the request's context.
"""

import heapq
import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from operator import attrgetter
from typing import Any, TypeVar

from django.http import QueryDict
from rest_framework import serializers
from rest_framework.utils.serializer_helpers import BindingDict

S = TypeVar("S", bound="serializers.Serializer[Any]")
PYTHON_TYPES: dict[type[Any], tuple[type, ...]] = {
    serializers.CharField: (str,),
    serializers.UUIDField: (str,),
    serializers.BooleanField: (bool,),
    serializers.IntegerField: (int,),
    serializers.FloatField: (int, float),
}
MOST_FAULTS = 50  # of one request; the response says if there are more
MOST_ENTRIES = 10_000  # of a list or an object without a limit of its own
DEEPEST_JSON = 100  # orjson's limit is 254
LEAST_INTEGER, MOST_INTEGER = -(2**63), 2**64 - 1  # orjson's range


def check_types(field: Any, value: Any) -> None:
    """Raises a ValidationError with the faults by position.

    The field itself checks null, and a nested `Input` checks its own fields.
    """
    if isinstance(field, serializers.ListField) and isinstance(value, list):
        check_length(field, value)
        check_types_of_all((str(place), field.child, inner) for place, inner in enumerate(value))
    elif isinstance(field, serializers.DictField) and isinstance(value, Mapping):
        check_length(field, value)
        check_types_of_all((name, field.child, inner) for name, inner in value.items())
    elif isinstance(field, serializers.ChoiceField):
        if value is not None and not any(isinstance(choice, type(value)) for choice in field.choices):
            field.fail("invalid_choice", input=value)
    elif value is not None:
        check_scalar_type(field, value)


def check_length(field: Any, value: Sequence[Any] | Mapping[str, Any]) -> None:
    """Checks the length before the entries: DRF collects the faults of all entries first."""
    most = getattr(field, "max_length", None) or MOST_ENTRIES
    if len(value) > most:
        raise serializers.ValidationError(f"Ensure this field has no more than {most} elements.", code="max_length")


def check_types_of_all(given: Iterable[tuple[str, Any, Any]]) -> None:
    """`given` has position, field and value of each. The check ends after one fault more than the response lists."""
    faults: dict[str, Any] = {}
    for place, field, value in given:
        try:
            check_types(field, value)
        except serializers.ValidationError as fault:
            faults[place] = fault.detail
            if len(faults) > MOST_FAULTS:
                break
    if faults:
        raise serializers.ValidationError(faults)


def check_scalar_type(field: Any, value: Any) -> None:
    """Compares exact types, because Python's bool is an int."""
    for kind, wanted in PYTHON_TYPES.items():
        if isinstance(field, kind) and type(value) not in wanted:
            field.fail("invalid")


@contextmanager
def prefix_faults(field: str) -> Iterator[None]:
    """Reports a ValidationError raised inside as a fault of this field."""
    try:
        yield
    except serializers.ValidationError as fault:
        raise serializers.ValidationError({field: fault.detail}) from fault


def check_json(value: Any) -> None:
    """Raises a ValidationError for JSON that Postgres can't store or a response can't repeat."""
    fault = find_json_fault(value)
    if fault:
        raise serializers.ValidationError(fault, code="json")


def find_json_fault(value: Any) -> str:
    """Empty for JSON that can be stored."""
    level = [value]
    for _ in range(DEEPEST_JSON):
        fault = next(filter(None, map(find_value_fault, level)), "")
        if fault or not level:
            return fault
        level = [inner for one in level for inner in list_children(one)]
    return f"Must be nested at most {DEEPEST_JSON} deep." if level else ""


def find_value_fault(value: Any) -> str:
    match value:
        case str():
            return find_text_fault(value)
        case None | bool() | list():
            return ""
        case int():
            return "" if LEAST_INTEGER <= value <= MOST_INTEGER else "Integers must fit into 64 bits."
        case float():
            return "" if math.isfinite(value) else "Numbers must be finite."
        case dict():
            return "" if all(isinstance(name, str) for name in value) else "Names must be texts."
    return "Must be JSON."


def find_text_fault(text: str) -> str:
    if "\x00" in text:
        return "Null characters are not allowed."
    try:
        text.encode()
    except UnicodeEncodeError:
        return "Half a character (a lone surrogate) is not allowed."
    return ""


def list_children(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return [*value, *value.values()]
    return value if isinstance(value, list) else []


@cache
def make_fields(kind: "type[Input]") -> BindingDict:
    """The fields of a class, built once: thirty of them take a millisecond, and validation does not change them."""
    empty = kind()
    fields = BindingDict(empty)
    for name, field in empty.get_fields().items():
        fields[name] = field
    return fields


class Input(serializers.Serializer[Any]):
    @property
    def fields(self) -> BindingDict:
        return make_fields(type(self))

    def to_internal_value(self, data: Any) -> Any:
        unknown = set(data) - set(self.fields) if isinstance(data, Mapping) else set()
        if unknown:
            first = heapq.nsmallest(MOST_FAULTS + 1, unknown)
            raise serializers.ValidationError({name: ["Unknown field."] for name in first}, code="unknown")
        if isinstance(data, QueryDict):
            check_not_empty(data)
            lists = {name for name, field in self.fields.items() if isinstance(field, serializers.ListField)}
            check_given_once(data, lists=lists)
        elif isinstance(data, Mapping):
            check_types_of_all((name, self.fields[name], value) for name, value in data.items())
        return super().to_internal_value(data)


def check_input(shape: type[S], data: Any) -> S:
    """The validated serializer. Raises a ValidationError."""
    checked = shape(data=data)
    checked.is_valid(raise_exception=True)
    return checked


def check_not_empty(query: QueryDict) -> None:
    empty = [name for name in query if not all(query.getlist(name))]
    if empty:
        raise serializers.ValidationError({name: ["Give a value, or leave it out."] for name in empty}, code="blank")


def check_given_once(query: QueryDict, *, lists: Collection[str]) -> None:
    """Refuses a repeated parameter, because using one value would ignore the other."""
    repeated = [name for name, values in query.lists() if len(values) > 1 and name not in lists]
    if repeated:
        fault = ["Give it once: it is not a list."]
        raise serializers.ValidationError(dict.fromkeys(repeated, fault), code="repeated")


class Output(serializers.Serializer[Any]):
    etag: Callable[[Any], str] | None = None  # the version of the shown value, where a caller may send If-Match

    @classmethod
    def describe(cls, value: Any, **computed: Any) -> dict[str, Any]:
        """The fields as a plain dict for `write_json`, read from their sources. `computed` fields have no source.

        It skips DRF's conversions, which take longer than the search of a small bank.
        """
        readers = list_readers(cls)
        return {name: computed[name] if name in computed else read(value) for name, read in readers.items()}


@cache
def list_readers(shape: type[Output]) -> dict[str, Callable[[Any], Any]]:
    return {name: make_reader(field) for name, field in shape().fields.items()}


def make_reader(field: Any) -> Callable[[Any], Any]:
    read: Callable[[Any], Any] = attrgetter(field.source)
    if isinstance(field, serializers.ListSerializer) and isinstance(field.child, Output):
        describe = type(field.child).describe
        return lambda value: [describe(one) for one in read(value)]
    if isinstance(field, Output):
        describe_inner = type(field).describe
        return lambda value: None if (inner := read(value)) is None else describe_inner(inner)
    return read


class ErrorOutput(Output):
    """The shape of every error."""

    detail = serializers.CharField(help_text="A sentence for people.")
    code = serializers.CharField(help_text="An identifier for programs.")
    request_id = serializers.CharField(help_text="Quote it when you report a problem.")


class FieldFault(Output):
    field = serializers.CharField(help_text="Path of the field, such as disposition.empathy.")
    message = serializers.CharField()
    code = serializers.CharField()


class InvalidOutput(ErrorOutput):
    """An error with faults of single fields."""

    errors = FieldFault(many=True, required=False)  # type: ignore[assignment]  # the wire's name, not DRF's attribute


class NumberField(serializers.FloatField):
    """Refuses booleans, which Python counts as numbers."""

    def to_internal_value(self, data: Any) -> float:
        if isinstance(data, bool):
            self.fail("invalid")
        return super().to_internal_value(data)


class ConfidenceField(NumberField):
    """A confidence from 0 to 1."""

    def __init__(self, **options: Any) -> None:
        super().__init__(min_value=0.0, max_value=1.0, **options)
