"""`benchmark locomo`: evidence turns and sessions of LoCoMo's questions."""

from dataclasses import replace
from typing import Any

from benchmarks.options import Options
from benchmarks.recall.locomo_data import APART, AUDIT, read_locomo
from benchmarks.recall.questions import measure_cases
from benchmarks.report import Goal, describe_goals


def run(options: Options) -> dict[str, Any]:
    """`limit` is the number of questions per conversation."""
    path = options.require("locomo*.json", "*.json", without=AUDIT)
    audit = next(iter(sorted(path.parent.glob(AUDIT))), None)
    cases = [
        replace(case, questions=case.questions[: options.cut(len(case.questions))]) for case in read_locomo(path, audit)
    ]
    report = measure_cases(cases, options, apart=APART)
    return {"goals": describe_goals(list_goals(report)), **report}


def list_goals(report: dict[str, Any]) -> list[Goal]:
    turn, session = report["overall"]["turn"], report["overall"]["session"]
    window = [report["by_type"].get(name) for name in ("multi-hop", "temporal", "single-hop")]
    asked = [one for one in window if one]
    questions = sum(one["questions"] for one in asked)
    inside = sum(one["tokens"]["4096"]["all"] * one["questions"] for one in asked) / questions if questions else None
    return [
        Goal("turn recall@5", turn["recall@5"], at_least=0.765),
        Goal("turn recall@10", turn["recall@10"], at_least=0.82),
        Goal("turn recall@25", turn["recall@25"], at_least=0.87),
        Goal("turn recall@50", turn["recall@50"], at_least=0.905),
        Goal("session recall@10", session["recall@10"], at_least=0.95),
        Goal("all evidence within 4,096 tokens, categories 1, 2 and 4", inside, at_least=0.85),
    ]
