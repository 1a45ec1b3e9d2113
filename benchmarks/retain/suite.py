"""`benchmark retain`: quality and speed of retaining conversations and facts."""

from collections.abc import Callable
from typing import Any

from benchmarks.options import Options
from benchmarks.report import Goal, describe_goals
from benchmarks.retain.conversations import measure_conversations
from benchmarks.retain.dates import measure_dates
from benchmarks.retain.duplicates import measure_duplicates
from benchmarks.retain.names import measure_names
from benchmarks.retain.throughput import measure_throughput

Part = Callable[[Options], tuple[dict[str, Any], list[Goal]] | None]

PARTS: dict[str, Part] = {
    "entity_resolution": measure_names,
    "dates": measure_dates,
    "near_duplicates": measure_duplicates,
    "throughput": measure_throughput,
    "conversations": measure_conversations,
}


def run(options: Options) -> dict[str, Any]:
    """Run each part whose data exists. The report names the skipped parts."""
    goals: list[Goal] = []
    figures: dict[str, Any] = {}
    left_out: list[str] = []
    for name, part in PARTS.items():
        options.progress.say(f"{name.replace('_', ' ')} ...")
        measured = part(options)
        if measured is None:
            left_out.append(name)
        else:
            figures[name] = measured[0]
            goals += measured[1]
    return {"limit": options.limit, "left_out": left_out, "goals": describe_goals(goals), **figures}
