"""Summarising answered questions as the figures of a report."""

from collections.abc import Callable, Sequence
from statistics import fmean
from typing import Any

import numpy as np

from benchmarks.recall.asking import WINDOW, Answered
from benchmarks.recall.bootstrap import find_interval
from benchmarks.recall.metrics import Figures

LEVELS: dict[str, Callable[[Answered], Figures]] = {
    "turn": lambda one: one.turn,
    "session": lambda one: one.session,
    "turn_audited_gold": lambda one: one.audited,
}


def summarise(answered: Sequence[Answered]) -> dict[str, Any]:
    """Means over the questions, each with its confidence interval."""
    figures: dict[str, Any] = {"questions": len(answered)}
    for level, read in LEVELS.items():
        figures |= average(level, [read(one) for one in answered])
    tokens = average(str(WINDOW), [one.tokens for one in answered])
    relevant = average(f"{WINDOW}_relevant", [one.relevant for one in answered])
    return figures | {"tokens": tokens | relevant}


def average(name: str, rows: Sequence[Figures]) -> dict[str, Any]:
    if not rows:
        return {name: {}}
    columns = {key: [row[key] for row in rows] for key in rows[0]}
    return {
        name: {key: round(fmean(values), 4) for key, values in columns.items()},
        f"{name}_95": {key: find_interval(values) for key, values in columns.items()},
    }


def summarise_types(answered: Sequence[Answered]) -> dict[str, Any]:
    types = sorted({one.question.type for one in answered})
    return {name: summarise([one for one in answered if one.question.type == name]) for name in types}


def summarise_latency(answered: Sequence[Answered]) -> dict[str, dict[str, float]]:
    stages = dict.fromkeys(stage for one in answered for stage in one.milliseconds)
    return {
        stage: describe([one.milliseconds[stage] for one in answered if stage in one.milliseconds]) for stage in stages
    }


def describe(values: Sequence[float]) -> dict[str, float]:
    middle, high = np.percentile(values, [50, 95])
    return {"p50": round(float(middle), 2), "p95": round(float(high), 2)}
