"""Tiny runs of `benchmark peers`."""

import json
from io import StringIO
from pathlib import Path

import pytest

from benchmarks.options import Options
from benchmarks.peers import suite
from benchmarks.progress import Progress
from memoryplatform.embedded.redis import EmbeddedRedis
from tests.benchmarks.test_recall_suites import ASKED, SESSIONS


@pytest.fixture
def options(tmp_path: Path, committed_db: None, redis_server: EmbeddedRedis) -> Options:
    sample = {"sample_id": "conv-0", "conversation": SESSIONS, "qa": ASKED}
    (tmp_path / "locomo-few.json").write_text(json.dumps([sample]))
    return Options(tmp_path, tmp_path / "out", progress=Progress(StringIO()))


def test_every_memory_finds_the_turns_and_is_timed(options: Options) -> None:
    report = suite.run(options)
    assert report["questions"] == 2
    rows = {row["memory"]: row for row in report["peers"]}
    assert list(rows) == ["this service, low", "this service, mid", "pgvector, cosine", "bm25s", "mem0 (open source)"]
    assert {row["R@5"] for row in rows.values()} == {100.0}
    assert all(row["p50 ms"] > 0 and row["p95 ms, 8 clients"] > 0 for row in rows.values())
