import pytest

from banks.models import Bank
from tests.factories import make_bank, make_tenant


@pytest.fixture
def bank(db: None) -> Bank:
    return make_bank(make_tenant("acme"))
