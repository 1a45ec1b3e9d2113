"""From which cosine on a row counts as near."""

from collections.abc import Iterable, Sequence

from retrieval.types import CorpusHit

LEAST_COSINE = 0.3  # TEMPR 3.1.1
# Few models put anything below that floor. What is so far behind the best is there because the bank is small; a place
# in a list would still count for it in the fusion.
FARTHEST_BEHIND = 0.3


def find_best(*lists: Sequence[CorpusHit]) -> float:
    return max((hits[0].score for hits in lists if hits), default=0.0)


def keep_near(hits: Iterable[CorpusHit], best: float) -> list[CorpusHit]:
    floor = max(LEAST_COSINE, best - FARTHEST_BEHIND)
    return [hit for hit in hits if hit.score >= floor]
