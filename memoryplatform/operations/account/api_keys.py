"""API keys of a tenant, for its own people: create, rotate, revoke, list. A key's text is returned once."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.utils import timezone

from memoryplatform.operations.account.access import Right, TenantAccess
from memoryplatform.operations.account.errors import AccountInvalid, ApiKeyEnded, ApiKeyNotFound, ApiKeyRotated
from tenants.keys import make_key
from tenants.keys import revoke_key as end_key
from tenants.models import ApiKey, Member
from tenants.transactions import tenant_transaction

LONGEST_OVERLAP = timedelta(days=90)
LONGEST_LIFE = timedelta(days=3_650)
MOST_BANKS = 1_000


@dataclass(frozen=True)
class KeyRequest:
    """`banks` None is every bank. `expires_at` None is never."""

    name: str
    scopes: tuple[str, ...]
    banks: tuple[str, ...] | None = None
    expires_at: datetime | None = None


@dataclass(frozen=True)
class NewKey:
    """`text` is the key itself. It is not stored and can't be shown again."""

    key: ApiKey
    text: str


@dataclass(frozen=True)
class ListedKey:
    """`maker_left`: the person who made the key is no longer a member. The key stays the tenant's."""

    key: ApiKey
    maker_left: bool


def list_keys(access: TenantAccess) -> list[ListedKey]:
    """All keys, the newest first, with revoked and expired ones."""
    access.require(Right.MANAGE)
    with tenant_transaction(access.tenant_id):
        members = set(Member.objects.for_tenant(access.tenant_id).values_list("user_id", flat=True))
        rows = ApiKey.objects.for_tenant(access.tenant_id).select_related("created_by", "replaced_by").order_by("-id")
        return [ListedKey(key, key.created_by_id is not None and key.created_by_id not in members) for key in rows]


def create_key(access: TenantAccess, request: KeyRequest) -> NewKey:
    access.require(Right.MANAGE)
    check_request(request)
    with tenant_transaction(access.tenant_id):
        key, text = make_key(
            access.tenant_id,
            name=request.name.strip(),
            scopes=sorted(set(request.scopes)),
            banks=None if request.banks is None else sorted(set(request.banks)),
            expires_at=request.expires_at,
            created_by_id=access.actor.user_id,
        )
        access.record("api_key.created", f"api_key:{key.prefix}", {"name": key.name, "scopes": key.scopes})
    return NewKey(key, text)


def check_request(request: KeyRequest) -> None:
    faults = {}
    if not request.name.strip():
        faults["name"] = "A key needs a name."
    if not request.scopes or not set(request.scopes) <= set(ApiKey.Scope.values):
        faults["scopes"] = "Choose at least one of read, write and admin."
    if request.banks is not None and not 0 < len(request.banks) <= MOST_BANKS:
        faults["banks"] = f"Name 1 to {MOST_BANKS} banks, or leave the list out for every bank."
    if request.expires_at is not None and request.expires_at <= timezone.now():
        faults["expires_at"] = "This moment has passed."
    elif request.expires_at is not None and request.expires_at > timezone.now() + LONGEST_LIFE:
        faults["expires_at"] = f"Choose a moment within {LONGEST_LIFE.days:,} days, or none for a key without an end."
    if faults:
        raise AccountInvalid(faults)


def rotate_key(access: TenantAccess, key_id: UUID, *, overlap: timedelta) -> NewKey:
    """Makes a successor with the same rights. Both keys work until the overlap is over."""
    access.require(Right.MANAGE)
    if not timedelta(0) <= overlap <= LONGEST_OVERLAP:
        raise AccountInvalid({"overlap": f"Give 0 to {LONGEST_OVERLAP.days} days."})
    now = timezone.now()
    with tenant_transaction(access.tenant_id):
        old = get_key(access.tenant_id, key_id, lock=True)
        if old.replaced_by_id is not None:
            raise ApiKeyRotated(get_key(access.tenant_id, old.replaced_by_id).prefix)
        if old.revoked_at or (old.expires_at and old.expires_at <= now):
            raise ApiKeyEnded
        new, text = make_key(
            access.tenant_id,
            name=old.name,
            scopes=old.scopes,
            banks=old.banks,
            expires_at=old.expires_at,
            created_by_id=access.actor.user_id,
        )
        ends = now + overlap
        old.expires_at = min(old.expires_at, ends) if old.expires_at else ends
        old.replaced_by = new
        old.save(update_fields=["expires_at", "replaced_by"])
        detail = {"successor": new.prefix, "until": old.expires_at.isoformat()}
        access.record("api_key.rotated", f"api_key:{old.prefix}", detail)
    return NewKey(new, text)


def revoke_key(access: TenantAccess, key_id: UUID) -> ApiKey:
    """Takes effect with the next request. A second call changes nothing."""
    access.require(Right.MANAGE)
    with tenant_transaction(access.tenant_id):
        key = get_key(access.tenant_id, key_id, lock=True)
        if key.revoked_at is None:
            end_key(key)
            access.record("api_key.revoked", f"api_key:{key.prefix}")
        key.refresh_from_db()
        return key


def get_key(tenant_id: UUID, key_id: UUID, *, lock: bool = False) -> ApiKey:
    """Call inside a tenant transaction. A locked row comes without joins, which would show a state before the lock."""
    rows = ApiKey.objects.for_tenant(tenant_id).filter(id=key_id)
    key = (rows.select_for_update() if lock else rows).first()
    if key is None:
        raise ApiKeyNotFound
    return key
