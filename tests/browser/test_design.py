"""The page of the design system: every component in both themes, without a fault of accessibility."""

from playwright.sync_api import Page, expect
from pytest_django.fixtures import Settings

from tests.browser.checking import check_page
from tests.browser.conftest import SignIn


def test_every_component_is_accessible_in_both_themes(page: Page, signed_in: SignIn, settings: Settings) -> None:
    signed_in(page, "member")
    settings.DEBUG = True
    page.goto("/design/")
    expect(page.get_by_role("heading", name="Design system")).to_be_visible()
    check_page(page, "design")
