"""API keys: shown once, found by their prefix, compared in constant time. Also the OAuth tokens of connected apps."""

import hashlib
import hmac
import re
import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import connection
from django.utils import timezone

from tenants.models import ApiKey, ConnectedApp, Member
from tenants.models.api_key import APP_PREFIX, name_app
from tenants.transactions import tenant_transaction

# mpk_<prefix>_<secret>: the prefix finds the row, the secret (190 bits) authenticates.
KEY_FORM = re.compile(r"mpk_([0-9a-f]{12})_([0-9A-Za-z_-]{32})")
PREFIX_FORM = re.compile(r"(?:mpk_)?([0-9a-f]{12})(?:_[0-9A-Za-z_-]{32})?")
TOKEN_FORM = re.compile(r"[0-9A-Za-z_-]{86}")  # of allauth; it stores the SHA-256
LONGEST_AGENT = 200
LAST_USED_EVERY = timedelta(minutes=1)  # one write for each request would cost too much


SCOPES_OF_ROLE = {
    Member.Role.VIEWER: frozenset({"read"}),
    Member.Role.MEMBER: frozenset({"read", "write"}),
    Member.Role.ADMIN: frozenset({"read", "write", "admin"}),
    Member.Role.OWNER: frozenset({"read", "write", "admin"}),
}


@dataclass(frozen=True)
class KeyIdentity:
    """A valid key: its tenant and its rights.

    A signed-in person has `user_id` and `role`, and no prefix. A connected app has `user_id` and a prefix.
    `standing` of the tenant is empty, `suspended` by staff, or `closing`: to be erased after its grace.
    """

    id: UUID
    tenant_id: UUID
    prefix: str
    scopes: frozenset[str]
    banks: frozenset[str] | None
    last_used_at: datetime | None
    user_id: UUID | None = None
    role: str = ""
    standing: str = ""

    def allows(self, scope: str) -> bool:
        return scope in self.scopes or ApiKey.Scope.ADMIN in self.scopes

    @property
    def is_app(self) -> bool:
        return self.prefix.startswith(APP_PREFIX)


def make_key(tenant_id: UUID, *, name: str, scopes: list[str], **fields: Any) -> tuple[ApiKey, str]:
    """Store a new key and return it with its text, which is not stored. Call inside a tenant transaction."""
    prefix, secret = secrets.token_hex(6), secrets.token_urlsafe(24)
    key = ApiKey.objects.for_tenant(tenant_id).create(
        name=name, prefix=prefix, digest=digest_of(prefix, secret), scopes=scopes, **fields
    )
    return key, f"mpk_{prefix}_{secret}"


def find_identity(text: str) -> KeyIdentity | None:
    """The identity of a key or of an app's token; None if it is malformed, unknown, wrong, expired or revoked."""
    match = KEY_FORM.fullmatch(text)
    if match is None:
        return find_app(text)
    prefix, secret = match.groups()
    row = look_up(prefix)
    stored = bytes(row[2]) if row else bytes(32)
    if not hmac.compare_digest(stored, digest_of(prefix, secret)) or row is None:
        return None
    key_id, tenant_id, _, scopes, banks, last_used_at, standing = row
    return KeyIdentity(
        id=key_id,
        tenant_id=tenant_id,
        prefix=prefix,
        scopes=frozenset(scopes),
        banks=None if banks is None else frozenset(banks),
        last_used_at=last_used_at,
        standing=standing,
    )


def find_app(text: str, *, kind: str = "at") -> KeyIdentity | None:
    """The identity of an app by its access token, or by another kind of token.

    The person's role is read now: nobody's app may do more than the person may today.
    """
    if not TOKEN_FORM.fullmatch(text):
        return None
    with connection.cursor() as cursor:
        wanted = [hashlib.sha256(text.encode()).hexdigest(), kind]
        cursor.execute(
            "SELECT id, tenant_id, user_id, role, scopes, banks, last_used_at, standing FROM app_by_token(%s, %s)",
            wanted,
        )
        row = cursor.fetchone()
    if row is None:
        return None
    app_id, tenant_id, user_id, role, scopes, banks, last_used_at, standing = row
    return KeyIdentity(
        id=app_id,
        tenant_id=tenant_id,
        prefix=name_app(app_id),
        scopes=frozenset(scopes) & SCOPES_OF_ROLE[Member.Role(role)],
        banks=None if banks is None else frozenset(banks),
        last_used_at=last_used_at,
        user_id=user_id,
        standing=standing,
    )


def read_prefix(text: str) -> str | None:
    """The prefix of a key, or of its public part."""
    match = PREFIX_FORM.fullmatch(text)
    return match and match[1]


def look_up(prefix: str) -> tuple[Any, ...] | None:
    """Use a function of the owner, which sees every tenant and answers this one question only."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT id, tenant_id, digest, scopes, banks, last_used_at, standing FROM api_key_by_prefix(%s)", [prefix]
        )
        row: tuple[Any, ...] | None = cursor.fetchone()
        return row


def digest_of(prefix: str, secret: str) -> bytes:
    return hmac.digest(settings.API_KEY_SECRET.encode(), f"{prefix}_{secret}".encode(), hashlib.sha256)


def note_use(identity: KeyIdentity, *, address: str | None = None, agent: str = "") -> None:
    """Time, address and user agent of the last use, written at most once a minute."""
    now = timezone.now()
    if identity.last_used_at is not None and now - identity.last_used_at < LAST_USED_EVERY:
        return
    credential: type[ApiKey | ConnectedApp] = ConnectedApp if identity.is_app else ApiKey
    with tenant_transaction(identity.tenant_id):
        credential.objects.for_tenant(identity.tenant_id).filter(id=identity.id).update(
            last_used_at=now, last_used_address=address or None, last_used_agent=agent[:LONGEST_AGENT]
        )


def revoke_key(key: ApiKey) -> None:
    """Takes effect at once: the look-up of the next request finds nothing. Call inside a tenant transaction."""
    ApiKey.objects.for_tenant(key.tenant_id).filter(id=key.id, revoked_at=None).update(revoked_at=timezone.now())
