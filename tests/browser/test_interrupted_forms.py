"""A form that is sent after its session or its CSRF token has gone: no input is lost, and none is sent as another."""

import pytest
from django.conf import settings
from playwright.sync_api import Locator, Page, expect

from banks.models import Bank
from tenants.models import Tenant, User
from tenants.transactions import tenant_transaction
from tests.accounts.conftest import PASSWORD, join
from tests.browser.checking import check_page
from tests.browser.conftest import SignIn
from tests.factories import make_bank

BANK = "/dashboard/banks/support/"
TYPED = "I am Juno. I like rivers."


@pytest.fixture
def acme(page: Page, signed_in: SignIn) -> Tenant:
    return signed_in(page, "owner")


@pytest.fixture
def support(acme: Tenant) -> Bank:
    return make_bank(acme, bank_id="support", name="Juno")


def type_background(page: Page) -> Locator:
    page.goto(BANK)
    page.get_by_role("button", name="Edit").click()
    background = page.get_by_role("textbox", name="Edit the background")
    background.fill(TYPED)
    return background


def save(page: Page) -> None:
    page.get_by_role("button", name="Save", exact=True).click()


def log_in(page: Page, email: str) -> None:
    page.get_by_label("E-mail").fill(email)
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()


def log_in_elsewhere(page: Page, email: str) -> None:
    """In another tab of the same browser. Django makes a new CSRF token."""
    page.context.clear_cookies(name=settings.SESSION_COOKIE_NAME)
    tab = page.context.new_page()
    tab.goto("/accounts/login/")
    log_in(tab, email)
    expect(tab.get_by_role("heading", name="Overview")).to_be_visible()
    tab.close()


def read_background(support: Bank) -> str:
    with tenant_transaction(support.tenant_id):
        return Bank.objects.for_tenant(support.tenant_id).get(id=support.id).background


def test_signing_in_again_in_another_tab_changes_nothing(page: Page, acme: Tenant, support: Bank) -> None:
    type_background(page)
    log_in_elsewhere(page, f"owner@{acme.slug}.example.com")
    save(page)
    expect(page.get_by_text(TYPED).first).to_be_visible()
    assert read_background(support) == TYPED


def test_a_form_of_one_account_is_not_sent_as_another(
    page: Page, acme: Tenant, support: Bank, expected_statuses: set[int]
) -> None:
    expected_statuses.add(403)
    type_background(page)
    other: User = join(acme, "bob@example.com", "owner")
    log_in_elsewhere(page, other.email)
    save(page)
    expect(page.get_by_role("heading", name="This form is out of date")).to_be_visible()
    expect(page.get_by_text("bob@example.com")).to_be_visible()
    page.get_by_text("Your input").last.click()
    expect(page.get_by_text(TYPED)).to_be_visible()
    check_page(page, "error-expired-form-other-account")
    assert read_background(support) == ""
    page.get_by_role("link", name="Open the form again").click()
    expect(page.get_by_role("heading", name="Juno")).to_be_visible()


def test_a_refused_new_bank_has_the_focus_on_its_field(page: Page, support: Bank, expected_statuses: set[int]) -> None:
    expected_statuses.add(422)
    page.goto("/dashboard/")
    page.get_by_role("button", name="New bank").click()
    field = page.get_by_role("dialog").get_by_role("textbox").first
    field.fill(support.bank_id)
    page.get_by_role("button", name="Create bank").click()
    expect(page.get_by_role("dialog")).to_be_visible()
    expect(page.get_by_role("dialog").locator("[aria-invalid=true]")).to_be_focused()


def test_a_form_without_any_cookie_comes_back_after_the_log_in(
    page: Page, acme: Tenant, support: Bank, expected_statuses: set[int]
) -> None:
    expected_statuses.add(403)
    background = type_background(page)
    page.context.clear_cookies()
    save(page)
    expect(page.get_by_text("Your session has ended since you opened it")).to_be_visible()
    page.get_by_role("link", name="Sign in and go on").click()
    log_in(page, f"owner@{acme.slug}.example.com")
    expect(background).to_have_value(TYPED)
    save(page)
    expect(page.get_by_text(TYPED).first).to_be_visible()
    assert read_background(support) == TYPED
