"""The log's writer with its own thread and connection, as in a server."""

from unittest import mock
from uuid import UUID

import pytest
from django.db import DatabaseError
from django.utils import timezone

from banks.models import Bank
from benchmarks.serial_executor import SerialExecutor
from providers.reranking.none import NoReranker
from retrieval import periodic, recall_log
from retrieval.models import RecallRecord
from retrieval.recall import RecallTools, recall
from retrieval.recall_log import Call, RecallEntry, RecallLog, build_entry
from retrieval.types import RecallQuery
from tenants.identifiers import uuid7
from tenants.transactions import tenant_transaction
from tests.factories import make_bank, make_tenant
from tests.retrieval.fakes import WordEmbedder
from tests.retrieval.memory import NOW

TOOLS = RecallTools(WordEmbedder(), NoReranker(), executor=SerialExecutor())


def make_entry(bank: Bank) -> RecallEntry:
    query = RecallQuery("Where is Lisbon?", NOW)
    return build_entry([bank], query, recall(bank, query, TOOLS), Call(uuid7(), timezone.now(), 7.0))


def list_written(bank: Bank) -> set[UUID]:
    with tenant_transaction(bank.tenant_id):
        return set(RecallRecord.objects.of_bank(bank).values_list("recall_id", flat=True))


@pytest.fixture
def banks(committed_db: None) -> list[Bank]:
    return [make_bank(make_tenant()) for _ in range(2)]


def test_waiting_records_are_written_when_the_server_stops(banks: list[Bank]) -> None:
    log = RecallLog(seconds_between=3_600)
    log.start()
    entries = [make_entry(bank) for bank in banks]
    for entry in entries:
        log.note(entry)
    log.stop()
    assert [list_written(bank) for bank in banks] == [{entry.recall_id} for entry in entries]
    assert log.find(banks[0], entries[0].recall_id) is None


def test_one_tenants_failure_costs_no_other_its_records(banks: list[Bank]) -> None:
    log = RecallLog()
    entries = [make_entry(bank) for bank in banks]
    for entry in entries:
        log.note(entry)
    write = recall_log.write_entries

    def fail_for_the_first(tenant_id: UUID, given: list[RecallEntry]) -> None:
        if tenant_id == banks[0].tenant_id:
            raise DatabaseError("no room")
        write(tenant_id, given)

    with mock.patch.object(recall_log, "write_entries", fail_for_the_first), mock.patch.object(recall_log, "logger"):
        log.write()
    assert [list_written(bank) for bank in banks] == [set(), {entries[1].recall_id}]


def test_a_recall_is_found_while_it_is_being_written(banks: list[Bank]) -> None:
    log = RecallLog()
    entry = make_entry(banks[0])
    log.note(entry)
    found: list[RecallRecord | None] = []

    def look(_tenant_id: UUID, _entries: list[RecallEntry]) -> None:
        found.append(log.find(banks[0], entry.recall_id))

    with mock.patch.object(recall_log, "write_entries", look):
        log.write()
    assert found == [entry.records[0]]


@pytest.mark.parametrize("error", [DatabaseError("away"), TypeError("str is not valid UTF-8")])
def test_one_failure_does_not_end_the_thread(committed_db: None, error: Exception) -> None:
    calls: list[int] = []

    def fail_once() -> None:
        calls.append(1)
        if len(calls) == 1:
            raise error

    with mock.patch.object(periodic, "logger") as logger:
        worker = periodic.Periodic(fail_once, name="test", seconds_between=0.001)
        worker.start()
        while len(calls) < 3:
            pass
        worker.stop()
    logger.exception.assert_called_once()
