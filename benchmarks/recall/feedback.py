"""`benchmark feedback`: what marks on one half of a conversation's questions do for the other half.

Whoever marks knows the evidence: of the first results those that quote it are useful, and the others are not.
"""

from collections.abc import Sequence
from typing import Any

from benchmarks.options import Options
from benchmarks.recall.asking import Answered, Haystack, Mode, ask, build_query
from benchmarks.recall.cases import Asked, Case
from benchmarks.recall.locomo_data import APART, read_locomo
from benchmarks.recall.quoting import list_quotes
from benchmarks.recall.retaining import retain_case
from benchmarks.recall.summary import summarise
from benchmarks.tenant import make_access
from memoryplatform.operations.feedback import change_tuning, mark_result, show_tuning
from memoryplatform.operations.recall import recall

MODE = Mode("mid")
MARKED = 5  # results of a recall that are marked


def run(options: Options) -> dict[str, Any]:
    """`limit` is a number of questions a conversation."""
    cases = read_locomo(options.require("locomo*[!t].json", "*.json"), None)
    access = make_access()
    before: list[Answered] = []
    after: list[Answered] = []
    weights: dict[str, dict[str, float]] = {}
    for case in options.progress.over(cases, "conversations"):
        haystack = retain_case(access, case)
        taught, asked = halve(case, options)
        before += [ask(haystack, question, MODE) for question in asked]
        for question in taught:
            mark(haystack, question)
        change_tuning(access, case.name, learn_from_feedback=True)
        after += [ask(haystack, question, MODE) for question in asked]
        weights[case.name] = show_tuning(access, case.name).weights
    return {
        "without_feedback": summarise(before),
        "with_feedback": summarise(after),
        "weights": weights,
        "questions": len(before),
        "settings": {"marked_results": MARKED, "budget": MODE.budget},
    }


def halve(case: Case, options: Options) -> tuple[Sequence[Asked], Sequence[Asked]]:
    """Every other question teaches; those between are asked."""
    fair = [question for question in case.questions if question.type != APART]
    chosen = fair[: options.cut(len(fair))]
    return chosen[::2], chosen[1::2]


def mark(haystack: Haystack, question: Asked) -> None:
    """As a caller would: by the recall's id and the result's."""
    bank_id = haystack.case.name
    recalled = recall(haystack.access, [bank_id], build_query(question, MODE))
    for item in recalled.result.items[:MARKED]:
        quoted = {quote.key for quote in list_quotes([item], haystack.turn_of)}
        mark_result(
            haystack.access,
            bank_id,
            recall_id=recalled.id,
            memory_id=item.candidate.id,
            useful=bool(quoted & set(question.evidence)),
        )
