"""Sign-up over HTTP: account, verification, log-in, the first tenant."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from threading import Barrier, BrokenBarrierError
from typing import Any

import pytest
from allauth.mfa.totp.internal.auth import TOTP, generate_totp_secret
from django.contrib.auth.hashers import MD5PasswordHasher
from django.core import mail
from django.core.cache import cache
from django.db import connections
from django.test import Client, override_settings

from memoryplatform.operations.account import tenants
from memoryplatform.operations.account.errors import TooManyTenants
from memoryplatform.operations.account.tenants import found
from tenants.audit import Actor
from tenants.memberships import found_tenant, list_memberships
from tenants.models import Tenant, User
from tests.accounts.conftest import PASSWORD, find_link, make_person

GIVEN = {"name": "Ana Reis", "email": "ana@example.com", "password1": PASSWORD}


@pytest.fixture
def client(committed_db: None, redis_server: object) -> Client:
    cache.clear()  # wrong passwords are counted by address, and all tests have one
    return Client()


def sign_up(client: Client, **given: str) -> str:
    response = client.post("/accounts/signup/", GIVEN | given, follow=True)
    return response.content.decode()


def test_a_person_signs_up_verifies_and_founds_a_tenant(client: Client) -> None:
    assert "Verify" in sign_up(client)
    assert client.get("/dashboard/members/").status_code == 302
    client.post(find_link("accounts/confirm-email/"))
    client.post("/accounts/login/", {"login": GIVEN["email"], "password": PASSWORD})
    assert client.get("/dashboard/").url == "/dashboard/tenants/new/"  # type: ignore[attr-defined]  # a redirect
    client.post("/dashboard/tenants/new/", {"name": "Acme Robotics"})
    user = User.objects.get(email="ana@example.com")
    assert [(one.name, one.role) for one in list_memberships(user.id)] == [("Acme Robotics", "owner")]
    assert user.name == "Ana Reis"
    assert "Acme Robotics" in client.get("/dashboard/members/").content.decode()


def test_without_a_mail_server_the_page_says_where_the_link_is(client: Client) -> None:
    with override_settings(EMAIL_BACKEND="django.core.mail.backends.console.EmailBackend"):
        assert "it prints the link to its console" in client.get("/accounts/confirm-email/").content.decode()
    assert "We sent you an e-mail" in client.get("/accounts/confirm-email/").content.decode()


def test_nobody_signs_in_before_the_address_is_verified(client: Client) -> None:
    sign_up(client)
    Client().post("/accounts/login/", {"login": GIVEN["email"], "password": PASSWORD})
    assert client.get("/dashboard/members/").status_code == 302


def test_a_known_address_gets_the_same_answer_as_an_unknown_one(client: Client) -> None:
    make_person("known@example.com")
    unknown = sign_up(client, email="new@example.com").replace("new@example.com", "X")
    known = sign_up(Client(), email="known@example.com").replace("known@example.com", "X")
    assert known == unknown
    answers = [
        Client().post("/accounts/password/reset/", {"email": email}, follow=True).content.decode().replace(email, "X")
        for email in ("known@example.com", "nobody@example.com")
    ]
    assert answers[0] == answers[1]


def test_a_known_address_costs_as_many_hashes_as_an_unknown_one(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_person("known@example.com")
    hashed: list[str] = []
    real = MD5PasswordHasher.encode

    def encode(self: MD5PasswordHasher, password: str, salt: str) -> str:
        hashed.append(password)
        return real(self, password, salt)

    monkeypatch.setattr(MD5PasswordHasher, "encode", encode)
    for email in ("new@example.com", "known@example.com", "known@example.com"):  # the last time without an e-mail
        hashed.clear()
        sign_up(Client(), email=email)
        assert hashed == [PASSWORD], email
    for email in ("other@example.com", "known@example.com"):
        hashed.clear()
        assert "at least 12 characters" in sign_up(Client(), email=email, password1="short")
        assert hashed == [], email


@override_settings(MAX_OWNED_TENANTS=2)
def test_a_person_founds_a_limited_number_of_tenants(client: Client) -> None:
    user = make_person("ana@example.com")
    found_tenant(name="Foreign", slug="foreign", owner=make_person("bo@example.com"))
    client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
    answers = [client.post("/dashboard/tenants/new/", {"name": f"Acme {n}"}) for n in range(3)]
    assert [answer.status_code for answer in answers] == [302, 302, 422]
    assert "You own 2 tenants" in answers[-1].content.decode()
    assert len(list_memberships(user.id)) == 2


@override_settings(MAX_OWNED_TENANTS=1)
def test_of_two_foundings_at_once_one_is_refused(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the lock both threads count before either of them founds."""
    user, barrier = make_person("ana@example.com"), Barrier(2)

    def found_together(**given: Any) -> Tenant:
        with suppress(BrokenBarrierError):
            barrier.wait(timeout=1)
        return found_tenant(**given)

    def try_to_found(name: str) -> bool:
        try:
            found(user, name=name, actor=Actor(user_id=user.id))
        except TooManyTenants:
            return False
        finally:
            connections.close_all()
        return True

    monkeypatch.setattr(tenants, "found_tenant", found_together)
    with ThreadPoolExecutor(2) as pool:
        assert sorted(pool.map(try_to_found, ["One", "Two"])) == [False, True]


@pytest.mark.parametrize("link", ["accounts/confirm-email/forged:1:x/", "accounts/confirm-email/MQ/"])
def test_a_forged_verification_link_verifies_nothing(client: Client, link: str) -> None:
    sign_up(client)
    response = client.post(f"/{link}")
    assert response.status_code in {302, 404}
    client.post("/accounts/login/", {"login": GIVEN["email"], "password": PASSWORD})
    assert client.get("/dashboard/members/").status_code == 302


@override_settings(SIGN_UP="closed")
def test_sign_up_can_be_closed(client: Client) -> None:
    sign_up(client)
    assert not User.objects.exists()
    assert mail.outbox == []


def test_weak_passwords_are_refused(client: Client) -> None:
    assert "at least 12 characters" in sign_up(client, password1="short")
    assert not User.objects.exists()


@pytest.mark.parametrize("target", ["https://evil.example/", "//evil.example/", "javascript:alert(1)"])
def test_a_foreign_address_in_next_is_ignored(client: Client, target: str) -> None:
    make_person("ana@example.com")
    response = client.post(f"/accounts/login/?next={target}", {"login": "ana@example.com", "password": PASSWORD})
    assert response.status_code == 302
    assert "evil" not in response["Location"]
    assert "javascript" not in response["Location"]


def test_repeated_wrong_passwords_are_throttled(client: Client) -> None:
    make_person("ana@example.com")
    for _ in range(12):
        client.post("/accounts/login/", {"login": "ana@example.com", "password": "wrong"})
    client.post("/accounts/login/", {"login": "ana@example.com", "password": PASSWORD})
    assert client.get("/dashboard/").status_code == 302
    assert "/accounts/login/" in client.get("/dashboard/")["Location"]


def test_a_person_with_a_second_factor_changes_the_address(client: Client) -> None:
    """The old address holds until the new one is verified, and a pending address is taken from nobody."""
    user = make_person("ana@example.com")
    TOTP.activate(user, generate_totp_secret())
    client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
    client.post("/accounts/reauthenticate/", {"password": PASSWORD})
    client.post("/accounts/email/", {"email": "new@example.com", "action_add": ""})
    link = find_link("accounts/confirm-email/")
    user.refresh_from_db()
    assert user.email == "ana@example.com"
    assert "Verify" in sign_up(Client(), email="new@example.com")
    client.post(link)
    user.refresh_from_db()
    assert user.email == "new@example.com"
