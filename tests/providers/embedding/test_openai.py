import numpy as np
import pytest

from providers.embedding.openai import BATCH, OpenAIEmbedder
from providers.endpoint.errors import EndpointRateLimited, EndpointRefused, EndpointUnavailable
from providers.endpoint.limits import EndpointConfig, RetryPolicy
from providers.errors import UnusableVector
from tests.llm_server import ScriptedLLM
from tests.llm_server.wire import DIMENSION, build_vector
from tests.providers.sampled import read_metric

QUICK = RetryPolicy(max_retries=2, first_seconds=0.01)


def make_embedder(server: ScriptedLLM, *, model: str = "a-model", query_prefix: str | None = None) -> OpenAIEmbedder:
    config = EndpointConfig(base_url=server.url, api_key="sk-embedding", timeout_seconds=5)
    return OpenAIEmbedder(config, model=model, query_prefix=query_prefix, policy=QUICK)


def test_vectors_come_in_the_order_of_the_texts_and_have_length_one(llm_server: ScriptedLLM) -> None:
    texts = ["one", "two", "three"]
    vectors = make_embedder(llm_server).embed_documents(texts).vectors
    for text, vector in zip(texts, vectors, strict=True):
        expected = np.array(build_vector(text)) / np.linalg.norm(build_vector(text))
        np.testing.assert_allclose(vector, expected, rtol=1e-6)
        assert vector.dtype == np.float32


def test_many_texts_are_sent_in_batches(llm_server: ScriptedLLM) -> None:
    texts = [f"text {number}" for number in range(BATCH * 2 + 1)]
    batch = make_embedder(llm_server).embed_documents(texts)
    assert [len(request.body["input"]) for request in llm_server.embeddings.received] == [BATCH, BATCH, 1]
    assert len({vector.tobytes() for vector in batch.vectors}) == len(texts)
    assert (batch.usage.input_tokens, batch.usage.calls, batch.usage.estimated) == (len(texts) * 2, 3, False)


def test_the_request_names_the_model_and_carries_the_key(llm_server: ScriptedLLM) -> None:
    make_embedder(llm_server).embed_documents(["text"])
    [request] = llm_server.embeddings.received
    assert request.headers["authorization"] == "Bearer sk-embedding"
    assert request.body == {"model": "a-model", "input": ["text"], "encoding_format": "float"}


def test_the_prefix_goes_before_a_query_only(llm_server: ScriptedLLM) -> None:
    embedder = make_embedder(llm_server, query_prefix="query: ")
    embedder.embed_query("tea")
    embedder.embed_documents(["tea"])
    assert [request.body["input"] for request in llm_server.embeddings.received] == [["query: tea"], ["tea"]]


def test_texts_that_an_endpoint_would_refuse_are_sent_in_an_accepted_form(llm_server: ScriptedLLM) -> None:
    make_embedder(llm_server).embed_documents(["", "tea " * 20_000, "\ud800"])
    [request] = llm_server.embeddings.received
    assert request.body["input"][0] == " "
    assert 7_990 <= len(request.body["input"][1].split()) <= 8_000
    assert request.body["input"][2] == "?"


def test_no_texts_ask_nothing(llm_server: ScriptedLLM) -> None:
    assert make_embedder(llm_server).embed_documents([]).vectors == []
    assert llm_server.embeddings.received == []


def test_the_dimension_is_asked_for_once(llm_server: ScriptedLLM) -> None:
    embedder = make_embedder(llm_server)
    assert (embedder.dimension, embedder.dimension) == (DIMENSION, DIMENSION)
    assert len(llm_server.embeddings.received) == 1


def test_a_dimension_that_changes_is_an_error(llm_server: ScriptedLLM) -> None:
    embedder = make_embedder(llm_server)
    embedder.embed_query("tea")
    llm_server.embeddings.send({"data": [{"index": 0, "embedding": [1.0, 2.0]}]})
    with pytest.raises(UnusableVector, match="2 dimensions after it gave 8"):
        embedder.embed_query("tea")


@pytest.mark.parametrize(
    "data",
    [
        [],
        [{"index": 1, "embedding": [1.0]}],
        [{"index": 0, "embedding": [1.0]}, {"index": 0, "embedding": [1.0]}],
        [{"index": 0, "embedding": []}],
        [{"index": 0, "embedding": [0.0, 0.0]}],
        [{"index": 0, "embedding": "text"}],
    ],
    ids=["none", "another", "twice", "empty", "zero", "no numbers"],
)
def test_an_answer_that_is_no_vector_for_each_text_is_an_error(llm_server: ScriptedLLM, data: list[object]) -> None:
    llm_server.embeddings.send({"data": data})
    with pytest.raises(UnusableVector):
        make_embedder(llm_server).embed_documents(["tea"])


def test_tokens_are_estimated_where_the_endpoint_does_not_count(llm_server: ScriptedLLM) -> None:
    llm_server.embeddings.send({"data": [{"index": 0, "embedding": [1.0, 2.0]}]})
    usage = make_embedder(llm_server).embed_documents(["one two three"]).usage
    assert (usage.input_tokens, usage.estimated) == (3, True)


def test_a_passing_failure_is_retried_and_every_try_is_counted(llm_server: ScriptedLLM) -> None:
    labels = {"provider": "openai", "kind": "embed_query"}
    failed = read_metric("memoryplatform_provider_calls_total", **labels, outcome="EndpointUnavailable")
    llm_server.embeddings.fail(503)
    llm_server.embeddings.drop("before")
    make_embedder(llm_server).embed_query("tea")
    assert len(llm_server.embeddings.received) == 3
    assert read_metric("memoryplatform_provider_calls_total", **labels, outcome="EndpointUnavailable") == failed + 2


@pytest.mark.parametrize(
    ("status", "error"), [(429, EndpointRateLimited), (500, EndpointUnavailable), (401, EndpointRefused)]
)
def test_a_lasting_failure_raises_the_error_of_its_kind(
    llm_server: ScriptedLLM, status: int, error: type[Exception]
) -> None:
    llm_server.embeddings.fail(status, times=3)
    with pytest.raises(error):
        make_embedder(llm_server).embed_query("tea")
