"""A second language model that takes over while the first one fails."""

import threading
from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from time import monotonic
from typing import TypeVar

import structlog
from pydantic import BaseModel

from providers.deadline import Deadline
from providers.llm.errors import LLMError, LLMRateLimited, LLMTimeout, LLMUnavailable
from providers.llm.forwarding import Body, ForwardedAnswer, get_forwarding
from providers.llm.protocol import LLM, ChatMessage, Completion, StreamEnd, Structured, TextDelta
from providers.usage import Service

log = structlog.get_logger(__name__)
T = TypeVar("T", bound=BaseModel)
R = TypeVar("R")
FAILURES = 3  # in a row, after which the first model is not asked for a while
PAUSE_SECONDS = 60.0


class FallbackLLM:
    """Asks the second model where the first can't be reached, is too slow or limits its rate, after its own retries.

    After three failures in a row the first model rests for a minute. A refusal is an answer: it stays with the caller.
    """

    def __init__(self, first: LLM, second: LLM) -> None:
        self._first = first
        self._second = second
        self._lock = threading.Lock()
        self._failures = 0
        self._rests_until = 0.0

    @property
    def model_id(self) -> str:
        return self._first.model_id

    @property
    def service(self) -> Service:
        return self._first.service

    def complete(
        self,
        messages: Sequence[ChatMessage],
        *,
        max_tokens: int | None = None,
        temperature: float | None = None,
        timeout: float | None = None,
    ) -> Completion:
        return self._ask(
            lambda llm, seconds: llm.complete(
                messages, max_tokens=max_tokens, temperature=temperature, timeout=seconds
            ),
            timeout,
        )

    def complete_as(
        self,
        schema: type[T],
        messages: Sequence[ChatMessage],
        *,
        max_tokens: int | None = None,
        temperature: float | None = None,
        timeout: float | None = None,
    ) -> Structured[T]:
        return self._ask(
            lambda llm, seconds: llm.complete_as(
                schema, messages, max_tokens=max_tokens, temperature=temperature, timeout=seconds
            ),
            timeout,
        )

    def stream(
        self,
        messages: Sequence[ChatMessage],
        *,
        max_tokens: int | None = None,
        temperature: float | None = None,
        timeout: float | None = None,
    ) -> Generator[TextDelta | StreamEnd, None, None]:
        """Once a word was streamed, no other model can continue the answer."""

        def begin(llm: LLM, seconds: float | None) -> tuple[TextDelta | StreamEnd, Generator[TextDelta | StreamEnd]]:
            stream = llm.stream(messages, max_tokens=max_tokens, temperature=temperature, timeout=seconds)
            return next(stream), stream

        first, rest = self._ask(begin, timeout)
        with closing(rest):
            yield first
            yield from rest

    def forward(self, body: Body, answer: ForwardedAnswer, *, model: str | None = None) -> Body:
        """A model that the caller named is of the first endpoint. The second one answers with its own."""
        return self._ask(
            lambda llm, _: get_forwarding(llm).forward(body, answer, model=model if llm is self._first else None), None
        )

    def forward_stream(
        self, body: Body, answer: ForwardedAnswer, *, model: str | None = None
    ) -> Generator[Body, None, None]:
        def begin(llm: LLM, _: float | None) -> tuple[Body, Generator[Body]]:
            named = model if llm is self._first else None
            stream = get_forwarding(llm).forward_stream(body, answer, model=named)
            return next(stream), stream

        first, rest = self._ask(begin, None)
        with closing(rest):
            yield first
            yield from rest

    def _ask(self, ask: Callable[[LLM, float | None], R], timeout: float | None) -> R:
        """A time limit of the caller covers both models. Without one, each has its own."""
        deadline = None if timeout is None else Deadline.after(timeout)
        if monotonic() >= self._rests_until:
            try:
                answer = ask(self._first, timeout)
            except (LLMUnavailable, LLMTimeout, LLMRateLimited) as failure:
                self._note_failure(failure)
                if deadline is not None and deadline.is_over:
                    raise
            else:
                self._failures = 0
                return answer
        return ask(self._second, None if deadline is None else deadline.remaining())

    def _note_failure(self, failure: LLMError) -> None:
        with self._lock:
            self._failures += 1
            if self._failures >= FAILURES:
                self._failures = 0
                self._rests_until = monotonic() + PAUSE_SECONDS
        log.warning("llm.fallback", model=self._first.model_id, error=type(failure).__name__)
