"""What the OpenAPI description says of every route alike."""

from typing import Any

from drf_spectacular.extensions import OpenApiSerializerExtension
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.utils import Direction, OpenApiParameter

from memoryplatform.api.serializers import ErrorOutput, Input, InvalidOutput

ERRORS: dict[int, Any] = {
    400: ErrorOutput,
    401: ErrorOutput,
    403: ErrorOutput,
    404: ErrorOutput,
    406: ErrorOutput,
    409: ErrorOutput,
    413: ErrorOutput,
    415: ErrorOutput,
    422: InvalidOutput,
    429: ErrorOutput,
    500: ErrorOutput,
    503: ErrorOutput,
}

IDEMPOTENCY_KEY = OpenApiParameter(
    "Idempotency-Key",
    str,
    OpenApiParameter.HEADER,
    description="The request is performed once for each key: 409 while it is being served, the same answer again "
    "when it is done, 422 where the key comes with another request. Kept for 24 hours.",
)


class InputShape(OpenApiSerializerExtension):  # type: ignore[no-untyped-call]  # its stubs lack __init_subclass__
    """Of every `Input`: a field that it does not know is refused."""

    target_class = Input
    match_subclasses = True

    def map_serializer(self, auto_schema: AutoSchema, direction: Direction) -> dict[str, Any]:
        described: dict[str, Any] = auto_schema._map_serializer(self.target, direction, bypass_extensions=True)  # type: ignore[no-untyped-call]  # noqa: SLF001  # the documented way
        return described | {"additionalProperties": False}
