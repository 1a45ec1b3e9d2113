"""What follows a retain: it is handed over with the retain's own commit, and nothing of it is lost in a crash."""

from datetime import UTC, datetime

import pytest

from banks.models import Entity
from banks.retain import conversation
from banks.retain.input import GivenMessage, RetainItem
from banks.retain.post_retain import PostRetain
from banks.retain.types import EntityKind, ExtractedFact, FoundEntity, Network
from memoryplatform.operations.bank_profile import BankAccess
from memoryplatform.operations.models import Operation
from memoryplatform.operations.perform import perform
from memoryplatform.operations.retain import retain
from tenants.models import Tenant, UsageRecord
from tenants.transactions import tenant_transaction

SAID_AT = datetime(2026, 1, 2, tzinfo=UTC)
FACT = ExtractedFact(
    text="Ana Reis plays the cello in Porto.",
    network=Network.WORLD,
    mentioned_at=SAID_AT,
    entities=(FoundEntity("Ana Reis", EntityKind.PERSON), FoundEntity("Porto", EntityKind.LOCATION)),
)


def say(text: str, thread: str) -> RetainItem:
    return RetainItem(SAID_AT, messages=(GivenMessage("user", text, SAID_AT, name="Ana"),), thread=thread)


def find_consolidations(tenant: Tenant) -> list[Operation]:
    with tenant_transaction(tenant.id):
        return list(Operation.objects.for_tenant(tenant.id).filter(kind="consolidate").order_by("id"))


def test_a_retain_hands_over_what_it_changed(tenant: Tenant) -> None:
    operation = retain(BankAccess(tenant.id), "support", [RetainItem(SAID_AT, facts=(FACT,))], wait=True)
    (after,) = find_consolidations(tenant)
    post = PostRetain.read(after.payload)
    assert [str(one) for one in post.unit_ids] == (operation.result or {})["unit_ids"]
    assert len(post.entity_ids) == 2


def test_it_describes_the_entities_that_were_spoken_of(tenant: Tenant) -> None:
    retain(BankAccess(tenant.id), "support", [RetainItem(SAID_AT, facts=(FACT,))], wait=True)
    (after,) = find_consolidations(tenant)
    perform(tenant.id, after.id)
    with tenant_transaction(tenant.id):
        ana = Entity.objects.for_tenant(tenant.id).get(name="Ana Reis")
    assert "cello" in ana.summary
    assert ana.embedding is not None


def test_a_retain_that_brings_nothing_hands_nothing_over(tenant: Tenant) -> None:
    retain(BankAccess(tenant.id), "support", [RetainItem(SAID_AT, text="A text.", infer=False)], wait=True)
    assert find_consolidations(tenant) == []


def test_what_was_stored_before_a_crash_is_handed_over_after_it(
    tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    items = [say("I play the cello in Porto.", "first"), say("I grow tomatoes in Braga.", "second")]
    real, calls = conversation.retain_episode, []

    def crash_at_the_second(*args: object) -> object:
        calls.append(args)
        if len(calls) == 2:
            raise RuntimeError
        return real(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(conversation, "retain_episode", crash_at_the_second)
    operation = retain(BankAccess(tenant.id), "support", items, wait=True)
    assert operation.status == "pending"
    with tenant_transaction(tenant.id):
        Operation.objects.for_tenant(tenant.id).filter(id=operation.id).update(next_attempt_at=None)
    perform(tenant.id, operation.id)
    (after,) = find_consolidations(tenant)
    assert len(PostRetain.read(after.payload).unit_ids) == 2


def test_usage_is_recorded_once_for_each_operation(tenant: Tenant) -> None:
    operation = retain(BankAccess(tenant.id), "support", [RetainItem(SAID_AT, facts=(FACT,))], wait=True)
    perform(tenant.id, operation.id)
    with tenant_transaction(tenant.id):
        (row,) = UsageRecord.objects.for_tenant(tenant.id)
    assert (row.kind, row.bank_id, row.operation_id, row.memories) == ("retain", "support", operation.id, 1)
    assert row.input_tokens > 0
