"""A short run of `benchmark opinions`."""

import json
from io import StringIO
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from django.core.management import CommandError, call_command

from benchmarks.opinions import suite
from benchmarks.opinions.chance import build_stream, check_streams
from benchmarks.options import Options
from benchmarks.progress import Progress
from memoryplatform.embedded.redis import EmbeddedRedis


def test_it_writes_the_way_of_an_opinion_as_json_and_as_a_plot(
    tmp_path: Path, committed_db: None, redis_server: EmbeddedRedis
) -> None:
    options = Options(tmp_path, tmp_path / "out", limit=20, progress=Progress(StringIO()))
    report = suite.run(options)
    assert all(goal["met"] for goal in report["goals"])
    points = json.loads((options.out / "trajectory.json").read_text())["points"]
    assert [point["verdict"] for point in points] == [
        "",
        "reinforce",
        "",
        "reinforce",
        "",  # known evidence
        "weaken",
        "contradict",
        "",  # a guess
        "reinforce",
    ]
    assert [point["confidence"] for point in points] == [0.7, 0.85, 0.85, 1.0, 1.0, 0.85, 0.55, 0.55, 0.7]
    plot = ET.fromstring((options.out / "trajectory.svg").read_text())  # noqa: S314  # our own file
    assert len(plot.findall("{http://www.w3.org/2000/svg}circle")) == len(points)


def test_a_thousand_random_streams_keep_the_rules() -> None:
    checked = check_streams(1_000)
    assert checked.within_bounds == checked.moved_by_evidence_only == checked.same_end == 1_000


def test_the_streams_differ_and_repeat_evidence() -> None:
    streams = [build_stream(seed) for seed in range(50)]
    assert len(set(streams)) == len(streams)
    assert any(len(set(stream.evidence)) < len(stream.evidence) for stream in streams)


def test_a_suite_that_needs_data_says_so(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="--data"):
        call_command("benchmark", "retain", "--out", str(tmp_path))
