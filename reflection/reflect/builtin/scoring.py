"""How near the pieces of memory come to a question."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import itemgetter

import numpy as np

from providers.embedding.protocol import Embedder
from providers.reranking.none import NoReranker
from providers.reranking.protocol import Reranker
from reflection.reflect.builtin.asker import Asker
from reflection.reflect.builtin.listing import ask_which
from reflection.reflect.builtin.pieces import Piece
from reflection.reflect.builtin.sharing import read_matter

SECONDS = 0.5
SECONDS_OF_COUNTING = 2.0  # every piece has to be read
QUIET = 12  # pieces in a row, in the order of recall, that are far: those behind them are farther
WORDS = 0.32  # of the cosine's scale, that a piece is nearer which has all the words of the question


@dataclass(frozen=True)
class Scale:
    """`least`: what the best piece must reach; `with_words`, where it has the names and a word of the question.
    `share` of the best: what each other one must reach.
    """

    least: float
    share: float
    with_words: float


RERANKED = Scale(least=0.5, share=0.3, with_words=0.25)
COSINE = Scale(least=0.7, share=0.85, with_words=0.7)  # of the cosine with `WORDS`


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
    """`was_short`: the reranker had no time for enough of them, and vectors and shared words decided."""

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

    def holds_answer(self, asker: Asker) -> bool:
        """Whether the best of them is near enough."""
        if not self.pieces:
            return False
        piece, score = max(self.pieces, key=itemgetter(1))
        if score >= self.scale.least:
            return True
        return score >= self.scale.with_words and read_matter(asker.question).measure(piece.text) > 0


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

    Else one that is near is enough: the first that are read are the best that recall found.
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
        places = {id(piece): place for place, piece in enumerate(pieces)}
        scored = sorted(
            ((piece, score) for piece, score in reranked if score is not None), key=lambda one: places[id(one[0])]
        )
        if self._is_enough([score for _, score in scored], len(pieces)):
            return Scored(tuple(scored))
        compared = [one for group in group_by_question(asker, pieces) for one in self._compare(group)]
        return Scored(tuple(compared), COSINE, was_short=not isinstance(self.reranker, NoReranker))

    def _is_enough(self, scores: Sequence[float], all_pieces: int) -> bool:
        """Whether those that were read, in the order of recall, tell what the rest would: that nothing is there, or
        nothing more to count.
        """
        if len(scores) == all_pieces:
            return True
        best = max(scores, default=0.0)
        if self.counts:
            near = RERANKED.share * max(best, RERANKED.least)
            return len(scores) > QUIET and all(score < near for score in scores[-QUIET:])
        return best >= RERANKED.least or len(scores) >= QUIET

    def _rerank(self, group: Group, all_pieces: int) -> list[tuple[Piece, float | None]]:
        """Within its share of the time."""
        seconds = (SECONDS_OF_COUNTING if self.counts else SECONDS) * len(group.pieces) / all_pieces
        reranked = self.reranker.rerank(group.question, group.texts, within_seconds=seconds)
        return [(group.pieces[one.index], one.score) for one in reranked]

    def _compare(self, group: Group) -> list[tuple[Piece, float]]:
        wanted = self.embedder.embed_query(group.question).vector
        vectors = self.embedder.embed_documents(group.texts).vectors
        matter = read_matter(group.question)
        return [
            (piece, float(np.dot(wanted, vector)) + WORDS * matter.measure(piece.text))
            for piece, vector in zip(group.pieces, vectors, strict=True)
        ]
