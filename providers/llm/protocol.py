from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import Generic, Literal, Protocol, TypeVar

from pydantic import BaseModel

from providers.usage import Usage

T = TypeVar("T", bound=BaseModel)


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
    """`raw` is the answer that `value` was read from; `repaired` says that it was the second one."""

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

    `timeout` is in seconds and covers one call with its queueing and retries; None is the configured one. An argument
    that is None is not sent, so the endpoint's default serves. The errors are in providers/llm/errors.py.
    """

    @property
    def model_id(self) -> str: ...

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
        """An answer read into `schema`. A faulty one is shown to the model once, with its faults and a new timeout."""
        ...

    def stream(
        self,
        messages: Sequence[ChatMessage],
        *,
        max_tokens: int | None = None,
        temperature: float | None = None,
        timeout: float | None = None,
    ) -> Generator[TextDelta | StreamEnd, None, None]:
        """Deltas as they come and a StreamEnd last. Closing the generator closes the connection."""
        ...
