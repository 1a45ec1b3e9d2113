import pytest

from banks.models import Bank
from tests.factories import make_bank, make_tenant


@pytest.fixture
def bank(db: None) -> Bank:
    """With its tenant at hand, which can't be read outside of a transaction of its own."""
    tenant = make_tenant("acme")
    bank = make_bank(tenant, bank_id="support")
    bank.tenant = tenant
    return bank
