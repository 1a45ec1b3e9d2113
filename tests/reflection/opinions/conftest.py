import pytest

from banks.models import Bank
from tenants.models import Tenant
from tests.factories import make_bank, make_tenant
from tests.llm_server.fixture import llm_server

__all__ = ["llm_server"]


@pytest.fixture
def tenant(db: None) -> Tenant:
    return make_tenant()


@pytest.fixture
def bank(tenant: Tenant) -> Bank:
    return make_bank(tenant)
