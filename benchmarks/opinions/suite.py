"""`benchmark opinions`: needs no data. Writes trajectory.json and trajectory.svg beside the report."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchmarks.opinions.chance import check_streams
from benchmarks.opinions.plot import draw
from benchmarks.opinions.stream import OPINION, Point, replay_stream
from benchmarks.options import Options
from benchmarks.report import Goal, describe_goals

STREAMS = 1_000


def run(options: Options) -> dict[str, Any]:
    options.progress.say("one stream of facts ...")
    points, adds_up = replay_stream()
    again, _ = replay_stream()
    write_trajectory(options.out, points)
    options.progress.say("random streams ...")
    checked = check_streams(options.cut(STREAMS))
    share = 1 / max(1, checked.streams)
    goals = [
        Goal("random streams within bounds", checked.within_bounds * share, at_least=1.0),
        Goal("random streams moved by evidence only", checked.moved_by_evidence_only * share, at_least=1.0),
        Goal("random streams with the same end", checked.same_end * share, at_least=1.0),
        Goal("stored stream with the same end", float(points == again), at_least=1.0),
        Goal("revisions add up to the opinion", float(adds_up), at_least=1.0),
    ]
    trajectory = [{"after": number, **asdict(point)} for number, point in enumerate(points)]
    return {
        "limit": options.limit,
        "goals": describe_goals(goals),
        "random": asdict(checked),
        "trajectory": trajectory,
    }


def write_trajectory(out: Path, points: list[Point]) -> None:
    out.mkdir(parents=True, exist_ok=True)
    whole = {"opinion": OPINION, "points": [asdict(point) for point in points]}
    (out / "trajectory.json").write_text(json.dumps(whole, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    (out / "trajectory.svg").write_text(draw(OPINION, points), encoding="utf-8")
