from collections.abc import Generator, Iterable, Sequence

import openai
from openai.types.chat import ChatCompletionChunk

from providers.llm.errors import StreamInterrupted
from providers.llm.protocol import ChatMessage, StreamEnd, TextDelta
from providers.llm.wire import WireChunk, WireUsage, build_usage
from providers.usage import Usage
from providers.watch import WatchedCall


class AnswerStream:
    """The chunks of one answer. Whatever breaks them off is one error, because the text so far is what counts then."""

    def __init__(self, chunks: Iterable[ChatCompletionChunk], messages: Sequence[ChatMessage]) -> None:
        self._chunks = chunks
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
        return build_usage(self._counted, self._messages, "".join(self._text))

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
