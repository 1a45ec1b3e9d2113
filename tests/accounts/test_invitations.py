"""Invitations: one address, one role, one use."""

from datetime import timedelta

import pytest
from django.core import mail
from django.test import Client, override_settings
from django.utils import timezone

from memoryplatform.accounts.adapter import INVITATION
from memoryplatform.operations.account import invitations
from memoryplatform.operations.account.access import TenantAccess
from memoryplatform.operations.account.errors import (
    AlreadyInvited,
    AlreadyMember,
    InvitationInvalid,
    NotPermitted,
    TooManyInvitations,
)
from memoryplatform.operations.account.invitations import (
    LIFETIME,
    accept_invitation,
    find_invitation,
    invite,
    revoke_invitation,
)
from tenants.audit import Actor
from tenants.memberships import list_memberships
from tenants.models import Delivery, Invitation, Member, Tenant, User
from tenants.transactions import tenant_transaction
from tests.accounts.conftest import PASSWORD, find_link, join, make_person, sign_in
from tests.api.conftest import Caller
from tests.factories import make_key_with_text, make_webhook

ROLE = Member.Role


def access_of(tenant: Tenant, user: User, role: str = "owner") -> TenantAccess:
    return TenantAccess(tenant.id, ROLE(role), Actor(user_id=user.id))


def get_token() -> str:
    return find_link("invitations/").strip("/").rpartition("/")[2]


def test_an_invited_person_signs_up_and_joins(acme: Tenant, owner: User) -> None:
    invite(access_of(acme, owner), "Vic@Example.com", ROLE.VIEWER)
    link, client = find_link("invitations/"), Client()
    assert "Join Acme" in client.get(link).content.decode()
    with override_settings(SIGN_UP="invited"):
        client.post("/accounts/signup/", {"name": "Vic", "email": "vic@example.com", "password1": PASSWORD})
    client.post(find_link("accounts/confirm-email/"))
    client.post("/accounts/login/", {"login": "vic@example.com", "password": PASSWORD})
    assert client.get("/dashboard/")["Location"] == link
    client.post(link)
    user = User.objects.get(email="vic@example.com")
    assert [(one.name, one.role) for one in list_memberships(user.id)] == [("Acme", "viewer")]


@override_settings(SIGN_UP="invited")
def test_without_an_invitation_sign_up_is_closed_then(committed_db: None, redis_server: object) -> None:
    Client().post("/accounts/signup/", {"name": "Eve", "email": "eve@example.com", "password1": PASSWORD})
    assert not User.objects.exists()


@override_settings(SIGN_UP="invited")
def test_an_invitation_opens_the_sign_up_for_its_address_only(acme: Tenant, owner: User) -> None:
    invite(access_of(acme, owner), "vic@example.com", ROLE.VIEWER)
    client = Client()
    client.get(find_link("invitations/"))
    page = client.post("/accounts/signup/", {"name": "Eve", "email": "eve@example.com", "password1": PASSWORD})
    assert "The invitation is for another address." in page.content.decode()
    assert not User.objects.filter(email="eve@example.com").exists()


@override_settings(EMAIL_BACKEND="django.core.mail.backends.smtp.EmailBackend", EMAIL_HOST="127.0.0.1", EMAIL_PORT=1)
def test_an_invitation_whose_mail_fails_can_be_withdrawn(acme: Tenant, owner: User) -> None:
    access = access_of(acme, owner)
    made = invite(access, "vic@example.com", ROLE.VIEWER)
    revoke_invitation(access, made.id)
    assert invite(access, "vic@example.com", ROLE.VIEWER).id != made.id


def test_an_invitation_works_once(acme: Tenant, owner: User) -> None:
    invite(access_of(acme, owner), "vic@example.com", ROLE.MEMBER)
    token, vic = get_token(), make_person("vic@example.com")
    accept_invitation(vic, token, Actor(user_id=vic.id))
    with pytest.raises(InvitationInvalid):
        accept_invitation(vic, token, Actor(user_id=vic.id))


def test_an_invitation_is_for_its_address_only(acme: Tenant, owner: User) -> None:
    invite(access_of(acme, owner), "vic@example.com", ROLE.MEMBER)
    eve = make_person("eve@example.com")
    response = sign_in(eve).post(f"/invitations/{get_token()}/")
    assert response.status_code == 409
    assert "vic@example.com" in response.content.decode()
    assert list_memberships(eve.id) == []


def test_nobody_joins_a_tenant_that_is_going_to_be_erased(acme: Tenant, owner: User) -> None:
    invite(access_of(acme, owner), "vic@example.com", ROLE.MEMBER)
    token, vic = get_token(), make_person("vic@example.com")
    acme.deletion_due_at = timezone.now() + timedelta(days=3)
    with tenant_transaction(acme.id):
        acme.save(update_fields=["deletion_due_at"])
    assert sign_in(vic).post(f"/invitations/{token}/").status_code == 409
    assert list_memberships(vic.id) == []


def test_an_invitation_for_another_person_is_shown_once(acme: Tenant, owner: User) -> None:
    invite(access_of(acme, owner), "vic@example.com", ROLE.MEMBER)
    client = sign_in(owner, acme)
    session = client.session
    session[INVITATION] = get_token()
    session.save()
    path = client.get("/dashboard/")["Location"]
    assert "Not now" in client.get(path).content.decode()
    assert client.get("/dashboard/").status_code == 200


@pytest.mark.parametrize("state", ["expired", "revoked", "forged", "suspended"])
def test_an_invalid_invitation_has_one_answer(acme: Tenant, owner: User, state: str) -> None:
    invitation = invite(access_of(acme, owner), "vic@example.com", ROLE.MEMBER)
    token, past = get_token(), timezone.now() - timedelta(seconds=1)
    with tenant_transaction(acme.id):
        rows = Invitation.objects.for_tenant(acme.id).filter(id=invitation.id)
        if state in {"expired", "revoked"}:
            rows.update(**{"expires_at" if state == "expired" else "revoked_at": past})
        if state == "suspended":
            Tenant.objects.filter(id=acme.id).update(suspended_at=past)
    with pytest.raises(InvitationInvalid):
        find_invitation("x" * 43 if state == "forged" else token)


def test_members_and_invited_people_are_not_invited_again(acme: Tenant, owner: User) -> None:
    access = access_of(acme, owner)
    invite(access, "vic@example.com", ROLE.MEMBER)
    with pytest.raises(AlreadyInvited):
        invite(access, "VIC@example.com", ROLE.ADMIN)
    with pytest.raises(AlreadyMember):
        invite(access, owner.email, ROLE.MEMBER)
    assert len(mail.outbox) == 1


@pytest.mark.parametrize("limit", ["MOST_OPEN", "MOST_A_DAY"])
def test_invitations_are_limited(acme: Tenant, owner: User, limit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(invitations, limit, 2)
    call = Caller(make_key_with_text(acme, scopes=["admin"])[1])
    answers = [
        call("POST", "/v1/account/invitations", {"email": f"vic{n}@example.com", "role": "viewer"}) for n in range(3)
    ]
    assert [answer.status_code for answer in answers] == [201, 201, 429]
    assert answers[-1].json()["code"] == "too_many_invitations"
    longest = {"MOST_OPEN": LIFETIME, "MOST_A_DAY": timedelta(days=1)}[limit]
    assert 0 < int(answers[-1].headers["Retry-After"]) <= longest.total_seconds()
    assert len(mail.outbox) == 2
    page = sign_in(owner, acme).post(
        "/dashboard/members/invite/", {"email": "vic@example.com", "role": "viewer"}, follow=True
    )
    assert "A tenant can have at most 2" in page.content.decode()


def test_a_withdrawn_invitation_counts_for_its_day_only(
    acme: Tenant, owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(invitations, "MOST_A_DAY", 1)
    access = access_of(acme, owner)
    made = invite(access, "vic@example.com", ROLE.VIEWER)
    revoke_invitation(access, made.id)
    with pytest.raises(TooManyInvitations):
        invite(access, "vic@example.com", ROLE.VIEWER)
    with tenant_transaction(acme.id):
        Invitation.objects.for_tenant(acme.id).update(created_at=timezone.now() - timedelta(days=1))
    invite(access, "vic@example.com", ROLE.VIEWER)


@pytest.mark.parametrize(("role", "given"), [("member", "viewer"), ("viewer", "viewer"), ("admin", "owner")])
def test_nobody_invites_above_their_own_role(acme: Tenant, role: str, given: str) -> None:
    person = join(acme, "mia@example.com", role)
    with pytest.raises(NotPermitted):
        invite(access_of(acme, person, role), "vic@example.com", ROLE(given))


def test_an_invitation_is_an_event_without_the_address(acme: Tenant, owner: User) -> None:
    make_webhook(acme, events=["member.invited"])
    invitation = invite(access_of(acme, owner), "vic@example.com", ROLE.VIEWER)
    with tenant_transaction(acme.id):
        [delivery] = Delivery.objects.for_tenant(acme.id)
    assert delivery.data == {"invitation_id": str(invitation.id), "role": "viewer"}
