"""Recall: the memories of one or several banks that answer a query, what that cost, and the log of it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from time import perf_counter
from uuid import UUID

from django.conf import settings
from django.utils import timezone

from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.asked_banks import load_banks
from providers.registry import find_llm, get_embedder, get_reranker
from retrieval.log.entry import Call, build_entry
from retrieval.log.recalls import RECALL_LOG
from retrieval.recall import RecallTools, recall_across
from retrieval.types import RecallQuery, RecallResult
from tenants.identifiers import uuid7

RANDOM_BITS = 32  # at the end of a UUIDv7


@dataclass(frozen=True)
class Recalled:
    """`id` is what feedback and the log know the recall by."""

    id: UUID
    result: RecallResult


def recall(access: BankAccess, bank_ids: Sequence[str], query: RecallQuery) -> Recalled:
    """A bank that is not there, or that the key may not reach, refuses the whole call: half an answer misleads."""
    recall_id, recalled_at, started = uuid7(), timezone.now(), perf_counter()
    asked = load_banks(access, list(dict.fromkeys(bank_ids)))
    weights = query.channel_weights or asked.weights
    wanted = replace(query, trace=query.trace or is_sampled(recall_id), channel_weights=weights)
    result = recall_across(asked.banks, wanted, RecallTools(get_embedder(), get_reranker(), find_llm()))
    call = Call(recall_id, recalled_at, round((perf_counter() - started) * 1_000, 3))
    RECALL_LOG.note(build_entry(asked.banks, query, result, call))
    return Recalled(recall_id, result if query.trace else replace(result, trace=None))


def is_sampled(recall_id: UUID) -> bool:
    return bool(recall_id.int % 2**RANDOM_BITS < settings.RECALL_TRACE_SAMPLE * 2**RANDOM_BITS)
