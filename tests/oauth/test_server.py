"""The authorization server: metadata, registration, and requests that it must refuse."""

import json
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from threading import Barrier, BrokenBarrierError
from typing import Any

import pytest
from allauth.idp.oidc.internal.oauthlib import authorization_codes
from django.db import connections
from django.test import Client

from memoryplatform.oauth.clients import is_safe_redirect
from tenants.models import Tenant, User
from tests.accounts.conftest import PASSWORD, sign_in
from tests.oauth.conftest import REDIRECT, VERIFIER, App, connect, consent, read_location

pytestmark = pytest.mark.usefixtures("committed_db")


def read(response: Any) -> Any:
    return json.loads(response.content)


@pytest.fixture
def app(committed_db: None) -> App:
    made = App()
    assert made.register().status_code == 201
    return made


def test_the_metadata_lead_from_the_resource_to_the_server() -> None:
    client = Client()
    resource = client.get("/.well-known/oauth-protected-resource/mcp/support").json()
    assert resource["resource"] == "http://testserver/mcp/support"
    assert client.get("/.well-known/oauth-protected-resource").json()["resource"] == "http://testserver/mcp"
    (issuer,) = resource["authorization_servers"]
    for path in ("oauth-authorization-server", "openid-configuration"):
        server = client.get(f"/.well-known/{path}").json()
        assert server["issuer"] == issuer == "http://testserver"
        assert server["registration_endpoint"] == "http://testserver/oauth/register"
        assert server["code_challenge_methods_supported"] == ["S256"]
        assert (server["scopes_supported"], server["response_types_supported"]) == (["read", "write"], ["code"])
    assert client.get(server["jwks_uri"]).json() == {"keys": []}


def test_the_metadata_name_the_public_address(settings: Any) -> None:
    settings.PUBLIC_URL = "https://memory.example.com"
    server = Client().get("/.well-known/oauth-authorization-server").json()
    assert server["issuer"] == "https://memory.example.com"
    assert server["token_endpoint"] == "https://memory.example.com/oauth/token"


def test_a_registration_gets_the_code_flow_and_nothing_else() -> None:
    asked = {"grant_types": ["authorization_code", "client_credentials"], "response_types": ["token"], "scope": "admin"}
    made = read(App().register(**asked, logo_uri="https://x.example/" + "x" * 5_000))
    assert (made["grant_types"], made["response_types"]) == (["authorization_code", "refresh_token"], ["code"])
    assert (made["scope"], "client_secret" in made) == ("read write", False)


@pytest.mark.parametrize(
    "uri",
    [
        "http://evil.example/callback",
        "https://app.example.com/#fragment",
        "https://*.example.com/callback",
        "https://user:password@app.example.com/",
        "javascript:alert(1)",
        "data:text/html,x",
        "https://",
        "/callback",
        "https://app.example.com/a b",
        "https://app.example.com\\@evil.example/",
    ],
)
def test_an_unsafe_redirect_uri_is_not_registered(uri: str) -> None:
    response = App().register(redirect_uris=[uri])
    assert (response.status_code, read(response)["error"]) == (400, "invalid_redirect_uri")


def test_apps_on_a_device_may_register() -> None:
    assert is_safe_redirect("http://127.0.0.1:33418/")
    assert is_safe_redirect("http://[::1]:8080/callback")
    assert is_safe_redirect("cursor://anysphere.cursor-retrieval/oauth/callback")


@pytest.mark.parametrize(
    "body", ["", "[]", "{", '{"redirect_uris": "https://a.example/"}', '{"redirect_uris": [1]}', "{}"]
)
def test_a_malformed_registration_is_refused(body: str) -> None:
    assert Client().post("/oauth/register", body, content_type="application/json").status_code == 400


def test_registrations_are_limited() -> None:
    answers = [App().register().status_code for _ in range(11)]
    assert answers == [201] * 10 + [429]


def test_a_stranger_signs_in_first_and_comes_back(app: App, acme: Tenant, owner: User) -> None:
    browser = Client()
    sent = browser.get("/oauth/authorize", app.build_request())
    assert (sent.status_code, sent["Location"].split("?")[0]) == (302, "/accounts/login/")
    back = browser.post(sent["Location"], {"login": owner.email, "password": PASSWORD})
    assert back["Location"].startswith("/oauth/authorize?")
    assert "Connect Notes" in browser.get(back["Location"]).content.decode()


def test_the_log_in_leads_to_no_foreign_page(acme: Tenant, owner: User) -> None:
    for foreign in ("https://evil.example/", "//evil.example/", "/\\evil.example"):
        response = Client().post(f"/accounts/login/?next={foreign}", {"login": owner.email, "password": PASSWORD})
        assert response["Location"] == "/dashboard/"


@pytest.mark.parametrize(
    "redirect_uri",
    [
        "https://evil.example/callback",
        f"{REDIRECT}/",
        f"{REDIRECT}?more=1",
        REDIRECT.replace("https", "http"),
        REDIRECT.upper(),
        "https://app.example.com:8443/callback",
        None,
    ],
)
def test_another_redirect_uri_shows_an_error_and_leads_nowhere(
    app: App, acme: Tenant, owner: User, redirect_uri: str | None
) -> None:
    response = sign_in(owner).get("/oauth/authorize", app.build_request(redirect_uri=redirect_uri))
    assert (response.status_code, response.has_header("Location")) == (400, False)
    assert "can&#x27;t be connected" in response.content.decode() or "can't be connected" in response.content.decode()


def test_an_unknown_app_shows_an_error(acme: Tenant, owner: User) -> None:
    assert sign_in(owner).get("/oauth/authorize", App("nobody").build_request()).status_code == 400


@pytest.mark.parametrize(
    "changes",
    [
        {"code_challenge": None, "code_challenge_method": None},
        {"code_challenge_method": None},
        {"code_challenge_method": "plain"},
        {"code_challenge": ""},
    ],
)
def test_pkce_is_required(app: App, acme: Tenant, owner: User, changes: dict[str, str | None]) -> None:
    sent = read_location(sign_in(owner).get("/oauth/authorize", app.build_request(**changes)))
    assert (sent["error"], sent["state"]) == ("invalid_request", "xyz")


def test_pkce_is_required_of_confidential_clients_too(acme: Tenant, owner: User) -> None:
    app = App()
    assert read(app.register(token_endpoint_auth_method="client_secret_post"))["client_secret"]
    bare = app.build_request(code_challenge=None)
    assert "error" in read_location(sign_in(owner).get("/oauth/authorize", bare))
    code = read_location(consent(sign_in(owner), app, acme))["code"]
    assert read(app.exchange(code))["error"] == "invalid_client"
    code = read_location(consent(sign_in(owner), app, acme))["code"]
    assert app.exchange(code, client_secret=str(app.secret)).status_code == 200


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"scope": "read admin"}, "invalid_scope"),
        ({"response_type": "token"}, "unauthorized_client"),
        ({"prompt": "none", "scope": "openid"}, "invalid_scope"),
    ],
)
def test_a_faulty_request_goes_back_to_the_app(
    app: App, acme: Tenant, owner: User, changes: dict[str, str], error: str
) -> None:
    response = sign_in(owner).get("/oauth/authorize", app.build_request(**changes))
    assert response["Location"].startswith(REDIRECT)
    assert error in response["Location"]


def test_a_foreign_resource_is_refused(app: App, acme: Tenant, owner: User) -> None:
    browser = sign_in(owner)
    foreign = browser.get("/oauth/authorize", app.build_request(resource="https://other.example/mcp"))
    assert (foreign.status_code, foreign.has_header("Location")) == (400, False)
    assert "This server gives no tokens for another resource." in foreign.content.decode()
    asked = app.build_request(resource="http://testserver/mcp")
    code = read_location(consent(browser, app, acme, asked=asked))["code"]
    assert read(app.exchange(code, resource="https://other.example/mcp"))["error"] == "invalid_target"


def test_a_cancelled_consent_says_so(app: App, acme: Tenant, owner: User) -> None:
    sent = read_location(consent(sign_in(owner), app, acme, action="cancel"))
    assert sent == {"error": "access_denied", "state": "xyz"}


def test_a_consent_needs_the_form(app: App, acme: Tenant, owner: User) -> None:
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(owner, backend="django.contrib.auth.backends.ModelBackend")
    given = {"request": "forged", "tenant": str(acme.id), "scopes": ["read"], "action": "grant"}
    assert browser.post("/oauth/authorize", given).status_code == 403
    assert sign_in(owner).post("/oauth/authorize", given).status_code == 403


def test_a_code_works_once(app: App, acme: Tenant, owner: User) -> None:
    code = read_location(consent(sign_in(owner), app, acme))["code"]
    assert app.exchange(code).status_code == 200
    assert read(app.exchange(code))["error"] == "invalid_grant"


def test_of_many_requests_with_one_code_one_gets_a_token(
    app: App, acme: Tenant, owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All that may read the code read it before the first deletes it."""
    code = read_location(consent(sign_in(owner), app, acme))["code"]
    real, barrier = authorization_codes.lookup, Barrier(4)

    def look_up_together(client_id: str, code: str) -> Any:
        with suppress(BrokenBarrierError):
            barrier.wait(timeout=2)
        return real(client_id, code)

    monkeypatch.setattr(authorization_codes, "lookup", look_up_together)
    assert sorted(at_once(lambda: app.exchange(code).status_code)) == [200, 400, 400, 400]


def test_of_many_requests_with_one_refresh_token_one_gets_a_token(acme: Tenant, owner: User) -> None:
    app, tokens = connect(sign_in(owner), acme)
    assert sorted(at_once(lambda: app.refresh(tokens["refresh_token"]).status_code)) == [200, 400, 400, 400]


def at_once(act: Any) -> list[int]:
    def run(_: int) -> int:
        try:
            return int(act())
        finally:
            connections.close_all()

    with ThreadPoolExecutor(4) as pool:
        return list(pool.map(run, range(4)))


@pytest.mark.parametrize(
    "changes", [{"code_verifier": "x" * 50}, {"redirect_uri": "https://evil.example/"}, {"code": "x"}]
)
def test_a_code_needs_its_verifier_and_its_uri(app: App, acme: Tenant, owner: User, changes: dict[str, str]) -> None:
    code = read_location(consent(sign_in(owner), app, acme))["code"]
    given = {"grant_type": "authorization_code", "code": code, "redirect_uri": REDIRECT, "code_verifier": VERIFIER}
    assert app.ask_token(**given | changes).status_code in {400, 401}


def test_a_code_of_one_app_is_none_of_another(app: App, acme: Tenant, owner: User) -> None:
    thief = App()
    thief.register()
    code = read_location(consent(sign_in(owner), app, acme))["code"]
    assert read(thief.exchange(code))["error"] == "invalid_grant"


def test_other_grants_are_not_served(app: App) -> None:
    for kind in ("client_credentials", "password", "urn:ietf:params:oauth:grant-type:device_code", ""):
        assert read(app.ask_token(grant_type=kind, username="a", password="b"))["error"] == "unsupported_grant_type"


def test_a_client_may_revoke_its_token(acme: Tenant, owner: User) -> None:
    app, tokens = connect(sign_in(owner), acme)
    gone = Client().post("/oauth/revoke", {"token": tokens["refresh_token"], "client_id": app.client_id})
    assert gone.status_code == 200
    assert read(app.refresh(tokens["refresh_token"]))["error"] == "invalid_grant"


def test_a_person_without_a_tenant_founds_one_first(app: App, owner: User) -> None:
    assert sign_in(owner).get("/oauth/authorize", app.build_request())["Location"] == "/dashboard/tenants/new/"


def test_null_bytes_and_deep_json_are_refused(owner: User, acme: Tenant) -> None:
    client = sign_in(owner, acme)
    for response in (
        client.get("/oauth/authorize?client_id=%00"),
        client.post("/oauth/token", {"grant_type": "refresh_token", "client_id": "\0", "refresh_token": "x"}),
        client.post("/oauth/revoke", {"client_id": "\0", "token": "x"}),
        client.post("/oauth/register", "[" * 100_000, content_type="application/json"),
    ):
        assert response.status_code == 400
        assert "error" in read(response)


@pytest.mark.parametrize(
    ("uri", "source"),
    [
        (REDIRECT, "https://app.example.com"),
        ("http://localhost:8199/cb", "http://localhost:8199"),
        ("http://[::1]:8199/cb", "http:"),
        ("cursor://anysphere.cursor/callback", "cursor:"),
    ],
)
def test_the_form_of_the_consent_may_lead_to_the_app_only(owner: User, acme: Tenant, uri: str, source: str) -> None:
    app = App()
    assert app.register(redirect_uris=[uri]).status_code == 201
    page = sign_in(owner, acme).get("/oauth/authorize", app.build_request(redirect_uri=uri))
    assert page.status_code == 200
    assert f"form-action 'self' {source};" in page["Content-Security-Policy"] + ";"
