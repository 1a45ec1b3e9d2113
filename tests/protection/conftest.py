import pytest

from memoryplatform.embedded.redis import EmbeddedRedis
from tenants.models import Tenant
from tests.accounts.conftest import acme, owner
from tests.api.conftest import call, make_caller
from tests.factories import make_tenant

__all__ = ["acme", "call", "make_caller", "owner"]


@pytest.fixture
def alice(committed_db: None, redis_server: EmbeddedRedis) -> Tenant:
    """Committed, because recall reads on connections of its own."""
    return make_tenant("alice")
