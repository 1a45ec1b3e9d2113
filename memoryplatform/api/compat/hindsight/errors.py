"""Errors as Hindsight tells them: `{"detail": "a sentence"}`, or a list of faults where the request is wrong."""

from typing import Any

from rest_framework import status
from rest_framework.exceptions import APIException
from rest_framework.response import Response

from banks.errors import BankNotFound
from memoryplatform.api.compat.hindsight.tolerance import InvalidQuery
from memoryplatform.api.errors import handle_exception


class Unprocessable(APIException):
    """A 422 that Hindsight tells in a sentence."""

    status_code = status.HTTP_422_UNPROCESSABLE_ENTITY


class BadRequest(APIException):
    status_code = status.HTTP_400_BAD_REQUEST


class Conflict(APIException):
    status_code = status.HTTP_409_CONFLICT


class NotOffered(APIException):
    status_code = status.HTTP_501_NOT_IMPLEMENTED


def handle_hindsight_exception(error: Exception, context: dict[str, Any]) -> Response:
    """What our own handler makes of it, in Hindsight's shape. The request id stays in its header."""
    response = handle_exception(error, context)
    method = "GET" if isinstance(error, InvalidQuery) else context["request"].method
    faults = [describe_fault(fault, place_of(fault, method)) for fault in response.data.get("errors", ())]
    response.data = {"detail": faults or response.data["detail"]}
    if isinstance(error, BankNotFound):
        response.data = {"detail": response.data["detail"].removesuffix(".")}  # clients of Hindsight compare the text
    return response


def place_of(fault: dict[str, str], method: str) -> str:
    """Nothing is named in the body of a deletion, which may be at fault only as a whole."""
    return "query" if method == "GET" or (method == "DELETE" and fault["field"]) else "body"


def describe_fault(fault: dict[str, str], place: str) -> dict[str, Any]:
    path = [int(part) if part.isdigit() else part for part in fault["field"].split(".") if part]
    return {"type": fault["code"], "loc": [place, *path], "msg": fault["message"]}
