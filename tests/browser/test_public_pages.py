"""The pages for visitors in a browser: home, documentation, search."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.checking import check_page


def test_a_visitor_finds_the_clients_and_the_way_to_an_account(page: Page) -> None:
    page.goto("/")
    page.get_by_label("mem0 client").check()
    expect(page.locator("[data-client=mem0]")).to_be_visible()
    check_page(page, "home")
    page.get_by_role("link", name="Create an account").first.click()
    expect(page.get_by_role("heading", name="Create an account")).to_be_visible()


@pytest.mark.parametrize("address", ["/docs/", "/docs/recall/", "/docs/changelog/", "/docs/search/?q=token"])
def test_the_documentation_is_readable(page: Page, address: str) -> None:
    page.goto(address)
    expect(page.get_by_role("heading").first).to_be_visible()
    check_page(page, address.strip("/").replace("/", "-").replace("?q=", "-"))
