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

from banks.errors import BankIdInvalid
from memoryplatform.api.authentication import ApiKeyAuthentication
from memoryplatform.api.errors import describe_unknown_host, handle_exception
from memoryplatform.api.json_format import check_not_compressed
from memoryplatform.api.mcp.tools.tool import DEFAULT_BANK, Caller, ToolSet
from memoryplatform.api.throttling import KeyAndTenantThrottle, RateLimited
from memoryplatform.oauth.clients import describe_challenge
from memoryplatform.operations.banks.profile import get_bank
from tenants.bank_ids import WORDS, is_bank_id
from tenants.transactions import tenant_transaction

ALL_BANKS, ONE_BANK = "/mcp/", "/mcp/<str:bank_id>/"  # names in the log and the metrics
JSON = "application/json"
BANK_HEADER = "X-Bank-Id"  # Hindsight's: the bank of calls at /mcp/ that name none
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
    caller = Caller(
        identity,
        request.request_id,  # type: ignore[attr-defined]  # ours, see open_request
        names[0] if names else None,
        request.META.get("REMOTE_ADDR") or None,
        read_tool_set(request),
        request.headers.get(BANK_HEADER, "").strip() or DEFAULT_BANK,
    )
    if caller.bank_id is not None:
        check_bank(caller, caller.bank_id)
    return caller


def read_tool_set(request: ASGIRequest) -> ToolSet:
    given = request.GET.get("tools", ToolSet.HINDSIGHT.value)
    try:
        return ToolSet(given)
    except ValueError:
        names = " or ".join(one.value for one in ToolSet)
        raise ParseError(f"The parameter tools of the address must be {names}.", code="bad_request") from None


def check_bank(caller: Caller, bank_id: str) -> None:
    """With Hindsight's tools the bank may be missing: the first write makes it."""
    if caller.tool_set is ToolSet.NATIVE or not caller.access.reaches(bank_id):
        with tenant_transaction(caller.identity.tenant_id):
            get_bank(caller.access, bank_id)
    elif not is_bank_id(bank_id):
        raise BankIdInvalid(WORDS)


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
