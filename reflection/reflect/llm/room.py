"""How many tokens the model may still read and write for one answer."""

from collections.abc import Sequence
from math import ceil

from providers.llm.protocol import ChatMessage
from providers.usage import Usage
from reflection.reflect.llm.counting import count_text
from reflection.reflect.trace import Trace
from reflection.reflect.types import Bounds

TOKENS_A_MESSAGE = 4  # for its role and its ends, as chat formats have them
TOKENS_A_CALL = 3  # for the beginning of the answer
LEAST_OUTPUT = 256  # with fewer a call is not worth its prompt
SHARE_OF_OUTPUT = 4  # one of so many parts of the bound is kept for what the model writes


class Room:
    """A model may count otherwise than we do. What it says of a call that it answered corrects how the next is counted.

    Counted too high is safe, so a model that counts less than we do corrects nothing.
    """

    def __init__(self, bounds: Bounds, trace: Trace) -> None:
        self._bounds = bounds
        self._trace = trace
        self._factor = 1.0

    def learn(self, messages: Sequence[ChatMessage], said: Usage) -> None:
        if not said.estimated:
            self._factor = max(self._factor, said.input_tokens / count(messages))

    def count(self, messages: Sequence[ChatMessage]) -> int:
        return ceil(count(messages) * self._factor)

    @property
    def left(self) -> int:
        spent = sum(call.usage.input_tokens + call.usage.output_tokens for call in self._trace.calls)
        return self._bounds.tokens - spent

    def kept_for_output(self, wanted: int) -> int:
        """That memories leave free in the first prompt."""
        return min(wanted, max(LEAST_OUTPUT, self._bounds.tokens // SHARE_OF_OUTPUT))

    def find_output(self, messages: Sequence[ChatMessage], wanted: int) -> int | None:
        """What may be written to these messages; None where there is no room for a call."""
        allowed = min(wanted, self.left - self.count(messages))
        return allowed if allowed >= min(wanted, LEAST_OUTPUT) else None


def count(messages: Sequence[ChatMessage]) -> int:
    texts = sum(count_text(message.content) for message in messages)
    return texts + TOKENS_A_MESSAGE * len(messages) + TOKENS_A_CALL
