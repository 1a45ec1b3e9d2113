"""The OAuth flow of the official MCP client against a running server: the person signs in and consents over HTTP."""

import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, urljoin, urlsplit

import httpx2
import pytest
from anyio.from_thread import start_blocking_portal
from django.conf import settings
from mcp import Client
from mcp.client.auth import OAuthClientProvider, OAuthFlowError
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import AuthorizationCodeResult, OAuthClientInformationFull, OAuthClientMetadata, OAuthToken

from memoryplatform.api.mcp.application import McpRoutes
from memoryplatform.operations.account.access import TenantAccess
from memoryplatform.operations.account.connected_apps import disconnect_app, list_apps
from tenants.models import Member, Tenant, User
from tests.accounts.conftest import PASSWORD
from tests.factories import make_bank
from tests.live_server import serve, use_small_models
from tests.mcp.conftest import serve_others
from tests.mcp.connection import Connection

REDIRECT = "http://localhost:3030/callback"


@pytest.fixture
def server(acme: Tenant, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    use_small_models(monkeypatch)
    with serve(McpRoutes(serve_others, max_bytes=settings.MAX_BODY_BYTES), lifespan="on") as url:
        yield url


@dataclass
class Person:
    """A person with a browser. `consents` counts the pages that they answered."""

    email: str
    tenant: Tenant
    action: str = "grant"
    consents: int = 0
    answer: dict[str, str] = field(default_factory=dict)

    async def open(self, url: str) -> None:
        async with httpx2.AsyncClient(follow_redirects=True) as browser:
            page = await browser.get(url)
            if "/accounts/login/" in str(page.url):
                given = {
                    "login": self.email,
                    "password": PASSWORD,
                    "csrfmiddlewaretoken": read_field(page, "csrfmiddlewaretoken"),
                }
                page = await browser.post(str(page.url), data=given)
            consent: dict[str, Any] = {
                "csrfmiddlewaretoken": read_field(page, "csrfmiddlewaretoken"),
                "request": read_field(page, "request"),
                "tenant": str(self.tenant.id),
                "scopes": ["read", "write"],
                "banks": "notes",
                "action": self.action,
            }
            sent = await browser.post(urljoin(url, "/oauth/authorize"), data=consent, follow_redirects=False)
            assert sent.headers["Location"].startswith(REDIRECT)
            query = parse_qs(urlsplit(sent.headers["Location"]).query)
            self.answer = {name: values[0] for name, values in query.items()}
            self.consents += 1

    async def come_back(self) -> AuthorizationCodeResult:
        return AuthorizationCodeResult(code=self.answer.get("code", ""), state=self.answer["state"])


def read_field(page: httpx2.Response, name: str) -> str:
    return str(re.findall(rf'name="{name}" value="([^"]+)"', page.text)[0])


@dataclass
class Storage:
    tokens: OAuthToken | None = None
    client: OAuthClientInformationFull | None = None

    async def get_tokens(self) -> OAuthToken | None:
        return self.tokens

    async def set_tokens(self, tokens: OAuthToken) -> None:
        self.tokens = tokens

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        return self.client

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        self.client = client_info


def build_provider(server: str, person: Person, storage: Storage) -> OAuthClientProvider:
    metadata = OAuthClientMetadata(client_name="Inspector", redirect_uris=[REDIRECT], token_endpoint_auth_method="none")
    return OAuthClientProvider(f"{server}/mcp", metadata, storage, person.open, person.come_back)


@contextmanager
def connect(server: str, provider: OAuthClientProvider) -> Iterator[Connection]:
    with start_blocking_portal() as portal:
        http = httpx2.AsyncClient(auth=provider, timeout=30)
        client = Client(streamable_http_client(f"{server}/mcp", http_client=http))
        with portal.wrap_async_context_manager(http), portal.wrap_async_context_manager(client):
            yield Connection(portal, client)


def test_the_official_client_registers_connects_refreshes_and_is_disconnected(
    server: str, acme: Tenant, owner: User
) -> None:
    make_bank(acme, bank_id="notes")
    make_bank(acme, bank_id="secrets")
    person, storage = Person(owner.email, acme), Storage()
    provider = build_provider(server, person, storage)
    with connect(server, provider) as connection:
        assert [bank["bank_id"] for bank in connection.call("list_banks")["banks"]] == ["notes"]
        assert person.consents == 1
        first = storage.tokens
        assert first is not None
        assert first.scope == "read write"

        provider.context.token_expiry_time = time.time() - 1
        connection.call("list_banks")
        assert storage.tokens is not None
        assert (storage.tokens.access_token != first.access_token, person.consents) == (True, 1)

    staff = TenantAccess(acme.id, Member.Role.OWNER)
    (app,) = list_apps(staff)
    assert (app.client.name, app.user_id) == ("Inspector", owner.id)
    disconnect_app(staff, app.id)
    assert ask_tools(server, storage.tokens.access_token).status_code == 401


def test_a_client_whose_person_cancels_gets_no_token(server: str, acme: Tenant, owner: User) -> None:
    person, storage = Person(owner.email, acme, action="cancel"), Storage()
    provider = build_provider(server, person, storage)
    with pytest.raises((OAuthFlowError, ExceptionGroup)), connect(server, provider) as connection:
        connection.call("list_banks")
    assert (person.answer["error"], storage.tokens) == ("access_denied", None)
    assert list_apps(TenantAccess(acme.id, Member.Role.OWNER)) == []


@pytest.mark.parametrize("path", ["/mcp", "/mcp/support"])
def test_a_refusal_names_the_metadata_of_the_resource(server: str, path: str) -> None:
    headers = {"Content-Type": "application/json"}
    bare = httpx2.post(f"{server}{path}", headers=headers)
    assert bare.status_code == 401
    metadata = f"{server}/.well-known/oauth-protected-resource{path}"
    assert bare.headers["WWW-Authenticate"] == f'Bearer resource_metadata="{metadata}", scope="read write"'
    assert httpx2.get(metadata).json()["resource"] == f"{server}{path}"
    assert 'error="invalid_token"' in ask_tools(server, "x" * 86).headers["WWW-Authenticate"]


def ask_tools(server: str, token: str) -> Any:
    headers = {"Authorization": f"Bearer {token}", "Accept": "application/json, text/event-stream"}
    return httpx2.post(f"{server}/mcp", headers=headers, json={"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
