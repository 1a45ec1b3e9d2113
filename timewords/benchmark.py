"""Measures accuracy: `python -m timewords.benchmark FILE ...`, with the wrong cases after `--wrong`.

The kind of a file shows in its cases:

- query ranges: `{"query", "reference", "range": [first, last] or null, "lang"}`, for `find_window`;
- Recognizers-Text's date-time specs: `{"Input", "Context", "Results"}`, for `find_dates`;
- statements: `{"text", "said_at", "dates": [[first, last], ...], "kind"}`, for `find_dates`.
"""

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from timewords import FoundDate, TimeWindow, find_dates, find_window, last_moment

_DATED = frozenset({"date", "daterange", "datetime", "datetimerange"})
_DAY = timedelta(days=1)
_LAST_UNITS = frozenset(timedelta(days=days) for days in (0, 1, 28, 29, 30, 31, 90, 91, 92, 365, 366))


@dataclass(frozen=True, slots=True)
class Score:
    """One expression: whether it was read right, and its group and subject (a query, or the number of a case)."""

    group: str
    subject: str
    is_right: bool


def score_query_ranges(path: str | Path, *, most: int | None = None) -> dict[str, Any]:
    """Compares both ends of the first `most` windows with the expected ones, to the microsecond.

    The accuracy is averaged over distinct queries. The data's ends are inclusive.
    """
    scores = [_score_query(case) for case in _read(path)[:most]]
    groups = _accuracy_by_group(scores)
    others = [score for score in scores if _is_foreign_range(score.group)]
    return {
        "overall": {"accuracy": _over_subjects(scores), "queries": len({score.subject for score in scores})},
        "by_type": groups,
        "wrong": [score.subject for score in scores if not score.is_right],
        "goals": {
            "english_with_range": groups.get("en with range", {}).get("accuracy"),
            "english_without_range": groups.get("en without range", {}).get("accuracy"),
            "other_languages_with_range": _over_subjects(others) if others else None,
        },
    }


def _score_query(case: dict[str, Any]) -> Score:
    asked_at = datetime.fromisoformat(case["reference"]).replace(tzinfo=UTC)
    window = find_window(case["query"], asked_at=asked_at)
    wanted = tuple(case["range"]) if case["range"] else None
    group = f"{case['lang']} {'with' if wanted else 'without'} range"
    return Score(group, case["query"], _inclusive(window) == wanted)


def _inclusive(window: TimeWindow | None) -> tuple[str | None, str | None] | None:
    if window is None:
        return None
    return _written(window.start), _written(window.last)


def _written(moment: datetime | None) -> str | None:
    return moment.replace(tzinfo=None).isoformat() if moment else None


def _is_foreign_range(group: str) -> bool:
    return group.endswith("with range") and not group.startswith(("en ", "none "))


def score_recognizers(path: str | Path) -> dict[str, Any]:
    """Scores expressions that resolve to one date or range. Any of the listed values is right.

    The data ends "from 2 to 10 July" at the start of the 10th, and starts "after 1 January" on the 1st. timewords
    includes the 10th and excludes the 1st. `accuracy` allows for both, `accuracy_exact_ends` does not.
    """
    tolerant: list[Score] = []
    exact: list[Score] = []
    quiet: list[Score] = []
    for index, case in enumerate(_read(path)):
        found = _find(case)
        if not case["Results"]:
            quiet.append(Score("nothing to find", str(index), not found))
        for number, result in enumerate(_dated_results(case)):
            subject = f"{index}.{number}"
            group = result["TypeName"].split(".")[1]
            near = [date for date in found if _overlaps(date, result)]
            tolerant.append(Score(group, subject, _any_right(near, result, exact_ends=False)))
            exact.append(Score(group, subject, _any_right(near, result, exact_ends=True)))
    return {
        "overall": {
            "accuracy": _over_subjects(tolerant),
            "accuracy_exact_ends": _over_subjects(exact),
            "expressions": len(tolerant),
        },
        "by_type": _accuracy_by_group(tolerant + quiet),
        "wrong": [score.subject for score in tolerant + quiet if not score.is_right],
    }


def _find(case: dict[str, Any]) -> list[FoundDate]:
    reference = (case.get("Context") or {}).get("ReferenceDateTime") or "2016-11-07T00:00:00"
    return find_dates(case["Input"], said_at=datetime.fromisoformat(reference).replace(tzinfo=UTC))


def _dated_results(case: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for result in case["Results"]:
        values = (result.get("Resolution") or {}).get("values") or []
        resolved = [value for value in values if value.get("value") != "not resolved"]
        if resolved and result["TypeName"].split(".")[1] in _DATED:
            yield result


def _overlaps(date: FoundDate, result: dict[str, Any]) -> bool:
    first, last = int(result["Start"]), int(result["End"])
    return date.span[0] <= last and first < date.span[1]


def _any_right(dates: Iterable[FoundDate], result: dict[str, Any], *, exact_ends: bool) -> bool:
    values = result["Resolution"]["values"]
    return any(_is_right(date, value, exact_ends=exact_ends) for date in dates for value in values)


def _is_right(date: FoundDate, value: dict[str, Any], *, exact_ends: bool) -> bool:
    if "value" in value:
        return date.start == _moment(value["value"])
    start, end = _moment(value.get("start")), _moment(value.get("end"))
    is_open = date.start is None or date.end is None
    if exact_ends or not (is_open or date.grain == "range"):
        return (date.start, date.end) == (start, end)
    late_starts = frozenset({timedelta(0), _DAY}) if is_open else frozenset({timedelta(0)})
    return _is_near(date.start, start, late_starts) and _is_near(date.end, end, _LAST_UNITS)


def _is_near(ours: datetime | None, theirs: datetime | None, allowed: frozenset[timedelta]) -> bool:
    """Whether our end is later by an allowed step: the last day, month, quarter or year, which we include."""
    if ours is None or theirs is None:
        return ours is theirs
    return ours - theirs in allowed


def _moment(text: str | None) -> datetime | None:
    try:
        return datetime.fromisoformat(text).replace(tzinfo=UTC) if text else None
    except ValueError:
        return None


def _read(path: str | Path) -> list[dict[str, Any]]:
    cases: list[dict[str, Any]] = json.loads(Path(path).read_text(encoding="utf-8"))
    return cases


def _accuracy_by_group(scores: list[Score]) -> dict[str, dict[str, float]]:
    groups: dict[str, list[Score]] = defaultdict(list)
    for score in scores:
        groups[score.group].append(score)
    return {
        group: {"accuracy": _over_subjects(members), "cases": len({score.subject for score in members})}
        for group, members in sorted(groups.items())
    }


def _over_subjects(scores: list[Score]) -> float:
    """The mean over subjects, so that a query asked at six moments counts once."""
    subjects: dict[str, list[bool]] = defaultdict(list)
    for score in scores:
        subjects[score.subject].append(score.is_right)
    return sum(sum(right) / len(right) for right in subjects.values()) / len(subjects) if subjects else 0.0


def score_statements(path: str | Path, *, half: str | None = None) -> dict[str, Any]:
    """Scores sentences by kind. Right means all dates and no other one, and the time of day where it is given."""
    cases = [case for case in _read(path) if half in (None, case.get("half"))]
    scores = [Score(case["kind"], case["text"], _is_statement_right(case)) for case in cases]
    return {
        "overall": {"accuracy": _over_subjects(scores), "sentences": len(scores)},
        "by_type": _accuracy_by_group(scores),
        "wrong": [score.subject for score in scores if not score.is_right],
    }


def _is_statement_right(case: dict[str, Any]) -> bool:
    found = find_dates(case["text"], said_at=datetime.fromisoformat(case["said_at"]).replace(tzinfo=UTC))
    if len(found) != len(case["dates"]):
        return False
    return all(_is_expected(date, *expected) for date, expected in zip(found, case["dates"], strict=True))


def _is_expected(date: FoundDate, first: str | None, last: str | None) -> bool:
    ours = date.start, None if date.end is None else last_moment(date.end)
    is_moment = first is not None and "T" in first
    if [_write_day(end) for end in ours] != [end and end[: len("2026-01-01")] for end in (first, last)]:
        return False
    return not is_moment or date.start == _moment(first)


def _write_day(moment: datetime | None) -> str | None:
    return moment.date().isoformat() if moment else None


def score_file(path: str | Path) -> dict[str, Any]:
    first = _read(path)[0]
    if "query" in first:
        return score_query_ranges(path)
    return score_recognizers(path) if "Input" in first else score_statements(path)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m timewords.benchmark")
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--wrong", action="store_true", help="list the cases that are read wrong")
    options = parser.parse_args()
    for path in options.files:
        report = score_file(path)
        lines = [f"{path.name}: {report['overall']['accuracy']:.3f}"]
        lines += [f"  {group}: {part['accuracy']:.3f} of {part['cases']}" for group, part in report["by_type"].items()]
        lines += [f"  wrong: {case}" for case in report["wrong"] if options.wrong]
        sys.stdout.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
