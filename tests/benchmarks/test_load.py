"""The benchmark of load, for some seconds against real processes."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.load import suite
from benchmarks.load.suite import Answer, MemorySampler, build_report
from memoryplatform.embedded.up import PROJECT


def test_clients_are_served_by_real_processes(tmp_path: Path) -> None:
    options = ["--clients", "3", "--minutes", "0.1", "--memories", "60", "--retains", "0.3", "--out", str(tmp_path)]
    argv = [sys.executable, "manage.py", "benchmark", "load", *options]
    done = subprocess.run(argv, cwd=PROJECT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2_000:]
    report = json.loads((tmp_path / "report.json").read_text())
    assert report["requests"] > 3
    assert report["errors"] == {}
    assert report["minutes"][0]["recall p95 ms"] > 0
    assert report["minutes"][0]["retain p95 ms"] > 0
    measured = {row["process"] for row in report["memory"]["megabytes"]}
    assert {"web", "worker-ingest", "worker-background", "postgres", "redis-server"} <= measured


def test_errors_and_slower_minutes_miss_their_goals(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(suite, "SLICE_SECONDS", 1.0)
    answers = [Answer(second + 0.5, "recall", 200, 100.0 * (second + 1)) for second in range(4)]
    answers.append(Answer(3.6, "retain", 503, 10.0))
    memory = MemorySampler([(float(at), {"web": 100.0 + 10 * at}) for at in range(4)])
    report = build_report(answers, memory, 4.0, clients=1)
    assert report["errors"] == {"503": 1}
    assert [row["requests"] for row in report["minutes"]] == [1, 1, 1, 2]
    assert {goal["name"]: goal["met"] for goal in report["goals"]} == {
        "errors": False,
        "recall p95 of the last minute to that of the second": False,
        "growth of memory after the first minute": False,
    }
