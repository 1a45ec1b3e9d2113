"""E-mails of accounts: their texts, and the addresses in their links."""

from pathlib import Path

import allauth
import pytest
from django.contrib.sites.requests import RequestSite
from django.core import mail
from django.core.cache import cache
from django.test import Client, RequestFactory
from django.utils import timezone
from pytest_django.fixtures import Settings

from memoryplatform.accounts.adapter import AccountAdapter
from memoryplatform.operations.account.access import TenantAccess
from memoryplatform.operations.account.invitations import invite
from tenants.models import Member, Tenant
from tests.accounts.conftest import PASSWORD, make_person

TEMPLATES = Path(allauth.__file__).parent / "templates"
MAILS = sorted(
    str(path.relative_to(TEMPLATES)).removesuffix("_subject.txt") for path in TEMPLATES.glob("*/email/*_subject.txt")
)
SENT = {  # by the settings of this service: without codes and without notices of changes
    "account/email/account_already_exists",
    "account/email/email_confirmation",
    "account/email/email_confirmation_signup",
    "account/email/password_reset_key",
    "account/email/unknown_account",
}
FOREIGN = ("testserver", "example.com", "Hello from", "&#x27;", "&amp;")
LINKS = ("activate_url", "password_reset_url", "signup_url")


@pytest.fixture(autouse=True)
def fresh_limits(redis_server: object) -> None:
    """E-mails are counted by address, and all tests have one."""
    cache.clear()


@pytest.mark.parametrize("name", MAILS)
def test_every_mail_names_the_product_and_no_other_site(name: str) -> None:
    request = RequestFactory().get("/", headers={"Host": "testserver"})
    context = {
        "request": request,
        "current_site": RequestSite(request),
        "email": "o'neil@mail.test",
        "timestamp": timezone.now(),
        **dict.fromkeys(LINKS, "https://memory.test/page/?a=1&b=2"),
    }
    message = AccountAdapter(request).render_mail(name, "o'neil@mail.test", context)
    text = str(message.body)
    assert message.subject.startswith("Memory platform: ")
    assert text.endswith("\n\nMemory platform")
    assert [word for word in FOREIGN if word in text] == []
    if name in SENT:
        assert "o'neil@mail.test" in text
        assert "https://memory.test/page/?a=1&b=2\n" in text


def test_the_mails_that_are_sent_are_there() -> None:
    assert set(MAILS) >= SENT


def test_every_link_begins_with_the_public_address(committed_db: None, settings: Settings) -> None:
    settings.PUBLIC_URL = "https://memory.test"
    make_person("known@example.com")
    for email in ("known@example.com", "new@example.com"):
        Client().post("/accounts/signup/", {"name": "Ana", "email": email, "password1": PASSWORD})
        cache.clear()
    for email in ("known@example.com", "nobody@example.com"):
        Client().post("/accounts/password/reset/", {"email": email})
    assert [message.to for message in mail.outbox] == [
        ["known@example.com"],
        ["new@example.com"],
        ["known@example.com"],
        ["nobody@example.com"],
    ]
    for message in mail.outbox:
        assert "https://memory.test/accounts/" in str(message.body)
        assert "testserver" not in str(message.body)


def test_an_invitation_leads_to_the_address_of_the_service(acme: Tenant, settings: Settings) -> None:
    settings.MAIL_LINK_URL = "http://127.0.0.1:9123"
    invite(TenantAccess(acme.id, Member.Role.OWNER), "vic@example.com", Member.Role.VIEWER)
    assert "http://127.0.0.1:9123/invitations/" in str(mail.outbox[-1].body)
