"""The base of mem0's routes. They are not ours to describe, so they stay out of our OpenAPI description."""

from collections.abc import Callable
from typing import Any, ClassVar

from rest_framework.request import Request
from rest_framework.response import Response

from memoryplatform.api.authentication import ApiKeyAuthentication
from memoryplatform.api.compat.hindsight.not_served import NotServedView
from memoryplatform.api.compat.mem0.errors import handle_mem0_exception
from memoryplatform.api.throttles import HEADERS, tell_allowance
from memoryplatform.api.views import TenantView

READ_BY_CLIENT = tuple(f"X-{name}" for name in HEADERS)


class TokenAuthentication(ApiKeyAuthentication):
    """Its client sends `Authorization: Token mpk_…`."""

    schemes: ClassVar[frozenset[str]] = frozenset({"bearer", "token"})

    def authenticate_header(self, _request: Request) -> str:
        return "Token"


class Mem0View(TenantView):
    schema = None  # DRF's way to leave a view out of the description
    authentication_classes = (TokenAuthentication,)

    def get_exception_handler(self) -> Callable[[Exception, dict[str, Any]], Any]:
        return handle_mem0_exception

    def finalize_response(self, request: Request, response: Response, *args: Any, **kwargs: Any) -> Response:
        """With the names that its client reads besides ours."""
        finished = super().finalize_response(request, response, *args, **kwargs)
        told = tell_allowance(request._request, headers=READ_BY_CLIENT)  # noqa: SLF001  # DRF keeps Django's there
        for name, value in told.items():
            finished.headers[name] = value
        return finished


class Mem0NotServedView(Mem0View, NotServedView):
    """A 501 with a sentence."""
