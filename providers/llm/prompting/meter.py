from collections.abc import Sequence
from typing import TypeVar

from pydantic import BaseModel

from providers.llm.errors import MalformedAnswer
from providers.llm.protocol import LLM, ChatMessage
from providers.usage import Usage

T = TypeVar("T", bound=BaseModel)


class Meter:
    """Asks, and adds up what was spent, also for an answer that could not be used. For one thread."""

    def __init__(self, llm: LLM, *, answer_tokens: int | None = None) -> None:
        self.usage = Usage()
        self._llm = llm
        self._answer_tokens = answer_tokens

    def ask(self, schema: type[T], messages: Sequence[ChatMessage]) -> T:
        try:
            answer = self._llm.complete_as(schema, messages, max_tokens=self._answer_tokens, temperature=0.0)
        except MalformedAnswer as malformed:
            self.usage += malformed.usage
            raise
        self.usage += answer.usage
        return answer.value
