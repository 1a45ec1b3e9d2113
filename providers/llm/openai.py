import logging
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from functools import partial
from typing import Any, Protocol, TypeVar

import httpx2
import openai
from openai.types.chat import ChatCompletionChunk
from pydantic import BaseModel, ValidationError

from providers.endpoint.endpoint import Endpoint
from providers.endpoint.limits import EndpointConfig, RetryPolicy
from providers.llm.answer import (
    WireChunk,
    WireUsage,
    build_repair,
    build_usage,
    parse_structured,
    read_answer,
    read_repaired,
)
from providers.llm.chat_request import (
    ChatRequest,
    Dialect,
    Sampling,
    StructuredOutput,
    build_body,
    find_adapted,
)
from providers.llm.errors import LLM_ERRORS, LLMRefused, MalformedAnswer, StreamInterrupted
from providers.llm.forwarding import ForwardedAnswer, adapt_body, read_forwarded
from providers.llm.protocol import LLM, ChatMessage, Completion, StreamEnd, Structured, TextDelta
from providers.llm.strict_schema import StrictSchema, build_strict_schema
from providers.usage import Service, Usage, WatchedCall

logger = logging.getLogger(__name__)
T = TypeVar("T", bound=BaseModel)
R = TypeVar("R")
Body = dict[str, Any]
PATH = "/chat/completions"
STREAMED: Body = {"stream": True, "stream_options": {"include_usage": True}}


class Chunks(Protocol):
    """The chunks of a streamed answer."""

    def __iter__(self) -> Iterator[object]: ...

    def close(self) -> None: ...


class OpenAILLM:
    """Any endpoint that speaks OpenAI's chat protocol."""

    def __init__(
        self,
        config: EndpointConfig,
        *,
        model: str,
        service: Service = "llm",
        structured_output: StructuredOutput = "json_schema",
        sampling: Sampling | None = None,
        policy: RetryPolicy | None = None,
    ) -> None:
        self.model_id = model
        self.service: Service = service
        self._dialect = Dialect(structured_output)
        self._sampling = sampling or Sampling()
        self._endpoint = Endpoint(config, classes=LLM_ERRORS, policy=policy)

    def complete(
        self,
        messages: Sequence[ChatMessage],
        *,
        max_tokens: int | None = None,
        temperature: float | None = None,
        timeout: float | None = None,
    ) -> Completion:
        return self._complete(self._build_request(messages, max_tokens, temperature), timeout)

    def complete_as(
        self,
        schema: type[T],
        messages: Sequence[ChatMessage],
        *,
        max_tokens: int | None = None,
        temperature: float | None = None,
        timeout: float | None = None,
    ) -> Structured[T]:
        request = self._build_request(messages, max_tokens, temperature, build_strict_schema(schema))
        first = self._complete(request, timeout)
        try:
            return Structured(parse_structured(schema, first.text), first.usage, first.text, repaired=False)
        except ValidationError as error:
            repair = build_repair(request, first, error)
        second = self._complete(repair, timeout)
        return read_repaired(schema, second, first.usage + second.usage)

    def stream(
        self,
        messages: Sequence[ChatMessage],
        *,
        max_tokens: int | None = None,
        temperature: float | None = None,
        timeout: float | None = None,
    ) -> Generator[TextDelta | StreamEnd, None, None]:
        deadline = self._endpoint.start(timeout)
        request = self._build_request(messages, max_tokens, temperature)
        answered = self._adapt(
            partial(build_body, self.model_id, request),
            lambda body: self._endpoint.ask("chat_stream", partial(self._open_stream, body), deadline),
        )
        with answered.held, closing(answered.value) as chunks:
            yield from AnswerStream(chunks, self, messages).read(answered.call)

    def forward(self, body: Body, answer: ForwardedAnswer, *, model: str | None = None) -> Body:
        deadline, sent = self._endpoint.start(None), self._fill_in(body, model)
        answered = self._adapt(
            partial(adapt_body, sent),
            lambda adapted: self._endpoint.ask("chat", partial(self._post, adapted), deadline),
        )
        answer.begin(self, sent)
        with answered.held:
            try:
                return read_forwarded(answered.value, answer)
            finally:
                answered.call.spent(answer.usage)

    def forward_stream(
        self, body: Body, answer: ForwardedAnswer, *, model: str | None = None
    ) -> Generator[Body, None, None]:
        deadline, sent = self._endpoint.start(None), self._fill_in(body, model)
        answered = self._adapt(
            partial(adapt_body, sent),
            lambda adapted: self._endpoint.ask("chat_stream", partial(self._open_stream, adapted), deadline),
        )
        answer.begin(self, sent)
        with answered.held, closing(answered.value) as chunks:
            try:
                yield from read_chunks(chunks, answer)
            finally:
                answered.call.spent(answer.usage)

    def _fill_in(self, body: Body, model: str | None) -> Body:
        """The caller's fields, with the configured sampling where they say nothing."""
        configured = {"temperature": self._sampling.temperature, "reasoning_effort": self._sampling.reasoning_effort}
        chosen = {name: value for name, value in configured.items() if value is not None}
        return {**chosen, **body, "model": model or self.model_id}

    def _build_request(
        self,
        messages: Sequence[ChatMessage],
        max_tokens: int | None,
        temperature: float | None,
        schema: StrictSchema | None = None,
    ) -> ChatRequest:
        chosen = temperature if self._sampling.temperature is None else self._sampling.temperature
        return ChatRequest(messages, max_tokens, chosen, schema, self._sampling.reasoning_effort)

    def _complete(self, request: ChatRequest, timeout: float | None) -> Completion:
        deadline = self._endpoint.start(timeout)
        answered = self._adapt(
            partial(build_body, self.model_id, request),
            lambda body: self._endpoint.ask("chat", partial(self._post, body), deadline),
            structured=request.schema is not None,
        )
        with answered.held:
            try:
                completion = read_answer(answered.value, self, request.messages)
            except MalformedAnswer as malformed:
                answered.call.spent(malformed.usage)
                raise
            answered.call.spent(completion.usage)
        return completion

    def _adapt(self, build: Callable[[Dialect], Body], ask: Callable[[Body], R], *, structured: bool = False) -> R:
        """Ask in the dialect that served last, and after a refusal in the next one that may serve."""
        known = dialect = self._dialect
        while True:
            try:
                answer = ask(build(dialect))
            except LLMRefused as refused:
                adapted = find_adapted(dialect, refused, structured=structured)
                if adapted is None:
                    raise
                dialect = adapted
            else:
                if dialect is not known:
                    logger.warning("The LLM endpoint refused a parameter. From now on: %s", dialect)
                    self._dialect = dialect
                return answer

    def _post(self, body: Body, client: openai.OpenAI, timeout: float) -> bytes:
        return client.post(PATH, cast_to=httpx2.Response, body=body, options={"timeout": timeout}).content

    def _open_stream(self, body: Body, client: openai.OpenAI, timeout: float) -> Chunks:
        return client.post(
            PATH,
            cast_to=ChatCompletionChunk,
            body={**body, **STREAMED},
            options={"timeout": timeout},
            stream=True,
            stream_cls=openai.Stream[ChatCompletionChunk],
        )


def read_chunks(chunks: Chunks, answer: ForwardedAnswer) -> Generator[Body, None, None]:
    """Every failure becomes StreamInterrupted, also an end without a finish reason."""
    reason = ""
    try:
        for chunk in chunks:
            read: Body = chunk if isinstance(chunk, dict) else chunk.to_dict()  # type: ignore[attr-defined]  # of the openai package
            answer.note(read)
            yield read
    except (openai.OpenAIError, ValueError) as error:  # ValueError: a chunk that is no JSON
        reason = type(error).__name__
    if answer.finish_reason is None:
        reason = reason or "it ended without a finish reason"
    if reason:
        raise StreamInterrupted(f"The stream broke off: {reason}.", partial=answer.text, usage=answer.usage)


class AnswerStream:
    """The chunks of one answer. Every failure becomes StreamInterrupted, which carries the text so far."""

    def __init__(self, chunks: Chunks, llm: LLM, messages: Sequence[ChatMessage]) -> None:
        self._chunks = chunks
        self._llm = llm
        self._messages = messages
        self._text: list[str] = []
        self._counted: WireUsage | None = None
        self._finish_reason: str | None = None

    def read(self, call: WatchedCall) -> Generator[TextDelta | StreamEnd, None, None]:
        try:
            yield from self._read_deltas()
        finally:
            call.spent(self.usage)
        if self._finish_reason is None:
            raise self._interrupted("it ended without a finish reason")
        yield StreamEnd(self.usage, self._finish_reason)

    @property
    def usage(self) -> Usage:
        return build_usage(self._counted, self._llm, self._messages, "".join(self._text))

    def _read_deltas(self) -> Generator[TextDelta, None, None]:
        try:
            for chunk in self._chunks:
                text = self._note(WireChunk.model_validate(chunk))
                if text:
                    yield TextDelta(text)
        except (openai.OpenAIError, ValueError) as error:  # ValueError: a chunk that is no JSON, or of another shape
            reason = type(error).__name__
        else:
            return
        raise self._interrupted(reason)

    def _note(self, chunk: WireChunk) -> str:
        self._counted = chunk.usage or self._counted
        if not chunk.choices:
            return ""
        choice = chunk.choices[0]
        self._finish_reason = choice.finish_reason or self._finish_reason
        text = choice.delta.content if choice.delta else None
        self._text.append(text or "")
        return text or ""

    def _interrupted(self, reason: str) -> StreamInterrupted:
        return StreamInterrupted(f"The stream broke off: {reason}.", partial="".join(self._text), usage=self.usage)
