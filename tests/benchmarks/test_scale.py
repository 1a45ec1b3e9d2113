"""The benchmark of sizes, on banks of some hundred memories."""

from pathlib import Path

import numpy as np
import pytest
from pytest_django.fixtures import Settings

from benchmarks.options import Options
from benchmarks.scale import suite
from benchmarks.scale.material import Material, join_halves, load_texts, write_sentence
from benchmarks.scale.options import ScaleOptions


def test_a_bank_grows_and_many_small_banks_are_filled(
    committed_db: None, redis_server: object, monkeypatch: pytest.MonkeyPatch, settings: Settings, tmp_path: Path
) -> None:
    settings.VECTOR_INDEX_UNITS = 300
    monkeypatch.setattr(suite, "RETAINED_A_CALL", 5)
    chosen = ScaleOptions(sizes="100,400", banks=3, bank_size=20, sources=60, recalls=3, exact=3, imports=40)
    report = suite.run(Options(tmp_path, tmp_path, scale=chosen))
    small, large = report["sizes"]
    assert (small["memories"], large["memories"]) == (100, 400)
    assert small["index s"] is None
    assert large["index s"] > 0
    details = report["details"]["400_memories"]
    assert details["vector_overlap"]["by_index"] == 1.0
    assert details["vector_overlap"]["mean"] > 0.9
    assert details["recall"]["no_filter"]["channels"]["p50"] > 0
    assert details["recall"]["eight_clients"]["errors"] == 0
    assert 1 < details["storage"]["kilobytes_a_fact"] < 40
    assert report["small_banks"]["p95_ratio"] > 0
    assert report["import"]["imported_a_second"] > 0
    goals = {goal["name"]: goal["met"] for goal in report["goals"]}
    assert goals["p95 at 1000000 to p95 at 100"] is None  # not measured


def test_the_memories_are_distinct_and_the_same_in_every_run(tmp_path: Path) -> None:
    texts = load_texts(Options(tmp_path, tmp_path), 4)
    vectors = np.eye(4, dtype=np.float32)
    some = [made for made, _ in zip(Material(texts, vectors).make(), range(60), strict=False)]
    again = [made for made, _ in zip(Material(texts, vectors).make(), range(60), strict=False)]
    assert len({made.content_hash for made in some}) == 60
    assert [made.text for made in some] == [made.text for made in again]
    assert all(abs(float(np.linalg.norm(made.vector)) - 1) < 1e-5 for made in some)
    nearest = [int(np.argmax(made.vector)) == made.source for made in some]
    assert sum(nearest) > 50  # the first text weighs more than the second


def test_a_memory_is_made_of_two_halves() -> None:
    assert join_halves("one two three four", "five six seven eight") == "one two seven eight"
    assert len({write_sentence(number) for number in range(3_000)}) == 3_000


@pytest.mark.parametrize("bad", [{"sizes": "10,x"}, {"sizes": "0"}, {"recalls": 0}, {"banks": -1}])
def test_wrong_options_are_refused(bad: dict[str, object]) -> None:
    with pytest.raises(Exception, match="above 0"):
        ScaleOptions(**bad)  # type: ignore[arg-type]
