"""Searching: one recall in the banks that a filter means."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from django.utils import timezone
from rest_framework import serializers

from memoryplatform.api.compat.hindsight.tolerance import read_body
from memoryplatform.api.compat.mem0.asking import read_asked, without_expired
from memoryplatform.api.compat.mem0.choosing import choose_banks
from memoryplatform.api.compat.mem0.filters.conditions import Condition
from memoryplatform.api.compat.mem0.filters.recall import narrow
from memoryplatform.api.compat.mem0.listing import ShownInput, describe_found
from memoryplatform.api.compat.mem0.memory_shapes import describe_memory, pick_fields
from memoryplatform.api.compat.mem0.moments import read_extent
from memoryplatform.api.compat.mem0.reach import find_told
from memoryplatform.api.v1.recall_input import LONGEST_QUERY
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.described_units import DescribedUnit
from memoryplatform.operations.recall import recall
from retrieval.query.cleaning import clean_query
from retrieval.types import BUDGETS, Channel, RecallItem, RecallQuery, RecallResult
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
    """`similarity` is None where the query could not be embedded."""

    item: RecallItem
    row: DescribedUnit
    similarity: float | None


def read_search(given: Any, *, flat_ids: bool, threshold: float) -> SearchWanted:
    """`threshold` is the version's own, where the caller gives none."""
    body = read_body(SearchInput, given).validated_data
    condition = read_asked(given, flat_ids=flat_ids)
    narrowed = narrow(condition)
    top_k = body.get("limit", body["top_k"])
    asked_at = body["reference_date"]
    query = RecallQuery(
        text=clean_query(body["query"]),
        asked_at=timezone.now() if asked_at is None else read_extent(asked_at).start,
        max_tokens=top_k * TOKENS_A_RESULT if narrowed.is_exact else max(MANY_TOKENS, top_k * TOKENS_A_RESULT),
        budget=BUDGETS["mid" if top_k <= MANY_RESULTS else "high"],
        filters=narrowed.filters,
        rerank=body["rerank"],
    )
    shown = condition if body["show_expired"] else without_expired(condition)
    return SearchWanted(query, shown, top_k, body.get("threshold", threshold), tuple(body["fields"]))


def search_memories(access: BankAccess, wanted: SearchWanted) -> list[dict[str, Any]]:
    """Ranks of several recalls can't be compared, their similarities can."""
    bank_ids = choose_banks(access, wanted.condition, wanted.query.text)
    groups = [bank_ids[start : start + BANKS_A_RECALL] for start in range(0, len(bank_ids), BANKS_A_RECALL)]
    found = [one for group in groups for one in recall_told(access, group, wanted)]
    if len(groups) > 1:
        found.sort(key=lambda one: one.similarity or 0.0, reverse=True)
    near = [one for one in found if one.similarity is None or one.similarity >= wanted.threshold]
    shown = [describe_memory(one.row) | describe_score(one) for one in near[: wanted.top_k]]
    return [pick_fields(memory, (*wanted.fields, "score") if wanted.fields else ()) for memory in shown]


def recall_told(access: BankAccess, bank_ids: Sequence[str], wanted: SearchWanted) -> list[Found]:
    """In the order of recall, without what the rest of the filters leaves out."""
    result = recall(access, bank_ids, wanted.query).result
    with tenant_transaction(access.tenant_id):
        units = find_told(access, wanted.condition).filter(id__in=[item.candidate.id for item in result.items])
        rows = {row.unit.id: row for row in describe_found(access, list(units.defer(None)))}
    return [measure(item, rows[item.candidate.id], result) for item in result.items if item.candidate.id in rows]


def measure(item: RecallItem, row: DescribedUnit, result: RecallResult) -> Found:
    """Cosine of query and memory, 0 to 1; the results are ordered by more than that."""
    place = item.scores.places.get(Channel.SEMANTIC)
    if place is not None:
        return Found(item, row, clamp(place.score))
    asked, own = result.analysis.vector, row.unit.embedding
    if own is None or len(own) != len(asked):
        return Found(item, row, None)
    return Found(item, row, clamp(float(np.dot(np.asarray(own, dtype=float), asked))))


def clamp(score: float) -> float:
    return round(min(1.0, max(0.0, score)), 6)


def describe_score(found: Found) -> dict[str, Any]:
    places = found.item.scores.places
    words = places[Channel.KEYWORD].score if Channel.KEYWORD in places else 0.0
    entities = places[Channel.GRAPH].score if Channel.GRAPH in places else 0.0
    semantic = found.similarity or 0.0
    breakdown = {"semantic": semantic, "bm25": clamp(words / (1.0 + words)), "entity": clamp(entities)}
    return {"score": semantic, "score_breakdown": breakdown}
