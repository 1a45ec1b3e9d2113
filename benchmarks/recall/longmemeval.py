"""`benchmark longmemeval`: evidence turns and sessions of LongMemEval-S, each question in its own haystack."""

from typing import Any

from benchmarks.options import Options
from benchmarks.recall.longmemeval_data import read_longmemeval
from benchmarks.recall.questions import measure_cases
from benchmarks.report import Goal, describe_goals


def run(options: Options) -> dict[str, Any]:
    """`limit` is the number of questions. They are spread over the whole file, so that every type occurs."""
    cases = read_longmemeval(options.require("longmemeval*.json.xz", "longmemeval*.json", "*.json.xz", "*.json"))
    count = options.cut(len(cases))
    chosen = [cases[place * len(cases) // count] for place in range(count)]
    report = measure_cases(chosen, options)
    return {"goals": describe_goals(list_goals(report)), **report}


def list_goals(report: dict[str, Any]) -> list[Goal]:
    turn, session = report["overall"]["turn"], report["overall"]["session"]
    return [
        Goal("session any@5", session["any@5"], at_least=96 / 97),
        Goal("session all@5", session["all@5"], at_least=0.94),
        Goal("session all@10", session["all@10"], at_least=0.95),
        Goal("session ndcg@10", session["ndcg@10"], at_least=0.95),
        Goal("session mrr", session["mrr"], at_least=0.94),
        Goal("turn recall@5", turn["recall@5"], at_least=0.85),
        Goal("turn recall@10", turn["recall@10"], at_least=0.92),
        Goal("turn recall@20", turn["recall@20"], at_least=0.95),
        Goal("all evidence within 4,096 tokens", report["overall"]["tokens"]["4096"]["all"], at_least=0.90),
    ]
