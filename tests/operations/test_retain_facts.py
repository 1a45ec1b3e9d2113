"""Ready facts through the use-case."""

from datetime import UTC, datetime

from banks.enums import EntityKind, Network
from banks.models import MemoryUnit
from banks.retain.input import RetainItem
from banks.types import ExtractedFact, FoundEntity, FoundRelationship
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.retain import retain
from tenants.models import Tenant
from tenants.transactions import tenant_transaction

SAID_AT = datetime(2026, 1, 2, tzinfo=UTC)
FACT = ExtractedFact(
    text="Ana Reis moved to Porto.",
    network=Network.WORLD,
    mentioned_at=SAID_AT,
    occurred_start=SAID_AT,
    entities=(FoundEntity("Ana Reis", EntityKind.PERSON), FoundEntity("Porto", EntityKind.LOCATION)),
    relationships=(FoundRelationship("Ana Reis", "lives_in", "Porto", "Ana Reis lives in Porto."),),
)


def test_they_are_stored_whether_or_not_facts_are_to_be_inferred(tenant: Tenant) -> None:
    item = RetainItem(SAID_AT, facts=(FACT,), infer=False, tags=("home",))
    operation = retain(BankAccess(tenant.id), "support", [item], wait=True)
    assert operation.status == "completed"
    with tenant_transaction(tenant.id):
        unit = MemoryUnit.objects.for_tenant(tenant.id).get()
        assert [str(unit.id)] == (operation.result or {})["unit_ids"]
        assert (unit.text, unit.occurred_start, unit.mentioned_at) == (FACT.text, SAID_AT, SAID_AT)


def test_their_texts_do_not_stay_behind_in_the_operation(tenant: Tenant) -> None:
    operation = retain(BankAccess(tenant.id), "support", [RetainItem(SAID_AT, facts=(FACT,))], wait=True)
    assert "Porto" not in str(operation.payload)
