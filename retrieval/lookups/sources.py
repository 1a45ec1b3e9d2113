"""Which rows of the archive are worth following to their units."""

from collections.abc import Iterable, Mapping, Sequence

from banks.models import Corpus
from retrieval.lookups.nearest import Nearest
from retrieval.lookups.resolving import SourceName, name_source
from retrieval.lookups.words import RankedWords
from retrieval.recipes import RRF_K

LEAST_COSINE = 0.3  # the same floor as for units
# A chunk is the place itself; an episode and a relationship only lead there.
WEIGHTS: Mapping[Corpus, float] = {Corpus.CHUNK: 1.0, Corpus.EPISODE: 0.5, Corpus.RELATIONSHIP: 0.5}

SourceScores = dict[SourceName, float]


def score_sources(nearest: Nearest, words: RankedWords, limits: Mapping[Corpus, int]) -> SourceScores:
    """The best of each corpus by RRF of its cosine and its BM25 order, best first."""
    scores: SourceScores = {}
    for corpus, limit in limits.items():
        by_meaning = [
            name_source(corpus, hit.id, hit.number) for hit in nearest.of(corpus) if hit.score >= LEAST_COSINE
        ]
        by_words = [SourceName(corpus, text.number) for text in words.get(corpus, ())]
        ranked = sorted(add_up([by_meaning, by_words]).items(), key=lambda entry: (-entry[1], str(entry[0].name)))
        scores |= {source: score * WEIGHTS[corpus] for source, score in ranked[:limit]}
    return scores


def add_up(orders: Iterable[Sequence[SourceName]]) -> SourceScores:
    scores: SourceScores = {}
    for order in orders:
        for rank, source in enumerate(order, 1):
            scores[source] = scores.get(source, 0.0) + 1 / (RRF_K + rank)
    return scores
