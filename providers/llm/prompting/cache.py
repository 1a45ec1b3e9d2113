"""A cache of answers. Its store belongs to one tenant, because an answer quotes the question."""

import hashlib
import json
from collections.abc import Generator, Sequence
from typing import Protocol, TypeVar

from pydantic import BaseModel, ValidationError

from providers.llm.answer import parse_structured
from providers.llm.protocol import LLM, ChatMessage, Completion, StreamEnd, Structured, TextDelta
from providers.usage import Service, Usage

T = TypeVar("T", bound=BaseModel)


class AnswerStore(Protocol):
    """Thread-safe. Two puts of the same key at once may both succeed; either answer serves."""

    def get(self, key: str) -> str | None: ...

    def put(self, key: str, answer: str) -> None: ...


class StoredAnswer(BaseModel):
    text: str
    finish_reason: str | None = None


class CachedLLM:
    """An LLM that asks each question once. A cached answer has no usage. Failed or truncated answers are not kept."""

    def __init__(self, llm: LLM, store: AnswerStore) -> None:
        self._llm = llm
        self._store = store

    @property
    def model_id(self) -> str:
        return self._llm.model_id

    @property
    def service(self) -> Service:
        return self._llm.service

    def complete(
        self,
        messages: Sequence[ChatMessage],
        *,
        max_tokens: int | None = None,
        temperature: float | None = None,
        timeout: float | None = None,
    ) -> Completion:
        key = build_key(self.model_id, messages, max_tokens=max_tokens, temperature=temperature)
        stored = self._find(key)
        if stored:
            return Completion(stored.text, Usage(), stored.finish_reason)
        answer = self._llm.complete(messages, max_tokens=max_tokens, temperature=temperature, timeout=timeout)
        if not answer.truncated:
            self._keep(key, StoredAnswer(text=answer.text, finish_reason=answer.finish_reason))
        return answer

    def complete_as(
        self,
        schema: type[T],
        messages: Sequence[ChatMessage],
        *,
        max_tokens: int | None = None,
        temperature: float | None = None,
        timeout: float | None = None,
    ) -> Structured[T]:
        key = build_key(self.model_id, messages, schema=schema, max_tokens=max_tokens, temperature=temperature)
        stored = self._find(key)
        value = find_value(schema, stored.text) if stored else None
        if stored and value is not None:
            return Structured(value, Usage(), stored.text, repaired=False)
        answer = self._llm.complete_as(
            schema, messages, max_tokens=max_tokens, temperature=temperature, timeout=timeout
        )
        self._keep(key, StoredAnswer(text=answer.raw))
        return answer

    def stream(
        self,
        messages: Sequence[ChatMessage],
        *,
        max_tokens: int | None = None,
        temperature: float | None = None,
        timeout: float | None = None,
    ) -> Generator[TextDelta | StreamEnd, None, None]:
        return self._llm.stream(messages, max_tokens=max_tokens, temperature=temperature, timeout=timeout)

    def _find(self, key: str) -> StoredAnswer | None:
        stored = self._store.get(key)
        return None if stored is None else StoredAnswer.model_validate_json(stored)

    def _keep(self, key: str, answer: StoredAnswer) -> None:
        self._store.put(key, answer.model_dump_json())


def find_value(schema: type[T], text: str) -> T | None:
    """None if the stored answer does not fit the schema any more. The model is asked again then."""
    try:
        return parse_structured(schema, text)
    except ValidationError:
        return None


def build_key(
    model_id: str,
    messages: Sequence[ChatMessage],
    *,
    schema: type[BaseModel] | None = None,
    max_tokens: int | None,
    temperature: float | None,
) -> str:
    """A hash of the whole request. The endpoint is no part of it: any model of that name may answer."""
    asked = {
        "model": model_id,
        "schema": schema and schema.model_json_schema(),
        "messages": [[message.role, message.content] for message in messages],
        "max_tokens": max_tokens,
        "temperature": temperature,
    }
    return hashlib.sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()
