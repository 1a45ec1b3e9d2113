"""Errors as mem0 tells them. It writes the sentence to `detail`, `error` or `message`, so it stands in all three."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from rest_framework import serializers, status
from rest_framework.exceptions import APIException, AuthenticationFailed
from rest_framework.response import Response

from banks.errors import MemoryChanged, MemoryNotFound
from memoryplatform.api.errors import handle_exception

SHAPE = ("detail", "error", "message")
SENTENCES: dict[type[Exception], str] = {
    MemoryNotFound: "Memory not found!",
    AuthenticationFailed: "Authentication failed: send a valid API key, as in `Authorization: Token mpk_…`.",
}


class NotFound(APIException):
    status_code = status.HTTP_404_NOT_FOUND


@contextmanager
def naming(field: str) -> Iterator[None]:
    """What is refused inside is told as a fault of this field."""
    try:
        yield
    except serializers.ValidationError as fault:
        raise serializers.ValidationError({field: fault.detail}) from fault


def handle_mem0_exception(error: Exception, context: dict[str, Any]) -> Response:
    """What our own handler makes of it, in its shape. A request that can't be followed is always a 400 there."""
    response = handle_exception(error, context)
    if response.status_code == status.HTTP_422_UNPROCESSABLE_ENTITY:
        response.status_code = status.HTTP_400_BAD_REQUEST
    if isinstance(error, MemoryChanged):
        response.status_code = status.HTTP_409_CONFLICT
    sentence = SENTENCES.get(type(error)) or response.data["detail"]
    response.data = dict.fromkeys(SHAPE, sentence)
    return response
