"""A benchmark's figures as JSON for programs and as Markdown for people."""

import json
import os
import platform
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

DEEPEST_HEADING = 4


@dataclass(frozen=True)
class Goal:
    """`at_least` is the smallest accepted value; `value` is None if it could not be measured."""

    name: str
    value: float | None
    at_least: float | None = None
    at_most: float | None = None

    @property
    def is_met(self) -> bool | None:
        if self.value is None:
            return None
        return (self.at_least is None or self.value >= self.at_least) and (
            self.at_most is None or self.value <= self.at_most
        )


def describe_goals(goals: list[Goal]) -> list[dict[str, Any]]:
    return [asdict(goal) | {"met": goal.is_met} for goal in goals]


def write_report(out: Path, name: str, report: Mapping[str, Any]) -> None:
    out.mkdir(parents=True, exist_ok=True)
    whole = {"benchmark": name, "machine": describe_machine(), **report}
    (out / "report.json").write_text(json.dumps(whole, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    (out / "report.md").write_text("\n".join(write_section(name, whole, 1)) + "\n", encoding="utf-8")


def describe_machine() -> dict[str, Any]:
    return {"processor": platform.machine(), "cores": os.cpu_count(), "python": platform.python_version()}


def write_section(title: str, content: Mapping[str, Any], level: int) -> Iterator[str]:
    yield f"{'#' * min(level, DEEPEST_HEADING)} {title.replace('_', ' ')}"
    yield ""
    plain = {key: value for key, value in content.items() if not isinstance(value, Mapping | list)}
    for key, value in plain.items():
        yield f"- {key.replace('_', ' ')}: {write_value(value)}"
    if plain:
        yield ""
    for key, value in content.items():
        if isinstance(value, list):
            yield from write_list(key, value, level + 1)
        elif isinstance(value, Mapping):
            yield from write_section(key, value, level + 1)


def write_list(title: str, rows: list[Any], level: int) -> Iterator[str]:
    yield f"{'#' * min(level, DEEPEST_HEADING)} {title.replace('_', ' ')}"
    yield ""
    if rows and all(isinstance(row, Mapping) for row in rows):
        yield from write_table(rows)
    else:
        yield from (f"- {write_value(row)}" for row in rows)
    yield ""


def write_table(rows: list[Mapping[str, Any]]) -> Iterator[str]:
    names = list(dict.fromkeys(name for row in rows for name in row))
    yield f"| {' | '.join(name.replace('_', ' ') for name in names)} |"
    yield f"|{'---|' * len(names)}"
    for row in rows:
        yield f"| {' | '.join(write_value(row.get(name)) for name in names)} |"


def write_value(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.4g}"
    return "" if value is None else str(value).replace("|", "\\|").replace("\n", " ")
