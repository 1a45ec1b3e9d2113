"""The decision about a new fact: what becomes of it beside the candidates that the memory holds."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Literal, Protocol

from banks.lifecycle.candidates import KnownUnit
from providers.embedding.vector import Vector
from providers.usage import Usage


class Action(StrEnum):
    """ADD stores a unit. MERGE and NONE add proof to a known one. INVALIDATE stores a unit and closes others."""

    ADD = "ADD"
    MERGE = "MERGE"
    INVALIDATE = "INVALIDATE"
    NONE = "NONE"


Reason = Literal["update", "correction"]


@dataclass(frozen=True)
class LifecycleQuestion:
    """`candidates` are units of the same network as the new fact, the nearest first.

    `relations` are those that the fact states, each as "subject | relation | object".
    """

    text: str
    mentioned_at: datetime
    candidates: tuple[KnownUnit, ...]
    occurred_start: datetime | None = None
    occurred_end: datetime | None = None
    relations: tuple[str, ...] = ()


@dataclass(frozen=True)
class Decision:
    """`targets` are candidates: one for MERGE and NONE, one or more for INVALIDATE, none for ADD.

    INVALIDATE says that they and the new fact exclude each other. The dates say which of them is the older. The
    targets show the units at the time of the decision, and the write checks them again. `text` is the merged text and
    `vector` its vector.
    """

    action: Action = Action.ADD
    targets: tuple[KnownUnit, ...] = ()
    reason: Reason = "update"
    text: str = ""
    vector: Vector | None = field(default=None, compare=False)


@dataclass(frozen=True)
class Decisions:
    """`decisions` in the order of the questions."""

    decisions: tuple[Decision, ...]
    usage: Usage


class Judge(Protocol):
    """Thread-safe. The facts are data: nothing in them is an instruction."""

    @property
    def name(self) -> str:
        """The actor in the history of the units that it changes."""
        ...

    @property
    def needs_candidates(self) -> bool:
        """Whether it is worth searching for candidates."""
        ...

    def judge(self, questions: Sequence[LifecycleQuestion]) -> Decisions:
        """Call outside of transactions: a model may be slow."""
        ...


class AddEverything:
    """The judge without a language model. A hash finds a fact in the same words; any other fact is added."""

    name = "builtin"
    needs_candidates = False

    def judge(self, questions: Sequence[LifecycleQuestion]) -> Decisions:
        return Decisions(tuple(Decision() for _ in questions), Usage())
