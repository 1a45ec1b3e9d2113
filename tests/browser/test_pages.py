"""Every page of the dashboard and of an account, with content: accessible in both themes and at three widths."""

from urllib.parse import urlencode
from uuid import uuid4

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from memoryplatform.dashboard.urls import urlpatterns
from memoryplatform.operations.models import LLMRequest
from tenants.models import Tenant
from tenants.transactions import tenant_transaction
from tests.accounts.test_permissions import TABLE
from tests.browser.checking import check_page
from tests.browser.conftest import SignIn
from tests.browser.test_account_journeys import found_acme, log_in, open_secured
from tests.factories import (
    make_api_key,
    make_audit_event,
    make_bank,
    make_connected_app,
    make_invitation,
    make_llm_request,
    make_own_llm,
    make_usage_day,
    make_usage_record,
)
from tests.memory_factories import make_quarantined_item
from tests.oauth.conftest import App

WITH_ARGUMENTS = {one.name for one in urlpatterns if one.pattern.converters}
NO_PAGES = {"audit_csv", "palette", "current_work", "first_memory", "design"}  # a file, parts, debug only
DASHBOARD = [name for name, method, _ in TABLE if method == "GET" and name not in WITH_ARGUMENTS | NO_PAGES]
FOR_ANYONE = [
    "accounts/login/",
    "accounts/signup/",
    "accounts/password/reset/",
    "accounts/password/reset/done/",
    "accounts/password/reset/key/done/",
    "accounts/password/reset/key/x-y/",
    "accounts/confirm-email/",
    "accounts/confirm-email/x/",
    "accounts/inactive/",
    "accounts/3rdparty/login/cancelled/",
]
OF_AN_ACCOUNT = [
    "accounts/email/",
    "accounts/password/change/",
    "accounts/2fa/",
    "accounts/2fa/totp/activate/",
    "accounts/2fa/webauthn/",
    "accounts/2fa/webauthn/add/",
    "accounts/sessions/",
    "accounts/3rdparty/",
    "accounts/logout/",
]


def name_of(path: str) -> str:
    return path.strip("/").replace("/", "-") or "home"


def fill(tenant: Tenant) -> None:
    """One row of everything that the pages list."""
    bank = make_bank(tenant, bank_id="support", name="Support agent")
    make_api_key(tenant, name="Production", scopes=["read", "write", "admin"], banks=["support"])
    for make in (make_invitation, make_connected_app, make_own_llm, make_usage_day, make_usage_record):
        make(tenant)
    make_audit_event(tenant)
    make_quarantined_item(tenant, bank=bank)
    log_requests(tenant)


def log_requests(tenant: Tenant) -> LLMRequest:
    """Returns the newest one."""
    with tenant_transaction(tenant.id):
        Tenant.objects.filter(id=tenant.id).update(llm_log_days=7)
    make_llm_request(tenant, outcome="LLMTimeout", bank_key="support", milliseconds=30_000)
    return make_llm_request(tenant, cost="0.000123", bank_key="support", operation_id=uuid4())


@pytest.mark.parametrize("path", ["", *FOR_ANYONE])
def test_a_page_for_anyone(page: Page, path: str) -> None:
    page.goto(f"/{path}")
    check_page(page, name_of(path))


@pytest.mark.parametrize("route", DASHBOARD)
def test_a_page_of_the_dashboard(page: Page, signed_in: SignIn, route: str) -> None:
    fill(signed_in(page))
    page.goto(reverse(route))
    assert page.url.endswith(reverse(route))
    check_page(page, f"dashboard-{route}")


def test_the_page_of_an_llm_request(page: Page, signed_in: SignIn) -> None:
    row = log_requests(signed_in(page))
    page.goto(reverse("llm_requests"))
    page.locator(f"a[href='{reverse('llm_request', args=[row.id])}']").click()
    expect(page.get_by_text("A friend.")).to_be_visible()
    check_page(page, "dashboard-llm_request")


@pytest.mark.parametrize("route", ["api_keys", "connected_apps", "usage", "audit_log", "quarantine", "llm_requests"])
def test_a_page_with_nothing_to_list(page: Page, signed_in: SignIn, route: str) -> None:
    signed_in(page)
    page.goto(reverse(route))
    check_page(page, f"dashboard-{route}-empty")


def test_the_pages_of_an_account(page: Page) -> None:
    found_acme()
    log_in(page)
    for path in OF_AN_ACCOUNT:
        open_secured(page, f"/{path}")
        assert page.url.endswith(path)
        check_page(page, name_of(path))


def test_an_app_asks_for_access_and_gets_it(page: Page, signed_in: SignIn, server: str) -> None:
    """The app is on another origin: the policy of the page must let the form lead there."""
    signed_in(page)
    app, address = App(), f"{server.replace('localhost', '127.0.0.1')}/docs/"
    app.register(redirect_uris=[address])
    page.goto(f"/oauth/authorize?{urlencode(app.build_request(redirect_uri=address))}")
    expect(page.get_by_role("heading", name="Connect Notes")).to_be_visible()
    check_page(page, "oauth-authorize")
    page.get_by_role("button", name="Allow").click()
    page.wait_for_url(f"{address}?code=*")


def test_the_menu_opens_on_a_narrow_screen(page: Page, signed_in: SignIn) -> None:
    signed_in(page)
    page.set_viewport_size({"width": 380, "height": 800})
    page.goto("/dashboard/members/")
    menu = page.get_by_role("navigation", name="Main")
    expect(menu).to_be_hidden()
    page.keyboard.press("Tab")  # the link that skips the navigation
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    expect(menu).to_be_visible()
    check_page(page, "menu-open")


def test_the_theme_follows_the_system_until_one_is_chosen(page: Page, signed_in: SignIn) -> None:
    signed_in(page)
    page.emulate_media(color_scheme="dark")
    page.goto("/dashboard/members/")
    root = page.locator("html")
    expect(root).to_have_attribute("data-theme", "dark")
    page.get_by_role("button", name="Change theme").click()
    expect(root).to_have_attribute("data-theme", "light")
    page.reload()
    expect(root).to_have_attribute("data-theme", "light")
