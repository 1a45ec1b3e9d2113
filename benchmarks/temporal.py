"""How well times are read: windows of queries, and dates in statements."""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from banks.dates import FoundDate, TimeWindow, find_dates, find_window

_DATED = frozenset({"date", "daterange", "datetime", "datetimerange"})
_DAY = timedelta(days=1)
_LAST_UNITS = frozenset(timedelta(days=days) for days in (0, 1, 28, 29, 30, 31, 90, 91, 92, 365, 366))


@dataclass(frozen=True, slots=True)
class Score:
    """One expression: whether it was read right, and what it belongs to."""

    group: str
    subject: str
    is_right: bool


def score_query_ranges(path: str | Path, *, most: int | None = None) -> dict[str, Any]:
    """Of the first `most` cases: day-exact ends against the audited ranges, averaged over distinct queries.

    A window's exclusive end is turned into the data's inclusive one, and must agree with it to the microsecond.
    """
    scores = [_score_query(case) for case in _read(path)[:most]]
    groups = _accuracy_by_group(scores)
    others = [score for score in scores if _is_foreign_range(score.group)]
    return {
        "overall": {"accuracy": _over_subjects(scores), "queries": len({score.subject for score in scores})},
        "by_type": groups,
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


def score_statements(path: str | Path) -> dict[str, Any]:
    """Expressions that resolve to one date or one range; right if any of the listed values is met.

    The data ends "from 2 to 10 July" at the start of the 10th and lets "after 1 January" start on the 1st, where we
    take the last day in and the day itself out. `accuracy` allows for that, `accuracy_exact_ends` does not.
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
    """Later than theirs by one of the steps: the last day, month, quarter or year that we take in."""
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
    """The mean over subjects of each one's mean, so that a query asked at six moments counts once."""
    subjects: dict[str, list[bool]] = defaultdict(list)
    for score in scores:
        subjects[score.subject].append(score.is_right)
    return sum(sum(right) / len(right) for right in subjects.values()) / len(subjects) if subjects else 0.0
