"""Candidates with their vectors, before anything of the bank is read."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from providers.embedding.protocol import Embedder
from providers.embedding.vector import Vector
from reflection.opinions.types import CandidateOpinion
from reflection.opinions.wording.change_of_mind import find_change_of_mind


@dataclass(frozen=True, eq=False)
class Draft:
    """A clean candidate with its vector. `old` is what was thought before, where the candidate says so."""

    candidate: CandidateOpinion
    vector: Vector
    old: str = ""
    old_vector: Vector | None = None


def draft(candidates: Sequence[CandidateOpinion], embedder: Embedder) -> list[Draft]:
    """Without the tenant's cache: an answer is not given twice, and somebody waits for it."""
    changes = [find_change_of_mind(candidate.text) for candidate in candidates]
    told = [
        replace(candidate, text=change.new) if change else candidate
        for candidate, change in zip(candidates, changes, strict=True)
    ]
    texts = [one.text for one in told] + [change.old for change in changes if change]
    if not texts:
        return []
    vectors = iter(embedder.embed_documents(texts).vectors)
    news = [next(vectors) for _ in told]
    return [
        Draft(candidate, vector, change.old, next(vectors)) if change else Draft(candidate, vector)
        for candidate, vector, change in zip(told, news, changes, strict=True)
    ]
