"""Searching: a recall in the banks that a filter means, and behind its results what else reaches the threshold."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import numpy as np
from django.utils import timezone
from rest_framework import serializers

from banks.models import MemoryUnit
from memoryplatform.api.compat.hindsight.tolerance import read_body
from memoryplatform.api.compat.mem0.asking import read_asked, without_expired
from memoryplatform.api.compat.mem0.choosing import choose_banks
from memoryplatform.api.compat.mem0.errors import naming
from memoryplatform.api.compat.mem0.filters.conditions import Condition
from memoryplatform.api.compat.mem0.filters.recall import narrow
from memoryplatform.api.compat.mem0.listing import ShownInput, describe_found
from memoryplatform.api.compat.mem0.memory_shapes import describe_memory, pick_fields
from memoryplatform.api.compat.mem0.moments import read_extent
from memoryplatform.api.compat.mem0.nearest import find_nearest
from memoryplatform.api.compat.mem0.reach import find_told
from memoryplatform.api.v1.recall_input import LONGEST_QUERY
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.recall import recall
from providers.embedding.vector import Vector
from retrieval.query.cleaning import clean_query
from retrieval.types import BUDGETS, Channel, Place, RecallItem, RecallQuery, RecallResult
from tenants.transactions import tenant_transaction

BANKS_A_RECALL = 20  # more take longer than the channels of one recall may
MOST_RESULTS = 1_000
TOKENS_A_RESULT = 400  # recall cuts longer texts to the passage that matters
MANY_TOKENS = 100_000  # where some of what is found will be left out
MANY_RESULTS = 100


class SearchInput(ShownInput):
    query = serializers.CharField(max_length=LONGEST_QUERY)
    top_k = serializers.IntegerField(min_value=1, max_value=MOST_RESULTS, default=10)
    limit = serializers.IntegerField(min_value=1, max_value=MOST_RESULTS, required=False)
    threshold = serializers.FloatField(required=False)
    rerank = serializers.BooleanField(default=False)
    reference_date = serializers.JSONField(required=False, default=None)


@dataclass(frozen=True)
class SearchWanted:
    query: RecallQuery
    condition: Condition
    top_k: int
    threshold: float
    fields: tuple[str, ...]


@dataclass(frozen=True)
class Found:
    """`similarity` is None where the query could not be embedded; `places` are those that recall's channels gave."""

    unit: MemoryUnit
    similarity: float | None
    places: Mapping[Channel, Place] = field(default_factory=dict)


def read_search(given: Any, *, flat_ids: bool, threshold: float) -> SearchWanted:
    """`threshold` is the version's own, where the caller gives none."""
    body = read_body(SearchInput, given).validated_data
    condition = read_asked(given, flat_ids=flat_ids)
    narrowed = narrow(condition)
    top_k = body.get("limit", body["top_k"])
    query = RecallQuery(
        text=clean_query(body["query"]),
        asked_at=read_asked_at(body["reference_date"]),
        max_tokens=top_k * TOKENS_A_RESULT if narrowed.is_exact else max(MANY_TOKENS, top_k * TOKENS_A_RESULT),
        budget=BUDGETS["mid" if top_k <= MANY_RESULTS else "high"],
        filters=narrowed.filters,
        rerank=body["rerank"],
    )
    shown = condition if body["show_expired"] else without_expired(condition)
    return SearchWanted(query, shown, top_k, body.get("threshold", threshold), tuple(body["fields"]))


def read_asked_at(given: Any) -> datetime:
    if given is None:
        return timezone.now()
    with naming("reference_date"):
        return read_extent(given).start


def search_memories(access: BankAccess, wanted: SearchWanted) -> list[dict[str, Any]]:
    """Ranks of several recalls can't be compared, their similarities can."""
    bank_ids = choose_banks(access, wanted.condition, wanted.query.text)
    groups = [bank_ids[start : start + BANKS_A_RECALL] for start in range(0, len(bank_ids), BANKS_A_RECALL)]
    results = [recall(access, group, wanted.query).result for group in groups]
    recalled = [one for result in results for one in find_recalled(access, result, wanted)]
    found = [one for one in recalled if reaches(one, wanted)]
    if results and len(found) < wanted.top_k:
        found += find_others(access, bank_ids, results[0].analysis.vector, wanted, known=recalled)
    if len(groups) > 1:
        found.sort(key=lambda one: one.similarity or 0.0, reverse=True)
    return describe_results(access, found[: wanted.top_k], wanted.fields)


def find_recalled(access: BankAccess, result: RecallResult, wanted: SearchWanted) -> list[Found]:
    """In the order of recall, without what the rest of the filters leaves out."""
    with tenant_transaction(access.tenant_id):
        told = find_told(access, wanted.condition).defer(None)
        units = told.in_bulk([item.candidate.id for item in result.items])
    return [measure(item, units[item.candidate.id], result) for item in result.items if item.candidate.id in units]


def find_others(
    access: BankAccess, bank_ids: Sequence[str], vector: Vector, wanted: SearchWanted, *, known: Sequence[Found]
) -> list[Found]:
    """Enough of them: of the `top_k` nearest at most as many are known as recall found."""
    if not vector.size:
        return []
    seen = {one.unit.id for one in known}
    nearest = find_nearest(access, wanted.condition, bank_ids, vector, most=wanted.top_k)
    others = [Found(unit, clamp(cosine)) for unit, cosine in nearest if unit.id not in seen]
    return [one for one in others if reaches(one, wanted)]


def reaches(found: Found, wanted: SearchWanted) -> bool:
    return found.similarity is None or found.similarity >= wanted.threshold


def measure(item: RecallItem, unit: MemoryUnit, result: RecallResult) -> Found:
    """Cosine of query and memory, 0 to 1; the results are ordered by more than that."""
    places = item.scores.places
    if Channel.SEMANTIC in places:
        return Found(unit, clamp(places[Channel.SEMANTIC].score), places)
    asked, own = result.analysis.vector, unit.embedding
    if own is None or len(own) != len(asked):
        return Found(unit, None, places)
    return Found(unit, clamp(float(np.dot(np.asarray(own, dtype=float), asked))), places)


def clamp(score: float) -> float:
    return round(min(1.0, max(0.0, score)), 6)


def describe_results(access: BankAccess, found: Sequence[Found], fields: Sequence[str]) -> list[dict[str, Any]]:
    with tenant_transaction(access.tenant_id):
        rows = describe_found(access, [one.unit for one in found])
    shown = [describe_memory(row) | describe_score(one) for row, one in zip(rows, found, strict=True)]
    return [pick_fields(memory, (*fields, "score") if fields else ()) for memory in shown]


def describe_score(found: Found) -> dict[str, Any]:
    places = found.places
    words = places[Channel.KEYWORD].score if Channel.KEYWORD in places else 0.0
    entities = places[Channel.GRAPH].score if Channel.GRAPH in places else 0.0
    semantic = found.similarity or 0.0
    breakdown = {"semantic": semantic, "bm25": clamp(words / (1.0 + words)), "entity": clamp(entities)}
    return {"score": semantic, "score_breakdown": breakdown}
