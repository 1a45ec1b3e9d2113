"""Bases for what comes in and what goes out. Serializers check and show; they never create or update.

What a base says in its docstring would stand in the API's description of all that have none, so it stands here. An
`Input` refuses fields that it does not know: a typo must not pass for a default. So it does with a parameter of a query
that is there without a value, which DRF takes for one that was left out: a filter would then find everything; and with
one that is there twice and is no list, of which DRF takes the last. And, in JSON, with a value of another type than its
field's; in a query all is text. All of a class share their fields, so none
may depend on a request's context.
"""

from collections.abc import Collection, Mapping
from functools import cache
from typing import Any

from django.http import QueryDict
from rest_framework import serializers
from rest_framework.utils.serializer_helpers import BindingDict

from memoryplatform.api.json_types import check_all


@cache
def make_fields(kind: "type[Input]") -> BindingDict:
    """Once for a class: to check a value changes nothing of a field, and to make thirty of them takes a millisecond."""
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
            raise serializers.ValidationError({name: ["Unknown field."] for name in sorted(unknown)}, code="unknown")
        if isinstance(data, QueryDict):
            check_not_empty(data)
            lists = {name for name, field in self.fields.items() if isinstance(field, serializers.ListField)}
            check_given_once(data, lists=lists)
        elif isinstance(data, Mapping):
            check_all((name, self.fields[name], value) for name, value in data.items())
        return super().to_internal_value(data)


def check_not_empty(query: QueryDict) -> None:
    empty = [name for name in query if not all(query.getlist(name))]
    if empty:
        raise serializers.ValidationError({name: ["Give a value, or leave it out."] for name in empty}, code="blank")


def check_given_once(query: QueryDict, *, lists: Collection[str]) -> None:
    """Of two values that one parameter has, to follow one alone would do half of what was asked for."""
    repeated = [name for name, values in query.lists() if len(values) > 1 and name not in lists]
    if repeated:
        fault = ["Give it once: it is no list."]
        raise serializers.ValidationError(dict.fromkeys(repeated, fault), code="repeated")


class Output(serializers.Serializer[Any]):
    pass


class ErrorOutput(Output):
    """The shape of every error."""

    detail = serializers.CharField(help_text="A sentence for people.")
    code = serializers.CharField(help_text="A word for programs.")
    request_id = serializers.CharField(help_text="Name it when you report a problem.")


class FieldFault(Output):
    field = serializers.CharField(help_text="Path of the field, such as disposition.empathy.")
    message = serializers.CharField()
    code = serializers.CharField()


class InvalidOutput(ErrorOutput):
    """An error that lies in some fields of the request."""

    errors = FieldFault(many=True, required=False)  # type: ignore[assignment]  # the wire's name, not DRF's attribute


class NumberField(serializers.FloatField):
    """True is no number, though Python takes it for 1."""

    def to_internal_value(self, data: Any) -> float:
        if isinstance(data, bool):
            self.fail("invalid")
        return super().to_internal_value(data)


class ConfidenceField(NumberField):
    """A share of certainty."""

    def __init__(self, **options: Any) -> None:
        super().__init__(min_value=0.0, max_value=1.0, **options)
