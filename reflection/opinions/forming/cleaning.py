"""Candidates as they may be stored, or the reason why they may not."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from providers.llm.prompting.tolerance import read_text
from reflection.opinions.types import CandidateOpinion
from reflection.opinions.wording.change_of_mind import find_change_of_mind, gives_up
from reflection.opinions.wording.no_opinion import is_no_opinion
from reflection.opinions.wording.voice import turn_to_first_person

LONGEST_TEXT = 1_000  # characters: a judgement with its grounds, no essay
LONGEST_REASONING = 2_000
MOST_AT_ONCE = 20  # of one answer
MOST_ENTITIES = 20  # of one opinion: more than a judgement of 1,000 characters names


class Refusal(StrEnum):
    NO_OPINION = "no_opinion"
    NOT_ITS_OWN = "not_its_own"
    TOO_LONG = "too_long"
    CONFIDENCE = "confidence"
    TOO_MANY = "too_many"
    NO_EVIDENCE = "no_evidence"
    RETIRED = "retired"  # a person has put it away
    PINNED = "pinned"  # a person pinned the opposite, under tags that the answer may not see
    DELETED = "deleted"  # something that its author had read was deleted or reworded meanwhile


def describe_refused(refused: Mapping[Refusal, int]) -> str:
    """Nothing of what they said: "3 opinions were not stored: 2 confidence, 1 no_evidence."."""
    total = sum(refused.values())
    reasons = ", ".join(f"{count} {refusal}" for refusal, count in sorted(refused.items()))
    return f"{total} {'opinion was' if total == 1 else 'opinions were'} not stored: {reasons}."


@dataclass(frozen=True)
class Cleaned:
    candidates: tuple[CandidateOpinion, ...]
    refused: tuple[Refusal, ...] = ()


def clean(candidates: Sequence[CandidateOpinion]) -> Cleaned:
    outcomes = [clean_one(candidate) for candidate in candidates[:MOST_AT_ONCE]]
    refused = [one for one in outcomes if isinstance(one, Refusal)]
    refused += [Refusal.TOO_MANY] * len(candidates[MOST_AT_ONCE:])
    return Cleaned(tuple(one for one in outcomes if isinstance(one, CandidateOpinion)), tuple(refused))


def clean_one(candidate: CandidateOpinion) -> CandidateOpinion | Refusal:
    text = read_text(candidate.text)
    if refusal := find_refusal(text):
        return refusal
    if not is_confidence(candidate.confidence):
        return Refusal.CONFIDENCE
    return replace(
        candidate,
        text=turn_to_first_person(text) or text,
        confidence=float(candidate.confidence),
        reasoning=read_text(candidate.reasoning)[:LONGEST_REASONING],
        evidence_ids=tuple(dict.fromkeys(candidate.evidence_ids)),
        entities=clean_entities(candidate.entities),
    )


def clean_entities(names: Sequence[str]) -> tuple[str, ...]:
    """Each once."""
    return tuple(dict.fromkeys(name for name in map(read_text, names) if name))[:MOST_ENTITIES]


def find_refusal(text: str) -> Refusal | None:
    """Why these words are no opinion of the agent. Who changed his mind holds what he thinks now."""
    change = find_change_of_mind(text)
    if is_no_opinion(change.new if change else text) or gives_up(text):
        return Refusal.NO_OPINION
    own = turn_to_first_person(text)
    if own is None:
        return Refusal.NOT_ITS_OWN
    return Refusal.TOO_LONG if len(own) > LONGEST_TEXT else None


def is_confidence(value: object) -> bool:
    """Out of range is refused and not moved to the edge: 7 may mean 0.7, and would become certainty."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return 0.0 <= value <= 1.0  # not so for NaN
