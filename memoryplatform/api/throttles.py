"""Rate limits at the door: who asks too often waits, and every answer says how much is left."""

from collections.abc import Sequence
from typing import Any

from django.http import HttpRequest
from rest_framework import status
from rest_framework.exceptions import APIException

from memoryplatform.api.rate_limit import COUNTER, Allowance, list_buckets
from tenants.keys import KeyIdentity

HEADERS = ("RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset")


class RateLimited(APIException):
    status_code = status.HTTP_429_TOO_MANY_REQUESTS
    default_code = "rate_limited"

    def __init__(self, allowance: Allowance) -> None:
        self.wait = allowance.wait_seconds
        super().__init__(f"More than {allowance.limit} requests a minute: try again in {self.wait} s.")


def check_rate(request: HttpRequest, identity: KeyIdentity) -> None:
    """Counts the request and keeps what is left with it, for the answer."""
    allowance = COUNTER.take(list_buckets(identity))
    request.allowance = allowance  # type: ignore[attr-defined]  # ours, read when the answer is finished
    if allowance is not None and allowance.wait_seconds:
        raise RateLimited(allowance)


def tell_allowance(request: HttpRequest, *, headers: Sequence[str] = HEADERS) -> dict[str, str]:
    """The headers of an answer; none where nothing was counted."""
    allowance: Any = getattr(request, "allowance", None)
    if allowance is None:
        return {}
    figures = (allowance.limit, allowance.remaining, allowance.reset_seconds)
    return dict(zip(headers, map(str, figures), strict=True))
