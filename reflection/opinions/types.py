"""The values that pass between the steps of an opinion's life."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal
from uuid import UUID

Outcome = Literal["formed", "restated", "revised", "pinned"]


class Verdict(StrEnum):
    """How a fact bears on an opinion (formula 25)."""

    REINFORCE = "reinforce"
    WEAKEN = "weaken"
    CONTRADICT = "contradict"
    NEUTRAL = "neutral"


@dataclass(frozen=True)
class CandidateOpinion:
    """What an answer claims to believe. Nothing of it is trusted yet: a model wrote it."""

    text: str
    confidence: float
    reasoning: str = ""
    evidence_ids: tuple[UUID, ...] = ()
    entities: tuple[str, ...] = ()


@dataclass(frozen=True)
class FormedOpinion:
    """What became of a candidate. `confidence_before` is None where the opinion is new.

    `evidence_ids` are those that were new to it.
    """

    id: UUID
    text: str
    confidence: float
    outcome: Outcome
    confidence_before: float | None = None
    reasoning: str = ""
    evidence_ids: tuple[UUID, ...] = field(default_factory=tuple)
