from collections.abc import Sequence
from typing import TypeVar

from pydantic import BaseModel

from providers.llm.errors import MalformedAnswer
from providers.llm.protocol import LLM, ChatMessage
from providers.usage import Usage

T = TypeVar("T", bound=BaseModel)


class Meter:
    """Asks an LLM and sums up the usage, also of unusable answers. For one thread."""

    def __init__(self, llm: LLM) -> None:
        self.usage = Usage()
        self._llm = llm

    def ask(self, schema: type[T], messages: Sequence[ChatMessage]) -> T:
        try:
            answer = self._llm.complete_as(schema, messages, temperature=0.0)
        except MalformedAnswer as malformed:
            self.usage += malformed.usage
            raise
        self.usage += answer.usage
        return answer.value
