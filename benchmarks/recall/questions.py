"""Asking the questions of a set of cases in every mode of the report."""

from collections.abc import Sequence
from typing import Any

from benchmarks.options import Options
from benchmarks.recall.asking import Answered, Mode, ask
from benchmarks.recall.cases import Case
from benchmarks.recall.channels import compare_channels
from benchmarks.recall.retaining import retain_case
from benchmarks.recall.summary import summarise, summarise_latency, summarise_types
from benchmarks.tenant import make_access
from providers.registry import get_embedder, get_reranker
from retrieval.analysis import QUERY_VECTORS
from retrieval.reranking import PAIR_SCORES
from retrieval.types import BUDGETS, Channel

ARCHIVE = frozenset({Channel.ARCHIVE, Channel.ARCHIVE_WORDS, Channel.SUMMARIES})
MAIN = Mode("mid")
LOW = Mode("low", budget="low")
# As callers get it. What a machine reads within the time box depends on the machine and on its load.
WITH_TIME_BOX = (
    Mode("low with its time box", budget="low", has_time_box=True),
    Mode("mid with its time box", has_time_box=True),
)
TIMED = (*WITH_TIME_BOX, LOW, MAIN)  # asked with empty caches; the other modes reuse the reranker's scores
BESIDE = (
    Mode("mid without reranking", rerank=False),
    Mode("facts only", without=ARCHIVE),
    Mode("archive only", without=frozenset(Channel) - ARCHIVE),
)
WITHOUT = {channel: Mode(f"without {channel.value}", without=frozenset({channel})) for channel in Channel}


def measure_cases(cases: Sequence[Case], options: Options, *, apart: str = "") -> dict[str, Any]:
    """`apart` is a type of question that is reported separately, and in one mode only."""
    modes = (*TIMED, *(WITHOUT.values() if options.leave_one_out else BESIDE))
    answered: dict[str, list[Answered]] = {mode.name: [] for mode in modes}
    access = make_access(keep=options.keep)
    for case in options.progress.over(cases, "haystacks"):
        haystack = retain_case(access, case, options.shape)
        for mode in modes:
            if mode in TIMED:
                forget_answers()
            asked = [one for one in case.questions if mode is MAIN or one.type != apart]
            answered[mode.name] += [ask(haystack, question, mode) for question in asked]
    return build_report(answered, apart, options.shape)


def forget_answers() -> None:
    """Clear the caches of the embedder and the reranker, which a repeated question would not call."""
    QUERY_VECTORS.clear()
    PAIR_SCORES.clear()


def build_report(answered: dict[str, list[Answered]], apart: str, shape: str = "messages") -> dict[str, Any]:
    counted = {name: [one for one in rows if one.question.type != apart] for name, rows in answered.items()}
    main = counted.pop(MAIN.name)
    without = {channel: counted[mode.name] for channel, mode in WITHOUT.items() if mode.name in counted}
    return {
        "overall": summarise(main),
        "by_type": summarise_types(answered[MAIN.name]),
        "beside": {name: summarise(rows) for name, rows in counted.items()},
        **({"channels": compare_channels(main, without)} if without else {}),
        "latency_ms": summarise_latency(main),
        "latency_ms_beside": {one.name: summarise_latency(counted[one.name]) for one in TIMED if one is not MAIN},
        "settings": describe_settings() | {"as": shape},
        "questions": len(main),
    }


def describe_settings() -> dict[str, Any]:
    budget = BUDGETS[MAIN.budget]
    return {
        "budget": MAIN.budget,
        "nodes": budget.nodes,
        "rerank_depth": budget.rerank_depth,
        "time_box": False,
        "embedder": get_embedder().model_id,
        "reranker": get_reranker().model_id,
    }
