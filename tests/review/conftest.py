import pytest
from django.test import Client

from banks.models import Bank
from tenants.models import Tenant, User
from tests.factories import make_bank, make_tenant


@pytest.fixture
def staff(committed_db: None) -> User:
    return User.objects.create_superuser("lea@example.com", "a-long-enough-password")


@pytest.fixture
def client(staff: User) -> Client:
    return sign_in(staff)


@pytest.fixture
def tenant(committed_db: None) -> Tenant:
    return make_tenant("acme")


@pytest.fixture
def bank(tenant: Tenant) -> Bank:
    return make_bank(tenant, bank_id="support")


def sign_in(user: User) -> Client:
    client = Client()
    client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
    return client
