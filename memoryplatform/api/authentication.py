"""API keys: the key decides the tenant, and its scopes decide the methods."""

from typing import TYPE_CHECKING, ClassVar, cast

import structlog
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from rest_framework.authentication import BaseAuthentication
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.permissions import SAFE_METHODS, BasePermission
from rest_framework.request import Request

from memoryplatform.operations.account.errors import TenantClosing, TenantSuspended
from tenants.keys import KeyIdentity, find_identity, note_use
from tenants.models import ApiKey

if TYPE_CHECKING:  # rest_framework.views loads this module during its own import
    from rest_framework.views import APIView


class ApiKeyAuthentication(BaseAuthentication):
    """`Authorization: Bearer mpk_…`, or the key alone. Every invalid key gets the same response."""

    schemes: ClassVar[frozenset[str]] = frozenset({"bearer"})

    def authenticate(self, request: Request) -> tuple[None, KeyIdentity]:
        scheme, _, key = request.headers.get("Authorization", "").strip().rpartition(" ")
        identity = find_identity(key) if not scheme or scheme.strip().lower() in self.schemes else None
        if identity is None:
            raise AuthenticationFailed("Authentication failed: send a valid API key as a bearer token.")
        check_standing(identity.standing)
        structlog.contextvars.bind_contextvars(tenant_id=str(identity.tenant_id))
        note_use(
            identity, address=request.META.get("REMOTE_ADDR"), agent=printable(request.headers.get("User-Agent", ""))
        )
        return None, identity

    def authenticate_header(self, _request: Request) -> str:
        return "Bearer"


def check_standing(standing: str) -> None:
    """Only a caller with a valid credential learns why it is refused."""
    if standing == "suspended":
        raise TenantSuspended
    if standing == "closing":
        raise TenantClosing


class ApiKeyScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]  # its stubs lack __init_subclass__
    target_class = ApiKeyAuthentication
    name = "apiKey"

    def get_security_definition(self, auto_schema: object) -> dict[str, str]:
        return {"type": "http", "scheme": "bearer", "description": "An API key, such as mpk_0a1b2c3d4e5f_…"}


class HasScope(BasePermission):
    """Safe methods need the scope `read`, others `write`. A view may override this in `scopes`, e.g. "write read"."""

    def has_permission(self, request: Request, view: "APIView") -> bool:
        wanted = list_scopes(request, view)
        identity = cast("KeyIdentity", request.auth)
        missing = [scope for scope in wanted if not identity.allows(scope)]
        caller = "This API key" if identity.prefix else "Your role"
        self.message = f"{caller} lacks the scope '{' '.join(missing)}'."
        return not missing


def list_scopes(request: Request, view: "APIView") -> list[str]:
    usual = ApiKey.Scope.READ if request.method in SAFE_METHODS else ApiKey.Scope.WRITE
    scopes: str = getattr(view, "scopes", {}).get(request.method, usual)
    return scopes.split()


def may_write(request: Request, view: "APIView") -> bool:
    """Whether the request has a scope that allows writing. A search by POST has not."""
    return request.method not in SAFE_METHODS and list_scopes(request, view) != [ApiKey.Scope.READ]


def printable(text: str) -> str:
    """Without control characters, which Postgres or a page may not take."""
    return "".join(character for character in text if character.isprintable())
