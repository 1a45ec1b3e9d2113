from pathlib import Path
from typing import Any, cast

from benchmarks.entity_resolution import score_entity_resolution
from benchmarks.options import Options
from benchmarks.recall.locomo_data import AUDIT
from benchmarks.report import Goal

LEAST_PRECISION = 0.97
LEAST_RECALL = 0.93


def measure_names(options: Options) -> tuple[dict[str, Any], list[Goal]] | None:
    """Needs no data. LoCoMo's speakers and places are added if its file exists. None if `data` is another file."""
    locomo = find_locomo(options)
    if options.data.is_file() and locomo is None:
        return None
    report = score_entity_resolution(locomo)
    goals = []
    for setting in ("alone", "in_bank"):
        figures = cast("dict[str, float]", report[setting])
        goals += [
            Goal(f"entity resolution, {setting}: precision", figures["precision"], at_least=LEAST_PRECISION),
            Goal(f"entity resolution, {setting}: recall", figures["recall"], at_least=LEAST_RECALL),
        ]
    return report, goals


def find_locomo(options: Options) -> Path | None:
    return options.find("locomo*.json", without=AUDIT)
