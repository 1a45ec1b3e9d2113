"""The answer of the built-in engine: the sentences of memory that come nearest to the question, dated and cited."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import tzinfo
from itertools import islice

import numpy as np

from banks.retain.types import Network
from providers.embedding.protocol import Embedder
from providers.reranking.protocol import Reranker
from reflection.reflect.dates import describe_day, describe_occurrence
from reflection.reflect.liking import asks_for_taste, find_likes
from reflection.reflect.pieces import Piece, cut, cut_sentences
from reflection.reflect.types import Labelled
from retrieval.query.question_type import find_type
from retrieval.types import QuestionType

NOT_IN_MEMORY = "Memory does not hold an answer to this."
MOST_MEMORIES = 24  # that are read for sentences
MOST_PIECES = 48
SECONDS = 0.5
MOST_SENTENCES, MOST_COUNTED, MOST_BELIEFS = 5, 20, 2  # of an answer; items of a list; beliefs among the sentences


@dataclass(frozen=True)
class Scale:
    """`least`: what the best piece must reach. `share` of the best: what each other one must reach."""

    least: float
    share: float


# Of 100 questions about the same people, half of which can be answered, these let pass 92 % and 90 % of those that can,
# and 46 % and 60 % of those that can't: without a model "not in memory" says little.
RERANKED, COSINE = Scale(least=0.5, share=0.3), Scale(least=0.65, share=0.85)


@dataclass(frozen=True)
class Chosen:
    """In the order of their scores."""

    evidence: tuple[Piece, ...] = ()
    beliefs: tuple[Piece, ...] = ()

    @property
    def pieces(self) -> tuple[Piece, ...]:
        return self.evidence + self.beliefs


@dataclass(frozen=True)
class Line:
    text: str
    memory: Labelled | None = None


def choose(question: str, memories: Sequence[Labelled], reranker: Reranker, embedder: Embedder) -> Chosen:
    """The best piece of each memory that comes near enough. Where taste is asked for, what is liked comes first."""
    near = choose_near(question, memories, reranker, embedder)
    if not asks_for_taste(question):
        return near
    liked = find_likes(question, memories)
    told = {piece.memory.label for piece in liked}
    return Chosen((*liked, *(piece for piece in near.evidence if piece.memory.label not in told)), near.beliefs)


def choose_near(question: str, memories: Sequence[Labelled], reranker: Reranker, embedder: Embedder) -> Chosen:
    pieces = list(islice((piece for memory in memories[:MOST_MEMORIES] for piece in cut(memory)), MOST_PIECES))
    scored, scale = score_pieces(question, pieces, reranker, embedder)
    best: dict[int, tuple[float, Piece]] = {}
    for piece, score in scored:
        if score > best.get(piece.memory.label, (0.0, piece))[0]:
            best[piece.memory.label] = (score, piece)
    ranked = sorted(best.values(), key=lambda one: (-one[0], one[1].memory.label))
    if not ranked or ranked[0][0] < scale.least:
        return Chosen()
    near = [piece for score, piece in ranked if score >= ranked[0][0] * scale.share]
    evidence = tuple(piece for piece in near if not is_belief(piece))[:MOST_COUNTED]
    beliefs = tuple(piece for piece in near if is_belief(piece))[:MOST_BELIEFS]
    return narrow(question, Chosen(evidence, beliefs), reranker, embedder)


def narrow(question: str, chosen: Chosen, reranker: Reranker, embedder: Embedder) -> Chosen:
    """Of each piece its best sentence. One that no sentence of is scored stays whole."""
    sentences = [sentence for piece in chosen.pieces for sentence in cut_sentences(piece.memory, piece.text)]
    if [sentence.text for sentence in sentences] == [piece.text for piece in chosen.pieces]:
        return chosen
    scored, _ = score_pieces(question, sentences, reranker, embedder)
    best: dict[int, tuple[float, Piece]] = {}
    for piece, score in scored:
        known = best.get(piece.memory.label)
        if known is None or score > known[0]:
            best[piece.memory.label] = (score, piece)

    def shorten(piece: Piece) -> Piece:
        return best[piece.memory.label][1] if piece.memory.label in best else piece

    return Chosen(tuple(map(shorten, chosen.evidence)), tuple(map(shorten, chosen.beliefs)))


def score_pieces(
    question: str, pieces: Sequence[Piece], reranker: Reranker, embedder: Embedder
) -> tuple[list[tuple[Piece, float]], Scale]:
    """Those that there was time for. Where the reranker scores nothing, vectors decide."""
    if not pieces:
        return [], RERANKED
    reranked = reranker.rerank(question, [piece.text for piece in pieces], within_seconds=SECONDS)
    scored = [(pieces[one.index], one.score) for one in reranked if one.score is not None]
    if scored:
        return scored, RERANKED
    wanted = embedder.embed_query(question).vector
    vectors = embedder.embed_documents([piece.text for piece in pieces]).vectors
    return [(piece, float(np.dot(wanted, vector))) for piece, vector in zip(pieces, vectors, strict=True)], COSINE


def is_belief(piece: Piece) -> bool:
    return piece.memory.item.candidate.network is Network.OPINION


def tell_extract(question: str, chosen: Chosen, zone: tzinfo | None) -> list[Line]:
    """At most five sentences. A count is the dated list of what matches; a date comes before what happened then."""
    kind = find_type(question, has_window=False)
    beliefs = [Line(tell_belief(piece), piece.memory) for piece in chosen.beliefs[:MOST_BELIEFS]]
    if kind is QuestionType.COUNTING and chosen.evidence:
        return [*list_items(chosen.evidence, zone), *beliefs]
    if kind is QuestionType.TEMPORAL:
        told = [Line(tell_date_first(piece, zone), piece.memory) for piece in chosen.evidence]
    else:
        told = [Line(f"{piece.shown} ({tell_date(piece, zone)})", piece.memory) for piece in chosen.evidence]
    return [*told[: MOST_SENTENCES - len(beliefs)], *beliefs]


def list_items(pieces: Sequence[Piece], zone: tzinfo | None) -> list[Line]:
    shown = pieces[:MOST_COUNTED]
    heading = "1 memory matches:" if len(shown) == 1 else f"{len(shown)} memories match:"
    return [Line(heading), *(Line(f"- {tell_date_first(piece, zone)}", piece.memory) for piece in shown)]


def tell_date(piece: Piece, zone: tzinfo | None) -> str:
    candidate = piece.memory.item.candidate
    return describe_occurrence(candidate, zone) or f"told {describe_day(candidate.mentioned_at, zone)}"


def tell_date_first(piece: Piece, zone: tzinfo | None) -> str:
    when = tell_date(piece, zone)
    return f"{when[0].upper()}{when[1:]}: {piece.shown}"


def tell_belief(piece: Piece) -> str:
    confidence = piece.memory.item.candidate.confidence
    return f"A belief, held with confidence {confidence:.2f}: {piece.shown}"
