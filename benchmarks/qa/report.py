"""The report of a run: accuracy by type with intervals, the tokens and cost of each role, and those of retain."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from decimal import Decimal
from pathlib import Path
from statistics import fmean
from typing import Any

from benchmarks.qa.questions import Question
from benchmarks.qa.record import Line, Record, find_cost
from benchmarks.recall.bootstrap import find_interval
from providers.usage import ModelUsage


@dataclass(frozen=True)
class Result:
    """`correct` is None where the reader or the judge gave no usable answer; `reason` says why."""

    question: Question
    mode: str
    answer: str
    correct: bool | None
    reason: str


@dataclass(frozen=True)
class RetainedBank:
    bank_id: str
    source_tokens: int
    sessions: int
    usage: Sequence[ModelUsage]


def write_answers(path: Path, results: Sequence[Result]) -> None:
    """One line for each answer, to read beside the report."""
    with path.open("w", encoding="utf-8") as file:
        for one in results:
            file.write(json.dumps(asdict(one), ensure_ascii=False, default=str) + "\n")


def build_report(
    results: Sequence[Result], record: Record, banks: Sequence[RetainedBank], names: Mapping[str, Any]
) -> dict[str, Any]:
    modes = list(dict.fromkeys(one.mode for one in results))
    by_mode = {mode: [one for one in results if one.mode == mode] for mode in modes}
    return {
        **names,
        "questions": len({one.question.id for one in results}),
        "stopped": record.stopped or None,
        "calls_of_this_run": record.asked,
        "accuracy": [row for mode in modes for row in list_accuracies(mode, by_mode[mode])],
        "accuracy_with_abstention_in_each_type": [
            row for mode in modes for row in list_whole_types(mode, by_mode[mode])
        ],
        "per_question": [row for mode in modes for row in list_costs(mode, len(by_mode[mode]), record.used)],
        "memory_in_this_run": list_memory_costs(record.used),
        "retain": summarise_retain(banks),
    }


def list_accuracies(mode: str, results: Sequence[Result]) -> Iterator[dict[str, Any]]:
    """Abstention is apart. `without disputed` leaves out questions whose published answer an audit rejects."""
    answerable = [one for one in results if not one.question.is_abstention]
    groups = group_by_type(answerable) | {"overall": answerable}
    undisputed = [one for one in answerable if not one.question.is_disputed]
    if len(undisputed) < len(answerable):
        groups["overall, without disputed"] = undisputed
    groups["abstention"] = [one for one in results if one.question.is_abstention]
    yield from ({"mode": mode, "questions of": name, **measure(group)} for name, group in groups.items() if group)


def list_whole_types(mode: str, results: Sequence[Result]) -> Iterator[dict[str, Any]]:
    """As the papers count LongMemEval: an abstention belongs to the type of its question. Empty without abstention."""
    if any(one.question.is_abstention for one in results):
        groups = group_by_type(results) | {"overall": list(results)}
        yield from ({"mode": mode, "questions of": name, **measure(group)} for name, group in groups.items())


def group_by_type(results: Sequence[Result]) -> dict[str, list[Result]]:
    types = sorted({one.question.type for one in results})
    return {kind: [one for one in results if one.question.type == kind] for kind in types}


def measure(results: Sequence[Result]) -> dict[str, Any]:
    """The accuracy of the judged answers in percent, with its bootstrapped 95 % interval."""
    judged = [float(one.correct) for one in results if one.correct is not None]
    low, high = find_interval(judged) if judged else (None, None)
    return {
        "judged": len(judged),
        "right": round(sum(judged)),
        "accuracy": round(100 * fmean(judged), 2) if judged else None,
        "from": None if low is None else round(100 * low, 2),
        "to": None if high is None else round(100 * high, 2),
        "not judged": len(results) - len(judged),
    }


def list_costs(mode: str, questions: int, lines: Sequence[Line]) -> Iterator[dict[str, Any]]:
    """Means over the questions. Answers from the record count as in the run that asked them."""
    for role in ("reader", "judge"):
        if mine := [one for one in lines if one.mode == mode and one.role == role]:
            yield {"mode": mode, "role": role, **add_lines(mine, parts=questions)}


def list_memory_costs(lines: Sequence[Line]) -> list[dict[str, Any]]:
    """Sums of the calls that retain and recall made in this run, by the task of the model."""
    roles = sorted({one.role for one in lines} - {"reader", "judge"})
    return [{"role": role, **add_lines([one for one in lines if one.role == role])} for role in roles]


def add_lines(lines: Sequence[Line], *, parts: int = 1) -> dict[str, Any]:
    return {
        "model": ", ".join(sorted({one.model for one in lines})),
        "calls": round(len(lines) / parts, 3),
        "input_tokens": round(sum(one.input_tokens for one in lines) / parts, 1),
        "output_tokens": round(sum(one.output_tokens for one in lines) / parts, 1),
        "seconds": round(sum(one.seconds for one in lines) / parts, 2),
        "cost": add_up([one.cost for one in lines], parts),
    }


def add_up(costs: Sequence[Decimal | None], parts: int = 1) -> float | None:
    """None if a model has no price."""
    known = [one for one in costs if one is not None]
    return float(sum(known, Decimal(0)) / parts) if len(known) == len(costs) else None


def summarise_retain(banks: Sequence[RetainedBank]) -> dict[str, Any]:
    """Empty if no mode reads memory."""
    if not banks:
        return {}
    parts: dict[tuple[str, str], ModelUsage] = {}
    for one in (part for bank in banks for part in bank.usage):
        key = (one.service, one.model)
        parts[key] = parts[key] + one if key in parts else one
    source, sessions = sum(one.source_tokens for one in banks), sum(one.sessions for one in banks)
    of_llm = [one for one in parts.values() if one.service != "embedding"]
    return {
        "banks": len(banks),
        "sessions": sessions,
        "source_tokens": source,
        "llm_tokens_per_source_token": round(sum(one.input_tokens + one.output_tokens for one in of_llm) / source, 3),
        "llm_calls_per_session": round(sum(one.calls for one in of_llm) / sessions, 2),
        "models": [
            {
                "service": one.service,
                "model": one.model,
                "calls": one.calls,
                "input_tokens": one.input_tokens,
                "output_tokens": one.output_tokens,
                "cost": add_up([find_cost(one.model, one.input_tokens, one.output_tokens)]),
            }
            for one in parts.values()
        ],
    }
