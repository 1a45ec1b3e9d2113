"""The consolidation after a retain: it is queued in the retain's own commit, and no crash loses it."""

import logging
from datetime import UTC, datetime, timedelta

import pytest
from django.utils import timezone

from banks.enums import EntityKind, Network
from banks.models import Entity, MemoryUnit
from banks.retain import conversations
from banks.retain.input import GivenMessage, RetainItem
from banks.retain.post_retain import PostRetain
from banks.types import ExtractedFact, FoundEntity
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.banks.profile import delete_bank_for_good
from memoryplatform.operations.kinds import consolidate
from memoryplatform.operations.models import Operation
from memoryplatform.operations.retain import retain
from memoryplatform.operations.running.perform import perform
from providers.usage import Usage
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


def test_a_retain_passes_its_changes_to_the_consolidation(tenant: Tenant) -> None:
    operation = retain(BankAccess(tenant.id), "support", [RetainItem(SAID_AT, facts=(FACT,))], wait=True)
    (after,) = find_consolidations(tenant)
    post = PostRetain.read(after.payload)
    assert [str(one) for one in post.unit_ids] == (operation.result or {})["unit_ids"]
    assert len(post.entity_ids) == 2


def test_it_describes_the_mentioned_entities(tenant: Tenant) -> None:
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


def test_it_ends_with_a_bank_that_is_deleted_meanwhile(
    tenant: Tenant, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    access = BankAccess(tenant.id)
    retain(access, "support", [RetainItem(SAID_AT, facts=(FACT,))], wait=True)
    (after,) = find_consolidations(tenant)

    def delete(*_given: object) -> Usage:
        perform(tenant.id, delete_bank_for_good(access, "support").id)
        return Usage()

    monkeypatch.setattr(consolidate, "describe_entities", delete)
    caplog.set_level(logging.INFO)
    perform(tenant.id, after.id)
    (ended,) = find_consolidations(tenant)
    assert (ended.status, ended.error_code, ended.attempts) == ("failed", "bank_not_found", 1)
    assert "operation.bank_deleted" in caplog.text
    assert [record.levelname for record in caplog.records if record.levelno > logging.INFO] == []


class Killed(BaseException):
    """No handler catches it, like a kill signal."""


def fail_at_the_second_episode(monkeypatch: pytest.MonkeyPatch, failure: BaseException) -> None:
    real, calls = conversations.retain_batch, []

    def fail_once(*args: object) -> object:
        calls.append(args)
        if len(calls) == 2:
            raise failure
        return real(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(conversations, "retain_batch", fail_once)


ITEMS = [say("I play the cello in Porto.", "first"), say("I grow tomatoes in Braga.", "second")]


def try_again(tenant: Tenant) -> Operation:
    with tenant_transaction(tenant.id):
        rows = Operation.objects.for_tenant(tenant.id).filter(kind="retain")
        rows.update(next_attempt_at=None, lease_until=timezone.now() - timedelta(seconds=1))
        operation_id = rows.get().id
    perform(tenant.id, operation_id)
    with tenant_transaction(tenant.id):
        return Operation.objects.for_tenant(tenant.id).get(id=operation_id)


def test_facts_that_were_stored_before_a_crash_are_consolidated_after_it(
    tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    fail_at_the_second_episode(monkeypatch, Killed())
    with pytest.raises(Killed):
        retain(BankAccess(tenant.id), "support", ITEMS, wait=True)
    assert try_again(tenant).status == "completed"
    (after,) = find_consolidations(tenant)
    assert len(PostRetain.read(after.payload).unit_ids) == 2


def test_an_item_that_fails_takes_no_other_with_it(tenant: Tenant, monkeypatch: pytest.MonkeyPatch) -> None:
    fail_at_the_second_episode(monkeypatch, RuntimeError())
    third = say("I paint the harbour in Faro.", "third")
    operation = retain(BankAccess(tenant.id), "support", [*ITEMS, third], wait=True)
    assert operation.status == "pending"
    (after,) = find_consolidations(tenant)
    assert len(PostRetain.read(after.payload).unit_ids) == 2
    with tenant_transaction(tenant.id):
        assert MemoryUnit.objects.for_tenant(tenant.id).filter(text__contains="Faro").exists()
    assert try_again(tenant).status == "completed"


def test_usage_is_recorded_once_for_each_operation(tenant: Tenant) -> None:
    operation = retain(BankAccess(tenant.id), "support", [RetainItem(SAID_AT, facts=(FACT,))], wait=True)
    perform(tenant.id, operation.id)
    with tenant_transaction(tenant.id):
        (row,) = UsageRecord.objects.for_tenant(tenant.id)
    assert (row.kind, row.bank_id, row.operation_id, row.memories) == ("retain", "support", operation.id, 1)
    assert row.input_tokens > 0
