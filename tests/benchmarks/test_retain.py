"""A tiny run of `benchmark retain` on data made up here."""

import json
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from benchmarks.options import Options
from benchmarks.progress import Progress
from benchmarks.retain.conversations import measure_conversations
from benchmarks.retain.duplicates import measure_duplicates
from benchmarks.retain.names import find_locomo
from benchmarks.retain.throughput import choose_scale, measure_throughput
from memoryplatform.embedded.redis import EmbeddedRedis

NAMES = ["Ana", "Bruno", "Clara", "Duarte", "Elsa", "Filipe", "Gil", "Hugo"]
THINGS = ["a red bicycle", "an old piano", "two tickets to Faro", "a garden in Braga", "some tea from Porto"]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    texts = [f"Last spring {name} bought {thing}." for name in NAMES for thing in THINGS]
    write_lines(tmp_path / "longmemeval-notes.jsonl", [{"fact": text, "note_date": "2023-04-25"} for text in texts])
    rows = [{"text": text, "fact_type": "world", "event_date": "2023-05-30T00:00:00+00:00"} for text in texts[:6]]
    write_lines(tmp_path / "hindsight-extracted.jsonl", [*rows, rows[0]])
    turns = [{"speaker": name, "text": f"I live in Porto with {name}'s cat."} for name in NAMES[:3]]
    conversation = {"session_1_date_time": "1:56 pm on 8 May, 2023", "session_1": turns}
    (tmp_path / "locomo-few.json").write_text(json.dumps([{"sample_id": "conv-0", "conversation": conversation}]))
    (tmp_path / "recognizers-datetime.json").write_text(json.dumps([{"Input": "no date in this", "Results": []}]))
    return tmp_path


def write_lines(path: Path, rows: list[dict[str, str]]) -> None:
    path.write_text("\n".join(map(json.dumps, rows)))


@pytest.fixture
def options(data: Path, committed_db: None, redis_server: EmbeddedRedis) -> Options:
    return Options(data, data / "out", limit=24, progress=Progress(StringIO()))


def figures_of(measure: Callable[[Options], Any], options: Options) -> tuple[dict[str, Any], list[Any]]:
    measured = measure(options)
    assert measured is not None
    return measured  # type: ignore[no-any-return]


def test_the_same_facts_twice_are_counted_once(options: Options) -> None:
    figures, goals = figures_of(measure_duplicates, options)
    assert (figures["rows"], figures["distinct_texts"]) == (7, 6)
    assert figures["units"] == figures["units_after_the_second_time"] == 6
    assert [goal.is_met for goal in goals] == [True]


def test_both_windows_and_the_storage_are_measured(options: Options) -> None:
    figures, goals = figures_of(measure_throughput, options)
    assert figures["around_12"]["facts_a_second"] > 0
    assert figures["around_24"]["share"] > 0
    assert figures["storage"]["units"] == 27  # the second window lies around the 24th
    parts = {row["part"] for row in figures["storage"]["biggest_parts"]}
    assert "banks_memoryunit" in parts
    assert len(goals) == 3


def test_a_conversation_is_timed(options: Options) -> None:
    figures, goals = figures_of(measure_conversations, options)
    (row,) = figures["conversations"]
    assert (row["turns"], row["engine"]) == (3, "builtin")
    assert goals[0].is_met


def test_the_conversations_are_found_beside_the_audit_of_their_gold(tmp_path: Path) -> None:
    options = Options(tmp_path, tmp_path / "out")
    (tmp_path / "locomo-dev-audit.json").write_text("{}")
    assert find_locomo(options) is None
    (tmp_path / "locomo-dev.json").write_text("[]")
    assert find_locomo(options) == tmp_path / "locomo-dev.json"


def test_a_limit_makes_everything_smaller() -> None:
    assert (choose_scale(100_000).early, choose_scale(100_000).late) == (1_000, 100_000)
    assert choose_scale(24).window == 6


def test_the_command_writes_both_reports_and_names_parts_without_data(
    data: Path, committed_db: None, redis_server: EmbeddedRedis
) -> None:
    out = StringIO()
    chosen = data / "recognizers-datetime.json"
    call_command("benchmark", "retain", data=chosen, out=data / "out", configured=True, stdout=out)
    report = json.loads((data / "out" / "report.json").read_text())
    assert report["left_out"] == ["entity_resolution", "near_duplicates", "throughput", "conversations"]
    assert report["goals"][0]["name"] == "dates in statements: accuracy"
    assert "| dates in statements: accuracy |" in (data / "out" / "report.md").read_text()
