"""`/v1/account`: members, invitations and API keys, by key and by session."""

from datetime import timedelta
from typing import Any

import pytest
from django.core import mail
from django.test import Client
from django.utils import timezone

from tenants.memberships import found_tenant
from tenants.models import Member, Tenant, User
from tenants.transactions import tenant_transaction
from tests.accounts.conftest import find_link, join, make_person, sign_in
from tests.api.conftest import Caller
from tests.factories import make_key_with_text


@pytest.fixture
def owner(committed_db: None, redis_server: object) -> User:
    return make_person("olga@example.com")


@pytest.fixture
def acme(owner: User) -> Tenant:
    return found_tenant(name="Acme", slug="acme", owner=owner)


def call_with(tenant: Tenant, *scopes: str, **fields: Any) -> Caller:
    return Caller(make_key_with_text(tenant, scopes=list(scopes), **fields)[1])


def test_an_admin_key_makes_rotates_and_revokes_keys(acme: Tenant) -> None:
    call = call_with(acme, "admin")
    made = call("POST", "/v1/account/keys", {"name": "agent", "scopes": ["read"]}).json()
    own = Caller(made["text"])
    assert own("GET", "/v1/banks").status_code == 200
    assert own("GET", "/v1/account/keys").status_code == 403
    rotated = call("POST", f"/v1/account/keys/{made['key']['key_id']}/rotate", {"overlap_hours": 1}).json()
    assert own("GET", "/v1/banks").status_code == Caller(rotated["text"])("GET", "/v1/banks").status_code == 200
    assert call("POST", f"/v1/account/keys/{made['key']['key_id']}/rotate", {}).json()["code"] == "api_key_rotated"
    call("DELETE", f"/v1/account/keys/{rotated['key']['key_id']}")
    assert Caller(rotated["text"])("GET", "/v1/banks").status_code == 401
    listed = call("GET", "/v1/account/keys").json()["keys"]
    assert {one["name"]: one["maker_left"] for one in listed}["agent"] is False
    assert all("text" not in one for one in listed)


def test_the_last_use_has_time_address_and_agent(acme: Tenant) -> None:
    call = call_with(acme, "admin", name="watched")
    call("GET", "/v1/banks", User_Agent="agent/1.0")
    (key,) = call("GET", "/v1/account/keys").json()["keys"]
    assert key["last_used_at"]
    assert key["last_used_address"] == "127.0.0.1"


def test_a_key_ends_within_ten_years_or_never(acme: Tenant) -> None:
    call, days = call_with(acme, "admin"), timedelta(days=1)
    for life, status in ((3_649, 201), (3_651, 422)):
        body = {"name": "agent", "scopes": ["read"], "expires_at": (timezone.now() + life * days).isoformat()}
        assert call("POST", "/v1/account/keys", body).status_code == status
    refused = call("POST", "/v1/account/keys", body | {"expires_at": "9999-12-31T23:59:59Z"})
    assert (refused.status_code, refused.json()["code"]) == (422, "account_invalid")
    assert "within 3,650 days" in refused.json()["detail"]


def test_a_repeated_request_makes_one_key(acme: Tenant) -> None:
    call = call_with(acme, "admin")
    body = {"name": "agent", "scopes": ["read"]}
    first, second = (call("POST", "/v1/account/keys", body, Idempotency_Key="once").json() for _ in range(2))
    assert first["key"]["key_id"] == second["key"]["key_id"]
    assert len(call("GET", "/v1/account/keys").json()["keys"]) == 2


@pytest.mark.parametrize("scopes", [("read",), ("write",), ("read", "write")])
def test_other_keys_manage_nothing(acme: Tenant, scopes: tuple[str, ...]) -> None:
    call = call_with(acme, *scopes)
    assert call("POST", "/v1/account/keys", {"name": "a", "scopes": ["admin"]}).status_code == 403
    assert call("POST", "/v1/account/invitations", {"email": "a@b.co", "role": "owner"}).status_code == 403


def test_a_key_of_some_banks_manages_nothing(acme: Tenant) -> None:
    call = call_with(acme, "admin", banks=["one"])
    response = call("POST", "/v1/account/keys", {"name": "a", "scopes": ["admin"]})
    assert (response.status_code, response.json()["code"]) == (403, "permission_denied")


def test_an_admin_key_can_not_make_owners(acme: Tenant, owner: User) -> None:
    call = call_with(acme, "admin")
    assert call("POST", "/v1/account/invitations", {"email": "a@example.com", "role": "owner"}).status_code == 403
    assert call("PATCH", f"/v1/account/members/{owner.id}", {"role": "viewer"}).status_code == 403
    assert call("DELETE", f"/v1/account/members/{owner.id}").status_code == 403


def test_members_are_invited_changed_and_removed(acme: Tenant) -> None:
    call = call_with(acme, "admin")
    sent = call("POST", "/v1/account/invitations", {"email": "vic@example.com", "role": "viewer"})
    assert (sent.status_code, mail.outbox[-1].to) == (201, ["vic@example.com"])
    again = call("POST", "/v1/account/invitations", {"email": "vic@example.com", "role": "viewer"})
    assert (again.status_code, again.json()["code"]) == (409, "already_invited")
    vic = make_person("vic@example.com")
    sign_in(vic).post(find_link("invitations/"))
    assert {one["email"]: one["role"] for one in call("GET", "/v1/account/members").json()["members"]} == {
        "olga@example.com": "owner",
        "vic@example.com": "viewer",
    }
    assert call("PATCH", f"/v1/account/members/{vic.id}", {"role": "member"}).json()["role"] == "member"
    assert call("DELETE", f"/v1/account/members/{vic.id}").status_code == 204
    assert call("DELETE", f"/v1/account/members/{vic.id}").json()["code"] == "member_not_found"


def test_a_session_has_the_rights_of_its_role(acme: Tenant, owner: User) -> None:
    viewer = sign_in(join(acme, "vic@example.com", "viewer"), acme)
    assert viewer.get("/v1/account/members").status_code == 200
    assert viewer.get("/v1/account/keys").status_code == 403
    body = {"name": "a", "scopes": ["read"]}
    assert viewer.post("/v1/account/keys", body, content_type="application/json").status_code == 403
    assert sign_in(owner, acme).post("/v1/account/keys", body, content_type="application/json").status_code == 201


def test_a_session_needs_its_csrf_token(acme: Tenant, owner: User) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(owner, backend="django.contrib.auth.backends.ModelBackend")
    body = {"name": "a", "scopes": ["read"]}
    assert client.post("/v1/account/keys", body, content_type="application/json").status_code == 403


def test_a_session_reaches_no_memories(acme: Tenant, owner: User) -> None:
    assert sign_in(owner, acme).get("/v1/banks").status_code == 401


def test_a_session_and_a_key_of_two_tenants_do_not_mix(acme: Tenant, owner: User) -> None:
    eve = make_person("eve@example.com")
    evil = found_tenant(name="Evil", slug="evil", owner=eve)
    key = make_key_with_text(acme, scopes=["admin"])[1]
    client = sign_in(eve, evil)
    response = client.get("/v1/account", headers={"Authorization": f"Bearer {key}"})
    assert response.json()["name"] == "Acme"
    assert client.get("/v1/account", headers={"Authorization": "Bearer mpk_wrong"}).status_code == 401
    with tenant_transaction(acme.id):
        assert not Member.objects.for_tenant(acme.id).filter(user=eve).exists()


def test_the_tenant_is_renamed(acme: Tenant) -> None:
    call = call_with(acme, "admin")
    assert call("PATCH", "/v1/account", {"name": " Acme  Robotics "}).json()["name"] == "Acme Robotics"
    assert call("PATCH", "/v1/account", {"name": " "}).status_code == 422


def test_a_key_without_the_scope_admin_removes_nobody(acme: Tenant) -> None:
    mia = join(acme, "mia@example.com", "viewer")
    for scope in ("read", "write"):
        call = call_with(acme, scope)
        assert call("DELETE", f"/v1/account/members/{mia.id}").status_code == 403
    with tenant_transaction(acme.id):
        assert Member.objects.for_tenant(acme.id).filter(user=mia).exists()
