"""What a model answered may hold what was deleted since."""

from datetime import timedelta

import pytest
from django.utils import timezone

from banks.models import CachedAnswer
from banks.retain.answers import TenantAnswers, forget_answers
from memoryplatform.operations.bank_profile import BankAccess
from memoryplatform.operations.memories import delete_memory
from tenants.models import Tenant
from tenants.transactions import tenant_transaction
from tests.factories import make_bank, make_tenant
from tests.memory_factories import make_unit

KEY = "ab" * 32


@pytest.fixture
def tenant(committed_db: None, redis_server: object) -> Tenant:
    return make_tenant("acme")


def test_with_a_deleted_memory_the_answers_of_models_go(tenant: Tenant) -> None:
    other = make_tenant("other")
    bank = make_bank(tenant, bank_id="support")
    unit = make_unit(tenant, bank=bank, text="Lea was diagnosed with leukemia.")
    for one in (tenant, other):
        TenantAnswers(one.id).put(KEY, '{"facts": ["Lea was diagnosed with leukemia."]}')
    delete_memory(BankAccess(tenant.id), "support", unit.id)
    assert TenantAnswers(tenant.id).get(KEY) is None
    assert TenantAnswers(other.id).get(KEY) is not None


def test_answers_of_an_earlier_time_can_be_forgotten_alone(tenant: Tenant) -> None:
    TenantAnswers(tenant.id).put(KEY, "old")
    with tenant_transaction(tenant.id):
        CachedAnswer.objects.for_tenant(tenant.id).update(created_at=timezone.now() - timedelta(days=8))
    TenantAnswers(tenant.id).put("cd" * 32, "new")
    with tenant_transaction(tenant.id):
        forget_answers(tenant.id, before=timezone.now() - timedelta(days=7))
    assert TenantAnswers(tenant.id).get(KEY) is None
    assert TenantAnswers(tenant.id).get("cd" * 32) == "new"
