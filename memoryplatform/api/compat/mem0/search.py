"""`/memories/search/` of every version: recalls in the banks of a filter, then other units above the threshold.

As in mem0, the caller's `top_k` and `threshold` decide what is returned, and `threshold` is a floor of the `score`, a
cosine. So recall fills, up to `top_k`. It drops results far behind its best one and applies only a part of mem0's
filters; when it finds fewer than `top_k`, the search compares the other filtered units with the question one by one.
"""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, ClassVar

import numpy as np
from django.db import OperationalError
from django.db.models import Case, Min, When
from django.utils import timezone
from pgvector.django import CosineDistance
from psycopg.errors import QueryCanceled
from rest_framework import serializers
from rest_framework.request import Request

from banks.models import MemoryUnit
from banks.models.unit import UnitQuerySet
from memoryplatform.api.compat.hindsight.hindsight_view import read_body
from memoryplatform.api.compat.mem0 import memories
from memoryplatform.api.compat.mem0.filter_conditions import Condition, FieldTest
from memoryplatform.api.compat.mem0.filter_grammar import read_request_filters, without_expired
from memoryplatform.api.compat.mem0.mem0_view import Mem0View
from memoryplatform.api.compat.mem0.timestamps import read_extent
from memoryplatform.api.compat.mem0.unit_lookup import SHOWN_NETWORKS, find_units
from memoryplatform.api.serializers import prefix_faults
from memoryplatform.api.v1.recall_input import LONGEST_QUERY
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.banks.profile import find_banks
from memoryplatform.operations.recall import recall
from providers.embedding.vector import Vector
from providers.errors import ProviderError
from providers.registry import get_embedder
from retrieval.analysis import QUERY_VECTORS, clean_query
from retrieval.filters.tree import add_condition
from retrieval.filters.types import AllOf, AnyOf, Filters, Happened, Metadata, Not, Tags, TimeRange
from retrieval.filters.types import Condition as RecallCondition
from retrieval.types import BUDGETS, NO_VECTOR, Channel, Place, RecallItem, RecallQuery, RecallResult, round_relevance
from tenants.models import UsageRecord
from tenants.transactions import tenant_transaction
from tenants.usage import record_usage

NEAREST_SECONDS = 1.0  # 10,000 memories take 0.1 s
logger = logging.getLogger(__name__)
VECTOR_IN_USE = Case(When(bank__vector_slot=1, then="second_embedding"), default="embedding")
MOST_BANKS = 100  # banks in one search
MOST_OWNERS = 10_000  # owners whose memories one search compares
CHOOSING_SECONDS = 5.0  # for the choice of banks
BANKS_A_RECALL = 20  # more exceed the time box of a recall's channels
MOST_RESULTS = 1_000
TOKENS_A_RESULT = 400  # recall cuts longer texts to the best passage
MANY_TOKENS = 100_000  # if a later filter drops some results
MANY_RESULTS = 100


class SearchView(Mem0View):
    """The versions differ in `flat_ids`, `threshold` and `is_wrapped`."""

    scopes: ClassVar[dict[str, str]] = memories.READS
    flat_ids = False
    threshold = 0.1
    is_wrapped = True

    def post(self, request: Request) -> object:
        wanted = read_search(request.data, flat_ids=self.flat_ids, threshold=self.threshold)
        results = search_memories(self.access, wanted)
        return {"results": results} if self.is_wrapped or memories.wants_object(request.data) else results


class SearchInput(memories.DisplayInput):
    query = serializers.CharField(max_length=LONGEST_QUERY)
    top_k = serializers.IntegerField(min_value=1, max_value=MOST_RESULTS, default=10)
    limit = serializers.IntegerField(min_value=1, max_value=MOST_RESULTS, required=False)
    threshold = serializers.FloatField(required=False)
    rerank = serializers.BooleanField(default=False)
    reference_date = serializers.JSONField(required=False, default=None)


@dataclass(frozen=True)
class SearchRequest:
    query: RecallQuery
    condition: Condition
    top_k: int
    threshold: float
    fields: tuple[str, ...]


@dataclass(frozen=True)
class FoundUnit:
    """`similarity` is None if the query has no vector. `places` are the ranks in recall's channels.

    `relevance` is recall's, if the search reranks.
    """

    unit: MemoryUnit
    similarity: float | None
    places: Mapping[Channel, Place] = field(default_factory=dict)
    relevance: float | None = None


def read_search(given: Any, *, flat_ids: bool, threshold: float) -> SearchRequest:
    """`threshold` is the default of the API version."""
    body = read_body(SearchInput, given).validated_data
    condition = read_request_filters(given, flat_ids=flat_ids)
    filters, is_exact = narrow(condition)
    top_k = body.get("limit", body["top_k"])
    query = RecallQuery(
        text=clean_query(body["query"]),
        asked_at=read_asked_at(body["reference_date"]),
        max_tokens=top_k * TOKENS_A_RESULT if is_exact else max(MANY_TOKENS, top_k * TOKENS_A_RESULT),
        budget=BUDGETS["mid" if top_k <= MANY_RESULTS else "high"],
        filters=filters,
        rerank=body["rerank"],
        max_results=top_k if is_exact else None,
        fills=True,
    )
    shown = condition if body["show_expired"] else without_expired(condition)
    return SearchRequest(query, shown, top_k, body.get("threshold", threshold), tuple(body["fields"]))


def read_asked_at(given: Any) -> datetime:
    if given is None:
        return timezone.now()
    with prefix_faults("reference_date"):
        return read_extent(given)[0]


def search_memories(access: BankAccess, wanted: SearchRequest) -> list[dict[str, Any]]:
    """Results of several recalls are sorted by similarity, because their ranks are not comparable."""
    bank_ids = choose_banks(access, wanted.condition, wanted.query.text)
    groups = [bank_ids[start : start + BANKS_A_RECALL] for start in range(0, len(bank_ids), BANKS_A_RECALL)]
    results = [recall(access, group, wanted.query).result for group in groups]
    recalled = [one for result in results for one in find_recalled(access, result, wanted)]
    found = [one for one in recalled if reaches_threshold(one, wanted)]
    if results and len(found) < wanted.top_k:
        found += find_others(access, bank_ids, results[0].analysis.search_text, wanted, known=recalled)
    if len(groups) > 1:
        found.sort(key=lambda one: one.similarity or 0.0, reverse=True)
    return describe_results(access, found[: wanted.top_k], wanted.fields)


def find_recalled(access: BankAccess, result: RecallResult, wanted: SearchRequest) -> list[FoundUnit]:
    """In recall's order, after the filters that recall does not apply."""
    with tenant_transaction(access.tenant_id):
        matching = find_units(access, wanted.condition).defer(None).select_related("bank")
        units = matching.in_bulk([item.candidate.id for item in result.items])
    return [
        replace(
            measure_similarity(item, units[item.candidate.id], result),
            relevance=item.scores.relevance if wanted.query.rerank else None,
        )
        for item in result.items
        if item.candidate.id in units
    ]


def find_others(
    access: BankAccess, bank_ids: Sequence[str], question: str, wanted: SearchRequest, *, known: Sequence[FoundUnit]
) -> list[FoundUnit]:
    """The nearest units that recall did not find. `top_k` candidates suffice to fill the results."""
    seen = {one.unit.id for one in known}
    with tenant_transaction(access.tenant_id):
        models = set(find_banks(access).filter(bank_id__in=bank_ids).values_list("embedding_model", flat=True))
    nearest = [
        one
        for model in sorted(models)
        for one in find_nearest(access, wanted.condition, bank_ids, question, model, most=wanted.top_k)
    ]
    nearest.sort(key=lambda one: (-one[1], one[0].id))
    others = [FoundUnit(unit, clamp_score(cosine)) for unit, cosine in nearest if unit.id not in seen]
    return [one for one in others if reaches_threshold(one, wanted)]


def reaches_threshold(found: FoundUnit, wanted: SearchRequest) -> bool:
    return found.similarity is None or found.similarity >= wanted.threshold


def measure_similarity(item: RecallItem, unit: MemoryUnit, result: RecallResult) -> FoundUnit:
    """The cosine of query and memory, clamped to 0..1. Recall's order depends on more than that."""
    places = item.scores.places
    if Channel.SEMANTIC in places:
        return FoundUnit(unit, clamp_score(places[Channel.SEMANTIC].score), places)
    own = unit.vector_in(unit.bank)
    vector = NO_VECTOR if own is None else embed_again(result.analysis.search_text, unit.bank.embedding_model)
    if not vector.size:
        return FoundUnit(unit, None, places)
    return FoundUnit(unit, clamp_score(float(np.dot(np.asarray(own, dtype=float), vector))), places)


def embed_again(question: str, model: str) -> Vector:
    """The vector that recall made for the banks of this model. It is cached, so it costs nothing."""
    try:
        return QUERY_VECTORS.embed(question, get_embedder(model))[0]
    except ProviderError:
        return NO_VECTOR


def clamp_score(score: float) -> float:
    return round(min(1.0, max(0.0, score)), 6)


def describe_results(access: BankAccess, found: Sequence[FoundUnit], fields: Sequence[str]) -> list[dict[str, Any]]:
    with tenant_transaction(access.tenant_id):
        rows = memories.describe_found(access, [one.unit for one in found])
    shown = [memories.describe_memory(row) | describe_score(one) for row, one in zip(rows, found, strict=True)]
    return [memories.pick_fields(memory, (*fields, "score") if fields else ()) for memory in shown]


def describe_score(found: FoundUnit) -> dict[str, Any]:
    places = found.places
    words = places[Channel.KEYWORD].score if Channel.KEYWORD in places else 0.0
    entities = places[Channel.GRAPH].score if Channel.GRAPH in places else 0.0
    semantic = found.similarity or 0.0
    breakdown = {"semantic": semantic, "bm25": clamp_score(words / (1.0 + words)), "entity": clamp_score(entities)}
    reranked = {} if found.relevance is None else {"rerank_score": round_relevance(found.relevance)}
    return {"score": semantic, "score_breakdown": breakdown, **reranked}


class TooManyOwners(serializers.ValidationError):
    """The filters select more owners than one search can compare."""


def choose_banks(access: BankAccess, condition: Condition, question: str) -> list[str]:
    """The banks with matching units. Of more than `MOST_BANKS`, those with the units nearest to the question.

    A recall in each of many banks takes seconds. Results of several recalls are sorted by similarity, so the results of
    the other banks would come last.
    """
    with tenant_transaction(access.tenant_id):
        units = find_units(access, condition).order_by()
        bank_ids = list(units.values_list("bank__bank_id", flat=True).distinct()[: MOST_OWNERS + 1])
    if len(bank_ids) > MOST_OWNERS:
        raise TooManyOwners(
            f"The filters select memories of more than {MOST_OWNERS} owners: name one or more user_ids."
        )
    return sorted(bank_ids if len(bank_ids) <= MOST_BANKS else find_nearest_banks(access, units, question))


def find_nearest_banks(access: BankAccess, units: UnitQuerySet, question: str) -> list[str]:
    vector, usage = QUERY_VECTORS.embed(question, get_embedder())
    with tenant_transaction(access.tenant_id):
        key = access.actor.api_key_prefix
        record_usage(access.tenant_id, UsageRecord.Kind.RECALL, usage, api_key_prefix=key)
    banks = keep_comparable(units, get_embedder().model_id).values("bank__bank_id")
    banks = banks.annotate(distance=Min(CosineDistance(VECTOR_IN_USE, vector)))
    nearest = banks.order_by("distance", "bank__bank_id").values_list("bank__bank_id", flat=True)[:MOST_BANKS]
    settings = {"statement_timeout": str(round(CHOOSING_SECONDS * 1_000))}
    try:
        with tenant_transaction(access.tenant_id, settings=settings):
            return list(nearest)
    except OperationalError as error:
        if isinstance(error.__cause__, QueryCanceled):
            raise TooManyOwners(
                "The filters select too many memories of many owners: name one or more user_ids."
            ) from error
        raise


def find_nearest(
    access: BankAccess, condition: Condition, bank_ids: Sequence[str], question: str, model: str, *, most: int
) -> list[tuple[MemoryUnit, float]]:
    """Units of the banks of this model with their cosines, nearest first; empty if the query takes too long."""
    vector = embed_again(question, model)
    if not vector.size:
        return []
    settings = {"statement_timeout": str(round(NEAREST_SECONDS * 1_000))}
    try:
        with tenant_transaction(access.tenant_id, settings=settings):
            comparable = keep_comparable(find_units(access, condition), model).filter(bank__bank_id__in=bank_ids)
            near = comparable.annotate(distance=CosineDistance(VECTOR_IN_USE, vector)).order_by("distance", "id")
            return [(unit, 1.0 - unit.distance) for unit in near[:most]]  # type: ignore[attr-defined]  # annotated
    except OperationalError:
        logger.warning("A search returned recall's results only.", exc_info=True)
        return []


def keep_comparable(units: UnitQuerySet, model: str) -> UnitQuerySet:
    """Keeps units whose vectors come from this embedding model."""
    rows = units.annotate(vector_in_use=VECTOR_IN_USE)
    kept: UnitQuerySet = rows.filter(bank__embedding_model=model, vector_in_use__isnull=False)
    return kept


def narrow(condition: Condition) -> tuple[Filters, bool]:
    """Recall's filters, and whether they cover the whole condition."""
    filters, is_exact = Filters(networks=SHOWN_NETWORKS), True
    for one in list_conjuncts(condition):
        translated = translate(one)
        if translated is None:
            is_exact = False
        else:
            filters = add_condition(filters, translated)
    return filters, is_exact


def list_conjuncts(condition: Condition) -> list[Condition]:
    """The conditions of a conjunction, flattened."""
    if isinstance(condition, AllOf):
        return [part for one in condition.conditions for part in list_conjuncts(one)]
    return [condition]


def translate(condition: Condition) -> RecallCondition | None:
    """None if recall has no such condition."""
    match condition:
        case Metadata():
            return condition
        case FieldTest("tag", "in"):
            return Tags(condition.tags, "any_strict")
        case FieldTest("mentioned_at", "between", (start, end)):
            return Happened("mentioned", TimeRange(start, end))
        case Not(negated):
            inner = translate(negated)
            return None if inner is None else Not(inner)
        case AllOf(conditions) | AnyOf(conditions):
            return translate_all(type(condition), conditions)
    return None


def translate_all(join: type[AllOf[Any] | AnyOf[Any]], conditions: Sequence[Condition]) -> RecallCondition | None:
    parts = tuple(part for one in conditions if (part := translate(one)) is not None)
    return join(parts) if len(parts) == len(conditions) else None
