"""The OpenAPI description: the parts that every route shares, and the view that serves it."""

import hashlib
from collections.abc import Callable
from functools import cache
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import condition, require_safe
from drf_spectacular.extensions import OpenApiSerializerExtension
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.renderers import OpenApiJsonRenderer
from drf_spectacular.utils import Direction, OpenApiParameter

from memoryplatform.api.json_format import write_json
from memoryplatform.api.serializers import ErrorOutput, Input, InvalidOutput

ERRORS: dict[int, Any] = {
    **dict.fromkeys((400, 401, 402, 403, 404, 406, 409, 413, 415, 429, 500, 503), ErrorOutput),
    422: InvalidOutput,
}
IDEMPOTENCY_KEY = OpenApiParameter(
    "Idempotency-Key",
    str,
    OpenApiParameter.HEADER,
    description="The API performs the request once per key: 409 while the first request runs, its "
    "response again afterwards, 422 if the key comes with another request. Keys are kept for "
    "24 hours.",
)
IF_MATCH = OpenApiParameter(
    "If-Match",
    str,
    OpenApiParameter.HEADER,
    description="The ETag of the last read, or several of which one must match. The API answers 412 where the resource "
    "has changed since.",
)
HINDSIGHT_PREFIX = "/v1/default/"  # the same routes once more, for Hindsight's clients
Endpoint = tuple[str, str, str, Callable[..., Any]]  # path, path as a pattern, method, view


class InputShape(OpenApiSerializerExtension):  # type: ignore[no-untyped-call]  # its stubs lack __init_subclass__
    """Documents that an `Input` refuses unknown fields."""

    target_class = Input
    match_subclasses = True

    def map_serializer(self, auto_schema: AutoSchema, direction: Direction) -> dict[str, Any]:
        described: dict[str, Any] = auto_schema._map_serializer(self.target, direction, bypass_extensions=True)  # type: ignore[no-untyped-call]  # noqa: SLF001  # the documented way
        return described | {"additionalProperties": False}


def leave_out_hindsight_prefix(endpoints: list[Endpoint]) -> list[Endpoint]:
    """Documents each route once, at its main address."""
    return [one for one in endpoints if not one[0].startswith(HINDSIGHT_PREFIX)]


@cache
def build_openapi() -> bytes:
    generator = SchemaGenerator()  # type: ignore[no-untyped-call]  # the library has no types for it
    described = generator.get_schema(request=None, public=True)  # type: ignore[no-untyped-call]  # nor for this
    return write_json(described)


@cache
def hash_openapi() -> str:
    return f'"{hashlib.sha256(build_openapi()).hexdigest()[:32]}"'


@require_safe
@condition(etag_func=lambda _: hash_openapi())
def show_openapi(_: HttpRequest) -> HttpResponse:
    return HttpResponse(build_openapi(), content_type=OpenApiJsonRenderer.media_type)
