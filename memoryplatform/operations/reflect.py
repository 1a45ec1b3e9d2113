"""Reflect: an answer out of one bank's memory, the opinions that it forms, and what that cost."""

from collections.abc import Generator
from dataclasses import replace
from functools import partial
from time import perf_counter

from django.utils import timezone

from banks.models import Bank
from memoryplatform.operations.access import BankAccess, name_of
from memoryplatform.operations.asked_banks import load_banks
from memoryplatform.operations.recall import is_sampled
from providers.registry import find_llm, get_embedder, get_reranker
from reflection.directives.reading import read_directives
from reflection.reflect.events import Event
from reflection.reflect.reflect import reflect as reflect_at_once
from reflection.reflect.reflect import reflect_in_steps
from reflection.reflect.tools import ReflectTools
from reflection.reflect.trace import Trace
from reflection.reflect.types import ReflectQuery, ReflectResult
from retrieval.log.entry import Call, build_entry
from retrieval.log.recalls import RECALL_LOG
from retrieval.models import RecallRecord
from retrieval.recall import RecallTools, recall
from retrieval.types import RecallQuery, RecallResult
from tenants.identifiers import uuid7
from tenants.models import UsageRecord
from tenants.transactions import tenant_transaction
from tenants.usage import record_usage


def reflect(access: BankAccess, bank_id: str, query: ReflectQuery) -> ReflectResult:
    bank, weighed = load(access, bank_id, query)
    trace = Trace()
    try:
        return reflect_at_once(bank, weighed, build_tools(access), trace)
    finally:
        note_spent(bank, trace)


def open_reflection(access: BankAccess, bank_id: str, query: ReflectQuery) -> Generator[Event, None, None]:
    """The answer as it is made. A bank that is not there is told at once, before anything is read."""
    bank, weighed = load(access, bank_id, query)
    return reflect_and_note(bank, weighed, build_tools(access))


def reflect_and_note(bank: Bank, query: ReflectQuery, tools: ReflectTools) -> Generator[Event, None, None]:
    trace = Trace()
    try:
        yield from reflect_in_steps(bank, query, tools, trace)
    finally:
        note_spent(bank, trace)


def load(access: BankAccess, bank_id: str, query: ReflectQuery) -> tuple[Bank, ReflectQuery]:
    """With what feedback taught the bank about the channels, and the directives that hold for the question."""
    asked = load_banks(access, [bank_id])
    bank, weights = asked.banks[0], query.recall.channel_weights or asked.weights
    with tenant_transaction(access.tenant_id):
        directives = read_directives(bank, query)
    return bank, replace(query, recall=replace(query.recall, channel_weights=weights), directives=directives)


def build_tools(access: BankAccess) -> ReflectTools:
    return ReflectTools(
        recall=RecallTools(get_embedder(), get_reranker()),
        llm=find_llm(),
        write=partial(tenant_transaction, access.tenant_id),
        actor=name_of(access),
        recalling=recall_and_log,
    )


def recall_and_log(bank: Bank, query: RecallQuery, tools: RecallTools) -> RecallResult:
    """As any recall, but for its cost, which stands in the reflect's."""
    recall_id, recalled_at, started = uuid7(), timezone.now(), perf_counter()
    result = recall(bank, replace(query, trace=is_sampled(recall_id)), tools)
    milliseconds = round((perf_counter() - started) * 1_000, 3)
    call = Call(recall_id, recalled_at, milliseconds, RecallRecord.Purpose.REFLECT)
    RECALL_LOG.note(build_entry([bank], query, result, call))
    return result


def note_spent(bank: Bank, trace: Trace) -> None:
    """Also of an answer that broke off or that nobody waited for: its tokens were paid."""
    if trace.spent.calls:
        with tenant_transaction(bank.tenant_id):
            record_usage(bank.tenant_id, UsageRecord.Kind.REFLECT, trace.spent, bank_id=bank.bank_id)
