"""Claims: opinions before they are stored, the reasons why some are not, and the opinions that they become."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Literal
from uuid import UUID

from providers.llm.prompting.tolerance import read_text

Outcome = Literal["formed", "restated", "revised", "pinned"]
Pair = tuple[UUID, UUID]  # the ids of a fact and an opinion


class Verdict(StrEnum):
    """A model's judgement of a fact against an opinion (formula 25)."""

    REINFORCE = "reinforce"
    WEAKEN = "weaken"
    CONTRADICT = "contradict"
    NEUTRAL = "neutral"


@dataclass(frozen=True)
class CandidateOpinion:
    """A claim of an answer. A model wrote it, so nothing of it is trusted yet."""

    text: str
    confidence: float
    reasoning: str = ""
    evidence_ids: tuple[UUID, ...] = ()
    entities: tuple[str, ...] = ()


@dataclass(frozen=True)
class FormedOpinion:
    """The opinion that a claim became. `confidence_before` is None for a new opinion.

    `evidence_ids` are the facts that were new to it.
    """

    id: UUID
    text: str
    confidence: float
    outcome: Outcome
    confidence_before: float | None = None
    reasoning: str = ""
    evidence_ids: tuple[UUID, ...] = field(default_factory=tuple)


LONGEST_TEXT = 1_000  # characters: a judgement with its grounds, no essay
LONGEST_REASONING = 2_000
MOST_AT_ONCE = 20  # claims of one answer
MOST_ENTITIES = 20  # names of one claim


class Refusal(StrEnum):
    EMPTY = "empty"
    TOO_LONG = "too_long"
    CONFIDENCE = "confidence"
    TOO_MANY = "too_many"
    NO_EVIDENCE = "no_evidence"
    RETIRED = "retired"  # a person retired an opinion that says the same
    PINNED = "pinned"  # a person pinned the opposite, under tags that the answer may not see
    DELETED = "deleted"  # a memory that the author had read was deleted or reworded in the meantime
    NO_ROOM = "no_room"  # a quota of the plan is used up
    NO_MODEL = "no_model"  # the model that compares claims with held opinions did not answer


def describe_refused(refused: Mapping[Refusal, int]) -> str:
    """Counts only, no content: "3 opinions were not stored: 2 confidence, 1 no_evidence."."""
    total = sum(refused.values())
    reasons = ", ".join(f"{count} {refusal}" for refusal, count in sorted(refused.items()))
    return f"{total} {'opinion was' if total == 1 else 'opinions were'} not stored: {reasons}."


def clean(candidates: Sequence[CandidateOpinion]) -> list[CandidateOpinion | Refusal]:
    return [
        *map(clean_one, candidates[:MOST_AT_ONCE]),
        *(Refusal.TOO_MANY for _ in candidates[MOST_AT_ONCE:]),
    ]


def clean_one(candidate: CandidateOpinion) -> CandidateOpinion | Refusal:
    text = read_text(candidate.text)
    if refusal := find_refusal(text):
        return refusal
    if not is_confidence(candidate.confidence):
        return Refusal.CONFIDENCE
    return replace(
        candidate,
        text=text,
        confidence=float(candidate.confidence),
        reasoning=read_text(candidate.reasoning)[:LONGEST_REASONING],
        evidence_ids=tuple(dict.fromkeys(candidate.evidence_ids)),
        entities=tuple(dict.fromkeys(name for name in map(read_text, candidate.entities) if name))[:MOST_ENTITIES],
    )


def find_refusal(text: str) -> Refusal | None:
    if not text.strip():
        return Refusal.EMPTY
    return Refusal.TOO_LONG if len(text) > LONGEST_TEXT else None


def is_confidence(value: object) -> bool:
    """A number out of range is refused, not clamped: 7 may mean 0.7, and would become certainty."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return 0.0 <= value <= 1.0  # false for NaN
