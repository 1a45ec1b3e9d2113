"""The trace of a reflect: model calls, look-ups, notes, tokens and time."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import perf_counter
from typing import Literal
from uuid import UUID

from providers.llm.protocol import ChatMessage
from providers.usage import Usage

CallPurpose = Literal["answer", "repair"]
LookUpKind = Literal["recall", "entity", "source"]


@dataclass(frozen=True)
class ModelCall:
    purpose: CallPurpose
    usage: Usage
    milliseconds: float
    finish_reason: str | None  # None: the call was interrupted


@dataclass(frozen=True)
class LookUp:
    """`round` counts the model calls before it. `found` are ids. `tokens` counts only memories that were new."""

    kind: LookUpKind
    wanted: str
    round: int
    found: tuple[UUID, ...]
    tokens: int
    milliseconds: float


@dataclass
class Trace:
    """The record of one answer. One thread writes it.

    `prompt` is the first one, and `parts` are the tokens of each part of it. `read` are the numbers of the memories
    that a prompt held; others were found and left out. `milliseconds` are known after `close`; `own_milliseconds`
    exclude the LLM and recalls.
    """

    calls: list[ModelCall] = field(default_factory=list)
    look_ups: list[LookUp] = field(default_factory=list)
    prompt: tuple[ChatMessage, ...] = ()
    parts: dict[str, int] = field(default_factory=dict)
    read: tuple[int, ...] = ()
    notes: list[str] = field(default_factory=list)
    spent: Usage = field(default_factory=Usage)
    started: float = field(default_factory=perf_counter)
    elsewhere: float = 0.0  # seconds that the LLM and recalls took
    milliseconds: float = 0.0
    own_milliseconds: float = 0.0

    @contextmanager
    def away(self) -> Iterator[None]:
        """Counts the time inside as time of the LLM or of recalls."""
        begun = perf_counter()
        try:
            yield
        finally:
            self.elsewhere += perf_counter() - begun

    def note_call(self, call: ModelCall) -> None:
        self.calls.append(call)
        self.spent += call.usage

    @property
    def seconds(self) -> float:
        return perf_counter() - self.started

    def close(self) -> None:
        total = self.seconds
        self.milliseconds = round(total * 1000, 3)
        self.own_milliseconds = round((total - self.elsewhere) * 1000, 3)
