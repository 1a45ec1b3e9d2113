"""From what a model noted to opinions that may be formed: each rests on evidence that the model was shown."""

from collections.abc import Sequence
from uuid import UUID

from reflection.opinions.types import CandidateOpinion
from reflection.reflect.llm.marks import drop_marks
from reflection.reflect.llm.notes import WrittenOpinion
from reflection.reflect.llm.references import find_memory, list_references
from reflection.reflect.lookups.gathered import Gathered
from reflection.reflect.types import Labelled


def build_candidates(written: Sequence[WrittenOpinion], gathered: Gathered) -> list[CandidateOpinion]:
    return [build_candidate(opinion, gathered) for opinion in written]


def build_candidate(written: WrittenOpinion, gathered: Gathered) -> CandidateOpinion:
    return CandidateOpinion(
        text=drop_marks(written.text),
        confidence=written.confidence,
        reasoning=drop_marks(written.reasoning),
        evidence_ids=list_evidence(written.evidence, gathered),
        entities=tuple(written.entities),
    )


def list_evidence(names: Sequence[int | str], gathered: Gathered) -> tuple[UUID, ...]:
    """Of what was shown. Forming decides which of it can prove anything."""
    found = (memory for name in names for memory in find_named(name, gathered))
    return tuple(dict.fromkeys(memory.id for memory in found if memory is not None))


def count_unknown(written: Sequence[WrittenOpinion], gathered: Gathered) -> int:
    """References to what the model was not shown."""
    named = (memory for opinion in written for name in opinion.evidence for memory in find_named(name, gathered))
    return sum(memory is None for memory in named)


def find_named(name: int | str, gathered: Gathered) -> list[Labelled | None]:
    """One, or as many as a text like "1-3" names; None for each that is not there."""
    text = str(name).strip("[]\u3010\u3011 ")
    return [find_memory(gathered, one) for one in list_references(text) or [text]]
