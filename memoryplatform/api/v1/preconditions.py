"""`If-Match` on edits and deletions, and the ETag that it repeats."""

from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request

IF_MATCH = OpenApiParameter(
    "If-Match",
    str,
    OpenApiParameter.HEADER,
    description="The ETag that it had when it was read, or several of which one must fit: 412 where somebody else "
    "edited it since.",
)


def write_etag(version: str) -> dict[str, str]:
    return {"ETag": f'"{version}"'}


def read_expected(request: Request) -> frozenset[str] | None:
    """One of these versions must be the one that is held; None where any is."""
    given = request.headers.get("If-Match", "*").strip()
    if given == "*":
        return None
    return frozenset(tag.strip().removeprefix("W/").strip('"') for tag in given.split(","))
