"""The pages for visitors in a browser: home, documentation, search, API reference."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.checking import check_page
from tests.browser.conftest import SignIn
from tests.factories import make_key_with_text


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


def test_the_api_reference_leads_to_an_operation_and_asks_no_other_host(page: Page, server: str) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto("/v1/docs")
    check_page(page, "docs-api")
    page.get_by_label("Filter the operations").fill("memories/recall")
    rows = page.locator("main .api-row:visible")
    expect(rows).to_have_count(2)
    page.get_by_label("Filter the operations").fill("zzyzx")
    expect(page.get_by_text("No operation has these words")).to_be_visible()
    page.get_by_label("Filter the operations").fill("memories/recall")
    rows.first.click()
    expect(page.get_by_role("heading", level=1, name="Recall memories for a query")).to_be_visible()
    check_page(page, "docs-api-recall")
    assert [one for one in asked if not one.startswith((server, "data:", "blob:"))] == []


def test_an_operation_is_tried_with_a_key(page: Page, signed_in: SignIn, expected_statuses: set[int]) -> None:
    """A wrong key shows the API's own error, a right one the response."""
    _, key = make_key_with_text(signed_in(page))
    page.goto("/docs/api/create_bank/")
    page.get_by_label("API key").fill("mpk_wrong")
    page.get_by_role("textbox", name="Body").fill('{"bank_id": "tried"}')
    expected_statuses.add(401)
    page.get_by_role("button", name="Send POST").click()
    expect(page.get_by_text("401 Unauthorized in")).to_be_visible()
    page.get_by_label("API key").fill(key)
    page.get_by_role("button", name="Send POST").click()
    expect(page.get_by_text("201 Created in")).to_be_visible()
    expect(page.get_by_label("Response", exact=True)).to_contain_text('"tried"')
    page.goto("/docs/api/get_bank/")
    expect(page.get_by_label("API key")).to_have_value(key)
    page.get_by_label("bank_id").fill("tried")
    page.get_by_role("button", name="Send GET").click()
    expect(page.get_by_text("200 OK in")).to_be_visible()
    check_page(page, "docs-api-tried")
