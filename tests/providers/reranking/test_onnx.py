import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from providers.errors import ModelFileError, UnknownModel
from providers.reranking import onnx
from providers.reranking.onnx import OnnxReranker
from providers.reranking.protocol import MEMORY_RERANKER, MS_MARCO, Scored
from tests.clock import holds_to_a_time
from tests.providers.sampled import read_metric

QUERY = "Where does Alice work?"
ANSWER = "Alice has worked at the harbour office since March."
PASSAGES = ["The cake needs four eggs.", ANSWER, "Bob likes tea.", "", "Alice " * 600, "漢字 \ud800 \x00"]
LONG = ["Alice said that the harbour office signed the contract on Monday after long talks. " * 8] * 60


def get_scores(ranked: list[Scored]) -> dict[int, float | None]:
    return {one.index: one.score for one in ranked}


def test_the_answer_comes_first_and_every_passage_once(onnx_reranker: OnnxReranker) -> None:
    ranked = onnx_reranker.rerank(QUERY, PASSAGES)
    assert ranked[0].index == 1
    assert sorted(one.index for one in ranked) == list(range(len(PASSAGES)))
    scores = [one.score for one in ranked if one.score is not None]
    assert scores == sorted(scores, reverse=True)
    assert 0 <= min(scores) < 0.01
    assert 0.9 < max(scores) <= 1


def test_a_pair_has_the_same_score_in_any_company(onnx_reranker: OnnxReranker) -> None:
    together = get_scores(onnx_reranker.rerank(QUERY, PASSAGES))
    reverse = get_scores(onnx_reranker.rerank(QUERY, PASSAGES[::-1]))
    for index, passage in enumerate(PASSAGES):
        [alone] = onnx_reranker.rerank(QUERY, [passage])
        assert alone.score == together[index] == reverse[len(PASSAGES) - 1 - index]


def test_the_number_of_threads_changes_no_score(onnx_reranker: OnnxReranker) -> None:
    assert OnnxReranker(threads=1).rerank(QUERY, PASSAGES) == onnx_reranker.rerank(QUERY, PASSAGES)


def test_calls_from_many_threads_give_the_same(onnx_reranker: OnnxReranker) -> None:
    expected = onnx_reranker.rerank(QUERY, PASSAGES)
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda _: onnx_reranker.rerank(QUERY, PASSAGES), range(8))) == [expected] * 8


@holds_to_a_time
def test_a_time_box_holds_and_the_first_passages_are_scored(onnx_reranker: OnnxReranker) -> None:
    started = time.monotonic()
    onnx_reranker.rerank(QUERY, LONG[:8])
    box = time.monotonic() - started  # the time that this machine now takes for eight passages
    started = time.monotonic()
    ranked = onnx_reranker.rerank(QUERY, [ANSWER, *LONG], within_seconds=box)
    assert time.monotonic() - started < 2 * box
    scored = [one for one in ranked if one.score is not None]
    assert 1 < len(scored) < len(LONG)
    assert sorted(one.index for one in scored) == list(range(len(scored)))
    assert [one.index for one in ranked[len(scored) :]] == list(range(len(scored), len(LONG) + 1))
    assert ranked[0].index == 0


def test_a_time_box_that_is_wide_enough_changes_nothing(onnx_reranker: OnnxReranker) -> None:
    assert onnx_reranker.rerank(QUERY, PASSAGES, within_seconds=60) == onnx_reranker.rerank(QUERY, PASSAGES)


def test_no_time_scores_nothing_and_keeps_the_order(onnx_reranker: OnnxReranker) -> None:
    ranked = onnx_reranker.rerank(QUERY, PASSAGES, within_seconds=0)
    assert ranked == [Scored(index, None) for index in range(len(PASSAGES))]


@holds_to_a_time
def test_a_passage_that_would_not_be_done_in_time_is_not_begun(onnx_reranker: OnnxReranker) -> None:
    onnx_reranker.rerank(QUERY, LONG[:2])
    started = time.thread_time()
    ranked = onnx_reranker.rerank(QUERY, LONG, within_seconds=0.02)
    assert time.thread_time() - started < 0.1
    assert all(one.score is None for one in ranked)


@holds_to_a_time
def test_one_stall_does_not_end_reranking_for_good() -> None:
    reranker = OnnxReranker(threads=1)
    reranker._pace.learn(work=1, seconds=1)
    for _ in range(100):
        if reranker.rerank(QUERY, [ANSWER], within_seconds=1)[0].score is not None:
            return
    pytest.fail("nothing was scored any more")


@holds_to_a_time
def test_a_call_with_a_time_box_does_not_wait_for_one_without(onnx_reranker: OnnxReranker) -> None:
    """The threads of the pool are busy with the long call; the short one works in its own thread."""
    long_call = threading.Thread(target=onnx_reranker.rerank, args=(QUERY, LONG[:20]))
    long_call.start()
    time.sleep(0.1)
    started = time.monotonic()
    ranked = onnx_reranker.rerank(QUERY, PASSAGES[:3], within_seconds=0.5)
    elapsed = time.monotonic() - started
    still_running = long_call.is_alive()
    long_call.join()
    assert still_running
    assert elapsed < 0.8
    assert ranked[0].score is not None


def test_no_passages_give_nothing(onnx_reranker: OnnxReranker) -> None:
    assert onnx_reranker.rerank(QUERY, []) == []


def test_a_rerank_is_counted_once(onnx_reranker: OnnxReranker) -> None:
    labels = {"provider": "onnx", "kind": "rerank", "outcome": "ok"}
    before = read_metric("memoryplatform_provider_calls_total", **labels)
    onnx_reranker.rerank(QUERY, PASSAGES[:3])
    assert read_metric("memoryplatform_provider_calls_total", **labels) == before + 1


def test_a_failure_in_an_assistant_reaches_the_caller(monkeypatch: pytest.MonkeyPatch) -> None:
    reranker = OnnxReranker(threads=2)
    caller = threading.current_thread()
    run = reranker._model.run

    def fail_elsewhere(encoding: object) -> object:
        if threading.current_thread() is not caller:
            raise MemoryError
        time.sleep(0.01)
        return run(encoding)  # type: ignore[arg-type]  # passed on unchanged

    monkeypatch.setattr(reranker._model, "run", fail_elsewhere)
    with pytest.raises(MemoryError):
        reranker.rerank(QUERY, PASSAGES)


@pytest.mark.parametrize(
    ("name", "path"),
    [(MEMORY_RERANKER, r"weights/memory-reranker-v1\.onnx"), (MS_MARCO, r"weights/ms-marco-minilm-l-12-v2\.onnx")],
)
def test_a_changed_file_is_refused_by_name(monkeypatch: pytest.MonkeyPatch, name: str, path: str) -> None:
    files = onnx.FILES[name]
    changed = replace(files, model=replace(files.model, sha256="0" * 64))
    monkeypatch.setattr(onnx, "FILES", {name: changed})
    with pytest.raises(ModelFileError, match=path):
        OnnxReranker(threads=1, model=name)


def test_another_model_is_refused() -> None:
    with pytest.raises(UnknownModel, match="not other/model"):
        OnnxReranker(threads=1, model="other/model")
