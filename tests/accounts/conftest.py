"""People who are signed in, and the e-mails that they get."""

import html
import re
from collections.abc import Callable

import pytest
from allauth.account.models import EmailAddress
from django.core import mail
from django.test import Client

from memoryplatform.dashboard.access import TENANT
from tenants.memberships import found_tenant
from tenants.models import Member, Tenant, User
from tenants.transactions import tenant_transaction
from tests.factories import make_user

PASSWORD = "correct horse battery"  # of a test

SignIn = Callable[..., Client]


def make_person(email: str) -> User:
    """A person with a verified address."""
    user = make_user(email, name=email.partition("@")[0].title())
    user.set_password(PASSWORD)
    user.save()
    EmailAddress.objects.create(user=user, email=email, verified=True, primary=True)
    return user


def join(tenant: Tenant, email: str, role: str) -> User:
    user = make_person(email)
    with tenant_transaction(tenant.id):
        Member.objects.for_tenant(tenant.id).create(user=user, role=role)
    return user


def sign_in(user: User, tenant: Tenant | None = None) -> Client:
    client = Client()
    client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
    if tenant is not None:
        session = client.session
        session[TENANT] = str(tenant.id)
        session.save()
    return client


def find_link(pattern: str) -> str:
    """The path of the newest link in the newest e-mail."""
    (link,) = re.findall(rf"https?://[^/]+(/{pattern}\S*)", str(mail.outbox[-1].body))
    return str(link)


def list_notices(page: str) -> list[str]:
    """The sentences about values in the address that can't be read."""
    boxes: list[str] = re.findall(r'<div class="alert alert-warning[^"]*" role="status">.*?</div>', page, re.DOTALL)
    return [html.unescape(one) for box in boxes for one in re.findall(r'<p class="wrap-anywhere">(.*?)</p>', box)]


@pytest.fixture
def owner(committed_db: None, redis_server: object) -> User:
    return make_person("olga@example.com")


@pytest.fixture
def acme(owner: User) -> Tenant:
    return found_tenant(name="Acme", slug="acme", owner=owner)
