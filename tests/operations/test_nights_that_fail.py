"""A failed nightly maintenance does not stop the next one, and a refused month summary does not stop later months."""

import json
from datetime import datetime, timedelta

import pytest
from django.utils import timezone

from banks.models import Bank, Episode, MemoryUnit
from memoryplatform.operations.models import Operation
from reflection.forgetting.month_summaries import find_months, store_summary
from tenants.models import Tenant, UsageRecord
from tenants.transactions import tenant_transaction
from tests.factories import make_bank
from tests.llm_server import Received, ScriptedLLM
from tests.llm_server.script import Reply
from tests.memory_factories import make_episode
from tests.operations.test_nightly_maintenance import maintain
from tests.stored_facts import vector_of

FIRST, SECOND = ((timezone.now() - timedelta(days=days)).replace(day=2) for days in (200, 140))
REFUSAL = Reply(status=400, payload={"error": {"message": "scripted", "code": "content_filter"}})


@pytest.fixture
def bank(tenant: Tenant) -> Bank:
    return make_bank(tenant)


def spend_month(tenant: Tenant, bank: Bank, month: datetime, what: str) -> list[Episode]:
    return [
        make_episode(
            tenant,
            bank=bank,
            narrative=f"Ana {what} {number}.",
            started_at=month + timedelta(days=number),
            ended_at=month + timedelta(days=number, hours=1),
        )
        for number in range(3)
    ]


def list_summaries(bank: Bank) -> list[str]:
    with tenant_transaction(bank.tenant_id):
        units = MemoryUnit.objects.of_bank(bank).filter(network="observation")
        return list(units.order_by("occurred_start").values_list("text", flat=True))


def test_a_night_that_fails_leaves_the_next_one_waiting(tenant: Tenant, bank: Bank, llm: ScriptedLLM) -> None:
    spend_month(tenant, bank, FIRST, "sold boat")
    llm.chat.otherwise = lambda _: Reply(status=503, payload={"error": {"message": "away"}})

    failed = maintain(bank)

    assert failed.status == "pending"
    with tenant_transaction(tenant.id):
        waiting = Operation.objects.for_tenant(tenant.id).filter(kind="tend_bank", status="pending")
        assert waiting.exclude(id=failed.id).count() == 1


@pytest.mark.parametrize("reply", [REFUSAL, "I would rather not."])
def test_a_month_that_the_model_refuses_holds_up_no_other(
    tenant: Tenant, bank: Bank, llm: ScriptedLLM, reply: Reply | str
) -> None:
    spend_month(tenant, bank, FIRST, "sold boat")
    spend_month(tenant, bank, SECOND, "met friend")

    def answer(received: Received) -> Reply | str:
        return reply if "boat" in received.prompt else json.dumps({"summary": "Ana met three friends."})

    llm.chat.otherwise = answer
    result = maintain(bank).result or {}

    assert (result["summaries"], result["summaries_refused"]) == (1, 1)
    assert list_summaries(bank) == [f"In {SECOND:%B %Y}: Ana met three friends."]
    with tenant_transaction(tenant.id):
        [usage] = UsageRecord.objects.for_tenant(tenant.id)
    embedding = 2  # one for the episodes, one for the summary
    assert usage.calls - embedding == (1 if isinstance(reply, Reply) else 3)


def sum_up_late(tenant: Tenant, bank: Bank, **meanwhile: str) -> bool:
    """Whether a summary is stored although one of its episodes changed or was deleted meanwhile."""
    episodes = spend_month(tenant, bank, FIRST, "sold boat")
    with tenant_transaction(tenant.id):
        [month] = find_months(bank, now=timezone.now())
        changed = Episode.objects.for_tenant(tenant.id).filter(id=episodes[1].id)
        if meanwhile:
            changed.update(**meanwhile)
        else:
            changed.delete()
        return store_summary(bank, month, "Ana sold boats.", vector_of("boats"), now=timezone.now()) is not None


def test_a_summary_of_an_episode_that_went_meanwhile_is_not_stored(tenant: Tenant, bank: Bank) -> None:
    assert not sum_up_late(tenant, bank)
    assert list_summaries(bank) == []


def test_a_summary_of_an_episode_that_was_shortened_meanwhile_is_not_stored(tenant: Tenant, bank: Bank) -> None:
    assert not sum_up_late(tenant, bank, narrative="Ana spoke.")
    assert list_summaries(bank) == []


def test_two_nights_at_once_sum_a_month_up_once(tenant: Tenant, bank: Bank) -> None:
    spend_month(tenant, bank, FIRST, "sold boat")
    with tenant_transaction(tenant.id):
        [month] = find_months(bank, now=timezone.now())
        stored = [
            store_summary(bank, month, text, vector_of(text), now=timezone.now()) for text in ("Boats.", "Some boats.")
        ]
    assert stored[0] is not None
    assert stored[1] is None
