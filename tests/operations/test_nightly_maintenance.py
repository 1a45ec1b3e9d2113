"""The nightly maintenance of a bank."""

import json
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest
from django.utils import timezone

from banks.models import Bank, Entity, Episode, MemoryUnit, Mention, UnitSource, UnitTag
from memoryplatform.operations.banks.retention import find_night, schedule_maintenance
from memoryplatform.operations.models import Dispatch, IdempotencyRecord, Operation
from memoryplatform.operations.running.perform import perform
from memoryplatform.operations.running.submit import submit
from reflection.models import ObservedEntity
from tenants.models import AuditEvent, Tenant
from tenants.transactions import tenant_transaction
from tests.belief_factories import make_retention_rule
from tests.factories import make_bank
from tests.llm_server import Received, ScriptedLLM
from tests.memory_factories import make_entity, make_episode, make_row, make_unit

LONG_AGO = timezone.now() - timedelta(days=200)


def maintain(bank: Bank) -> Operation:
    with tenant_transaction(bank.tenant_id):
        operation = submit(bank.tenant_id, "tend_bank", payload={}, bank=bank, wake=False)
    perform(bank.tenant_id, operation.id)
    with tenant_transaction(bank.tenant_id):
        return Operation.objects.for_tenant(bank.tenant_id).get(id=operation.id)


def test_a_rule_deletes_memories_with_its_tag_and_reports_it(tenant: Tenant) -> None:
    bank = make_bank(tenant)
    make_retention_rule(tenant, bank=bank, tag="secret", action="delete", days=30)
    old, other, new = (
        make_unit(tenant, bank=bank, text=text, content_hash=text.encode(), mentioned_at=at)
        for text, at in (("old", LONG_AGO), ("other", LONG_AGO), ("new", timezone.now()))
    )
    for unit in (old, new):
        make_row(UnitTag, tenant, unit=unit, bank_id=bank.id, tag="secret")

    operation = maintain(bank)

    assert (operation.status, (operation.result or {})["deleted"]) == ("completed", 1)
    with tenant_transaction(tenant.id):
        left = set(MemoryUnit.objects.of_bank(bank).values_list("id", flat=True))
        assert left == {other.id, new.id}
        assert AuditEvent.objects.for_tenant(tenant.id).filter(action="memories.expired").exists()


def test_a_rule_also_deletes_superseded_memories(tenant: Tenant) -> None:
    bank = make_bank(tenant)
    make_retention_rule(tenant, bank=bank, network="world", action="delete", days=30)
    make_unit(tenant, bank=bank, mentioned_at=LONG_AGO, expired_at=LONG_AGO, close_reason="update")

    assert (maintain(bank).result or {})["deleted"] == 1


def summarise(_: Received) -> str:
    return json.dumps({"summary": "Ana spoke of three concerts."})


def test_a_month_of_old_episodes_gets_a_summary_that_names_them(tenant: Tenant, llm: ScriptedLLM) -> None:
    llm.chat.otherwise = summarise
    bank = make_bank(tenant)
    month = LONG_AGO.replace(day=2)
    episodes = [
        make_episode(
            tenant,
            bank=bank,
            narrative=f"Ana spoke of concert {number}. It was long.",
            started_at=month + timedelta(days=number),
            ended_at=month + timedelta(days=number, hours=1),
        )
        for number in range(3)
    ]

    assert (maintain(bank).result or {})["summaries"] == 1
    assert (maintain(bank).result or {})["summaries"] == 0

    with tenant_transaction(tenant.id):
        [unit] = MemoryUnit.objects.of_bank(bank).filter(network="observation")
        sources = UnitSource.objects.for_tenant(tenant.id).filter(unit=unit, role="summarises")
        assert {source.episode_id for source in sources} == {episode.id for episode in episodes}
    assert unit.text == f"In {month:%B %Y}: Ana spoke of three concerts."
    assert all(f"Ana spoke of concert {number}." in llm.chat.received[0].prompt for number in range(3))


def test_without_a_model_no_month_is_summarised(tenant: Tenant) -> None:
    bank = make_bank(tenant)
    for number in range(3):
        at = LONG_AGO.replace(day=2) + timedelta(days=number)
        make_episode(tenant, bank=bank, narrative=f"Ana sold boat {number}.", started_at=at, ended_at=at)

    result = maintain(bank).result or {}

    assert (result["summaries"], result["summaries_refused"], result["united"]) == (0, 0, 0)
    with tenant_transaction(tenant.id):
        assert not MemoryUnit.objects.of_bank(bank).exists()


@pytest.mark.parametrize("action", ["delete", "fade"])
def test_no_rule_means_the_summary_of_a_month_for_its_age(tenant: Tenant, llm: ScriptedLLM, action: str) -> None:
    llm.chat.otherwise = summarise
    bank = make_bank(tenant)
    for number in range(3):
        at = LONG_AGO.replace(day=2) + timedelta(days=number)
        make_episode(tenant, bank=bank, narrative=f"Ana sold boat {number} in Porto.", started_at=at, ended_at=at)
    maintain(bank)
    make_retention_rule(tenant, bank=bank, network="observation", action=action, days=30)

    result = maintain(bank).result or {}

    assert (result["deleted"], result["faded"], result["summaries"]) == (0, 0, 0)
    with tenant_transaction(tenant.id):
        [unit] = MemoryUnit.objects.of_bank(bank).filter(network="observation")
    assert unit.faded_at is None


def test_recent_episodes_are_left_alone(tenant: Tenant, llm: ScriptedLLM) -> None:
    llm.chat.otherwise = summarise
    bank = make_bank(tenant)
    for _ in range(3):
        make_episode(tenant, bank=bank, narrative="Ana spoke.", started_at=timezone.now(), ended_at=timezone.now())

    assert (maintain(bank).result or {})["summaries"] == 0


def test_the_next_night_is_scheduled_once(tenant: Tenant) -> None:
    bank = make_bank(tenant)
    operation = maintain(bank)
    with tenant_transaction(tenant.id):
        assert schedule_maintenance(bank) is None
        [following] = Operation.objects.for_tenant(tenant.id).filter(kind="tend_bank", status="pending")
    assert following.id != operation.id
    assert Dispatch.objects.get(operation_id=following.id).due_at == find_night(bank, timezone.now())


@pytest.fixture
def ended(tenant: Tenant) -> tuple[Bank, Entity]:
    """A bank with an entity whose fact reached its scheduled end an hour ago."""
    bank = make_bank(tenant)
    entity = make_entity(tenant, bank=bank, name="Ana", summary="Ana works at Siemens.", embedding=[0.1] * 384)
    fact = make_unit(tenant, bank=bank, text="Ana works at Siemens.", valid_until=timezone.now() - timedelta(hours=1))
    make_row(Mention, tenant, unit=fact, entity=entity, name="Ana")
    return bank, entity


def test_a_scheduled_end_that_passed_makes_the_entity_stale_once(
    tenant: Tenant, llm: ScriptedLLM, ended: tuple[Bank, Entity]
) -> None:
    bank, entity = ended

    results = [maintain(bank).result or {} for _ in range(2)]

    assert [result["ended"] for result in results] == [1, 0]
    with tenant_transaction(tenant.id):
        [row] = ObservedEntity.objects.of_bank(bank).stale()
        entity.refresh_from_db()
        assert Operation.objects.for_tenant(tenant.id).filter(kind="refresh_observations").count() == 1
    assert (row.entity_id, row.changes, entity.summary) == (entity.id, 1, "")


def test_without_a_model_a_scheduled_end_that_passed_renews_the_description(
    tenant: Tenant, ended: tuple[Bank, Entity]
) -> None:
    bank, entity = ended
    maintain(bank)
    with tenant_transaction(tenant.id):
        assert not ObservedEntity.objects.of_bank(bank).exists()
        [consolidation] = Operation.objects.for_tenant(tenant.id).filter(kind="consolidate")

    perform(tenant.id, consolidation.id)

    with tenant_transaction(tenant.id):
        entity.refresh_from_db()
        assert Operation.objects.for_tenant(tenant.id).filter(kind="consolidate").count() == 1
    assert entity.embedding is not None


def test_a_night_is_the_next_one() -> None:
    bank = Bank(id=UUID(int=30))
    assert find_night(bank, datetime(2026, 1, 2, 1, tzinfo=UTC)) == datetime(2026, 1, 2, 3, 30, tzinfo=UTC)
    assert find_night(bank, datetime(2026, 1, 2, 4, tzinfo=UTC)) == datetime(2026, 1, 3, 3, 30, tzinfo=UTC)


def test_episodes_without_a_narrative_are_no_reason_for_a_summary(tenant: Tenant, llm: ScriptedLLM) -> None:
    llm.chat.otherwise = summarise
    bank = make_bank(tenant)
    for _ in range(3):
        make_episode(tenant, bank=bank, narrative="", started_at=LONG_AGO, ended_at=LONG_AGO)

    maintain(bank)

    with tenant_transaction(tenant.id):
        assert Episode.objects.for_tenant(tenant.id).count() == 3
        assert not MemoryUnit.objects.of_bank(bank).exists()


def test_old_idempotent_responses_are_deleted(tenant: Tenant) -> None:
    bank = make_bank(tenant)
    with tenant_transaction(tenant.id):
        rows = IdempotencyRecord.objects.for_tenant(tenant.id)
        for hours in (23, 25):
            rows.create(key=f"{hours}", fingerprint="0" * 64, claimed_at=timezone.now() - timedelta(hours=hours))
    maintain(bank)
    with tenant_transaction(tenant.id):
        assert list(rows.values_list("key", flat=True)) == ["23"]
