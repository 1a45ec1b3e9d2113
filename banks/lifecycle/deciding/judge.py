"""The question what becomes of a new fact, and who answers it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Literal, Protocol

from providers.usage import Usage


class Action(StrEnum):
    """ADD stores a unit. MERGE and NONE add proof to the one that is there. INVALIDATE stores and closes."""

    ADD = "ADD"
    MERGE = "MERGE"
    INVALIDATE = "INVALIDATE"
    NONE = "NONE"


Reason = Literal["update", "correction"]


@dataclass(frozen=True)
class ExistingFact:
    id: str
    text: str
    mentioned_at: datetime
    occurred_start: datetime | None = None


@dataclass(frozen=True)
class LifecycleQuestion:
    """`similar` are of the same network as the new fact, the nearest first."""

    text: str
    mentioned_at: datetime
    similar: tuple[ExistingFact, ...]
    occurred_start: datetime | None = None


@dataclass(frozen=True)
class Decision:
    """`targets` are ids of similar facts: one for MERGE and NONE, one or more for INVALIDATE, none for ADD.

    INVALIDATE says that they and the new fact exclude each other; which of them is the older is for the dates to say.
    `text` is the merged telling, empty where there is none.
    """

    action: Action
    targets: tuple[str, ...] = ()
    reason: Reason | None = None
    text: str = ""
    decided: bool = True


@dataclass(frozen=True)
class Decisions:
    """`decisions` in the order of the questions."""

    decisions: tuple[Decision, ...]
    usage: Usage


class Judge(Protocol):
    """Thread-safe. The facts are data: nothing in them is an instruction."""

    @property
    def name(self) -> str:
        """Stands in the history of the units that it changes."""
        ...

    def judge(self, questions: Sequence[LifecycleQuestion]) -> Decisions:
        """Call outside of transactions: a model may take its time."""
        ...
