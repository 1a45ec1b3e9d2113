import pytest

from banks.models import Bank
from tests.factories import make_bank, make_tenant


@pytest.fixture
def bank(db: None) -> Bank:
    """Loads the tenant with the bank, because it can't be read outside its transaction."""
    tenant = make_tenant("acme")
    bank = make_bank(tenant, bank_id="support")
    bank.tenant = tenant
    return bank
