"""The first wall: the API key decides the tenant, and nothing in the request can change it."""

from typing import ClassVar

import structlog
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from rest_framework.authentication import BaseAuthentication
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from tenants.keys import KeyIdentity, find_identity, note_use


class ApiKeyAuthentication(BaseAuthentication):
    """`Authorization: Bearer mpk_…`, or the key alone. Every bad key gets the same answer, whatever is wrong."""

    schemes: ClassVar[frozenset[str]] = frozenset({"bearer"})

    def authenticate(self, request: Request) -> tuple[None, KeyIdentity]:
        scheme, _, key = request.headers.get("Authorization", "").strip().rpartition(" ")
        identity = find_identity(key) if not scheme or scheme.strip().lower() in self.schemes else None
        if identity is None:
            raise AuthenticationFailed("Authentication failed: send a valid API key as a bearer token.")
        structlog.contextvars.bind_contextvars(tenant_id=str(identity.tenant_id))
        note_use(identity)
        return None, identity

    def authenticate_header(self, _request: Request) -> str:
        return "Bearer"


class ApiKeyScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]  # its stubs lack __init_subclass__
    target_class = ApiKeyAuthentication
    name = "apiKey"

    def get_security_definition(self, auto_schema: object) -> dict[str, str]:
        return {"type": "http", "scheme": "bearer", "description": "An API key, such as mpk_0a1b2c3d4e5f_…"}
