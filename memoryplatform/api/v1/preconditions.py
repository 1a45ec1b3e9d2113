"""`If-Match` on edits, and the ETag that it repeats."""

from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request

IF_MATCH = OpenApiParameter(
    "If-Match",
    str,
    OpenApiParameter.HEADER,
    description="The ETag that it had when it was read: 412 where somebody else edited it since.",
)


def write_etag(version: str) -> dict[str, str]:
    return {"ETag": f'"{version}"'}


def read_expected(request: Request) -> str | None:
    given = request.headers.get("If-Match", "*").strip()
    return None if given == "*" else given.removeprefix("W/").strip('"')
