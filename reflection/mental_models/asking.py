"""The question of a mental model, as reflect is asked it."""

from dataclasses import replace
from datetime import datetime

from reflection.mental_models.trigger import build_condition, read_trigger
from reflection.models import MentalModel
from reflection.reflect.types import BOUNDS, ReflectQuery
from retrieval.filters.types import Filters
from retrieval.query.cleaning import clean_query
from retrieval.types import BUDGETS, RecallQuery

USUAL_BUDGET = "mid"  # a text that is read many times is worth more than one call
USUAL_TOKENS = 4_096  # of the memories, and of an answer that the usual bounds leave room for


def build_query(model: MentalModel, *, now: datetime) -> ReflectQuery:
    """It forms no opinions: nobody asked the agent for its view."""
    trigger = read_trigger(model.trigger)
    budget = trigger.budget or USUAL_BUDGET
    memory_tokens = USUAL_TOKENS if trigger.recall_max_tokens is None else trigger.recall_max_tokens
    recall = RecallQuery(
        text=clean_query(model.source_query),
        asked_at=now,
        max_tokens=memory_tokens,
        budget=BUDGETS[budget],
        filters=Filters(networks=trigger.fact_types or (), tags=build_condition(trigger, tuple(model.tags))),
    )
    usual = BOUNDS[budget]
    more = max(0, memory_tokens - USUAL_TOKENS) + max(0, model.max_tokens - USUAL_TOKENS)
    return ReflectQuery(
        recall=recall,
        bounds=replace(usual, tokens=usual.tokens + usual.calls * more),
        looks_wider=budget != "low",
        answer_tokens=model.max_tokens,
        response_schema=trigger.response_schema,
        forms_opinions=False,
    )
