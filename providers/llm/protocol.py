from collections.abc import Generator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Generic, Literal, Protocol, TypeVar

from pydantic import BaseModel

from providers.usage import Service, Usage

T = TypeVar("T", bound=BaseModel)


class Task(StrEnum):
    """The work that a language model is asked for. Each task may have a model of its own."""

    EXTRACT = "extract"  # reads facts out of text
    REFLECT = "reflect"  # writes answers, opinions and the background
    OBSERVE = "observe"  # writes observations, mental models and summaries
    JUDGE = "judge"  # decides between few choices: duplicates, contradictions, verdicts, names, times, relevance


@dataclass(frozen=True)
class ChatMessage:
    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True)
class Completion:
    text: str
    usage: Usage
    finish_reason: str | None

    @property
    def truncated(self) -> bool:
        return self.finish_reason == "length"


@dataclass(frozen=True)
class Structured(Generic[T]):
    """`value` was read from the answer `raw`, which is the second answer if `repaired`."""

    value: T
    usage: Usage
    raw: str
    repaired: bool


@dataclass(frozen=True)
class TextDelta:
    text: str


@dataclass(frozen=True)
class StreamEnd:
    usage: Usage
    finish_reason: str


class LLM(Protocol):
    """A chat model. Thread-safe.

    `timeout` is in seconds and covers one call with its queueing and retries; None means the configured one. Other
    arguments that are None are not sent, so the endpoint's default serves. providers/llm/errors.py has the errors.
    """

    @property
    def model_id(self) -> str: ...

    @property
    def service(self) -> Service:
        """The service of its tokens in the usage: `own_llm` for a model that a tenant pays for itself."""
        ...

    def complete(
        self,
        messages: Sequence[ChatMessage],
        *,
        max_tokens: int | None = None,
        temperature: float | None = None,
        timeout: float | None = None,
    ) -> Completion: ...

    def complete_as(
        self,
        schema: type[T],
        messages: Sequence[ChatMessage],
        *,
        max_tokens: int | None = None,
        temperature: float | None = None,
        timeout: float | None = None,
    ) -> Structured[T]:
        """An answer read into `schema`. The model sees a faulty answer once more, with its faults and a new timeout."""
        ...

    def stream(
        self,
        messages: Sequence[ChatMessage],
        *,
        max_tokens: int | None = None,
        temperature: float | None = None,
        timeout: float | None = None,
    ) -> Generator[TextDelta | StreamEnd, None, None]:
        """The deltas as they arrive, then a StreamEnd. Closing the generator closes the connection."""
        ...
