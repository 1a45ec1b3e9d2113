"""An LLM that a tenant pays for itself. Its tokens are of a service of their own in the usage."""

from collections.abc import Generator, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from pydantic import BaseModel

from providers.llm.errors import MalformedAnswer, StreamInterrupted
from providers.llm.protocol import LLM, ChatMessage, Completion, StreamEnd, Structured, TextDelta
from providers.usage import Usage

T = TypeVar("T", bound=BaseModel)


def mark_own(usage: Usage) -> Usage:
    return replace(usage, models=tuple(replace(one, service="own_llm") for one in usage.models))


class MarkedLLM:
    def __init__(self, llm: LLM) -> None:
        self._llm = llm

    @property
    def model_id(self) -> str:
        return self._llm.model_id

    def complete(self, messages: Sequence[ChatMessage], **options: Any) -> Completion:
        try:
            answer = self._llm.complete(messages, **options)
        except MalformedAnswer as error:
            error.usage = mark_own(error.usage)
            raise
        return replace(answer, usage=mark_own(answer.usage))

    def complete_as(self, schema: type[T], messages: Sequence[ChatMessage], **options: Any) -> Structured[T]:
        try:
            answer = self._llm.complete_as(schema, messages, **options)
        except MalformedAnswer as error:
            error.usage = mark_own(error.usage)
            raise
        return replace(answer, usage=mark_own(answer.usage))

    def stream(self, messages: Sequence[ChatMessage], **options: Any) -> Generator[TextDelta | StreamEnd, None, None]:
        try:
            for piece in self._llm.stream(messages, **options):
                yield replace(piece, usage=mark_own(piece.usage)) if isinstance(piece, StreamEnd) else piece
        except StreamInterrupted as error:
            error.usage = mark_own(error.usage)
            raise
