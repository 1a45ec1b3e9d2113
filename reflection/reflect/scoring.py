"""How near the pieces of memory come to a question."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from providers.embedding.protocol import Embedder
from providers.reranking.protocol import Reranker
from reflection.reflect.listing import ask_which
from reflection.reflect.pieces import Piece

SECONDS = 0.5
SECONDS_OF_COUNTING = 2.0  # every piece has to be read


@dataclass(frozen=True)
class Scale:
    """`least`: what the best piece must reach. `share` of the best: what each other one must reach."""

    least: float
    share: float


# Of 100 questions about the same people, half of which can be answered, these let pass 92 % and 90 % of those that can,
# and 46 % and 60 % of those that can't: without a model "not in memory" says little.
RERANKED, COSINE = Scale(least=0.5, share=0.3), Scale(least=0.65, share=0.85)


@dataclass(frozen=True)
class Scored:
    """`was_short`: the reranker had no time for all of them, and vectors decided."""

    pieces: tuple[tuple[Piece, float], ...] = ()
    scale: Scale = RERANKED
    was_short: bool = False

    def list_best(self) -> list[tuple[float, Piece]]:
        """Of each memory its best piece, the nearest first."""
        best: dict[int, tuple[float, Piece]] = {}
        for piece, score in self.pieces:
            known = best.get(piece.memory.label)
            if known is None or score > known[0]:
                best[piece.memory.label] = (score, piece)
        return sorted(best.values(), key=lambda one: (-one[0], one[1].memory.label))


@dataclass(frozen=True)
class Scorer:
    """`counts`: all pieces are scored by the same rule. A number that hangs on how busy the machine is says nothing.

    Else those that there was time for are enough: the first of them are the best that recall found.
    """

    reranker: Reranker
    embedder: Embedder
    counts: bool = False

    def score(self, question: str, pieces: Sequence[Piece]) -> Scored:
        if not pieces:
            return Scored()
        seconds = SECONDS_OF_COUNTING if self.counts else SECONDS
        asked = ask_which(question) if self.counts else question
        reranked = self.reranker.rerank(asked, [piece.text for piece in pieces], within_seconds=seconds)
        scored = tuple((pieces[one.index], one.score) for one in reranked if one.score is not None)
        is_enough = len(scored) == len(pieces) if self.counts else bool(scored)
        if is_enough:
            return Scored(scored)
        return Scored(self._compare(question, pieces), COSINE, was_short=bool(scored))

    def _compare(self, question: str, pieces: Sequence[Piece]) -> tuple[tuple[Piece, float], ...]:
        wanted = self.embedder.embed_query(question).vector
        vectors = self.embedder.embed_documents([piece.text for piece in pieces]).vectors
        return tuple((piece, float(np.dot(wanted, vector))) for piece, vector in zip(pieces, vectors, strict=True))
