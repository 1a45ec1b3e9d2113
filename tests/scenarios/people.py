"""A person with a browser and a program with a key, over HTTP."""

import re
import time
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs, urljoin, urlsplit

import httpx
import httpx2
from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value
from anyio import to_thread
from django.core import mail
from mcp.client.auth import OAuthClientProvider
from mcp.shared.auth import AuthorizationCodeResult, OAuthClientInformationFull, OAuthClientMetadata, OAuthToken

PASSWORD = "correct horse battery"  # of a test
REDIRECT = "http://localhost:3030/callback"
TOTP_SECONDS = 30


class Browser:
    """A person's browser: it keeps cookies, follows links and sends the forms' token."""

    def __init__(self, server: str) -> None:
        self.server = server
        self.http = httpx.Client(base_url=server, follow_redirects=True, timeout=30)

    def close(self) -> None:
        self.http.close()

    def open(self, path: str, status: int = 200) -> str:
        page = self.http.get(path)
        assert page.status_code == status, (path, page.status_code, page.text)
        return page.text

    def send(self, path: str, status: int = 200, **fields: Any) -> str:
        """Sends a form of the site. Returns the page that follows."""
        page = self.http.post(path, data={**fields, "csrfmiddlewaretoken": self.token})
        assert page.status_code == status, (path, page.status_code, page.text)
        return page.text

    def call(self, method: str, path: str, body: Any = None) -> httpx.Response:
        """A request of a page's script to the API."""
        return self.http.request(method, path, json=body, headers={"X-CSRFToken": self.token})

    @property
    def token(self) -> str:
        return self.http.cookies.get("csrftoken") or ""

    def sign_up(self, name: str, email: str) -> None:
        """Signs up, opens the link of the e-mail and logs in."""
        self.open("/accounts/signup/")
        assert "Verify" in self.send("/accounts/signup/", name=name, email=email, password1=PASSWORD)
        link = read_link("accounts/confirm-email/", to=email)
        self.open(link)
        self.send(link)
        self.log_in(email)

    def log_in(self, email: str) -> str:
        self.open("/accounts/login/")
        return self.send("/accounts/login/", login=email, password=PASSWORD)

    def add_authenticator(self) -> str:
        """Turns TOTP on. Returns the secret, which a phone would keep."""
        page = self.open("/accounts/2fa/totp/activate/")
        if "/reauthenticate/" in page:  # the security of an account needs the password once more
            page = self.send("/accounts/reauthenticate/", password=PASSWORD, next="/accounts/2fa/totp/activate/")
        (secret,) = re.findall(r'value="([A-Z2-7]{32})"', page)
        page = self.send("/accounts/2fa/totp/activate/", code=read_code(secret))
        assert "/2fa/recovery-codes/" in page, page
        return str(secret)

    def consent(self, url: str, **chosen: Any) -> dict[str, str]:
        """Opens the page of an app that asks for access, and grants it. Returns what the app is sent."""
        page = self.open(url.removeprefix(self.server))
        (request,) = re.findall(r'name="request" value="([^"]+)"', page)
        given = {"request": request, "action": "grant", "csrfmiddlewaretoken": self.token, **chosen}
        sent = self.http.post(urljoin(url, "/oauth/authorize"), data=given, follow_redirects=False)
        assert sent.headers["Location"].startswith(REDIRECT), sent.text
        query = parse_qs(urlsplit(sent.headers["Location"]).query)
        return {name: values[0] for name, values in query.items()}


def read_code(secret: str) -> str:
    return str(format_hotp_value(hotp_value(secret, int(time.time()) // TOTP_SECONDS)))


def read_link(pattern: str, *, to: str) -> str:
    """The path of the link in the newest e-mail to an address."""
    (message, *_) = [one for one in reversed(mail.outbox) if one.to == [to]]
    (link,) = re.findall(rf"https?://[^/]+(/{pattern}\S*)", str(message.body))
    return str(link)


@dataclass(frozen=True)
class Program:
    """A program with a key. `ask` refuses an answer that is not a success."""

    server: str
    key: str

    def call(self, method: str, path: str, body: Any = None) -> httpx.Response:
        headers = {"Authorization": f"Bearer {self.key}"}
        return httpx.request(method, f"{self.server}{path}", json=body, headers=headers, timeout=30)

    def ask(self, method: str, path: str, body: Any = None) -> Any:
        answer = self.call(method, path, body)
        assert answer.is_success, (path, answer.status_code, answer.text)
        return answer.json() if answer.content else None


class McpApp:
    """The storage and the redirects of the official MCP client, for a person who is signed in."""

    def __init__(self, browser: Browser, **chosen: Any) -> None:
        self.browser, self.chosen = browser, chosen
        self.tokens: OAuthToken | None = None
        self.client: OAuthClientInformationFull | None = None
        self.answer: dict[str, str] = {}

    def authorize(self) -> httpx2.AsyncClient:
        metadata = OAuthClientMetadata(client_name="Notes", redirect_uris=[REDIRECT], token_endpoint_auth_method="none")
        url = f"{self.browser.server}/mcp"
        return httpx2.AsyncClient(auth=OAuthClientProvider(url, metadata, self, self.show, self.come_back), timeout=30)

    async def show(self, url: str) -> None:
        self.answer = await to_thread.run_sync(lambda: self.browser.consent(url, **self.chosen))

    async def come_back(self) -> AuthorizationCodeResult:
        return AuthorizationCodeResult(code=self.answer["code"], state=self.answer["state"])

    async def get_tokens(self) -> OAuthToken | None:
        return self.tokens

    async def set_tokens(self, tokens: OAuthToken) -> None:
        self.tokens = tokens

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        return self.client

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        self.client = client_info
