"""The contribution of each channel: every question without it, compared with the same question with it."""

from collections.abc import Callable, Mapping, Sequence
from statistics import fmean
from typing import Any

from benchmarks.recall.asking import WINDOW, Answered
from benchmarks.recall.bootstrap import find_interval
from retrieval.plan import get_recipe
from retrieval.types import Channel, QuestionType

FIGURES: Mapping[str, Callable[[Answered], float]] = {
    "turn recall@5": lambda one: one.turn["recall@5"],
    "turn recall@10": lambda one: one.turn["recall@10"],
    "turn recall@25": lambda one: one.turn["recall@25"],
    "turn recall@50": lambda one: one.turn["recall@50"],
    "session ndcg@10": lambda one: one.session["ndcg@10"],
    f"all within {WINDOW} tokens": lambda one: one.tokens["all"],
}


def compare_channels(whole: Sequence[Answered], without: Mapping[Channel, Sequence[Answered]]) -> dict[str, Any]:
    """Overall, and by the query type that recall detected. `without` has the questions in the same order.

    `adds` is the loss without the channel; a negative value means that the channel harms. `weight` is the channel's
    weight in the type's recipe.
    """
    types = [kind for kind in QuestionType if any(one.asked_as is kind for one in whole)]
    return {
        "overall": {channel.value: subtract(whole, rows) for channel, rows in without.items()},
        "by_query_type": {kind.value: compare_type(kind, whole, without) for kind in types},
    }


def compare_type(
    kind: QuestionType, whole: Sequence[Answered], without: Mapping[Channel, Sequence[Answered]]
) -> dict[str, Any]:
    chosen = [place for place, one in enumerate(whole) if one.asked_as is kind]
    mine = [whole[place] for place in chosen]
    return {
        "questions": len(mine),
        **{
            channel.value: {
                "weight": get_recipe(kind).weigh(channel),
                **subtract(mine, [rows[place] for place in chosen]),
            }
            for channel, rows in without.items()
        },
    }


def subtract(whole: Sequence[Answered], without: Sequence[Answered]) -> dict[str, Any]:
    """Subtract question by question, so that the interval is that of the difference."""
    lost = {
        name: [read(one) - read(other) for one, other in zip(whole, without, strict=True)]
        for name, read in FIGURES.items()
    }
    return {
        "adds": {name: round(fmean(values), 4) for name, values in lost.items()},
        "adds_95": {name: find_interval(values) for name, values in lost.items()},
    }
