"""Invitations to a tenant: sent by e-mail, for one address, one role and one use."""

import hashlib
import secrets
from dataclasses import dataclass
from datetime import timedelta
from math import ceil
from uuid import UUID

import structlog
from allauth.account.models import EmailAddress
from django.conf import settings
from django.core.mail import send_mail
from django.core.validators import validate_email
from django.db import connection, transaction
from django.db.models import Count, Min
from django.template.loader import render_to_string
from django.utils import timezone

from memoryplatform.operations.account.access import Right, TenantAccess
from memoryplatform.operations.account.errors import (
    AlreadyInvited,
    AlreadyMember,
    InvitationForOther,
    InvitationInvalid,
    InvitationNotFound,
    TenantClosing,
    TooManyInvitations,
)
from memoryplatform.operations.account.members import lock_tenant
from tenants.audit import Actor, record
from tenants.models import Invitation, Member, Quota, Tenant, User
from tenants.quotas import check_room, warn_of_quotas
from tenants.transactions import tenant_transaction
from tenants.webhook_outbox import Event, announce

LIFETIME = timedelta(days=7)
DAY = timedelta(days=1)
# Plans have no say in these: an invitation is an e-mail in our name to any address, which must not serve for spam.
MOST_OPEN = 100
MOST_A_DAY = 50
log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class OpenInvitation:
    """An invitation that can be accepted, found by its token."""

    id: UUID
    tenant_id: UUID
    tenant_name: str
    email: str
    role: str


def invite(access: TenantAccess, email: str, role: Member.Role) -> Invitation:
    """Sends an e-mail with the link when the transaction has committed. Raises Django's ValidationError."""
    access.require(Right.MANAGE)
    access.require_rank(role)
    email = email.strip().lower()
    validate_email(email)
    token = secrets.token_urlsafe(32)
    with tenant_transaction(access.tenant_id):
        lock_tenant(access.tenant_id)
        if Member.objects.for_tenant(access.tenant_id).filter(user__email__iexact=email).exists():
            raise AlreadyMember(email)
        open_ones = Invitation.objects.for_tenant(access.tenant_id).filter(accepted_at=None, revoked_at=None)
        open_ones.filter(expires_at__lte=timezone.now()).update(revoked_at=timezone.now())
        if open_ones.filter(email__iexact=email).exists():
            raise AlreadyInvited(email)
        check_number(access.tenant_id)
        check_room(access.tenant_id, Quota.MEMBERS)
        invitation = Invitation.objects.for_tenant(access.tenant_id).create(
            email=email,
            role=role,
            digest=digest_of(token),
            invited_by_id=access.actor.user_id,
            expires_at=timezone.now() + LIFETIME,
        )
        tenant = Tenant.objects.get(id=access.tenant_id)
        access.record("member.invited", f"invitation:{invitation.id}", {"email": email, "role": role.value})
        event = Event("member.invited", data={"invitation_id": str(invitation.id), "role": role.value})
        announce(access.tenant_id, event)
        transaction.on_commit(lambda: send_invitation(tenant, invitation, token))
        warn_of_quotas(access.tenant_id, Quota.MEMBERS)
    return invitation


def check_number(tenant_id: UUID) -> None:
    """Withdrawn invitations were sent too, so they count for the day. Call under the lock of the tenant."""
    now, rows = timezone.now(), Invitation.objects.for_tenant(tenant_id)
    sent = rows.filter(created_at__gt=now - DAY).aggregate(number=Count("id"), first=Min("created_at"))
    if sent["number"] >= MOST_A_DAY:
        raise TooManyInvitations(f"{MOST_A_DAY} invitations a day", ceil((sent["first"] + DAY - now).total_seconds()))
    waiting = rows.filter(accepted_at=None, revoked_at=None).aggregate(number=Count("id"), first=Min("expires_at"))
    if waiting["number"] >= MOST_OPEN:
        raise TooManyInvitations(f"{MOST_OPEN} open invitations", ceil((waiting["first"] - now).total_seconds()))


def send_invitation(tenant: Tenant, invitation: Invitation, token: str) -> None:
    link = f"{settings.MAIL_LINK_URL}/invitations/{token}/"
    context = {"tenant": tenant, "invitation": invitation, "link": link}
    text = render_to_string("dashboard/email/invitation.txt", context)
    try:
        send_mail(f"Join {tenant.name} on Memory platform", text, None, [invitation.email])
    except OSError:  # also every error of SMTP; the invitation can be withdrawn and sent again
        log.exception("invitation.mail_failed", invitation_id=str(invitation.id))


def list_invitations(access: TenantAccess) -> list[Invitation]:
    """The open ones, the newest first."""
    access.require(Right.MANAGE)
    with tenant_transaction(access.tenant_id):
        rows = Invitation.objects.for_tenant(access.tenant_id).filter(accepted_at=None, revoked_at=None)
        return list(rows.filter(expires_at__gt=timezone.now()).select_related("invited_by").order_by("-id"))


def revoke_invitation(access: TenantAccess, invitation_id: UUID) -> None:
    access.require(Right.MANAGE)
    with tenant_transaction(access.tenant_id):
        rows = Invitation.objects.for_tenant(access.tenant_id).filter(id=invitation_id, accepted_at=None)
        if not rows.filter(revoked_at=None).update(revoked_at=timezone.now()):
            raise InvitationNotFound
        access.record("member.invitation_revoked", f"invitation:{invitation_id}")


def find_invitation(token: str) -> OpenInvitation:
    """Uses a function of the owner, which sees every tenant and answers this one question only."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT id, tenant_id, tenant_name, email, role FROM invitation_by_digest(%s)", [digest_of(token)]
        )
        row = cursor.fetchone()
    if row is None:
        raise InvitationInvalid
    return OpenInvitation(*row)


def accept_invitation(user: User, token: str, actor: Actor) -> OpenInvitation:
    """The person must have verified the address to which the invitation was sent."""
    found = find_invitation(token)
    if not has_verified(user, found.email):
        raise InvitationForOther(found.email)
    with tenant_transaction(found.tenant_id):
        if lock_tenant(found.tenant_id).deletion_due_at is not None:
            raise TenantClosing
        rows = Invitation.objects.for_tenant(found.tenant_id).filter(id=found.id, accepted_at=None, revoked_at=None)
        if not rows.update(accepted_at=timezone.now(), accepted_by=user):
            raise InvitationInvalid
        members = Member.objects.for_tenant(found.tenant_id)
        if not members.filter(user=user).exists():
            members.create(user=user, role=found.role)
        record(
            found.tenant_id, actor=actor, action="member.joined", target=f"user:{user.id}", detail={"role": found.role}
        )
    return found


def has_verified(user: User, email: str) -> bool:
    return bool(EmailAddress.objects.filter(user=user, email__iexact=email, verified=True).exists())


def digest_of(token: str) -> bytes:
    return hashlib.sha256(token.encode()).digest()
