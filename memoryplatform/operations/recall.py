"""Recall: the memories of one or several banks that answer a query. It is logged and its usage counted."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from time import perf_counter
from uuid import UUID

import structlog
from django.conf import settings
from django.db import DEFAULT_DB_ALIAS, OperationalError
from django.utils import timezone

from banks.errors import BankNotFound
from banks.models import Bank
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.account.own_llm import find_llm
from memoryplatform.operations.banks.profile import check_bank_id
from memoryplatform.operations.read_replica import REPLICA
from providers.llm.protocol import Task
from providers.registry import find_embedders, get_deep_reranker, get_embedder, get_reranker
from retrieval.errors import NothingSearched
from retrieval.recall import RecallTools, recall_across
from retrieval.recall_log import RECALL_LOG, Call, build_entry
from retrieval.statements import Database, Row, get_statement_seconds, read_rows, reading_from
from retrieval.types import Budget, RecallQuery, RecallResult
from tenants.identifiers import uuid7

log = structlog.get_logger(__name__)

# Every recall begins with this statement. The ORM would take a tenth of the whole recall to write it.
BANKS = """
SELECT {columns} FROM banks_bank AS bank
WHERE bank.tenant_id = $1 AND bank.bank_id = ANY($2::text[]) AND bank.deleted_at IS NULL
"""


def load_banks(access: BankAccess, bank_ids: Sequence[str]) -> list[Bank]:
    """In the order of the ids. A bank that is missing, or that the key can't reach, refuses the whole call."""
    for bank_id in bank_ids:
        check_bank_id(bank_id)
    columns = [field.attname for field in Bank._meta.concrete_fields]
    banks = [Bank.from_db(DEFAULT_DB_ALIAS, columns, row) for row in read_banks(access, bank_ids)]
    found = {bank.bank_id: bank for bank in banks}
    missing = [bank_id for bank_id in bank_ids if bank_id not in found]
    if missing:
        raise BankNotFound(missing[0])
    return [found[bank_id] for bank_id in bank_ids]


def read_banks(access: BankAccess, bank_ids: Sequence[str]) -> list[Row]:
    """NothingSearched if the statement fails: without its bank nothing can be searched."""
    values = (access.tenant_id, [bank_id for bank_id in bank_ids if access.reaches(bank_id)])
    try:
        return read_rows(
            access.tenant_id, write_banks(), values, within_seconds=get_statement_seconds(), keeps_plan=True
        )
    except OperationalError as error:
        log.warning("recall.banks_not_read", exc_info=error)
        raise NothingSearched from error


@cache
def write_banks() -> str:
    return BANKS.format(columns=", ".join(f"bank.{field.column}" for field in Bank._meta.concrete_fields))


RANDOM_BITS = 32  # the last bits of a UUIDv7


@dataclass(frozen=True)
class Recalled:
    """`id` identifies the recall in the log and in feedback."""

    id: UUID
    result: RecallResult


def recall(access: BankAccess, bank_ids: Sequence[str], query: RecallQuery) -> Recalled:
    """A bank that is missing, or that the key can't reach, refuses the whole call: half an answer misleads."""
    recall_id, recalled_at, started = uuid7(), timezone.now(), perf_counter()
    wanted = replace(query, trace=query.trace or is_sampled(recall_id))
    banks, result = recall_from_replica(access, bank_ids, wanted) or search(access, bank_ids, wanted)
    milliseconds = round((perf_counter() - started) * 1_000, 3)
    call = Call(recall_id, recalled_at, milliseconds, actor=access.actor)
    RECALL_LOG.note(build_entry(banks, query, result, call))
    return Recalled(recall_id, result if query.trace else replace(result, trace=None))


Answer = tuple[list[Bank], RecallResult]


def recall_from_replica(access: BankAccess, bank_ids: Sequence[str], query: RecallQuery) -> Answer | None:
    """None if there is no replica that is fresh enough, or if it fails. Then the primary answers.

    A bank that the replica does not have yet may be on the primary.
    """
    if not REPLICA.is_fresh(access, query.min_lsn):
        return None
    database = Database(REPLICA.alias)
    try:
        with reading_from(database):
            answer = search(access, bank_ids, query)
    except (BankNotFound, NothingSearched):
        answer = None
    if database.failed:
        REPLICA.pause()
    return None if database.failed else answer


def search(access: BankAccess, bank_ids: Sequence[str], query: RecallQuery) -> Answer:
    banks = load_banks(access, list(dict.fromkeys(bank_ids)))
    return banks, recall_across(banks, query, build_tools(access, banks, query.budget))


def build_tools(access: BankAccess, banks: Sequence[Bank], budget: Budget) -> RecallTools:
    default = get_embedder()
    others = {bank.embedding_model for bank in banks} - {default.model_id}
    found = find_embedders(sorted(others)) if others else {}
    bank_id = banks[0].bank_id if len(banks) == 1 else ""
    llm = find_llm(access.tenant_id, Task.JUDGE, bank_id=bank_id)
    reranker = get_deep_reranker() if budget.is_deep else get_reranker()
    return RecallTools(default, reranker, llm, other_embedders=found)


def is_sampled(recall_id: UUID) -> bool:
    return bool(recall_id.int % 2**RANDOM_BITS < settings.RECALL_TRACE_SAMPLE * 2**RANDOM_BITS)
