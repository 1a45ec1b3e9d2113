"""Sign-up, log-in, second factors and keys, as a person does them."""

import re

from django.core.cache import cache
from playwright.sync_api import Page, expect
from pytest_django.fixtures import Settings

from tenants.memberships import found_tenant
from tests.accounts.conftest import PASSWORD, make_person
from tests.browser.checking import check_page
from tests.browser.conftest import NewPage, SignIn
from tests.scenarios.people import read_code, read_link

ANA = "ana@example.com"
PASSKEY = {
    "protocol": "ctap2",
    "transport": "internal",
    "hasResidentKey": True,
    "hasUserVerification": True,
    "isUserVerified": True,
    "automaticPresenceSimulation": True,
}


def log_in(page: Page, password: str = PASSWORD) -> None:
    page.goto("/accounts/login/")
    page.get_by_label("E-mail").fill(ANA)
    page.get_by_label("Password", exact=True).fill(password)
    with page.expect_navigation():
        page.get_by_role("button", name="Sign in").click()


def open_secured(page: Page, path: str) -> None:
    """Opens a page that asks for the password once more."""
    page.goto(path)
    if "/reauthenticate/" in page.url:
        page.get_by_label("Password").fill(PASSWORD)
        with page.expect_navigation():
            page.get_by_role("main").get_by_role("button").first.click()


def found_acme() -> None:
    found_tenant(name="Acme", slug="acme", owner=make_person(ANA))


def expect_dashboard(page: Page) -> None:
    expect(page).to_have_url(re.compile("/dashboard/"))
    expect(page.get_by_role("navigation", name="Main")).to_be_visible()


def test_a_person_signs_up_verifies_the_address_and_founds_a_tenant(page: Page) -> None:
    page.goto("/")
    page.get_by_role("link", name="Create an account").first.click()
    page.get_by_label("Your name").fill("Ana Reis")
    page.get_by_label("E-mail").fill(ANA)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Create account").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Verify")
    page.goto(read_link("accounts/confirm-email/", to=ANA))
    check_page(page, "accounts-confirm-email-link")
    with page.expect_navigation():
        page.get_by_role("button", name="Yes, verify it").click()
    log_in(page)
    check_page(page, "first-tenant")
    page.get_by_label("Name").fill("Acme Robotics")
    page.get_by_role("button", name="Create").click()
    expect_dashboard(page)
    expect(page.get_by_text("Acme Robotics").first).to_be_visible()


def test_a_wrong_password_is_refused_and_the_address_is_kept(page: Page) -> None:
    found_acme()
    log_in(page, "not the password")
    expect(page.get_by_role("alert")).to_be_visible()
    expect(page.get_by_label("E-mail")).to_have_value(ANA)
    check_page(page, "accounts-login-refused")


def test_a_person_resets_the_password(page: Page) -> None:
    found_acme()
    page.goto("/accounts/login/")
    page.get_by_role("link", name="Forgot").click()
    page.get_by_label("E-mail").fill(ANA)
    page.get_by_role("button", name="Send the link").click()
    expect(page.get_by_role("heading", name="Look into your inbox")).to_be_visible()
    page.goto(read_link("accounts/password/reset/key/", to=ANA))
    check_page(page, "accounts-password-reset-form")
    for field in page.locator("input[type=password]").all():
        field.fill("another horse battery")
    page.get_by_role("button", name="Save the password").click()
    expect(page.get_by_role("heading", name="Your password is changed")).to_be_visible()
    log_in(page, "another horse battery")
    expect_dashboard(page)


def test_a_person_adds_an_authenticator_app_and_signs_in_with_it(
    page: Page, new_page: NewPage, settings: Settings
) -> None:
    settings.MFA_TOTP_TOLERANCE = 1  # a slow machine may send a code after its half minute
    found_acme()
    log_in(page)
    page.goto("/accounts/reauthenticate/")
    check_page(page, "accounts-reauthenticate")
    open_secured(page, "/accounts/2fa/totp/activate/")
    secret = page.get_by_label("Authenticator secret").input_value()
    page.get_by_label("Authenticator code").fill(read_code(secret))
    page.get_by_role("main").get_by_role("button").first.click()
    expect(page).to_have_url(re.compile("/recovery-codes/"))
    check_page(page, "accounts-2fa-recovery-codes")
    for path in ("2fa/", "2fa/totp/deactivate/", "2fa/recovery-codes/generate/"):
        page.goto(f"/accounts/{path}")
        check_page(page, f"accounts-{path.strip('/').replace('/', '-')}-with-app")
    again = new_page()
    log_in(again)
    check_page(again, "accounts-2fa-authenticate")
    cache.clear()  # forgets that the code was used: the next one is half a minute away
    again.get_by_label("Code").fill(read_code(secret))
    again.get_by_role("button", name="Sign in").first.click()
    expect_dashboard(again)


def test_a_person_adds_a_passkey_and_signs_in_with_it(page: Page) -> None:
    found_acme()
    debugger = page.context.new_cdp_session(page)
    debugger.send("WebAuthn.enable")
    debugger.send("WebAuthn.addVirtualAuthenticator", {"options": PASSKEY})
    log_in(page)
    open_secured(page, "/accounts/2fa/webauthn/add/")
    page.get_by_label("Name").fill("Laptop")
    page.get_by_label("Passwordless").check()
    page.get_by_role("button", name="Add").click()
    expect(page).to_have_url(re.compile("/recovery-codes/"))
    page.goto("/accounts/2fa/webauthn/")
    expect(page.get_by_text("Laptop")).to_be_visible()
    with page.expect_navigation():
        page.get_by_role("button", name="Sign out").click()
    page.goto("/accounts/login/")
    page.get_by_role("button", name="Use a passkey").click()
    expect_dashboard(page)
    page.goto("/accounts/2fa/webauthn/")
    check_page(page, "accounts-2fa-webauthn-listed")  # it ends the virtual authenticator, so it comes last


def test_an_address_without_a_name_has_no_passkeys_and_says_so(page: Page, server: str) -> None:
    page.goto(f"{server.replace('localhost', '127.0.0.1')}/accounts/login/")
    for _ in range(2):
        page.get_by_role("button", name="Use a passkey").click()
        expect(page.get_by_role("alert")).to_have_text(re.compile("Passkeys do not work at this address"))


def test_an_invited_person_joins(page: Page, new_page: NewPage, signed_in: SignIn) -> None:
    signed_in(page)
    page.goto("/dashboard/members/")
    page.get_by_label("Invite by e-mail").fill(ANA)
    page.get_by_role("button", name="Send invitation").click()
    expect(page.get_by_text(ANA).first).to_be_visible()
    link = read_link("invitations/", to=ANA)
    make_person(ANA)
    invited = new_page()
    invited.goto(link)
    expect(invited.get_by_role("heading", name="Join Acme")).to_be_visible()
    check_page(invited, "invitation")
    log_in(invited)
    invited.goto(link)
    invited.get_by_role("button", name="Accept").click()
    expect_dashboard(invited)


def test_an_admin_creates_rotates_and_revokes_a_key(page: Page, signed_in: SignIn) -> None:
    signed_in(page, "admin")
    page.goto("/dashboard/keys/")
    page.get_by_label("Name").fill("Production")
    page.get_by_role("button", name="Create key").dblclick()
    first = page.locator("#new-key").inner_text()
    check_page(page, "dashboard-api_keys-new")
    page.reload()  # makes and shows no second key
    expect(page.get_by_role("cell", name=re.compile("^Production"))).to_have_count(1)
    expect(page.locator("#new-key")).to_have_count(0)
    assert page.request.get("/v1/banks", headers={"Authorization": f"Bearer {first}"}).status == 200
    page.get_by_role("button", name="Rotate").click()
    page.get_by_role("dialog").get_by_role("button", name="Rotate").click()
    page.wait_for_function("(first) => document.querySelector('#new-key')?.innerText !== first", arg=first)
    second = page.locator("#new-key").inner_text()
    assert second != first
    for key in (first, second):
        assert page.request.get("/v1/banks", headers={"Authorization": f"Bearer {key}"}).status == 200
    expect(page.get_by_text("ends")).to_be_visible()
    page.goto("/dashboard/keys/")
    expect(page.get_by_text(second)).to_have_count(0)
    page.get_by_role("button", name="Revoke").first.click()
    page.get_by_role("dialog").get_by_role("button", name="Revoke").click()
    expect(page.get_by_text("no longer works")).to_be_visible()
    answers = [
        page.request.get("/v1/banks", headers={"Authorization": f"Bearer {key}"}).status for key in (first, second)
    ]
    assert sorted(answers) == [200, 401]
