"""Reflect: an answer from the memory of one bank, the opinions that it forms, and the usage that it costs."""

from collections.abc import Generator
from dataclasses import replace
from functools import partial
from time import perf_counter
from uuid import UUID

from django.utils import timezone

from banks.models import Bank
from memoryplatform.operations.access import BankAccess, name_of
from memoryplatform.operations.account.own_llm import check_tokens, find_llm
from memoryplatform.operations.banks.embedding_model import fill_both_columns
from memoryplatform.operations.engine_choice import choose_answer_writer
from memoryplatform.operations.recall import is_sampled, load_banks
from providers.llm.protocol import Task
from providers.registry import get_deep_reranker, get_embedder, get_reranker
from reflection.directives import read_directives
from reflection.reflect.reflect import reflect as reflect_at_once
from reflection.reflect.reflect import reflect_in_steps
from reflection.reflect.tools import ReflectTools
from reflection.reflect.trace import Trace
from reflection.reflect.types import Event, ReflectQuery, ReflectResult
from retrieval.models import RecallRecord
from retrieval.recall import RecallTools, recall
from retrieval.recall_log import RECALL_LOG, Call, build_entry
from retrieval.types import RecallQuery, RecallResult
from tenants.identifiers import uuid7
from tenants.models import Quota, UsageRecord
from tenants.quotas import warn_of_quotas
from tenants.transactions import tenant_transaction
from tenants.usage import record_usage


def reflect(access: BankAccess, bank_id: str, query: ReflectQuery) -> ReflectResult:
    bank, loaded = load_query(access, bank_id, query)
    trace, began = Trace(), uuid7()
    try:
        return reflect_at_once(bank, loaded, build_tools(access, bank), trace)
    finally:
        record_spent(access, bank, trace, began)


def open_reflection(access: BankAccess, bank_id: str, query: ReflectQuery) -> Generator[Event, None, None]:
    """The events of an answer. Raises for a missing bank at once, before the first event is read."""
    bank, loaded = load_query(access, bank_id, query)
    return reflect_and_note(access, bank, loaded, build_tools(access, bank))


def reflect_and_note(
    access: BankAccess, bank: Bank, query: ReflectQuery, tools: ReflectTools
) -> Generator[Event, None, None]:
    trace, began = Trace(), uuid7()
    try:
        yield from reflect_in_steps(bank, query, tools, trace)
    finally:
        record_spent(access, bank, trace, began)


def load_query(access: BankAccess, bank_id: str, query: ReflectQuery) -> tuple[Bank, ReflectQuery]:
    """The bank, and the query with the directives that apply to the question, before those that it already has.

    Raises QuotaExceeded once the month's tokens are used up. Without a language model an answer takes none.
    """
    (bank,) = load_banks(access, [bank_id])
    check_tokens(access.tenant_id, Task.REFLECT)
    with tenant_transaction(access.tenant_id):
        access.record("reflect.asked", f"bank:{bank.bank_id}")
        directives = read_directives(bank, query.recall.filters.tags, applies_all=query.applies_all_directives)
    return bank, replace(query, directives=(*directives, *query.directives))


def build_tools(access: BankAccess, bank: Bank) -> ReflectTools:
    return ReflectTools(
        recall=build_recall_tools(access, bank),
        llm=find_llm(access.tenant_id, Task.REFLECT, bank_id=bank.bank_id),
        write=partial(tenant_transaction, access.tenant_id),
        actor=name_of(access),
        recalling=recall_and_log,
        answer_writer=choose_answer_writer(),
    )


def build_recall_tools(access: BankAccess, bank: Bank) -> RecallTools:
    judge = find_llm(access.tenant_id, Task.JUDGE, bank_id=bank.bank_id)
    return RecallTools(get_embedder(bank.embedding_model), get_reranker(), judge)


def recall_and_log(bank: Bank, query: RecallQuery, tools: RecallTools) -> RecallResult:
    """The recall log has an entry for each recall. Its usage counts as that of the reflect."""
    recall_id, recalled_at, started = uuid7(), timezone.now(), perf_counter()
    if query.budget.is_deep:
        tools = replace(tools, reranker=get_deep_reranker())
    result = recall(bank, replace(query, trace=is_sampled(recall_id)), tools)
    milliseconds = round((perf_counter() - started) * 1_000, 3)
    call = Call(recall_id, recalled_at, milliseconds, RecallRecord.Purpose.REFLECT)
    RECALL_LOG.note(build_entry([bank], query, result, call))
    return result


def record_spent(access: BankAccess, bank: Bank, trace: Trace, began: UUID) -> None:
    """Also for an interrupted or abandoned answer, because its tokens were paid for."""
    spent = trace.spent + fill_both_columns(bank, began)
    if spent.calls:
        key = access.actor.api_key_prefix
        with tenant_transaction(bank.tenant_id):
            record_usage(bank.tenant_id, UsageRecord.Kind.REFLECT, spent, bank_id=bank.bank_id, api_key_prefix=key)
        warn_of_quotas(bank.tenant_id, Quota.LLM_TOKENS)
