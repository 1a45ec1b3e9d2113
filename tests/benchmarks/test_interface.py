"""The measured cost of HTTP on top of a recall, on a handful of facts."""

import json
from contextlib import closing
from io import StringIO
from pathlib import Path

import pytest

from benchmarks.latency.bank import build_questions, fill_bank
from benchmarks.latency.interface import list_interface_goals, measure_interface
from benchmarks.latency.web import Client, NotServed, serve
from benchmarks.options import Options
from benchmarks.progress import Progress
from benchmarks.tenant import make_access
from memoryplatform.embedded.redis import EmbeddedRedis
from providers import registry
from providers.once import Once
from providers.reranking.none import NoReranker
from tests.retrieval.fakes import WordEmbedder

NAMES = ["Ana", "Bruno", "Clara", "Duarte", "Elsa", "Filipe"]


@pytest.fixture
def options(
    tmp_path: Path, committed_db: None, redis_server: EmbeddedRedis, monkeypatch: pytest.MonkeyPatch
) -> Options:
    monkeypatch.setattr(registry, "EMBEDDER", Once(WordEmbedder))
    monkeypatch.setattr(registry, "RERANKER", Once(NoReranker))
    monkeypatch.setattr(registry, "load_in_background", lambda _load: None)
    facts = [{"fact": f"Last spring {name} bought an old piano.", "note_date": "2023-04-25"} for name in NAMES]
    (tmp_path / "notes.jsonl").write_text("\n".join(map(json.dumps, facts)))
    return Options(tmp_path, tmp_path / "out", limit=6, progress=Progress(StringIO()))


def test_the_route_takes_longer_than_the_use_case_on_the_same_questions(options: Options) -> None:
    access = make_access()
    bank, facts = fill_bank(access, options)
    figures = measure_interface(access, bank, build_questions([fact.text for fact in facts], 6), options)
    added = figures["interface_processor_ms"]["added to the same question"]
    assert 0 < added["p50"] < 200
    assert [goal.at_most for goal in list_interface_goals(figures)] == [10, 25]


def test_an_answer_that_is_no_recall_is_not_measured(options: Options) -> None:
    with serve() as port, closing(Client(port, "mpk_wrong")) as client, pytest.raises(NotServed, match="answered 401"):
        client.post("/v1/recall", {})
