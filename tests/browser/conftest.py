"""A real Chromium against the real application. A test opens pages, acts, and checks each page that it shows:

    def test_a_member_sees_the_members(page: Page, signed_in: SignIn) -> None:
        signed_in(page, "member")
        page.goto("/dashboard/members/")
        expect(page.get_by_role("heading", name="Members")).to_be_visible()
        check_page(page, "members")

A test fails on any error in the console, uncaught exception, failed request, or status of 400 and more. A test that
provokes a status adds it: `expected_statuses.add(404)`. `checking.check_page` asks axe-core and takes screenshots,
into the folder that BROWSER_SCREENSHOTS names. `new_page` opens the browser of a second person.
"""

import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from django.conf import settings
from django.core.cache import cache
from django.test import override_settings
from playwright.sync_api import Browser, ConsoleMessage, Page, Request, Response, expect, sync_playwright

from memoryplatform.api.compat.fallback_errors import shape_error
from memoryplatform.server.body_limit import BodyLimit
from memoryplatform.server.handler import RequestHandler
from tenants.memberships import found_tenant
from tenants.models import Tenant
from tests.accounts.conftest import join, make_person, sign_in
from tests.live_server import serve, use_small_models

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
expect.set_options(timeout=20_000)  # a busy machine
CANCELLED = "net::ERR_ABORTED"  # by the page itself, e.g. a stream that ends as the reader leaves
REPORTS_OF_STATUS = ("Failed to load resource", "Response Status Error Code")

HERE = Path(__file__).parent

NewPage = Callable[[], Page]
SignIn = Callable[..., Tenant]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A browser on a busy machine may miss a time limit, so a test that fails is tried twice more."""
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.flaky(reruns=2))


@pytest.fixture(scope="session")
def server(django_db_setup: None, redis_server: object) -> Iterator[str]:
    """The address. A passkey belongs to a domain, so it has a name and no number."""
    with override_settings(SERVESTATIC_USE_FINDERS=True):
        handler = RequestHandler()
    app = BodyLimit(handler, max_bytes=settings.MAX_BODY_BYTES, shape_error=shape_error)
    with serve(app) as url:
        yield url.replace("127.0.0.1", "localhost")


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """Ends with the package: while it runs, Playwright's event loop counts as running in this thread.

    Django would refuse a query in such a thread, and other tests could start no loop of their own.
    """
    if CHROMIUM is None:
        pytest.skip("Chromium is not installed")
    with pytest.MonkeyPatch.context() as patch, sync_playwright() as playwright:
        patch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "true")
        browser = playwright.chromium.launch(executable_path=CHROMIUM)
        yield browser
        browser.close()


@pytest.fixture
def expected_statuses() -> set[int]:
    """Statuses of 400 and more that the test provokes."""
    return set()


@pytest.fixture
def new_page(
    browser: Browser,
    server: str,
    committed_db: None,
    monkeypatch: pytest.MonkeyPatch,
    expected_statuses: set[int],
) -> Iterator[NewPage]:
    """Opens pages that share nothing: neither cookies nor the chosen theme."""
    use_small_models(monkeypatch)
    cache.clear()  # the limits of log-in and registration count by address
    faults: list[str] = []
    with ExitStack() as stack:

        def make() -> Page:
            context = browser.new_context(
                base_url=server, viewport={"width": 1280, "height": 800}, reduced_motion="reduce"
            )
            stack.callback(context.close)
            page = context.new_page()
            watch(page, faults, expected_statuses)
            return page

        yield make
    assert not faults, "\n".join(faults)


def watch(page: Page, faults: list[str], expected: set[int]) -> None:
    """Chromium and htmx also report a bad status in the console; `see_response` names its address."""

    def see_message(message: ConsoleMessage) -> None:
        if message.type == "error" and not message.text.startswith(REPORTS_OF_STATUS):
            faults.append(f"{page.url}: console: {message.text}")

    def see_failure(request: Request) -> None:
        if request.failure != CANCELLED:
            faults.append(f"{page.url}: {request.method} {request.url}: {request.failure}")

    def see_response(response: Response) -> None:
        if response.status >= 400 and response.status not in expected:
            faults.append(f"{page.url}: {response.request.method} {response.url}: {response.status}")

    page.on("console", see_message)
    page.on("pageerror", lambda error: faults.append(f"{page.url}: exception: {error}"))
    page.on("requestfailed", see_failure)
    page.on("response", see_response)


@pytest.fixture
def page(new_page: NewPage) -> Page:
    return new_page()


@pytest.fixture
def signed_in(server: str, committed_db: None) -> SignIn:
    """Signs a new person in, by a cookie. The tenant is Acme, founded by Olga, unless the test names another."""
    founded: list[Tenant] = []

    def find_acme() -> Tenant:
        if not founded:
            founded.append(found_tenant(name="Acme", slug="acme", owner=make_person("olga@example.com")))
        return founded[0]

    def act(page: Page, role: str = "owner", tenant: Tenant | None = None) -> Tenant:
        tenant = tenant or find_acme()
        client = sign_in(join(tenant, f"{role}@{tenant.slug}.example.com", role), tenant)
        session = client.cookies[settings.SESSION_COOKIE_NAME].value
        page.context.add_cookies([{"name": settings.SESSION_COOKIE_NAME, "value": session, "url": server}])
        return tenant

    return act
