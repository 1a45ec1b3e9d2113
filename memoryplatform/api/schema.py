"""What the OpenAPI description says of every route alike."""

from typing import Any

from drf_spectacular.utils import OpenApiParameter

from memoryplatform.api.serializers import ErrorOutput, InvalidOutput

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
