"""Before MCP: which host and origin, whose key, which bank. Whoever is not let in gets the API's own errors."""

from collections.abc import Sequence
from io import BytesIO
from urllib.parse import urlsplit

from django.conf import settings
from django.core.exceptions import DisallowedHost
from django.core.handlers.asgi import ASGIRequest
from django.http.request import validate_host
from rest_framework.exceptions import (
    AuthenticationFailed,
    MethodNotAllowed,
    NotFound,
    ParseError,
    PermissionDenied,
    UnsupportedMediaType,
)
from rest_framework.request import Request
from rest_framework.response import Response

from memoryplatform.api.authentication import ApiKeyAuthentication
from memoryplatform.api.errors import handle_exception
from memoryplatform.api.foreign_hosts import describe_foreign_host
from memoryplatform.api.mcp.caller import Caller
from memoryplatform.api.parsers import check_not_compressed
from memoryplatform.api.throttles import check_rate
from memoryplatform.operations.banks.profile import get_bank
from memoryplatform.server.body_limit import Message
from tenants.transactions import tenant_transaction

ALL_BANKS, ONE_BANK = "/mcp/", "/mcp/<str:bank_id>/"  # as the log and the metrics name them
JSON = "application/json"
AUTHENTICATION = ApiKeyAuthentication()


def open_request(scope: Message, request_id: str) -> ASGIRequest:
    """As Django reads it, without its body: so hosts and proxies mean the same here as everywhere else."""
    request = ASGIRequest(scope, BytesIO())
    request.request_id = request_id  # type: ignore[attr-defined]  # ours, read by the API's errors
    return request


def split_path(path: str) -> Sequence[str]:
    """What stands behind `/mcp`: nothing, or the id of a bank, with or without a slash at the end."""
    return [part for part in path.removeprefix("/mcp").split("/") if part]


def name_route(request: ASGIRequest) -> str:
    """The route, not the path: a path holds the caller's own names."""
    return ONE_BANK if split_path(request.path_info) else ALL_BANKS


def let_in(request: ASGIRequest) -> Caller:
    """Runs in a thread: it reads the key, and the bank where the address names one."""
    check_address(request)
    _, identity = AUTHENTICATION.authenticate(Request(request))
    check_rate(request, identity)
    if request.method != "POST":  # without sessions there is nothing to listen to and nothing to end
        raise MethodNotAllowed(str(request.method))
    if request.content_type != JSON:
        raise UnsupportedMediaType(str(request.content_type))
    check_not_compressed(request)
    names = split_path(request.path_info)
    if len(names) > 1:
        raise NotFound("There is nothing at this address.")
    caller = Caller(identity, request.request_id, names[0] if names else None)  # type: ignore[attr-defined]  # ours
    if caller.bank_id is not None:
        with tenant_transaction(identity.tenant_id):
            get_bank(caller.access, caller.bank_id)
    return caller


def check_address(request: ASGIRequest) -> None:
    """A page that got its name to mean our address, as DNS rebinding does, has a host or an origin that is not ours."""
    try:
        request.get_host()
    except DisallowedHost:
        raise ParseError(describe_foreign_host(request), code="bad_request") from None
    if settings.SECURE_SSL_REDIRECT and not request.is_secure():
        raise PermissionDenied("Use https: what came in here could be read on its way.")
    origin = request.headers.get("Origin")
    if origin is not None and not is_trusted(origin):
        raise PermissionDenied("Pages of this origin may not call.")


def is_trusted(origin: str) -> bool:
    if origin in settings.CSRF_TRUSTED_ORIGINS or {origin, "*"} & set(settings.CORS_ALLOWED_ORIGINS):
        return True
    try:
        host = urlsplit(origin).hostname
    except ValueError:
        return False
    return host is not None and validate_host(host, settings.ALLOWED_HOSTS)


def refuse(error: Exception, request: ASGIRequest) -> Response:
    response = handle_exception(error, {"request": request})
    if isinstance(error, AuthenticationFailed):
        response.headers["WWW-Authenticate"] = AUTHENTICATION.authenticate_header(Request(request))
    if isinstance(error, MethodNotAllowed):
        response.headers["Allow"] = "POST"
    return response
