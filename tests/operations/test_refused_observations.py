"""If a model refuses an entity or answers nonsense, the observations of other entities are still refreshed."""

import json
import re
from datetime import timedelta

import pytest
from django.conf import settings
from django.utils import timezone

from banks.models import Bank, Entity, MemoryUnit, Mention
from memoryplatform.operations.models import Dispatch, Operation
from memoryplatform.operations.observation_refreshes import ask_for_refresh, mark_and_refresh
from memoryplatform.operations.running.perform import perform
from memoryplatform.operations.running.submit import submit
from reflection.models import ObservedEntity, ObservedScope
from reflection.observations.marking_stale import mark_stale
from reflection.observations.scopes import FIRST_WAIT, LONGEST_WAIT
from tenants.models import Tenant, UsageRecord
from tenants.transactions import tenant_transaction
from tests.factories import make_bank
from tests.llm_server import Received, ScriptedLLM
from tests.llm_server.script import Reply
from tests.memory_factories import make_entity, make_row, make_unit

TOLD = json.dumps({"changes": [{"action": "add", "text": "It is known.", "facts": [1]}]})
REFUSAL = Reply(status=400, payload={"error": {"message": "scripted", "code": "content_filter"}})


@pytest.fixture
def bank(tenant: Tenant) -> Bank:
    """A bank in which Ana is due before Bea."""
    bank = make_bank(tenant, bank_id="support")
    now = timezone.now()
    for name, minutes in (("Ana", 20), ("Bea", 10)):
        fact = make_unit(tenant, bank=bank, text=f"{name} swims.", content_hash=name.encode())
        entity = make_entity(tenant, bank=bank, name=name)
        make_row(Mention, tenant, unit=fact, entity=entity, name=name)
        with tenant_transaction(tenant.id):
            mark_stale(bank, [entity.id], now=now - timedelta(minutes=minutes))
    return bank


def refresh(bank: Bank) -> Operation:
    with tenant_transaction(bank.tenant_id):
        operation = submit(bank.tenant_id, "refresh_observations", payload={}, bank=bank, wake=False)
    perform(bank.tenant_id, operation.id)
    with tenant_transaction(bank.tenant_id):
        return Operation.objects.for_tenant(bank.tenant_id).get(id=operation.id)


def read(bank: Bank, name: str) -> ObservedEntity:
    with tenant_transaction(bank.tenant_id):
        return ObservedEntity.objects.of_bank(bank).get(entity__name=name)


def mark(bank: Bank, name: str, *, is_altered: bool = False) -> None:
    with tenant_transaction(bank.tenant_id):
        ana = Entity.objects.of_bank(bank).get(name=name)
        mark_stale(bank, [ana.id], now=timezone.now(), is_altered=is_altered)
        ask_for_refresh(bank)


def stumble(llm: ScriptedLLM, reply: Reply | str) -> None:
    llm.chat.otherwise = lambda received: reply if "Ana" in received.prompt else TOLD


def answer(_: Received) -> str:
    return TOLD


@pytest.mark.parametrize(
    ("reply", "calls"), [(REFUSAL, 1), ("I would rather not.", 5), (json.dumps({"changes": []}), 3)]
)
def test_the_others_are_refreshed_and_it_is_tried_again_later(
    bank: Bank, llm: ScriptedLLM, reply: Reply | str, calls: int
) -> None:
    stumble(llm, reply)
    operation = refresh(bank)

    assert (operation.status, operation.result) == ("completed", {"engine": "scripted", "entities": 1, "put_off": 1})
    assert read(bank, "Bea").stale_since is None
    ana = read(bank, "Ana")
    assert ana.stale_since is not None
    assert ana.due_at is not None
    assert ana.due_at - timezone.now() > FIRST_WAIT - timedelta(minutes=1)
    with tenant_transaction(bank.tenant_id):
        [usage] = UsageRecord.objects.for_tenant(bank.tenant_id)
    embedding = 3  # the other entity's observation, and both descriptions
    assert usage.calls - embedding == calls


def test_the_waits_grow_until_an_answer_comes(bank: Bank, llm: ScriptedLLM) -> None:
    stumble(llm, REFUSAL)
    refresh(bank)
    waits = []
    for hours in (1, 100):
        moment = timezone.now()
        with tenant_transaction(bank.tenant_id):
            rows = ObservedScope.objects.of_bank(bank).filter(refused_since__isnull=False)
            rows.update(refused_since=moment - timedelta(hours=hours), due_at=moment)
            ObservedEntity.objects.of_bank(bank).stale().update(due_at=moment)
        refresh(bank)
        waits.append((read(bank, "Ana").due_at or moment) - moment)
    assert timedelta(hours=1) <= waits[0] < timedelta(hours=1, minutes=1)
    assert LONGEST_WAIT <= waits[1] < LONGEST_WAIT + timedelta(minutes=1)

    llm.chat.otherwise = answer
    with tenant_transaction(bank.tenant_id):
        ObservedEntity.objects.of_bank(bank).stale().update(due_at=timezone.now())
        ObservedScope.objects.of_bank(bank).filter(due_at__isnull=False).update(due_at=timezone.now())
    refresh(bank)
    assert (read(bank, "Ana").stale_since, read(bank, "Ana").refused_since) == (None, None)


def test_added_facts_wait_and_altered_facts_do_not(bank: Bank, llm: ScriptedLLM) -> None:
    stumble(llm, REFUSAL)
    refresh(bank)
    put_off_to = read(bank, "Ana").due_at
    mark(bank, "Ana")
    assert read(bank, "Ana").due_at == put_off_to
    mark(bank, "Ana", is_altered=True)
    assert (read(bank, "Ana").due_at or timezone.now()) <= timezone.now()


def test_an_entity_that_becomes_stale_meanwhile_does_not_wait_for_it(bank: Bank, llm: ScriptedLLM) -> None:
    stumble(llm, REFUSAL)
    refresh(bank)
    mark(bank, "Bea")
    with tenant_transaction(bank.tenant_id):
        [waiting] = Operation.objects.for_tenant(bank.tenant_id).filter(status="pending", kind="refresh_observations")
    assert Dispatch.objects.get(operation_id=waiting.id).due_at <= timezone.now() + timedelta(
        seconds=settings.OBSERVATION_QUIET_SECONDS
    )


def test_a_key_that_is_refused_concerns_all_of_them(bank: Bank, llm: ScriptedLLM) -> None:
    llm.chat.fail(401)
    assert refresh(bank).status == "pending"
    assert read(bank, "Ana").refused_since is None


def test_of_two_refreshes_of_a_bank_the_later_waits(bank: Bank, llm: ScriptedLLM) -> None:
    """Otherwise both would ask the model the same, and occupy two workers."""
    llm.chat.otherwise = answer
    with tenant_transaction(bank.tenant_id):
        first = submit(bank.tenant_id, "refresh_observations", payload={}, bank=bank, wake=False)
        rows = Operation.objects.for_tenant(bank.tenant_id).filter(id=first.id)
        rows.update(status="processing", lease_until=timezone.now() + timedelta(minutes=1))
    second = refresh(bank)
    assert (second.status, second.error_code, second.attempts) == ("pending", "not_yet", 0)
    assert read(bank, "Ana").due_at is not None
    with tenant_transaction(bank.tenant_id):
        rows.update(lease_until=timezone.now() - timedelta(minutes=1))
        Operation.objects.for_tenant(bank.tenant_id).filter(id=second.id).update(next_attempt_at=None)
    perform(bank.tenant_id, second.id)
    with tenant_transaction(bank.tenant_id):
        ended = Operation.objects.for_tenant(bank.tenant_id).get(id=second.id)
    assert ended.status == "completed"
    assert read(bank, "Ana").due_at is None


def test_an_entity_without_a_description_is_described_again(bank: Bank, llm: ScriptedLLM) -> None:
    llm.chat.otherwise = answer
    with tenant_transaction(bank.tenant_id):
        ana = Entity.objects.of_bank(bank).get(name="Ana")
        Entity.objects.of_bank(bank).filter(name="Bea").update(summary="kept", embedding=[0.1] * 384)
    assert (ana.summary, ana.embedding) == ("", None)
    refresh(bank)
    with tenant_transaction(bank.tenant_id):
        summaries = dict(Entity.objects.of_bank(bank).values_list("name", "summary"))
    assert summaries == {"Ana": "Ana swims.", "Bea": "kept"}


def test_without_a_model_nothing_is_refreshed_and_the_result_says_so(bank: Bank) -> None:
    operation = refresh(bank)

    assert (operation.status, operation.result) == ("completed", {"engine": "builtin", "entities": 0, "put_off": 0})
    with tenant_transaction(bank.tenant_id):
        assert ask_for_refresh(bank) is None
        assert not MemoryUnit.objects.of_bank(bank).filter(network="observation").exists()


def test_without_a_model_a_consolidation_restores_a_removed_description(bank: Bank) -> None:
    with tenant_transaction(bank.tenant_id):
        ids = list(Entity.objects.of_bank(bank).values_list("id", flat=True))
        Entity.objects.of_bank(bank).filter(name="Bea").update(summary="kept", embedding=[0.1] * 384)
        mark_and_refresh(bank, ids, is_altered=True)
        [operation] = Operation.objects.for_tenant(bank.tenant_id).exclude(status="completed")

    perform(bank.tenant_id, operation.id)

    with tenant_transaction(bank.tenant_id):
        summaries = dict(Entity.objects.of_bank(bank).values_list("name", "summary"))
    assert (operation.kind, summaries) == ("consolidate", {"Ana": "Ana swims.", "Bea": "kept"})


def test_two_entities_share_a_call(bank: Bank, llm: ScriptedLLM) -> None:
    def respond(received: Received) -> str:
        subjects = re.findall(r"^Subject (\d+): (\w+)$", received.prompt, re.MULTILINE)
        facts = re.findall(r"^Fact (\d+) .*\n\| (\w+)", received.prompt, re.MULTILINE)
        number = {name: int(place) for place, name in facts}
        changes = [
            {"action": "add", "subject": int(place), "text": f"{name} is known.", "facts": [number[name]]}
            for place, name in subjects
        ]
        return json.dumps({"changes": changes})

    llm.chat.otherwise = respond
    operation = refresh(bank)
    assert (operation.status, (operation.result or {})["entities"]) == ("completed", 2)
    assert len(llm.chat.received) == 1
    with tenant_transaction(bank.tenant_id):
        observations = MemoryUnit.objects.of_bank(bank).filter(network="observation")
        assert set(observations.values_list("text", flat=True)) == {"Ana is known.", "Bea is known."}
