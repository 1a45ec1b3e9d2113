from datetime import timedelta
from typing import Any
from unittest import mock
from uuid import UUID

import pytest
from django.utils import timezone
from pytest_django.fixtures import Settings

from banks.models import Bank
from retrieval import recall_log
from retrieval.models import RecallRecord
from retrieval.recall_log import RecallLog
from tenants.models import Tenant, UsageRecord
from tenants.transactions import tenant_transaction
from tests.api.conftest import Caller, MakeCaller
from tests.api.recall.conftest import Ask
from tests.factories import make_bank
from tests.memory_factories import make_recall_record
from tests.retrieval.memory import Memory

LISTED = "/v1/banks/support/recalls"


@pytest.fixture(autouse=True)
def no_sample(settings: Settings) -> None:
    settings.RECALL_TRACE_SAMPLE = 0.0


def list_recalls(call: Caller) -> list[dict[str, Any]]:
    return list(call("GET", LISTED).json()["items"])


def usage_of(tenant: Tenant) -> list[UsageRecord]:
    with tenant_transaction(tenant.id):
        return list(UsageRecord.objects.for_tenant(tenant.id).filter(kind="recall"))


def test_a_recall_is_found_again_by_its_id(memory: Memory, ask: Ask, call: Caller, log: RecallLog) -> None:
    unit = memory.unit("Alice moved to Lisbon")
    answer = ask("Where  did Alice move,\nLisbon?", include={"scores": {}}).json()
    log.write()
    (listed,) = list_recalls(call)
    assert UUID(listed["recall_id"]).version == 7
    assert (listed["recall_id"], listed["query"]) == (answer["recall_id"], "Where did Alice move, Lisbon?")
    assert (listed["result_count"], listed["tokens"], listed["has_trace"]) == (1, answer["tokens"], False)
    shown = call("GET", f"{LISTED}/{answer['recall_id']}").json()
    (result,) = shown["results"]
    assert (result["id"], result["rank"], result["kind"]) == (str(unit.id), 1, "unit")
    assert result["ranks"] == answer["results"][0]["scores"]["ranks"]
    assert result["final"] == answer["results"][0]["scores"]["final"]
    assert result["relevance"] == answer["results"][0]["relevance"]
    assert shown["milliseconds"]["total"] > 0
    assert shown["trace"] is None


def test_a_recall_is_shown_before_it_is_written(memory: Memory, ask: Ask, call: Caller) -> None:
    recall_id = ask("Lisbon").json()["recall_id"]
    assert call("GET", f"{LISTED}/{recall_id}").status_code == 200
    assert list_recalls(call) == []


def test_a_trace_that_was_asked_for_is_kept(memory: Memory, ask: Ask, call: Caller, log: RecallLog) -> None:
    answer = ask("Lisbon", trace=True).json()
    log.write()
    shown = call("GET", f"{LISTED}/{answer['recall_id']}").json()
    assert shown["trace"] == answer["trace"]
    assert {"embedding", "channels", "reranking"} <= set(shown["milliseconds"])


def test_a_sampled_trace_is_kept_and_not_sent(
    memory: Memory, ask: Ask, call: Caller, log: RecallLog, settings: Settings
) -> None:
    settings.RECALL_TRACE_SAMPLE = 1.0
    answer = ask("Lisbon").json()
    log.write()
    assert answer["trace"] is None
    assert call("GET", f"{LISTED}/{answer['recall_id']}").json()["trace"]["query"]["query_text"] == "Lisbon"


def test_the_usage_of_a_recall_is_recorded(memory: Memory, alice: Tenant, ask: Ask, log: RecallLog) -> None:
    memory.unit("Alice moved to Lisbon")
    ask("Lisbon, which was not asked for before")  # vectors of earlier queries are cached
    log.write()
    (usage,) = usage_of(alice)
    assert (usage.bank_id, usage.memories, usage.calls) == ("support", 0, 1)  # a recall stores none
    assert usage.input_tokens > 0


def test_a_call_across_banks_leaves_each_its_own_share(
    memory: Memory, alice: Tenant, call: Caller, make_caller: MakeCaller, log: RecallLog
) -> None:
    other = Memory(make_bank(alice, bank_id="sales"))
    memory.unit("Alice moved to Lisbon")
    foreign = other.unit("Lisbon is a market")
    answer = call("POST", "/v1/recall", {"query": "Lisbon", "banks": ["support", "sales"], "trace": True}).json()
    log.write()
    shown = make_caller(alice, banks=["support"])("GET", f"{LISTED}/{answer['recall_id']}")
    assert shown.status_code == 200
    assert str(foreign.id) not in shown.content.decode()
    assert len(shown.json()["results"]) == 1
    (usage,) = usage_of(alice)
    assert usage.bank_id == ""


def test_a_recall_of_another_bank_is_not_found(memory: Memory, alice: Tenant, ask: Ask, call: Caller) -> None:
    make_bank(alice, bank_id="sales")
    recall_id = ask("Lisbon").json()["recall_id"]
    answer = call("GET", f"/v1/banks/sales/recalls/{recall_id}")
    assert (answer.status_code, answer.json()["code"]) == (404, "recall_not_found")


def test_the_list_goes_back_page_by_page(bank: Bank, alice: Tenant, call: Caller) -> None:
    made = [str(make_recall_record(alice, bank=bank).recall_id) for _ in range(3)]
    first = call("GET", f"{LISTED}?limit=2").json()
    rest = call("GET", f"{LISTED}?limit=2&cursor={first['next_cursor']}").json()
    assert [one["recall_id"] for one in first["items"] + rest["items"]] == made[::-1]


def test_old_recalls_are_hidden_at_once_and_swept_with_the_next_batch(
    memory: Memory, alice: Tenant, ask: Ask, call: Caller, log: RecallLog, settings: Settings
) -> None:
    settings.RECALL_LOG_DAYS = 30
    old = make_recall_record(alice, bank=memory.bank, recalled_at=timezone.now() - timedelta(days=31))
    kept = make_recall_record(alice, bank=memory.bank, recalled_at=timezone.now() - timedelta(days=29))
    assert [one["recall_id"] for one in list_recalls(call)] == [str(kept.recall_id)]
    assert call("GET", f"{LISTED}/{old.recall_id}").status_code == 404
    ask("Lisbon")
    log.write()
    with tenant_transaction(alice.id):
        left = set(RecallRecord.objects.for_tenant(alice.id).values_list("id", flat=True))
    assert kept.id in left
    assert old.id not in left


def test_a_bank_that_is_being_deleted_stops_no_other_log(
    memory: Memory, alice: Tenant, ask: Ask, call: Caller, log: RecallLog
) -> None:
    make_bank(alice, bank_id="sales")
    ask("Lisbon")
    call("POST", "/v1/banks/sales/memories/recall", {"query": "Lisbon"})
    with tenant_transaction(alice.id):
        Bank.objects.for_tenant(alice.id).filter(bank_id="sales").delete()
    log.write()
    assert len(list_recalls(call)) == 1
    assert len(usage_of(alice)) == 2


def test_the_log_is_deleted_with_its_bank(bank: Bank, alice: Tenant) -> None:
    make_recall_record(alice, bank=bank)
    with tenant_transaction(alice.id):
        Bank.objects.for_tenant(alice.id).filter(id=bank.id).delete()
        assert not RecallRecord.objects.for_tenant(alice.id).exists()


def test_recalls_that_come_faster_than_they_are_written_are_dropped_and_counted(
    memory: Memory, ask: Ask, call: Caller, monkeypatch: pytest.MonkeyPatch, log: RecallLog
) -> None:
    monkeypatch.setattr(log, "_most_waiting", 2)
    for _ in range(5):
        assert ask("Lisbon").status_code == 200
    with mock.patch.object(recall_log.logger, "error") as complaint:
        log.write()
    complaint.assert_called_once_with(mock.ANY, 3)
    assert len(list_recalls(call)) == 2
