"""Bad input of the account pages: used and expired links, raised roles, forged forms, foreign redirects, guessing."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.core import mail
from django.core.cache import cache
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django.fixtures import Settings

from memoryplatform.operations.account.access import TenantAccess
from memoryplatform.operations.account.errors import AccountInvalid
from memoryplatform.operations.account.invitations import invite
from memoryplatform.operations.account.tenants import found
from tenants.audit import Actor
from tenants.memberships import list_memberships
from tenants.models import Invitation, Member, Tenant, User
from tenants.transactions import tenant_transaction
from tests.accounts.conftest import PASSWORD, find_link, join, make_person, sign_in
from tests.factories import make_bank

EXPIRED_OR_USED = "This link no longer works"
FOREIGN = ("https://evil.example/", "//evil.example/", "/\\evil.example", "javascript:alert(1)")


@pytest.fixture(autouse=True)
def fresh_limits(redis_server: object) -> None:
    """Log-ins and resets are counted by address, and all tests have one."""
    cache.clear()


def sign_up(client: Client, email: str = "ana@example.com") -> str:
    client.post("/accounts/signup/", {"name": "Ana", "email": email, "password1": PASSWORD})
    return find_link("accounts/confirm-email/")


def is_signed_in(client: Client) -> bool:
    return "/accounts/login/" not in client.get("/dashboard/")["Location"]


def log_in(client: Client, email: str, password: str = PASSWORD) -> Any:
    return client.post("/accounts/login/", {"login": email, "password": password})


def show(response: Any, *changing: str) -> str:
    """The page without what differs between two requests."""
    text = re.sub(r'(name="csrfmiddlewaretoken" value=")[^"]+', r"\1", response.content.decode())
    for one in changing:
        text = text.replace(one, "X")
    return text


def test_an_expired_verification_link_verifies_nothing(committed_db: None, settings: Settings) -> None:
    client = Client()
    link = sign_up(client)
    settings.ACCOUNT_EMAIL_CONFIRMATION_EXPIRE_DAYS = 0
    assert EXPIRED_OR_USED in client.get(link).content.decode()
    client.post(link)
    log_in(client, "ana@example.com")
    assert not is_signed_in(client)


def test_a_used_verification_link_does_nothing_more(committed_db: None) -> None:
    client, thief = Client(), Client()
    link = sign_up(client)
    client.post(link)
    assert EXPIRED_OR_USED in thief.get(link).content.decode()
    thief.post(link)
    assert not is_signed_in(thief)


def test_a_reset_link_works_once(committed_db: None) -> None:
    make_person("ana@example.com")
    Client().post("/accounts/password/reset/", {"email": "ana@example.com"})
    link, new = find_link("accounts/password/reset/key/"), "another correct horse"
    client = Client()
    form = client.get(link)["Location"]  # the token is in the session from here on
    client.post(form, {"password1": new, "password2": new})
    assert EXPIRED_OR_USED in Client().get(link, follow=True).content.decode()
    stale = Client()
    log_in(stale, "ana@example.com")
    assert not is_signed_in(stale)
    log_in(stale, "ana@example.com", new)
    assert is_signed_in(stale)


@pytest.mark.parametrize("state", ["forged", "expired", "withdrawn", "used"])
def test_every_invalid_invitation_shows_the_same_page(acme: Tenant, owner: User, state: str) -> None:
    access = TenantAccess(acme.id, Member.Role.OWNER, Actor(user_id=owner.id))
    invitation = invite(access, "vic@example.com", Member.Role.ADMIN)
    link, vic, past = find_link("invitations/"), make_person("vic@example.com"), timezone.now() - timedelta(seconds=1)
    if state == "used":
        sign_in(vic).post(link)
        vic = make_person("eve@example.com")
    changes = {"expired": {"expires_at": past}, "withdrawn": {"revoked_at": past}}.get(state, {})
    with tenant_transaction(acme.id):
        Invitation.objects.for_tenant(acme.id).filter(id=invitation.id).update(**changes)
    address = "/invitations/forged/" if state == "forged" else link
    for client in (Client(), sign_in(vic)):
        for answer in (client.get(address), client.post(address)):
            assert answer.status_code == 404
            assert "This invitation is not valid. It may have expired" in answer.content.decode()
    assert list_memberships(vic.id) == []


@pytest.mark.parametrize("role", ["viewer", "member", "admin"])
def test_nobody_raises_their_own_role_by_a_route_or_a_page(acme: Tenant, role: str) -> None:
    person = join(acme, "mia@example.com", role)
    client = sign_in(person, acme)
    by_route = client.patch(f"/v1/account/members/{person.id}", {"role": "owner"}, content_type="application/json")
    assert (by_route.status_code, by_route.json()["code"]) == (403, "permission_denied")
    client.post(f"/dashboard/members/{person.id}/role/", {"role": "owner"})
    client.post("/dashboard/members/invite/", {"email": "second@example.com", "role": "owner"})
    assert [one.role for one in list_memberships(person.id)] == [role]
    assert mail.outbox == []


@pytest.mark.parametrize("page", ["account_login", "account_signup", "account_logout", "account_reauthenticate"])
@pytest.mark.parametrize("target", FOREIGN)
def test_no_page_leads_to_a_foreign_address(acme: Tenant, owner: User, page: str, target: str) -> None:
    """`next` in the address and in the form."""
    client = Client() if page in {"account_login", "account_signup"} else sign_in(owner, acme)
    given = {
        "login": owner.email,
        "email": "new@example.com",
        "name": "New",
        "password": PASSWORD,
        "password1": PASSWORD,
        "next": target,
    }
    for address in (reverse(page), f"{reverse(page)}?next={target}"):
        answer = client.post(address, given)
        assert answer.status_code == 302, answer.content
        assert answer["Location"].startswith("/")
        assert not re.match(r"/[/\\]", answer["Location"])
        assert "evil" not in answer["Location"].partition("?")[0]


def test_a_wrong_log_in_says_the_same_of_known_and_unknown_people(committed_db: None) -> None:
    make_person("known@example.com")
    answers = [log_in(Client(), email, "a wrong password") for email in ("known@example.com", "nobody@example.com")]
    known, unknown = (show(one, "known@example.com", "nobody@example.com") for one in answers)
    assert known == unknown
    assert [one.status_code for one in answers] == [200, 200]


def test_guessing_a_password_is_stopped_and_the_admin_has_no_log_in_of_its_own(committed_db: None) -> None:
    make_person("known@example.com")
    client = Client()
    guess = {"username": "known@example.com", "password": "a guess", "next": "/admin/"}
    assert client.post("/admin/login/", guess)["Location"].startswith("/accounts/login/")
    pages = [log_in(client, "known@example.com", f"guess {number}").content.decode() for number in range(25)]
    assert "Too many failed login attempts" not in pages[0]
    assert "Too many failed login attempts" in pages[-1]
    log_in(client, "known@example.com")
    assert not is_signed_in(client)


def test_an_invitation_says_the_same_of_known_and_unknown_people(acme: Tenant, owner: User) -> None:
    make_person("known@example.com")
    client = sign_in(owner, acme)
    shown = []
    for email in ("known@example.com", "nobody@example.com"):
        answer = client.post("/v1/account/invitations", {"email": email, "role": "viewer"}, "application/json")
        body = answer.json()
        subject, page = str(mail.outbox[-1].subject), Client().get(find_link("invitations/"))
        shown.append((answer.status_code, sorted(body), body["role"], subject, show(page, email)))
    assert shown[0] == shown[1]


def test_a_form_without_its_token_gets_a_page_that_says_so(acme: Tenant, owner: User) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(owner, backend="django.contrib.auth.backends.ModelBackend")
    sent = {"name": "Mine <b>", "password": "swordfish"}
    own = {"Accept": "text/html", "Referer": "http://testserver/dashboard/settings/?x=1"}
    refused = client.post("/dashboard/settings/", sent, headers=own)
    page = refused.content.decode()
    assert refused.status_code == 403
    assert "This form is out of date" in page
    assert owner.email in page
    assert 'href="/dashboard/settings/?x=1"' in page
    assert "Mine &lt;b&gt;" in page
    assert "swordfish" not in page
    assert [one.name for one in list_memberships(owner.id)] == ["Acme"]


def test_a_form_of_another_site_is_not_repeated_on_our_page(acme: Tenant, owner: User) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(owner, backend="django.contrib.auth.backends.ModelBackend")
    foreign = {"Accept": "text/html", "Referer": "https://evil.example.com/", "Origin": "https://evil.example.com"}
    refused = client.post("/dashboard/settings/", {"name": "Pay evil.example.com"}, headers=foreign)
    assert refused.status_code == 403
    assert "evil.example.com" not in refused.content.decode()


@pytest.mark.parametrize(
    ("address", "status", "title"),
    [("/nothing/", 404, "There is nothing here"), ("/nothing", 404, "There is nothing here")],
)
def test_a_browser_gets_pages_for_errors_and_a_program_json(
    committed_db: None, redis_server: object, address: str, status: int, title: str
) -> None:
    page = Client().get(address, headers={"Accept": "text/html,application/xhtml+xml"})
    assert (page.status_code, title in page.content.decode()) == (status, True)
    assert Client().get(address).json()["code"] == "not_found"
    assert Client().get("/v1/nothing", headers={"Accept": "text/html"}).json()["code"] == "not_found"


def test_an_unexpected_error_is_a_page_without_the_database(
    acme: Tenant, owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = sign_in(owner, acme)
    client.raise_request_exception = False

    def fail(*_: object) -> None:
        raise RuntimeError("secret detail")

    monkeypatch.setattr("memoryplatform.dashboard.people.people.list_members", fail)
    page = client.get("/dashboard/members/", headers={"Accept": "text/html"})
    assert page.status_code == 500
    assert "Something went wrong" in page.content.decode()
    assert "secret detail" not in page.content.decode()


def test_the_admin_is_entered_through_the_log_in_of_accounts(committed_db: None, redis_server: object) -> None:
    """So the second factor and the limits of log-in count for staff too."""
    User.objects.create_superuser("lea@example.com", PASSWORD)
    client = Client()
    page = client.post("/admin/login/", {"username": "lea@example.com", "password": PASSWORD})
    assert (page.status_code, page["Location"]) == (302, "/accounts/login/?next=%2Fadmin%2Flogin%2F")
    assert client.get("/admin/").status_code == 302
    client.post("/accounts/login/", {"login": "lea@example.com", "password": PASSWORD})
    assert client.get("/admin/").status_code == 200


@pytest.mark.parametrize(
    "name", ["Verify at http://evil.example now", "Go to WWW.evil.example", "Acme\u202e", "Ac\u200bme", "\ue000"]
)
def test_a_tenants_name_carries_no_link_and_nothing_invisible(owner: User, name: str) -> None:
    with pytest.raises(AccountInvalid):
        found(owner, name=name, actor=Actor(user_id=owner.id))


def test_a_member_does_not_erase_a_bank_by_its_session(acme: Tenant) -> None:
    make_bank(acme, bank_id="support")
    member = sign_in(join(acme, "mia@example.com", "member"), acme)
    body = {"bank_id": "support", "target": {"kind": "bank"}}
    assert member.post("/v1/erasures", body, content_type="application/json").status_code == 403
    admin = sign_in(join(acme, "ada@example.com", "admin"), acme)
    assert admin.post("/v1/erasures", body, content_type="application/json").status_code == 202


@pytest.mark.parametrize("query", ["since=9999-12-31&until=9999-12-31", "until=9999-12-31", "until=0001-01-01"])
def test_usage_of_impossible_days_is_no_error_of_ours(acme: Tenant, owner: User, query: str) -> None:
    client = sign_in(owner, acme)
    assert client.get(f"/v1/account/usage?{query}").status_code in {200, 422}
    assert client.get(f"/dashboard/usage/?{query}").status_code == 200
