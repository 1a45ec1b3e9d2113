"""Recall: analyse, search, fuse, hydrate, rerank, boost, pack."""

import logging
from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field, replace
from uuid import UUID

from django.db import OperationalError

from banks.models import Bank
from banks.text_index.lexemes import extract_lexemes
from providers.embedding.protocol import Embedder
from providers.embedding.vector import Vector
from providers.errors import ProviderError
from providers.llm.protocol import LLM
from providers.reranking.protocol import Reranker
from providers.usage import Usage
from retrieval.deadline import Deadline
from retrieval.errors import NothingSearched
from retrieval.hydrate import hydrate
from retrieval.includes.include import include
from retrieval.log.access_counts import ACCESS_COUNTS
from retrieval.other_names import OtherNames, find_other_names
from retrieval.packing import pack
from retrieval.plan import Plan, build_plan
from retrieval.query.reading import read_query
from retrieval.query_vectors import NO_VECTOR, QUERY_VECTORS
from retrieval.ranking.fusion import Fused, Key
from retrieval.ranking.own_passage import count_own_passages
from retrieval.ranking.rank import (
    Merged,
    build_ranked,
    fuse_channels,
    merge_banks,
    order_by_all,
    order_for_reranker,
    rerank_all,
)
from retrieval.ranking.whose_words import find_whose_words
from retrieval.reranking.rerank import Reranked
from retrieval.searching import Found, Question, ask_words, search_banks, start_words
from retrieval.threads import get_executor
from retrieval.trace import Ordering, Trace
from retrieval.turns import TURNS
from retrieval.types import Candidate, LeftOut, Part, RecallQuery, RecallResult
from tenants.transactions import let_go_of_connection

UNREAD = "It did not score all that it was to read, and what has no score reaches no floor."
logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class RecallTools:
    embedder: Embedder
    reranker: Reranker
    llm: LLM | None = None
    executor: Executor = field(default_factory=get_executor)


def recall(bank: Bank, query: RecallQuery, tools: RecallTools) -> RecallResult:
    return recall_across([bank], query, tools)


def recall_across(banks: Sequence[Bank], query: RecallQuery, tools: RecallTools) -> RecallResult:
    """One answer out of several banks of one tenant. Call outside transactions: none stays open while a model works."""
    tenant_id = get_tenant_id(banks)
    let_go_of_connection()
    with TURNS.take(tenant_id):
        return answer(banks, tenant_id, query, tools)


def answer(banks: Sequence[Bank], tenant_id: UUID, query: RecallQuery, tools: RecallTools) -> RecallResult:
    trace = Trace(query)
    with trace.phase("analysis"):
        plan = build_plan(query, read_query(query, llm=tools.llm))
        lexemes = tuple(extract_lexemes(plan.reading.text))
    words = start_words(banks, ask_words(plan, lexemes), tools.executor)
    with trace.phase("embedding"):
        vector, usage = embed(plan, tools.embedder)
    deadline = plan.limits.start_clock()
    with trace.phase("channels"):
        asked = Question(plan, vector, tools.embedder.model_id, deadline.keeping_a_share())
        found = search_banks(banks, asked, words, tools.executor)
        entity_ids = tuple(entity.id for bank in found for entity in bank.entities)
        analysis = plan.reading.complete(lexemes=lexemes, entity_ids=entity_ids, vector=vector)
        others = list_other_names(plan.reading.names, found)
    with trace.phase("fusion"):
        merged = merge_banks(found, plan)
        fused = fuse_channels(merged, plan)
    with trace.phase("hydration"):
        rows = hydrate_all(fused, merged, plan, deadline)
        fused = count_own_passages(fused, rows, plan.weights, merged.lists)
        wanted = find_whose_words(plan.reading.text, plan.reading.names, list(rows.values()), others.every)
        candidates = order_for_reranker(build_ranked(fused, rows, merged, plan), plan, wanted, others.kin)
    with trace.phase("reranking") as reranking:
        reranked = rerank_all(candidates, plan, tools.reranker, tenant_id, others)
    deadline = deadline.shifted(reranking.seconds)
    with trace.phase("packing"):
        ranked = order_by_all(candidates, reranked, plan, is_of_a_role=bool(wanted.role))
        packed = pack(ranked, max_tokens=query.max_tokens, query=plan.reading.text)
    with trace.phase("inclusion"):
        along = include(tenant_id, packed.items, query.include, plan, deadline)
    ACCESS_COUNTS.note(tenant_id, [item.candidate.id for item in packed.items if item.candidate.kind == "unit"])
    trace.note_result(analysis, Ordering(plan, fused, reranked, ranked), packed)
    note_channels(trace, found, merged)
    trace.left_out += [*find_unread(reranked, query), *along.left_out]
    result = RecallResult(packed.items, packed.tokens, analysis, included=along.included)
    return with_account(result, trace, plan.reading.usage + usage + reranked.usage)


def with_account(result: RecallResult, trace: Trace, usage: Usage) -> RecallResult:
    """What it took, what is missing, and the reasons where they were asked for."""
    return replace(
        result,
        left_out=tuple(trace.left_out),
        usage=usage,
        trace=trace.as_dict() if trace.query.trace else None,
        milliseconds={phase.name: round(phase.seconds * 1000, 3) for phase in trace.phases},
    )


def get_tenant_id(banks: Sequence[Bank]) -> UUID:
    tenants = {bank.tenant_id for bank in banks}
    if len(tenants) != 1:
        raise ValueError("Recall is asked of one or more banks of one tenant.")
    return tenants.pop()


def embed(plan: Plan, embedder: Embedder) -> tuple[Vector, Usage]:
    """An embedder that fails costs the channels that need a vector, not the answer."""
    try:
        return QUERY_VECTORS.embed(plan.reading.search_text, embedder)
    except ProviderError:
        logger.warning("The query was not embedded.", exc_info=True)
        return NO_VECTOR, Usage()


def list_other_names(asked: Sequence[str], found: Sequence[Found]) -> OtherNames:
    """Of those whom the query names, and of those whom it names by whose they are."""
    return OtherNames(
        find_other_names(asked, [entity for bank in found for entity in bank.entities]),
        find_other_names(asked, [entity for bank in found for entity in bank.kin]),
    )


def hydrate_all(fused: Sequence[Fused], merged: Merged, plan: Plan, deadline: Deadline) -> dict[Key, Candidate]:
    """One statement a bank. Ids that can't be read are no answer."""
    keys: dict[str, list[Key]] = {}
    banks: dict[str, Bank] = {}
    for one in fused:
        bank = merged.bank_of(one.key)
        banks[bank.bank_id] = bank
        keys.setdefault(bank.bank_id, []).append(one.key)
    rows: list[Candidate] = []
    try:
        for bank_id, own in keys.items():
            rows += hydrate(banks[bank_id], own, plan.moment, within_seconds=deadline.next_share())
    except (OperationalError, TimeoutError) as error:
        raise NothingSearched from error
    return {(row.kind, row.id): row for row in rows}


def find_unread(reranked: Reranked, query: RecallQuery) -> list[LeftOut]:
    """Where a floor of the reranker was asked for, what it did not read is missing from the answer."""
    if query.least_scores.reranker is None or not (reranked.failure or reranked.out_of_time):
        return []
    reason = f"It failed with {reranked.failure}." if reranked.failure else UNREAD
    return [LeftOut(Part.RERANKING, reason)]


def note_channels(trace: Trace, found: Sequence[Found], merged: Merged) -> None:
    for channel, hits in merged.lists.items():
        trace.note_channel(channel, hits, seconds=max(one.seconds.get(channel, 0.0) for one in found))
    for one in found:
        bank_id = one.bank.bank_id if len(found) > 1 else None
        trace.left_out += [replace(left, bank_id=bank_id) for left in one.left_out]
