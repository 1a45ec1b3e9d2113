"""Where the time and the tokens of one reflect went."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import perf_counter
from typing import Literal
from uuid import UUID

from providers.usage import Usage

CallPurpose = Literal["answer", "repair"]
LookUpKind = Literal["recall", "entity", "source"]


@dataclass(frozen=True)
class ModelCall:
    purpose: CallPurpose
    usage: Usage
    milliseconds: float
    finish_reason: str | None  # None: it did not come to its end


@dataclass(frozen=True)
class LookUp:
    """`round` is the number of the model's calls before it. `found` are ids, `tokens` those of what was new."""

    kind: LookUpKind
    wanted: str
    round: int
    found: tuple[UUID, ...]
    tokens: int
    milliseconds: float


@dataclass(frozen=True)
class TraceRecord:
    """`parts` are the tokens of each part of the first prompt. `own_milliseconds` leave out the LLM and recalls."""

    calls: tuple[ModelCall, ...]
    look_ups: tuple[LookUp, ...]
    parts: dict[str, int]
    notes: tuple[str, ...]
    milliseconds: float
    own_milliseconds: float


@dataclass
class Trace:
    """Written while an answer is made, by one thread."""

    calls: list[ModelCall] = field(default_factory=list)
    look_ups: list[LookUp] = field(default_factory=list)
    parts: dict[str, int] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    spent: Usage = field(default_factory=Usage)
    started: float = field(default_factory=perf_counter)
    elsewhere: float = 0.0  # seconds that the LLM and recalls took

    @contextmanager
    def away(self) -> Iterator[None]:
        """Time that is not our own."""
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

    def close(self) -> TraceRecord:
        total = self.seconds
        return TraceRecord(
            tuple(self.calls),
            tuple(self.look_ups),
            dict(self.parts),
            tuple(self.notes),
            round(total * 1000, 3),
            round((total - self.elsewhere) * 1000, 3),
        )
