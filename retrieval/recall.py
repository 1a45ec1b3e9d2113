"""Recall: analyse, search, fuse, hydrate, rerank, boost, judge relevance, pack, include."""

import logging
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field, replace
from uuid import UUID

from django.db import OperationalError

from banks.models import Bank
from providers.deadline import Deadline
from providers.embedding.protocol import Embedder
from providers.llm.protocol import LLM
from providers.reranking.protocol import Reranker
from providers.usage import Usage
from retrieval.access_counts import ACCESS_COUNTS
from retrieval.analysis import analyse, embed
from retrieval.errors import NothingSearched
from retrieval.fusion import FusedRow, Key, count_own_passages
from retrieval.hydration import hydrate
from retrieval.includes import include
from retrieval.packing import pack
from retrieval.plan import Plan, build_plan
from retrieval.ranking import (
    MergedHits,
    build_ranked,
    fuse_channels,
    merge_banks,
    order_for_reranker,
    order_results,
    rerank_candidates,
)
from retrieval.relevance import keep_relevant
from retrieval.reranking import Reranked
from retrieval.search import BankHits, search_banks, start_words
from retrieval.speaker_match import find_aliased, match_speaker
from retrieval.threads import get_executor
from retrieval.trace import Ordering, Trace
from retrieval.turns import TURNS
from retrieval.types import Candidate, LeftOut, Part, RecallQuery, RecallResult
from tenants.transactions import let_go_of_connection

logger = logging.getLogger(__name__)

UNSCORED = "It did not score every candidate, and a candidate without a score reaches no floor."


@dataclass(frozen=True)
class RecallTools:
    """`embedder` is that of the deployment's default model, `other_embedders` are those of the banks' other models."""

    embedder: Embedder
    reranker: Reranker
    llm: LLM | None = None
    executor: Executor = field(default_factory=get_executor)
    other_embedders: Mapping[str, Embedder] = field(default_factory=dict)

    def list_embedders(self, banks: Sequence[Bank]) -> dict[str, Embedder]:
        """The embedders of the banks' models, each once. A model without one is left out."""
        known = {self.embedder.model_id: self.embedder, **self.other_embedders}
        models = dict.fromkeys(bank.embedding_model for bank in banks)
        return {model: known[model] for model in models if model in known}


def recall(bank: Bank, query: RecallQuery, tools: RecallTools) -> RecallResult:
    return recall_across([bank], query, tools)


def recall_across(banks: Sequence[Bank], query: RecallQuery, tools: RecallTools) -> RecallResult:
    """One answer from several banks of one tenant.

    Call outside transactions: none may stay open while a model works.
    """
    tenant_id = get_tenant_id(banks)
    let_go_of_connection()
    with TURNS.take(tenant_id):
        return answer(banks, tenant_id, query, tools)


def answer(banks: Sequence[Bank], tenant_id: UUID, query: RecallQuery, tools: RecallTools) -> RecallResult:
    trace = Trace(query)
    with trace.phase("analysis"):
        plan = build_plan(query, analyse(query, llm=tools.llm))
    words = start_words(banks, plan, tools.executor)
    with trace.phase("embedding"):
        embedded = embed(plan.analysis, tools.list_embedders(banks))
        plan = replace(plan, analysis=embedded.analysis)
    deadline = plan.limits.start_clock()
    with trace.phase("channels"):
        found = search_banks(
            banks,
            plan,
            words,
            tools.executor,
            vectors=embedded.vectors,
            deadline=deadline.without_one_share(),
        )
        entities = [entity for bank in found for entity in bank.entities]
        analysis = replace(plan.analysis, entity_ids=tuple(entity.id for entity in entities))
        aliased = find_aliased(analysis.names, entities)
    with trace.phase("fusion"):
        merged = merge_banks(found, plan)
        fused = fuse_channels(merged, plan)
    with trace.phase("hydration"):
        rows = hydrate_banks(fused, merged, plan, deadline)
        fused = count_own_passages(fused, rows, plan.weights, merged.lists)
        match = match_speaker(analysis.text, analysis.names, list(rows.values()), aliased)
        candidates = order_for_reranker(build_ranked(fused, rows, merged, plan), plan, match)
    with trace.phase("reranking") as reranking:
        reranked = rerank_candidates(candidates, plan, tools.reranker, tenant_id, aliased)
    deadline = deadline.shifted(reranking.seconds)
    with trace.phase("packing"):
        ordered = order_results(candidates, reranked, plan, match)
        ranked = keep_relevant(ordered, query, tools.reranker.model_id)
        packed = pack(ranked, max_tokens=query.max_tokens, query=analysis.text, language=analysis.language)
    with trace.phase("inclusion"):
        inclusion = include(tenant_id, packed.items, query.include, plan, deadline)
    ACCESS_COUNTS.note(tenant_id, [item.candidate.id for item in packed.items if item.candidate.kind == "unit"])
    trace.note_result(analysis, Ordering(plan, fused, reranked, ordered, ranked), packed)
    note_channels(trace, found, merged)
    trace.left_out += [*list_unscored(reranked, query), *inclusion.left_out]
    result = RecallResult(packed.items, packed.tokens, analysis, included=inclusion.included)
    return add_trace(result, trace, analysis.usage + reranked.usage)


def add_trace(result: RecallResult, trace: Trace, usage: Usage) -> RecallResult:
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


def hydrate_banks(
    fused: Sequence[FusedRow], merged: MergedHits, plan: Plan, deadline: Deadline
) -> dict[Key, Candidate]:
    """One statement a bank. If the candidates can't be read, there is no answer."""
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
        logger.warning("The candidates could not be read.", exc_info=error)
        raise NothingSearched from error
    return {(row.kind, row.id): row for row in rows}


def list_unscored(reranked: Reranked, query: RecallQuery) -> list[LeftOut]:
    """With a score floor for the reranker, candidates that it did not score are missing from the answer."""
    if query.least_scores.reranker is None or not (reranked.failure or reranked.out_of_time):
        return []
    reason = f"It failed with {reranked.failure}." if reranked.failure else UNSCORED
    return [LeftOut(Part.RERANKING, reason)]


def note_channels(trace: Trace, found: Sequence[BankHits], merged: MergedHits) -> None:
    for channel, hits in merged.lists.items():
        trace.note_channel(channel, hits, seconds=max(one.seconds.get(channel, 0.0) for one in found))
    for one in found:
        bank_id = one.bank.bank_id if len(found) > 1 else None
        trace.left_out += [replace(left, bank_id=bank_id) for left in one.left_out]
