"""Any provider that litellm knows, by the provider's own protocol. litellm is an extra."""

import os
from collections.abc import Iterator
from importlib import import_module
from typing import Any

import openai

from providers.errors import MissingExtra
from providers.llm.openai import STREAMED, Body, OpenAILLM


class LiteLLM(OpenAILLM):
    """The model's name begins with its provider, such as `anthropic/claude-sonnet-4-5`.

    Limits and retries are those of every endpoint. litellm's errors are subclasses of the openai package's errors.
    """

    def _post(self, body: Body, _: openai.OpenAI, timeout: float) -> bytes:
        answer: str = self._ask(body, timeout).model_dump_json()
        return answer.encode()

    def _open_stream(self, body: Body, _: openai.OpenAI, timeout: float) -> "LiteLLMStream":
        return LiteLLMStream(self._ask(body | STREAMED, timeout))

    def _ask(self, body: Body, timeout: float) -> Any:
        config = self._endpoint.config
        return load_litellm().completion(
            **body, base_url=config.base_url or None, api_key=config.api_key, timeout=timeout, num_retries=0
        )


class LiteLLMStream:
    def __init__(self, chunks: Any) -> None:
        self._chunks = chunks

    def __iter__(self) -> Iterator[object]:
        for chunk in self._chunks:
            yield chunk.model_dump()

    def close(self) -> None:
        """The connection closes with litellm's generator, which ends when nothing refers to it."""
        self._chunks = ()


def load_litellm() -> Any:
    """It loads for seconds, so only a process that asks it does. Its list of prices stays the packaged one."""
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "true")
    try:
        litellm: Any = import_module("litellm")
    except ImportError:
        raise MissingExtra("litellm") from None
    litellm.suppress_debug_info = True
    return litellm
