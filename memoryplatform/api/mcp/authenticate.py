"""Authentication of MCP requests: host, origin, key, rate limit and bank. Refusals are the API's own errors."""

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
from starlette.types import Message

from memoryplatform.api.authentication import ApiKeyAuthentication
from memoryplatform.api.errors import describe_unknown_host, handle_exception
from memoryplatform.api.json_format import check_not_compressed
from memoryplatform.api.mcp.tools.tool import Caller
from memoryplatform.api.throttling import KeyAndTenantThrottle, RateLimited
from memoryplatform.oauth.clients import describe_challenge
from memoryplatform.operations.banks.profile import get_bank
from tenants.transactions import tenant_transaction

ALL_BANKS, ONE_BANK = "/mcp/", "/mcp/<str:bank_id>/"  # names in the log and the metrics
JSON = "application/json"
KEY_AUTHENTICATION, THROTTLE = ApiKeyAuthentication(), KeyAndTenantThrottle()


def open_request(scope: Message, request_id: str) -> ASGIRequest:
    """A Django request without its body, so that the settings for hosts and proxies apply here too."""
    request = ASGIRequest(scope, BytesIO())
    request.request_id = request_id  # type: ignore[attr-defined]  # ours, read by the API's errors
    return request


def split_path(path: str) -> Sequence[str]:
    """The path segments after `/mcp`: none, or a bank id."""
    return [part for part in path.removeprefix("/mcp").split("/") if part]


def name_route(request: ASGIRequest) -> str:
    """The route instead of the path, because a path contains the caller's names."""
    return ONE_BANK if split_path(request.path_info) else ALL_BANKS


def authenticate(request: ASGIRequest) -> Caller:
    """Checks everything that the headers and the path say. It queries the database, so call it in a thread."""
    check_address(request)
    keyed = Request(request)
    _, identity = KEY_AUTHENTICATION.authenticate(keyed)
    keyed.auth = identity
    if not THROTTLE.allow_request(keyed):
        raise RateLimited(keyed)
    if request.method != "POST":  # without sessions GET and DELETE have no meaning
        raise MethodNotAllowed(str(request.method))
    if request.content_type != JSON:
        raise UnsupportedMediaType(str(request.content_type))
    check_not_compressed(request)
    names = split_path(request.path_info)
    if len(names) > 1:
        raise NotFound("There is nothing at this address.")
    address = request.META.get("REMOTE_ADDR") or None
    caller = Caller(identity, request.request_id, names[0] if names else None, address)  # type: ignore[attr-defined]
    if caller.bank_id is not None:
        with tenant_transaction(identity.tenant_id):
            get_bank(caller.access, caller.bank_id)
    return caller


def check_address(request: ASGIRequest) -> None:
    """Prevents DNS rebinding: a foreign page has a host or an origin that is not ours."""
    try:
        request.get_host()
    except DisallowedHost:
        raise ParseError(describe_unknown_host(request), code="bad_request") from None
    if settings.SECURE_SSL_REDIRECT and not request.is_secure():
        raise PermissionDenied("Use https: this request was not encrypted.")
    origin = request.headers.get("Origin")
    if origin is not None and not is_trusted(origin):
        raise PermissionDenied("Requests from this origin are not allowed.")


def is_trusted(origin: str) -> bool:
    if origin in settings.CSRF_TRUSTED_ORIGINS or {origin, "*"} & set(settings.CORS_ALLOWED_ORIGINS):
        return True
    try:
        host = urlsplit(origin).hostname
    except ValueError:
        return False
    return host is not None and validate_host(host, settings.ALLOWED_HOSTS)


def build_refusal(error: Exception, request: ASGIRequest) -> Response:
    response = handle_exception(error, {"request": request})
    if isinstance(error, AuthenticationFailed):
        failed = bool(request.headers.get("Authorization"))
        response.headers["WWW-Authenticate"] = describe_challenge(request, request.path_info, failed=failed)
    if isinstance(error, MethodNotAllowed):
        response.headers["Allow"] = "POST"
    return response
