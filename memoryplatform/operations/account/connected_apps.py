"""Apps that act for a member by OAuth: connect, list, disconnect."""

from dataclasses import dataclass
from uuid import UUID

from allauth.idp.oidc.models import Client, Token
from django.db import IntegrityError
from django.utils import timezone

from memoryplatform.operations.account.access import Right, TenantAccess
from memoryplatform.operations.account.api_keys import MOST_BANKS
from memoryplatform.operations.account.errors import AccountInvalid, AppNotFound
from memoryplatform.operations.account.members import get_member
from tenants.keys import SCOPES_OF_ROLE
from tenants.memberships import list_memberships
from tenants.models import ConnectedApp
from tenants.scoping import TenantQuerySet
from tenants.transactions import tenant_transaction


@dataclass(frozen=True)
class Consent:
    """`banks` None is every bank."""

    client_id: str
    scopes: tuple[str, ...]
    banks: tuple[str, ...] | None = None


def connect_app(access: TenantAccess, consent: Consent) -> ConnectedApp:
    """Replaces an earlier consent of the person for the same app, in whichever tenant, and ends its tokens.

    Precondition: the caller is a signed-in person.
    """
    user_id = access.actor.user_id
    if user_id is None:
        raise AccountInvalid({"tenant": "Only a person can connect an app."})
    check_consent(access, consent)
    for membership in list_memberships(user_id):
        with tenant_transaction(membership.tenant_id):
            open_apps(membership.tenant_id).filter(client_id=consent.client_id, user_id=user_id).update(
                revoked_at=timezone.now()
            )
    try:
        with tenant_transaction(access.tenant_id):
            end_tokens(consent.client_id, user_id)
            Client.objects.filter(id=consent.client_id).update(data=None)  # used, so it is kept
            app = ConnectedApp.objects.for_tenant(access.tenant_id).create(
                client_id=consent.client_id,
                user_id=user_id,
                member=get_member(access.tenant_id, user_id),
                scopes=sorted(set(consent.scopes)),
                banks=None if consent.banks is None else sorted(set(consent.banks)),
            )
            access.record("app.connected", f"app:{app.prefix}", {"name": app.client.name, "scopes": app.scopes})
            return app
    except IntegrityError as error:
        raise AccountInvalid({"tenant": "This app was connected a moment ago. Try again."}) from error


def check_consent(access: TenantAccess, consent: Consent) -> None:
    faults = {}
    missing = set(consent.scopes) - SCOPES_OF_ROLE[access.role]
    if missing:
        faults["scopes"] = f"Your role there is {access.role.value}, which lacks: {', '.join(sorted(missing))}."
    if consent.banks is not None and not 0 < len(consent.banks) <= MOST_BANKS:
        faults["banks"] = f"Name 1 to {MOST_BANKS} banks, or leave the list out for every bank."
    if faults:
        raise AccountInvalid(faults)


def list_apps(access: TenantAccess) -> list[ConnectedApp]:
    """The open ones, newest first: all of the tenant for those who manage it, else the person's own."""
    access.require(Right.VIEW)
    with tenant_transaction(access.tenant_id):
        rows = open_apps(access.tenant_id).select_related("client", "user", "member").order_by("-id")
        return [one for one in rows if access.allows(Right.MANAGE) or one.user_id == access.actor.user_id]


def disconnect_app(access: TenantAccess, app_id: UUID) -> None:
    """Takes effect with the next request. A person may always disconnect their own apps."""
    access.require(Right.VIEW)
    with tenant_transaction(access.tenant_id):
        app = open_apps(access.tenant_id).filter(id=app_id).select_for_update().first()
        if app is None or not (app.user_id == access.actor.user_id or access.allows(Right.MANAGE)):
            raise AppNotFound
        app.revoked_at = timezone.now()
        app.save(update_fields=["revoked_at"])
        end_tokens(app.client_id, app.user_id)
        access.record("app.disconnected", f"app:{app.prefix}", {"name": app.client.name})


def open_apps(tenant_id: UUID) -> TenantQuerySet[ConnectedApp]:
    return ConnectedApp.objects.for_tenant(tenant_id).filter(revoked_at=None)


def end_tokens(client_id: str, user_id: UUID) -> None:
    Token.objects.filter(client_id=client_id, user_id=user_id).delete()
