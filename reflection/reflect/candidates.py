"""From what a model noted to opinions that may be formed: each rests on evidence that the model was shown."""

import re
from collections.abc import Sequence
from uuid import UUID

from reflection.opinions.types import CandidateOpinion
from reflection.reflect.gathered import Gathered
from reflection.reflect.notes import WrittenOpinion
from reflection.reflect.references import find_memory
from reflection.reflect.types import Labelled

MARKS = re.compile(r"\s*\[\s*\d+(?:[\s,;]+\d+)*\s*\]")


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


def drop_marks(text: str) -> str:
    """The numbers hold for one answer; an opinion is read long after."""
    return MARKS.sub("", text)


def list_evidence(names: Sequence[int | str], gathered: Gathered) -> tuple[UUID, ...]:
    """Of what was shown. Forming decides which of it can prove anything."""
    found = (find_named(name, gathered) for name in names)
    return tuple(dict.fromkeys(memory.id for memory in found if memory is not None))


def count_unknown(written: Sequence[WrittenOpinion], gathered: Gathered) -> int:
    """References to what the model was not shown."""
    return sum(find_named(name, gathered) is None for opinion in written for name in opinion.evidence)


def find_named(name: int | str, gathered: Gathered) -> Labelled | None:
    return find_memory(gathered, str(name).strip("[] "))
