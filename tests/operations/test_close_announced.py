"""What was announced to end, from the retain that announced it to the day on which it is closed."""

from datetime import datetime, timedelta

import pytest
from django.utils import timezone

from banks.models import Bank, MemoryUnit, Relationship
from banks.retain.input import RetainItem
from banks.retain.types import ExtractedFact, FoundEntity, FoundRelationship
from banks.words import EntityKind, Network
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.announced_ends import ask_for_closing
from memoryplatform.operations.models import Dispatch, Operation
from memoryplatform.operations.recall import recall
from memoryplatform.operations.reflect import reflect
from memoryplatform.operations.retain import retain
from memoryplatform.operations.running.kind_names import CLOSE_ANNOUNCED
from memoryplatform.operations.running.perform import perform
from memoryplatform.operations.running.submit import submit
from reflection.models import ObservedEntity
from reflection.reflect.types import ReflectQuery
from retrieval.types import PointInTime, RecallQuery
from tenants.models import Tenant
from tenants.transactions import tenant_transaction


def tell(tenant: Tenant, place: str, *, since: datetime | None = None) -> None:
    said_at = timezone.now()
    fact = ExtractedFact(
        text=f"Caroline lives in {place}.",
        network=Network.WORLD,
        mentioned_at=said_at,
        entities=(FoundEntity("Caroline", EntityKind.PERSON), FoundEntity(place, EntityKind.LOCATION)),
        relationships=(
            FoundRelationship("Caroline", "lives_in", place, f"Caroline lives in {place}.", valid_from=since),
        ),
    )
    retain(BankAccess(tenant.id), "support", [RetainItem(said_at, facts=(fact,))], wait=True)


def find_bank(tenant: Tenant) -> Bank:
    with tenant_transaction(tenant.id):
        return Bank.objects.for_tenant(tenant.id).get(bank_id="support")


def find_unit(bank: Bank, place: str) -> MemoryUnit:
    with tenant_transaction(bank.tenant_id):
        return MemoryUnit.objects.of_bank(bank).get(text=f"Caroline lives in {place}.")


def ask(tenant: Tenant, *, as_of: datetime | None = None, known_at: datetime | None = None) -> set[str]:
    query = RecallQuery("Where does Caroline live?", timezone.now(), moment=PointInTime(as_of, known_at))
    items = recall(BankAccess(tenant.id), ["support"], query).result.items
    return {item.text.removeprefix("Caroline lives in ").rstrip(".") for item in items}


def answer(tenant: Tenant) -> str:
    query = ReflectQuery(RecallQuery("Where does Caroline live?", timezone.now()))
    return reflect(BankAccess(tenant.id), "support", query).text


def let_the_day_come(bank: Bank) -> None:
    past = timezone.now() - timedelta(seconds=1)
    with tenant_transaction(bank.tenant_id):
        for rows in (MemoryUnit.objects.of_bank(bank), Relationship.objects.for_tenant(bank.tenant_id)):
            rows.announced().update(valid_until=past)
            rows.current().filter(valid_from__gt=past).update(valid_from=past)


def close(bank: Bank) -> dict[str, int]:
    with tenant_transaction(bank.tenant_id):
        operation = ask_for_closing(bank)
    if operation is None:
        return {}
    perform(bank.tenant_id, operation.id)
    with tenant_transaction(bank.tenant_id):
        return Operation.objects.for_tenant(bank.tenant_id).get(id=operation.id).result or {}


def test_until_the_day_both_are_there_and_the_present_is_what_holds(tenant: Tenant) -> None:
    tell(tenant, "Boston")
    told_at = timezone.now()
    tell(tenant, "Denver", since=told_at + timedelta(days=90))
    later = told_at + timedelta(days=120)
    assert ask(tenant) == {"Boston", "Denver"}
    assert ask(tenant, as_of=timezone.now()) == {"Boston"}
    assert ask(tenant, as_of=later) == {"Denver"}
    assert ask(tenant, known_at=timezone.now()) == {"Boston", "Denver"}
    assert ask(tenant, as_of=later, known_at=told_at) == {"Boston"}
    assert "Boston" in answer(tenant).splitlines()[0]


def test_on_the_day_it_is_closed_with_all_that_follows(tenant: Tenant) -> None:
    tell(tenant, "Boston")
    tell(tenant, "Denver", since=timezone.now() + timedelta(days=90))
    bank, between = find_bank(tenant), timezone.now()
    assert close(bank) == {}
    let_the_day_come(bank)
    with tenant_transaction(tenant.id):
        ObservedEntity.objects.of_bank(bank).update(stale_since=None, due_at=None)

    assert close(bank) == {"memories": 1, "relationships": 1}

    boston = find_unit(bank, "Boston")
    assert (boston.close_reason, boston.superseded_by_id) == ("update", find_unit(bank, "Denver").id)
    assert ask(tenant) == {"Denver"}
    assert ask(tenant, known_at=between) == {"Boston", "Denver"}
    assert ask(tenant, known_at=between, as_of=timezone.now()) == {"Denver"}
    assert "Denver" in answer(tenant).splitlines()[0]
    assert close(bank) == {}
    with tenant_transaction(tenant.id):
        assert ObservedEntity.objects.of_bank(bank).stale().filter(entity__name="Caroline").exists()


@pytest.mark.parametrize(
    ("kind", "days", "waits"), [("consolidate", 0.01, True), ("tend_bank", 0.01, True), ("tend_bank", 40, False)]
)
def test_an_end_that_comes_before_the_next_night_is_waited_for(
    tenant: Tenant, kind: str, days: float, *, waits: bool
) -> None:
    tell(tenant, "Boston")
    end = timezone.now() + timedelta(days=days)
    tell(tenant, "Denver", since=end)
    bank = find_bank(tenant)
    with tenant_transaction(tenant.id):
        operation = submit(tenant.id, kind, payload={}, bank=bank, wake=False)
    perform(tenant.id, operation.id)
    with tenant_transaction(tenant.id):
        assert ask_for_closing(bank) is None
        waiting = Operation.objects.for_tenant(tenant.id).filter(kind=CLOSE_ANNOUNCED, status="pending")
        ids = list(waiting.values_list("id", flat=True))
    due = Dispatch.objects.filter(operation_id__in=ids).values_list("due_at", flat=True)
    assert list(due) == ([end] if waits else [])
