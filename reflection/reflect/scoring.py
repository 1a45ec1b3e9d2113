"""How near the pieces of memory come to a question."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from providers.embedding.protocol import Embedder
from providers.reranking.protocol import Reranker
from reflection.reflect.asker import Asker
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
class Nearness:
    """How near each memory came, by its label; those that were not read came to nothing."""

    scores: Mapping[int, float] = field(default_factory=dict)
    scale: Scale = RERANKED

    @property
    def best(self) -> float:
        return max(self.scores.values(), default=0.0)

    def get(self, piece: Piece) -> float:
        return self.scores.get(piece.memory.label, 0.0)

    def is_near(self, piece: Piece) -> bool:
        return self.best >= self.scale.least and self.get(piece) >= self.best * self.scale.share


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
class Group:
    """Pieces, as `texts` tell them, that a question is put to in the same words."""

    question: str
    pieces: list[Piece] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)


def group_by_question(asker: Asker, pieces: Sequence[Piece]) -> list[Group]:
    groups: dict[str, Group] = {}
    for piece in pieces:
        question, text = asker.put(piece)
        group = groups.setdefault(question, Group(question))
        group.pieces.append(piece)
        group.texts.append(text)
    return list(groups.values())


@dataclass(frozen=True)
class Scorer:
    """`counts`: all pieces are scored by the same rule. A number that hangs on how busy the machine is says nothing.

    Else those that there was time for are enough: the first of them are the best that recall found.
    """

    reranker: Reranker
    embedder: Embedder
    counts: bool = False

    def score(self, asker: Asker, pieces: Sequence[Piece]) -> Scored:
        """Each piece once, against the question as it is put to it."""
        if not pieces:
            return Scored()
        asked = replace(asker, question=ask_which(asker.question)) if self.counts else asker
        reranked = [one for group in group_by_question(asked, pieces) for one in self._rerank(group, len(pieces))]
        scored = tuple((piece, score) for piece, score in reranked if score is not None)
        is_enough = len(scored) == len(pieces) if self.counts else bool(scored)
        if is_enough:
            return Scored(scored)
        compared = [one for group in group_by_question(asker, pieces) for one in self._compare(group)]
        return Scored(tuple(compared), COSINE, was_short=bool(scored))

    def _rerank(self, group: Group, all_pieces: int) -> list[tuple[Piece, float | None]]:
        """Within its share of the time."""
        seconds = (SECONDS_OF_COUNTING if self.counts else SECONDS) * len(group.pieces) / all_pieces
        reranked = self.reranker.rerank(group.question, group.texts, within_seconds=seconds)
        return [(group.pieces[one.index], one.score) for one in reranked]

    def _compare(self, group: Group) -> list[tuple[Piece, float]]:
        wanted = self.embedder.embed_query(group.question).vector
        vectors = self.embedder.embed_documents(group.texts).vectors
        return [(piece, float(np.dot(wanted, vector))) for piece, vector in zip(group.pieces, vectors, strict=True)]
