"""Errors of tools: the API's own shape and words, as a result that the model can read and act on."""

from types import SimpleNamespace
from typing import Any

import orjson
from mcp_types import CallToolResult, TextContent
from pydantic import ValidationError
from rest_framework import exceptions

from memoryplatform.api.errors import handle_exception, readable


class HungUp(exceptions.APIException):
    """Answers nobody: it ends work that nobody waits for."""

    status_code = 499
    default_detail = "The client has left."
    default_code = "hung_up"


def describe_error(error: Exception, request_id: str) -> dict[str, Any]:
    if isinstance(error, ValidationError):
        error = name_faults(error)
    answer: dict[str, Any] = handle_exception(error, {"request": SimpleNamespace(request_id=request_id)}).data
    return answer


def name_faults(error: ValidationError) -> exceptions.ValidationError:
    """As the serializers tell them, so that there is one shape."""
    faults: dict[str, list[exceptions.ErrorDetail]] = {}
    for fault in error.errors(include_url=False, include_context=False, include_input=False):
        field = readable(".".join(str(part) for part in fault["loc"])) or "non_field_errors"
        message = "Unknown field." if fault["type"] == "extra_forbidden" else f"{fault['msg']}."
        faults.setdefault(field, []).append(exceptions.ErrorDetail(message, code=fault["type"]))
    return exceptions.ValidationError(faults)


def tell_error(described: dict[str, Any]) -> CallToolResult:
    """No structured content: that would have to look like an answer of the tool."""
    return CallToolResult(content=[TextContent(text=orjson.dumps(described).decode())], is_error=True)
