import time

import pytest

from providers.endpoint.errors import EndpointRefused, EndpointTimeout, EndpointUnavailable
from providers.endpoint.limits import EndpointConfig, RetryPolicy
from providers.errors import UnusableScores
from providers.reranking.http import HttpReranker
from providers.reranking.protocol import Scored, sigmoid
from tests.clock import holds_to_a_time
from tests.llm_server import ScriptedLLM
from tests.llm_server.script import Reply
from tests.providers.sampled import read_metric

QUICK = RetryPolicy(max_retries=1, first_seconds=0.01)
PASSAGES = ["tea", "coffee", "milk"]


def make_reranker(server: ScriptedLLM, *, least_seconds: float = 0.0, timeout: float = 5.0) -> HttpReranker:
    config = EndpointConfig(base_url=server.url, api_key="sk-rerank", timeout_seconds=timeout)
    return HttpReranker(config, model="a-model", least_seconds=least_seconds, policy=QUICK)


def build_answer(*scores: tuple[int, float]) -> dict[str, object]:
    return {"results": [{"index": index, "relevance_score": score} for index, score in scores]}


def test_passages_come_back_best_first(llm_server: ScriptedLLM) -> None:
    llm_server.rerank.send(build_answer((1, 0.9), (2, 0.5), (0, 0.1)))
    ranked = make_reranker(llm_server).rerank("what do I drink", PASSAGES)
    assert ranked == [Scored(1, 0.9), Scored(2, 0.5), Scored(0, 0.1)]


def test_the_request_has_the_format_of_cohere_and_jina(llm_server: ScriptedLLM) -> None:
    llm_server.rerank.send(build_answer((0, 0.5)))
    make_reranker(llm_server).rerank("query \ud800", PASSAGES, instruction="by date")
    [request] = llm_server.rerank.received
    assert request.headers["authorization"] == "Bearer sk-rerank"
    assert request.body == {"model": "a-model", "query": "query ?", "documents": PASSAGES, "top_n": 3}


def test_passages_that_the_endpoint_left_out_have_no_score_and_come_last(llm_server: ScriptedLLM) -> None:
    llm_server.rerank.send(build_answer((2, 0.5)))
    ranked = make_reranker(llm_server).rerank("query", PASSAGES)
    assert ranked == [Scored(2, 0.5), Scored(0, None), Scored(1, None)]


def test_logits_become_scores(llm_server: ScriptedLLM) -> None:
    llm_server.rerank.send({"results": [{"index": 0, "score": -2.0}, {"index": 1, "score": 0.5}]})
    ranked = make_reranker(llm_server).rerank("query", PASSAGES[:2])
    assert ranked == [Scored(1, sigmoid(0.5)), Scored(0, sigmoid(-2.0))]


def test_no_passages_ask_nothing(llm_server: ScriptedLLM) -> None:
    assert make_reranker(llm_server).rerank("query", []) == []
    assert llm_server.rerank.received == []


@pytest.mark.parametrize(
    "answer",
    [{}, {"results": []}, build_answer((3, 0.5)), build_answer((-1, 0.5)), {"results": [{"index": 0}]}, [1, 2]],
    ids=["none", "empty", "beyond", "negative", "no score", "list"],
)
def test_an_answer_that_scores_none_of_the_passages_is_an_error(llm_server: ScriptedLLM, answer: object) -> None:
    llm_server.rerank.send(answer)
    with pytest.raises(UnusableScores):
        make_reranker(llm_server).rerank("query", PASSAGES)


def test_a_score_that_is_no_number_is_an_error(llm_server: ScriptedLLM) -> None:
    llm_server.rerank.send_raw(b'{"results": [{"index": 0, "relevance_score": NaN}]}')
    with pytest.raises(UnusableScores):
        make_reranker(llm_server).rerank("query", PASSAGES)


@holds_to_a_time
def test_a_time_box_holds_and_late_passages_are_not_scored(llm_server: ScriptedLLM) -> None:
    llm_server.rerank.reply(Reply(payload=build_answer((0, 0.5)), delay=5))
    started = time.monotonic()
    ranked = make_reranker(llm_server).rerank("query", PASSAGES, within_seconds=0.1)
    assert time.monotonic() - started < 3
    assert ranked == [Scored(0, None), Scored(1, None), Scored(2, None)]


@holds_to_a_time
def test_the_least_time_serves_where_the_box_is_smaller(llm_server: ScriptedLLM) -> None:
    llm_server.rerank.reply(Reply(payload=build_answer((0, 0.5)), delay=0.2))
    [first, *_] = make_reranker(llm_server, least_seconds=3).rerank("query", PASSAGES, within_seconds=0.05)
    assert first == Scored(0, 0.5)


@holds_to_a_time
def test_without_a_time_box_a_late_answer_is_an_error(llm_server: ScriptedLLM) -> None:
    llm_server.rerank.reply(Reply(payload=build_answer((0, 0.5)), delay=1.0))
    with pytest.raises(EndpointTimeout):
        make_reranker(llm_server, timeout=0.1).rerank("query", PASSAGES)


def test_a_passing_failure_is_tried_again(llm_server: ScriptedLLM) -> None:
    llm_server.rerank.fail(503)
    llm_server.rerank.send(build_answer((0, 0.5)))
    assert make_reranker(llm_server).rerank("query", PASSAGES)[0] == Scored(0, 0.5)


@pytest.mark.parametrize(("status", "error"), [(401, EndpointRefused), (500, EndpointUnavailable)])
def test_a_lasting_failure_is_an_error(llm_server: ScriptedLLM, status: int, error: type[Exception]) -> None:
    llm_server.rerank.fail(status, times=2)
    with pytest.raises(error):
        make_reranker(llm_server).rerank("query", PASSAGES, within_seconds=5)


def test_the_call_is_counted(llm_server: ScriptedLLM) -> None:
    labels = {"provider": "openai", "kind": "rerank", "outcome": "ok"}
    before = read_metric("memoryplatform_provider_calls_total", **labels)
    llm_server.rerank.send(build_answer((0, 0.5)))
    make_reranker(llm_server).rerank("query", PASSAGES)
    assert read_metric("memoryplatform_provider_calls_total", **labels) == before + 1
