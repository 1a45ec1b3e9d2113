"""Which rows of the archive are worth following to their units, and how good each is."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from banks.models import Corpus
from retrieval.lookups.floor import keep_near
from retrieval.lookups.nearest import Nearest
from retrieval.lookups.resolving import SourceName, name_source
from retrieval.lookups.words import RankedWords
from retrieval.ranking.rrf import add_up_places

SourceScores = dict[SourceName, float]


@dataclass(frozen=True)
class Sources:
    """Chunks by meaning and by words, each with its own order; episodes and relationships by both together.

    A chunk is the place itself, and fusing its two orders early would lose which of them found it.
    """

    chunks_by_meaning: SourceScores = field(default_factory=dict)
    chunks_by_words: SourceScores = field(default_factory=dict)
    summaries: SourceScores = field(default_factory=dict)

    @property
    def names(self) -> list[SourceName]:
        return list(self.chunks_by_meaning | self.chunks_by_words | self.summaries)


def score_sources(nearest: Nearest, words: RankedWords, limits: Mapping[Corpus, int], *, best: float = 0.0) -> Sources:
    """`best` is the highest cosine of all that was found: what is far behind it is not near."""
    summaries: SourceScores = {}
    for corpus in (Corpus.EPISODE, Corpus.RELATIONSHIP):
        scores = add_up_places([by_meaning(nearest, corpus, best), by_words(words, corpus)])
        ranked = sorted(scores.items(), key=lambda entry: (-entry[1], str(entry[0].name)))
        summaries |= dict(ranked[: limits[corpus]])
    most = limits[Corpus.CHUNK]
    return Sources(
        dict(list(by_meaning(nearest, Corpus.CHUNK, best).items())[:most]),
        dict(list(by_words(words, Corpus.CHUNK).items())[:most]),
        summaries,
    )


def by_meaning(nearest: Nearest, corpus: Corpus, best: float) -> SourceScores:
    near = keep_near(nearest.of(corpus), best)
    return {name_source(corpus, hit.id, hit.number): hit.score for hit in near}


def by_words(words: RankedWords, corpus: Corpus) -> SourceScores:
    return {SourceName(corpus, text.number): text.score for text in words.get(corpus, ())}
