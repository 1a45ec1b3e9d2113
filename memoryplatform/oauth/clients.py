"""OAuth clients: the rules for their registration, and the addresses that metadata and tokens name."""

import re
from datetime import timedelta
from typing import Any, ClassVar
from urllib.parse import urlsplit

from allauth.core.exceptions import ImmediateHttpResponse
from allauth.idp.oidc.adapter import DefaultOIDCAdapter
from allauth.idp.oidc.models import Client, Token
from django.conf import settings
from django.core.exceptions import ValidationError
from django.http import HttpRequest, JsonResponse
from django.utils import timezone

SCOPES = {
    "read": "Read: recall and list memories",
    "write": "Write: retain, correct and delete memories",
}
GRANT_TYPES = ["authorization_code", "refresh_token"]
MOST_REDIRECT_URIS = 10
LONGEST_URI = 1_000
LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
SCHEME = re.compile(r"[a-z][a-z0-9+.-]+")  # apps on a device have schemes of their own, such as cursor://
UNSAFE_SCHEMES = frozenset({"javascript", "data", "vbscript", "file", "blob", "about", "ftp", "ws", "wss", "mailto"})


UNUSED = {"dcr": True}  # `data` of a client until the first consent
UNUSED_DAYS = 7


class OAuthAdapter(DefaultOIDCAdapter):  # type: ignore[misc]  # allauth has no types
    scope_display: ClassVar[dict[str, str]] = SCOPES

    def get_issuer(self) -> str:
        return get_base_url(self.request)

    def validate_client_registration(self, *, client: Client, client_metadata: dict[str, Any], **_: Any) -> None:
        """RFC 7591 lets a server replace the metadata. Every client gets the code flow and refresh, and no other."""
        uris = client.get_redirect_uris()
        if len(uris) > MOST_REDIRECT_URIS or not all(is_safe_redirect(uri) for uri in uris):
            sentence = (
                f"Give 1 to {MOST_REDIRECT_URIS} redirect URIs: https, http on localhost, or the scheme of an app, "
                "without fragment, wildcard and password."
            )
            fault = {"error": "invalid_redirect_uri", "error_description": sentence}
            raise ImmediateHttpResponse(JsonResponse(fault, status=400))
        if not client.name.isprintable():
            raise ValidationError("The client's name must be printable.")
        scopes = [scope for scope in SCOPES if scope in client.get_scopes()] or list(SCOPES)
        client.set_scopes(scopes)
        client.set_default_scopes(scopes)
        client.set_grant_types(GRANT_TYPES)
        client.set_response_types(["code"])
        client.data = UNUSED  # the caller's own metadata may be of any size
        forget_unused()

    def validate_resource_uris(self, *, uris: list[str], **_: Any) -> None:
        """RFC 8707: a token of this server is for this server."""
        base = get_base_url(self.request)
        if any(uri.rstrip("/") != base and not f"{uri}/".startswith((f"{base}/mcp/", f"{base}/v1/")) for uri in uris):
            raise ValidationError("This server gives no tokens for another resource.")


def forget_unused() -> None:
    """Deletes registrations that nobody allowed within a week, and expired tokens."""
    Client.objects.filter(data=UNUSED, created_at__lt=timezone.now() - timedelta(days=UNUSED_DAYS)).delete()
    Token.objects.expired().delete()


def get_base_url(request: HttpRequest) -> str:
    """PUBLIC_URL, or the host of the request, which ALLOWED_HOSTS limits."""
    return settings.PUBLIC_URL or request.build_absolute_uri("/").rstrip("/")


def is_safe_redirect(uri: str) -> bool:
    if len(uri) > LONGEST_URI or not uri.isprintable() or not uri.isascii() or set(uri) & set(" #*\\"):
        return False
    try:
        parts = urlsplit(uri)
        host, _ = parts.hostname, parts.port
    except ValueError:
        return False
    if parts.username is not None or parts.password is not None:
        return False
    match parts.scheme:
        case "https":
            return bool(host)
        case "http":
            return host in LOOPBACK
        case scheme:
            return bool(SCHEME.fullmatch(scheme)) and scheme not in UNSAFE_SCHEMES


def describe_challenge(request: HttpRequest, path: str, *, failed: bool) -> str:
    """The `WWW-Authenticate` header of a 401 from `/mcp` (RFC 9728): where a client finds the authorization server."""
    error = ', error="invalid_token"' if failed else ""
    metadata = f"{get_base_url(request)}/.well-known/oauth-protected-resource{path.rstrip('/')}"
    return f'Bearer resource_metadata="{metadata}", scope="{" ".join(SCOPES)}"{error}'
