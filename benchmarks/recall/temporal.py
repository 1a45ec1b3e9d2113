"""`benchmark temporal`: the accuracy of the time ranges that are read from queries."""

from typing import Any

from benchmarks.options import Options
from benchmarks.report import Goal, describe_goals
from timewords.benchmark import score_query_ranges


def run(options: Options) -> dict[str, Any]:
    report = score_query_ranges(options.require("query-ranges*.json", "*.json"), most=options.limit)
    measured = report["goals"]
    goals = [
        Goal("English with a range", measured["english_with_range"], at_least=0.95),
        Goal("English without one", measured["english_without_range"], at_least=0.97),
        Goal("other languages with a range", measured["other_languages_with_range"], at_least=0.80),
    ]
    return {**report, "goals": describe_goals(goals), "questions": report["overall"]["queries"]}
