"""The base of mem0's routes. They are not ours to describe, so they stay out of our OpenAPI description."""

from collections.abc import Callable
from typing import Any, ClassVar

from rest_framework.request import Request

from memoryplatform.api.authentication import ApiKeyAuthentication
from memoryplatform.api.compat.hindsight.not_served import NotServedView
from memoryplatform.api.compat.mem0.errors import handle_mem0_exception
from memoryplatform.api.views import TenantView


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


class Mem0NotServedView(Mem0View, NotServedView):
    """A 501 with a sentence."""
