"""Apps that a person connects: their rights, their end, and the rights of the person today."""

import json
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

from allauth.idp.oidc.models import Client as ClientRow
from allauth.idp.oidc.models import Token
from django.db import connections
from django.utils import timezone

from memoryplatform.operations.account.access import TenantAccess
from memoryplatform.operations.account.connected_apps import list_apps
from tenants.memberships import found_tenant
from tenants.models import AuditEvent, Member, Tenant, User
from tenants.transactions import tenant_transaction
from tests.accounts.conftest import join, sign_in
from tests.api.conftest import Caller
from tests.factories import make_bank, make_user
from tests.oauth.conftest import App, connect, consent, read_location


def call(token: str, method: str = "GET", path: str = "/v1/banks", body: Any = None) -> int:
    return int(Caller(token)(method, path, body).status_code)


def test_a_token_works_like_a_key(acme: Tenant, owner: User) -> None:
    _, tokens = connect(sign_in(owner), acme)
    assert tokens["scope"] == "read write"
    assert call(tokens["access_token"]) == 200
    assert call(tokens["access_token"], "POST", "/v1/banks", {"bank_id": "notes"}) == 201
    with tenant_transaction(acme.id):
        made = AuditEvent.objects.for_tenant(acme.id).get(action="bank.created")
    assert (made.user_id, made.api_key_prefix[:4]) == (owner.id, "app_")


def test_a_consent_may_be_narrower_than_the_request(acme: Tenant, owner: User) -> None:
    make_bank(acme, bank_id="notes")
    make_bank(acme, bank_id="secrets")
    _, tokens = connect(sign_in(owner), acme, scopes=["read"], banks="notes")
    assert tokens["scope"] == "read"
    assert call(tokens["access_token"], "GET", "/v1/banks/notes") == 200
    assert call(tokens["access_token"], "GET", "/v1/banks/secrets") == 404
    assert call(tokens["access_token"], "POST", "/v1/banks", {"bank_id": "more"}) == 403


def test_an_app_of_an_owner_cannot_manage_the_tenant(acme: Tenant, owner: User) -> None:
    mia = join(acme, "mia@example.com", "viewer")
    _, tokens = connect(sign_in(owner), acme)
    token = tokens["access_token"]
    assert call(token, "GET", "/v1/account") == 200
    assert call(token, "GET", "/v1/account/members") == 403
    assert call(token, "GET", "/v1/account/keys") == 403
    assert call(token, "DELETE", f"/v1/account/members/{mia.id}") == 403
    assert call(token, "DELETE", f"/v1/account/members/{owner.id}") == 403
    (app,) = list_apps(TenantAccess(acme.id, Member.Role.OWNER))
    assert call(token, "DELETE", f"/v1/account/apps/{app.id}") == 403


def test_the_role_of_today_limits_the_app(acme: Tenant) -> None:
    mia = join(acme, "mia@example.com", "member")
    _, tokens = connect(sign_in(mia), acme)
    assert call(tokens["access_token"], "POST", "/v1/banks", {"bank_id": "one"}) == 201
    with tenant_transaction(acme.id):
        Member.objects.for_tenant(acme.id).filter(user=mia).update(role="viewer")
    assert call(tokens["access_token"], "POST", "/v1/banks", {"bank_id": "two"}) == 403
    assert call(tokens["access_token"]) == 200


def test_a_person_who_left_takes_their_apps_along(acme: Tenant, owner: User) -> None:
    mia = join(acme, "mia@example.com", "member")
    app, tokens = connect(sign_in(mia), acme)
    sign_in(owner, acme).post(f"/dashboard/members/{mia.id}/remove/")
    assert call(tokens["access_token"]) == 401
    assert json.loads(app.refresh(tokens["refresh_token"]).content)["error"] == "invalid_grant"
    assert list_apps(TenantAccess(acme.id, Member.Role.OWNER)) == []


def test_a_deactivated_person_and_a_suspended_tenant_end_the_token(acme: Tenant, owner: User) -> None:
    _, tokens = connect(sign_in(owner), acme)
    User.objects.filter(id=owner.id).update(is_active=False)
    assert call(tokens["access_token"]) == 401
    User.objects.filter(id=owner.id).update(is_active=True)
    assert call(tokens["access_token"]) == 200
    with tenant_transaction(acme.id):
        Tenant.objects.filter(id=acme.id).update(suspended_at="2026-01-01T00:00Z")
    assert call(tokens["access_token"]) == 403


def test_a_disconnected_app_is_out_at_once(acme: Tenant, owner: User) -> None:
    browser = sign_in(owner, acme)
    app, tokens = connect(browser, acme)
    assert b"Notes" in browser.get("/dashboard/apps/").content
    (listed,) = browser.get("/v1/account/apps").json()["apps"]
    assert (listed["name"], listed["email"], listed["scopes"]) == ("Notes", "olga@example.com", ["read", "write"])
    assert browser.delete(f"/v1/account/apps/{listed['app_id']}").status_code == 204
    assert call(tokens["access_token"]) == 401
    assert json.loads(app.refresh(tokens["refresh_token"]).content)["error"] == "invalid_grant"
    assert browser.get("/v1/account/apps").json()["apps"] == []


def test_a_member_sees_and_ends_only_their_own_apps(acme: Tenant, owner: User) -> None:
    _, tokens = connect(sign_in(owner), acme)
    mia = sign_in(join(acme, "mia@example.com", "member"), acme)
    (app,) = list_apps(TenantAccess(acme.id, Member.Role.OWNER))
    assert mia.get("/v1/account/apps").json()["apps"] == []
    assert mia.delete(f"/v1/account/apps/{app.id}").json()["code"] == "app_not_found"
    mia.post(f"/dashboard/apps/{app.id}/disconnect/")
    assert call(tokens["access_token"]) == 200


def test_a_new_consent_replaces_the_earlier_one_and_its_tokens(acme: Tenant, owner: User) -> None:
    other = found_tenant(name="Other", slug="other", owner=owner)
    make_bank(other, bank_id="theirs")
    browser = sign_in(owner)
    app, first = connect(browser, acme)
    code = read_location(consent(browser, app, other))["code"]
    second = json.loads(app.exchange(code).content)
    assert call(first["access_token"]) == 401
    assert call(second["access_token"], "GET", "/v1/banks/theirs") == 200
    assert list_apps(TenantAccess(acme.id, Member.Role.OWNER)) == []


def test_a_viewer_cannot_grant_write(acme: Tenant) -> None:
    browser, app = sign_in(join(acme, "vic@example.com", "viewer")), App()
    app.register()
    page = consent(browser, app, acme)
    assert (page.status_code, "lacks: write" in page.content.decode()) == (200, True)
    assert "code" in read_location(consent(browser, app, acme, scopes=["read"]))


def test_the_form_takes_no_tenant_of_others(acme: Tenant, owner: User) -> None:
    stranger = sign_in(join(found_tenant(name="B", slug="b", owner=owner), "eve@example.com", "owner"))
    app = App()
    app.register()
    page = consent(stranger, app, acme)
    assert (page.status_code, "Select a valid choice" in page.content.decode()) == (200, True)


def test_a_narrowed_refresh_narrows_the_token(acme: Tenant, owner: User) -> None:
    app, tokens = connect(sign_in(owner), acme)
    narrow = json.loads(app.refresh(tokens["refresh_token"], scope="read").content)
    assert call(narrow["access_token"]) == 200
    assert call(narrow["access_token"], "POST", "/v1/banks", {"bank_id": "one"}) == 403


def test_of_consents_at_once_one_is_open(acme: Tenant, owner: User) -> None:
    app = App()
    app.register()

    def allow(_: int) -> int:
        try:
            return int(consent(sign_in(owner), app, acme).status_code)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(4) as pool:
        answers = set(pool.map(allow, range(4)))
    assert 302 in answers
    assert answers <= {200, 302}  # 200: the page again, with the reason
    assert len(list_apps(TenantAccess(acme.id, Member.Role.OWNER))) == 1


def test_the_page_without_apps_names_the_address_for_clients(acme: Tenant, owner: User) -> None:
    assert b"http://testserver/mcp" in sign_in(owner, acme).get("/dashboard/apps/").content


def test_unused_registrations_and_expired_tokens_are_forgotten(acme: Tenant, owner: User) -> None:
    App().register()
    used, tokens = connect(sign_in(owner), acme)
    Token.objects.filter(type="at").update(expires_at=timezone.now())
    assert call(tokens["access_token"]) == 401
    ClientRow.objects.update(created_at=timezone.now() - timedelta(days=8))
    new = App()
    new.register()
    assert set(ClientRow.objects.values_list("id", flat=True)) == {used.client_id, new.client_id}
    assert list(Token.objects.values_list("type", flat=True)) == ["rt"]
    assert used.refresh(tokens["refresh_token"]).status_code == 200


def test_staff_may_delete_a_client_with_everything_of_it(acme: Tenant, owner: User) -> None:
    app, tokens = connect(sign_in(owner), acme)
    staff = sign_in(make_user("staff@example.com", is_staff=True, is_superuser=True))
    page = f"/admin/allauth_idp_oidc/client/{app.client_id}"
    shown = staff.get(f"{page}/change/")
    assert (shown.status_code, b"Notes" in shown.content) == (200, True)
    assert staff.post(f"{page}/delete/", {"post": "yes"}).status_code == 302
    assert call(tokens["access_token"]) == 401
    assert list_apps(TenantAccess(acme.id, Member.Role.OWNER)) == []
