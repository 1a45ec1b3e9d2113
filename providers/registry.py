"""The providers that the settings choose, each loaded once per process.

Load them after forking: an ONNX session does not survive a fork.
"""

import atexit
import gc
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import structlog
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from providers import tokens
from providers.embedding.protocol import ONNX_MODEL_IDS, Embedder
from providers.endpoint.limits import EndpointConfig
from providers.errors import EmbeddingModelUnavailable, ProviderError
from providers.llm.chat_request import Sampling
from providers.llm.fallback import FallbackLLM
from providers.llm.protocol import LLM, Task
from providers.once import Once
from providers.reranking.protocol import MEMORY_RERANKER, MS_MARCO, Reranker

log = structlog.get_logger(__name__)
LOADING_SECONDS = 15.0
PASSAGES = ("The ferry to Lisbon leaves at nine in the morning, and the captain knows every sailor by name.",) * 8


def get_embedder(model_id: str | None = None) -> Embedder:
    """The deployment's default embedder, or that of a model. Raises EmbeddingModelUnavailable if there is none."""
    default = EMBEDDER.get()
    if model_id in {None, default.model_id}:
        return default
    other = OTHER_EMBEDDERS.get().get(model_id or "")
    if other is None:
        raise EmbeddingModelUnavailable(model_id or "")
    return other.get()


def find_embedders(model_ids: Iterable[str]) -> dict[str, Embedder]:
    """The embedders of the models that are there. Recall searches the other banks by words."""
    found = {}
    for model_id in model_ids:
        try:
            found[model_id] = get_embedder(model_id)
        except ProviderError as error:
            log.warning("embedding_model.missing", model=model_id, error=type(error).__name__)
    return found


def list_embedding_models() -> list[str]:
    """The default model first."""
    return list(dict.fromkeys([get_embedder().model_id, *OTHER_EMBEDDERS.get()]))


def get_reranker() -> Reranker:
    return RERANKER.get()


def get_deep_reranker() -> Reranker:
    """For the budget `high`, which has time for a larger model."""
    return DEEP_RERANKER.get()


def find_llm(task: Task) -> LLM | None:
    """None without a configured model. The built-in engine serves then."""
    return LANGUAGE_MODELS.get().get(task)


def get_llm(task: Task) -> LLM:
    llm = find_llm(task)
    if llm is None:
        raise ImproperlyConfigured("LLM_BASE_URL is missing.")
    return llm


def warm_up() -> None:
    """Load the models and run them once, so that the first request is not slow.

    The reranker reads several passages: the first one is slow, and the pace is learnt from the latest ones.
    """
    get_embedder().embed_query("warm up")
    get_reranker().rerank("warm up", PASSAGES)
    tokens.count("warm up")


def load_in_background(load: Callable[[], object]) -> None:
    """Load models while the process already serves. `/health/ready` reports when they are there.

    A process that ends meanwhile waits for them: native code that loses its interpreter aborts.
    """
    loading = threading.Thread(target=load_and_log, args=(load,), name="warm-up", daemon=True)
    loading.start()
    atexit.register(loading.join, timeout=LOADING_SECONDS)


def load_and_log(load: Callable[[], object]) -> None:
    """Log a failure and continue: the next call that needs the model tries again and gets the error."""
    try:
        load()
    except Exception:
        log.exception("models.warm_up_failed")
    else:
        gc.collect()
        gc.freeze()  # a full collection that walks the models held up one request in forty
        log.info("models.ready")


def model_states() -> dict[str, str]:
    return {"embedding": EMBEDDER.state, "reranking": RERANKER.state}


def reset() -> None:
    """For tests that change the settings."""
    for once in (EMBEDDER, OTHER_EMBEDDERS, RERANKER, DEEP_RERANKER, LANGUAGE_MODELS):
        once.reset()


@dataclass(frozen=True)
class EmbedderConfig:
    """`id` labels the vectors; empty: the embedder's own label. Two endpoints may give one name to two models."""

    provider: str
    model: str
    base_url: str | None = None
    api_key: str | None = field(default=None, repr=False)
    query_prefix: str | None = None
    id: str | None = None

    @property
    def label(self) -> str:
        return self.id or (ONNX_MODEL_IDS.get(self.model, self.model) if self.provider == "onnx" else self.model)


def load_default_embedder() -> Embedder:
    return load_embedder(
        EmbedderConfig(
            settings.EMBEDDING_PROVIDER,
            settings.EMBEDDING_MODEL,
            settings.EMBEDDING_BASE_URL,
            settings.EMBEDDING_API_KEY,
            settings.EMBEDDING_QUERY_PREFIX,
        )
    )


def list_other_embedders() -> dict[str, Once[Embedder]]:
    """The built-in ones, which banks may have been made with, and those of the settings, each loaded at first use."""
    configs = [EmbedderConfig("onnx", model) for model in ONNX_MODEL_IDS]
    configs += [EmbedderConfig(**one) for one in settings.EMBEDDING_MODELS]
    return {config.label: Once(partial(load_embedder, config)) for config in configs}


def load_embedder(config: EmbedderConfig) -> Embedder:
    model, prefix, label = config.model, config.query_prefix, config.label
    match config.provider:
        case "sentence-transformers":
            from providers.embedding.sentence_transformers import SentenceTransformersEmbedder

            return SentenceTransformersEmbedder(model=model, query_prefix=prefix, model_id=label)
        case "openai":
            from providers.embedding.openai import OpenAIEmbedder

            if not config.base_url:
                raise ImproperlyConfigured("EMBEDDING_BASE_URL is missing.")
            endpoint = build_config(config.base_url, config.api_key)
            return OpenAIEmbedder(endpoint, model=model, query_prefix=prefix, model_id=label)
        case "onnx":
            from providers.embedding.onnx import OnnxEmbedder

            return OnnxEmbedder(threads=settings.MODEL_THREADS, model=model, query_prefix=prefix, model_id=label)
        case unknown:
            raise ImproperlyConfigured(f"EMBEDDING_PROVIDER is {unknown!r}, which nothing here loads.")


def load_reranker() -> Reranker:
    match settings.RERANKING_PROVIDER:
        case "sentence-transformers":
            from providers.reranking.sentence_transformers import SentenceTransformersReranker

            return SentenceTransformersReranker(model=settings.RERANKING_MODEL or MS_MARCO)
        case "http":
            from providers.reranking.http import HttpReranker

            config = build_config(get_text("RERANKING_BASE_URL"), settings.RERANKING_API_KEY)
            return HttpReranker(
                config, model=settings.RERANKING_MODEL or MS_MARCO, least_seconds=settings.RERANKING_LEAST_SECONDS
            )
        case "llm":
            from providers.reranking.llm import LLMReranker

            return LLMReranker(get_llm(Task.JUDGE), least_seconds=settings.RERANKING_LEAST_SECONDS)
        case "none":
            from providers.reranking.none import NoReranker

            return NoReranker()
        case "onnx":
            from providers.reranking.onnx import OnnxReranker

            return OnnxReranker(threads=settings.MODEL_THREADS, model=settings.RERANKING_MODEL or MEMORY_RERANKER)
        case unknown:
            raise ImproperlyConfigured(f"RERANKING_PROVIDER is {unknown!r}, which nothing here loads.")


def load_deep_reranker() -> Reranker:
    """The twelve layers, unless the settings name another provider or model."""
    if settings.RERANKING_PROVIDER != "onnx" or settings.RERANKING_MODEL:
        return get_reranker()
    from providers.reranking.onnx import OnnxReranker

    return OnnxReranker(threads=settings.MODEL_THREADS, model=MS_MARCO)


@dataclass(frozen=True)
class LLMConfig:
    """The settings of one language model, without the limits that all endpoints share."""

    model: str
    base_url: str | None = None
    api_key: str | None = field(default=None, repr=False)
    reasoning_effort: str | None = None
    temperature: float | None = None
    timeout_seconds: float | None = None

    def override(self, **given: Any) -> "LLMConfig":
        """The config with the given values in place of its own. A key never goes to another endpoint."""
        if given.get("base_url", self.base_url) != self.base_url:
            given = {"api_key": None} | given
        return replace(self, **given)


def load_llms() -> dict[Task, LLM]:
    """Tasks with equal settings share one model, and with it the limit of calls at once."""
    if not (settings.LLM_BASE_URL if settings.LLM_PROVIDER == "openai" else settings.LLM_MODEL):
        return {}
    default = LLMConfig(
        get_text("LLM_MODEL"),
        settings.LLM_BASE_URL,
        settings.LLM_API_KEY,
        settings.LLM_REASONING_EFFORT,
        settings.LLM_TEMPERATURE,
    )
    second = build_llm(default.override(**settings.LLM_FALLBACK)) if settings.LLM_FALLBACK else None
    configs = {
        Task.EXTRACT: default.override(**settings.LLM_EXTRACT),
        Task.REFLECT: default.override(**settings.LLM_REFLECT),
        Task.OBSERVE: default.override(**settings.LLM_OBSERVE),
        Task.JUDGE: default.override(**settings.LLM_JUDGE),
    }
    built = {config: build_llm(config) for config in set(configs.values())}
    if second is not None:
        built = {config: FallbackLLM(llm, second) for config, llm in built.items()}
    return {task: built[config] for task, config in configs.items()}


def build_llm(config: LLMConfig) -> LLM:
    from providers.llm.openai import OpenAILLM

    match settings.LLM_PROVIDER:
        case "litellm":
            from providers.llm.litellm import LiteLLM

            chosen: type[OpenAILLM] = LiteLLM
        case "openai":
            chosen = OpenAILLM
            if not config.base_url:
                raise ImproperlyConfigured("LLM_BASE_URL is missing.")
        case unknown:
            raise ImproperlyConfigured(f"LLM_PROVIDER is {unknown!r}, which nothing here loads.")
    return chosen(
        build_config(config.base_url or "", config.api_key, config.timeout_seconds),
        model=config.model,
        structured_output=settings.LLM_STRUCTURED_OUTPUT,
        sampling=Sampling(config.reasoning_effort, config.temperature),
    )


def build_config(base_url: str, api_key: str | None, timeout_seconds: float | None = None) -> EndpointConfig:
    """The LLM's limits hold for the other endpoints too: they concern the network, not the model."""
    return EndpointConfig(
        base_url=base_url,
        api_key=api_key,
        timeout_seconds=timeout_seconds or settings.LLM_TIMEOUT_SECONDS,
        max_retries=settings.LLM_MAX_RETRIES,
        max_concurrency=settings.LLM_MAX_CONCURRENCY,
    )


def get_text(name: str) -> str:
    value = getattr(settings, name)
    if not isinstance(value, str) or not value:
        raise ImproperlyConfigured(f"{name} is missing.")
    return value


EMBEDDER: Once[Embedder] = Once(load_default_embedder)
OTHER_EMBEDDERS: Once[dict[str, Once[Embedder]]] = Once(list_other_embedders)
RERANKER: Once[Reranker] = Once(load_reranker)
DEEP_RERANKER: Once[Reranker] = Once(load_deep_reranker)
LANGUAGE_MODELS: Once[dict[Task, LLM]] = Once(load_llms)
