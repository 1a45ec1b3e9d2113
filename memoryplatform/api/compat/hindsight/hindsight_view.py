"""The base of Hindsight's routes: tolerant reading, errors in its shape, pages by offset, and routes that answer 501.

Hindsight ignores unknown fields, treats null as absent, and accepts a number or a boolean that is written as a text. It
refuses a number for a text. OpenAPI leaves these routes out, because their shapes are Hindsight's.
"""

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from django.db.models import QuerySet
from rest_framework import serializers, status
from rest_framework.exceptions import APIException
from rest_framework.request import Request
from rest_framework.response import Response

from banks.errors import BankNotFound
from memoryplatform.api.errors import handle_exception
from memoryplatform.api.idempotency import idempotent
from memoryplatform.api.serializers import Input
from memoryplatform.api.views import TenantView
from memoryplatform.operations.banks.aliases import resolve_bank_id

S = TypeVar("S", bound="serializers.Serializer[Any]")
LOOSE_FIELDS = (serializers.IntegerField, serializers.FloatField, serializers.BooleanField)
MOST_ROWS = 1_000


class InvalidQuery(serializers.ValidationError):
    """The fault is in the query string, whatever the method."""


def read_body(shape: type[S], given: Any, *, partial: bool = False) -> S:
    """Validates the known fields of `given`. Raises a ValidationError."""
    body = shape(data=given, partial=partial)
    body.initial_data = drop_unknown(given, body)
    body.is_valid(raise_exception=True)
    return body


def read_query(shape: type[S], request: Request) -> dict[str, Any]:
    """Validates the query string. A repeated parameter is a list if its field is a list."""
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
    return read_loosely(given, field) if isinstance(field, LOOSE_FIELDS) else given


def read_loosely(given: Any, field: Any) -> Any:
    """Returns an unreadable value unchanged, so that validation reports it."""
    try:
        return field.to_internal_value(given)
    except serializers.ValidationError:
        return given


class Unprocessable(APIException):
    """A 422 with a sentence instead of a list of faults."""

    status_code = status.HTTP_422_UNPROCESSABLE_ENTITY


class BadRequest(APIException):
    status_code = status.HTTP_400_BAD_REQUEST


class Conflict(APIException):
    status_code = status.HTTP_409_CONFLICT


class NotOffered(APIException):
    status_code = status.HTTP_501_NOT_IMPLEMENTED


def handle_hindsight_exception(error: Exception, context: dict[str, Any]) -> Response:
    """Converts our error response to `{"detail": "a sentence"}`, or to a list of faults for an invalid request."""
    response = handle_exception(error, context)
    method = "GET" if isinstance(error, InvalidQuery) else context["request"].method
    faults = [describe_fault(fault, method) for fault in response.data.get("errors", ())]
    response.data = {"detail": faults or response.data["detail"]}
    if isinstance(error, BankNotFound):
        response.data = {"detail": response.data["detail"].removesuffix(".")}  # Hindsight's clients compare the text
    return response


def describe_fault(fault: dict[str, str], method: str) -> dict[str, Any]:
    """A named field of a DELETE is a query parameter; a fault without a field concerns the body."""
    place = "query" if method == "GET" or (method == "DELETE" and fault["field"]) else "body"
    path = [int(part) if part.isdigit() else part for part in fault["field"].split(".") if part]
    return {"type": fault["code"], "loc": [place, *path], "msg": fault["message"]}


class HindsightView(TenantView):
    schema = None  # leaves the view out of OpenAPI

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """The handler gets the bank's own id: DRF passes `self.kwargs` to it."""
        super().initial(request, *args, **kwargs)
        if "bank_id" in kwargs:
            self.kwargs["bank_id"] = resolve_bank_id(self.access, kwargs["bank_id"])

    def get_exception_handler(self) -> Callable[[Exception, dict[str, Any]], Any]:
        return handle_hindsight_exception


class NotServedView(HindsightView):
    sentence = ""

    def refuse(self, _request: Request, **_names: Any) -> Response:
        raise NotOffered(self.sentence)

    get = put = patch = delete = refuse
    post = idempotent(refuse)


class OffsetInput(Input):
    """Hindsight has no upper bound. A larger limit is cut, and `limit` of the response shows the cut value."""

    limit = serializers.IntegerField(min_value=0, default=100)
    offset = serializers.IntegerField(min_value=0, max_value=1_000_000, default=0)

    def validate_limit(self, value: int) -> int:
        return min(value, MOST_ROWS)


def cut_page(rows: QuerySet[Any, Any], wanted: dict[str, Any]) -> list[Any]:
    """Call inside a tenant transaction."""
    return list(rows[wanted["offset"] : wanted["offset"] + wanted["limit"]])


def describe_page(items: list[Any], total: int, wanted: dict[str, Any]) -> dict[str, Any]:
    return {"items": items, "total": total, "limit": wanted["limit"], "offset": wanted["offset"]}


def describe_usage(spent: Mapping[str, Any]) -> dict[str, int]:
    """Token counts under Hindsight's names. We do not count cached and reasoning tokens separately."""
    read, written = int(spent.get("input_tokens", 0)), int(spent.get("output_tokens", 0))
    return {
        "input_tokens": read,
        "output_tokens": written,
        "total_tokens": read + written,
        "cached_tokens": 0,
        "thoughts_tokens": 0,
    }
