from typing import Any

from benchmarks.options import Options
from benchmarks.report import Goal
from timewords.benchmark import score_recognizers

LEAST_ACCURACY = 0.85


def measure_dates(options: Options) -> tuple[dict[str, Any], list[Goal]] | None:
    path = options.find("recognizers-datetime*.json")
    if path is None:
        return None
    report = score_recognizers(path)
    by_kind = [{"kind": kind, **figures} for kind, figures in report["by_type"].items()]
    goal = Goal("dates in statements: accuracy", report["overall"]["accuracy"], at_least=LEAST_ACCURACY)
    return {**report["overall"], "by_kind": by_kind}, [goal]
