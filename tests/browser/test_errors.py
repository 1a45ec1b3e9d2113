"""Pages of errors, and that the fixtures notice what they promise to notice."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from memoryplatform.operations.account import api_keys
from tests.browser.checking import check_page, find_violations
from tests.browser.conftest import SignIn, watch

STRICT = {"Content-Security-Policy": "default-src 'none'"}
SOUND = "<!doctype html><html lang=en><title>Sound</title><main><h1>Sound</h1>%s</main></html>"


def test_an_unknown_address(page: Page, expected_statuses: set[int]) -> None:
    expected_statuses.add(404)
    page.goto("/nothing/here/")
    expect(page.get_by_role("heading", name="There is nothing here")).to_be_visible()
    check_page(page, "error-404")


def test_a_log_in_that_failed_elsewhere(page: Page, expected_statuses: set[int]) -> None:
    expected_statuses.add(401)
    page.goto("/accounts/3rdparty/login/error/")
    check_page(page, "accounts-3rdparty-login-error")


def test_an_invitation_that_is_not_there(page: Page, expected_statuses: set[int]) -> None:
    expected_statuses.add(404)
    page.goto("/invitations/forged/")
    check_page(page, "invitation-forged")


def test_a_page_that_the_role_may_not_see(page: Page, signed_in: SignIn, expected_statuses: set[int]) -> None:
    expected_statuses.add(403)
    signed_in(page, "viewer")
    page.goto("/dashboard/keys/")
    expect(page.get_by_role("heading", name="Not allowed")).to_be_visible()
    check_page(page, "error-403")


def test_a_form_that_has_expired(page: Page, expected_statuses: set[int]) -> None:
    expected_statuses.add(403)
    page.goto("/accounts/login/")
    page.context.clear_cookies()
    page.get_by_label("E-mail").fill("ana@example.com")
    page.get_by_label("Password", exact=True).fill("any password")
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", name="This form is out of date")).to_be_visible()
    check_page(page, "error-expired-form")


def test_a_page_that_breaks(
    page: Page, signed_in: SignIn, expected_statuses: set[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_access: Any) -> None:
        raise RuntimeError("broken for a test")

    expected_statuses.add(500)
    monkeypatch.setattr(api_keys, "list_keys", fail)
    signed_in(page)
    page.goto("/dashboard/keys/")
    expect(page.get_by_role("heading", name="Something went wrong")).to_be_visible()
    check_page(page, "error-500")


def show(page: Page, body: str, **headers: str) -> None:
    page.route("**/shown", lambda route: route.fulfill(body=SOUND % body, content_type="text/html", headers=headers))
    page.goto("/shown")


def test_axe_works_under_a_strict_policy_and_finds_a_missing_name(page: Page) -> None:
    show(page, "<p>Text", **STRICT)
    assert find_violations(page) == []
    show(page, "<button></button>", **STRICT)
    (fault,) = find_violations(page)
    assert fault.startswith("button-name")


def test_a_page_wider_than_the_screen_is_found(page: Page) -> None:
    show(page, "<p style='width: 500px'>Wide")
    with pytest.raises(AssertionError, match=r"dark, 380 px: scrolls sideways"):
        check_page(page, "harness-wide")


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        ("<script>console.error('alas')</script>", "console: alas"),
        ("<script>throw new Error('alas')</script>", "exception: alas"),
        ("<img alt='' src='/gone.png'>", "/gone.png: 404"),
        ("<img alt='' src='http://localhost:1/'>", "GET http://localhost:1/: net::"),
    ],
)
def test_faults_of_a_page_are_noticed(page: Page, expected_statuses: set[int], body: str, fault: str) -> None:
    other = page.context.new_page()  # not watched by the fixture, which would fail this test
    faults: list[str] = []
    watch(other, faults, set())
    show(other, body)
    other.wait_for_load_state("networkidle")
    assert len(faults) == 1, faults
    assert fault in faults[0]


def test_a_refused_script_is_noticed(page: Page) -> None:
    other = page.context.new_page()
    faults: list[str] = []
    watch(other, faults, set())
    show(other, "<script>1</script>", **STRICT)
    assert "Content Security Policy" in "".join(faults)
