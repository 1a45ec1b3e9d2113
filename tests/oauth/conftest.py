"""People, apps, and the way from registration to a token over HTTP."""

import base64
import hashlib
import json
import re
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from django.core.cache import cache
from django.test import Client

from tenants.memberships import found_tenant
from tenants.models import Tenant, User
from tests.accounts.conftest import make_person

REDIRECT = "https://app.example.com/callback"
VERIFIER = "a-verifier-that-is-long-enough-for-the-rules-of-pkce"
CHALLENGE = base64.urlsafe_b64encode(hashlib.sha256(VERIFIER.encode()).digest()).decode().rstrip("=")


@pytest.fixture(autouse=True)
def fresh_limits(redis_server: object) -> None:
    """Registrations are counted by address, and all tests have one."""
    cache.clear()


@pytest.fixture
def owner(committed_db: None, redis_server: object) -> User:
    return make_person("olga@example.com")


@pytest.fixture
def acme(owner: User) -> Tenant:
    return found_tenant(name="Acme", slug="acme", owner=owner)


@dataclass
class App:
    """An OAuth client, as its maker would write it."""

    client_id: str = ""
    secret: str | None = None
    http: Client = field(default_factory=Client)

    def register(self, **metadata: Any) -> Any:
        given = {"client_name": "Notes", "redirect_uris": [REDIRECT], "token_endpoint_auth_method": "none"} | metadata
        response: Any = self.http.post("/oauth/register", json.dumps(given), content_type="application/json")
        if response.status_code == 201:
            self.client_id = json.loads(response.content)["client_id"]
            self.secret = json.loads(response.content).get("client_secret")
        return response

    def build_request(self, **changes: str | None) -> dict[str, str]:
        asked = {
            "response_type": "code",
            "client_id": self.client_id,
            "redirect_uri": REDIRECT,
            "scope": "read write",
            "state": "xyz",
            "code_challenge": CHALLENGE,
            "code_challenge_method": "S256",
            **changes,
        }
        return {name: value for name, value in asked.items() if value is not None}

    def exchange(self, code: str, **changes: str) -> Any:
        return self.ask_token(
            grant_type="authorization_code", code=code, redirect_uri=REDIRECT, code_verifier=VERIFIER, **changes
        )

    def refresh(self, token: str, **changes: str) -> Any:
        return self.ask_token(grant_type="refresh_token", refresh_token=token, **changes)

    def ask_token(self, **given: str) -> Any:
        return self.http.post("/oauth/token", {"client_id": self.client_id, **given})


def consent(browser: Client, app: App, tenant: Tenant, *, asked: dict[str, Any] | None = None, **chosen: Any) -> Any:
    """Opens the page and submits its form, as a person does."""
    page = browser.get("/oauth/authorize", asked or app.build_request())
    assert page.status_code == 200, page
    (signed,) = re.findall(r'name="request" value="([^"]+)"', page.content.decode())
    given = {"request": signed, "tenant": str(tenant.id), "scopes": ["read", "write"], "banks": "", "action": "grant"}
    return browser.post("/oauth/authorize", given | chosen)


def read_location(response: Any) -> dict[str, str]:
    assert response.status_code == 302, response.content
    return {name: values[0] for name, values in parse_qs(urlsplit(response["Location"]).query).items()}


def connect(browser: Client, tenant: Tenant, **chosen: Any) -> tuple[App, dict[str, Any]]:
    app = App()
    app.register()
    code = read_location(consent(browser, app, tenant, **chosen))["code"]
    return app, json.loads(app.exchange(code).content)
