"""A retention rule that is changed while nightly maintenance applies it."""

from datetime import timedelta

import pytest
from django.utils import timezone

from banks.lifecycle.deleting import Removed
from banks.models import Bank, MemoryUnit
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.banks.retention import change_rule
from memoryplatform.operations.kinds import nightly_maintenance
from memoryplatform.operations.memories.after_deletion import follow_deletion
from tenants.models import Tenant
from tenants.transactions import tenant_transaction
from tests.belief_factories import make_retention_rule
from tests.factories import make_bank
from tests.memory_factories import make_unit
from tests.operations.test_nightly_maintenance import maintain


def test_a_disabled_rule_deletes_no_further_batch(tenant: Tenant, monkeypatch: pytest.MonkeyPatch) -> None:
    bank = make_bank(tenant)
    rule = make_retention_rule(tenant, bank=bank, network="world", action="delete", days=30)
    for number in range(3):
        at = timezone.now() - timedelta(days=200)
        make_unit(tenant, bank=bank, text=f"{number}", content_hash=bytes([number]), mentioned_at=at)

    def follow_and_switch_off(bank: Bank, removed: Removed) -> None:
        follow_deletion(bank, removed)
        change_rule(BankAccess(tenant.id), bank.bank_id, rule.id, {"enabled": False})

    monkeypatch.setattr(nightly_maintenance, "BATCH", 1)
    monkeypatch.setattr(nightly_maintenance, "follow_deletion", follow_and_switch_off)
    assert (maintain(bank).result or {})["deleted"] == 1
    with tenant_transaction(tenant.id):
        assert MemoryUnit.objects.of_bank(bank).count() == 2
