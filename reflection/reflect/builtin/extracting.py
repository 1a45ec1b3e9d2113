"""The answer of the built-in engine: the sentences of memory that come nearest to the question, dated and cited."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

from banks.words import Network
from reflection.reflect.builtin.asker import Asker
from reflection.reflect.builtin.counted import leave_out_uncounted
from reflection.reflect.builtin.kin import ask_by_name, ask_in_other_words
from reflection.reflect.builtin.others_doings import is_of_another
from reflection.reflect.builtin.pieces import Piece, cut, cut_statements
from reflection.reflect.builtin.repeats import leave_out_repeats, leave_out_summaries
from reflection.reflect.builtin.replies import find_told, is_all_idle, is_idle
from reflection.reflect.builtin.rewording import ask_otherwise
from reflection.reflect.builtin.scoring import Nearness, Scored, Scorer
from reflection.reflect.dates import get_happened_at
from reflection.reflect.types import Labelled
from retrieval.query.question_type import find_type
from retrieval.types import QuestionType

MOST_LISTED, MOST_BELIEFS, MOST_UNSURE = 20, 2, 3  # items of a list; beliefs; memories that may not answer

AS_NEAR = 0.8  # of the best score: a reranker's scores say no more than that both answer
ONE_AMOUNT = re.compile(
    r"\bhow much\b.*\b(?:is|was|are|were|costs?|earn(?:s|ed)?|weigh(?:s|ed)?|pays?|paid|charge[sd]?|owe[sd]?)\b",
    re.IGNORECASE,
)
SUMMED_UP = re.compile(r"\b(?:total|altogether|so far|overall|combined|all|each|every)\b", re.IGNORECASE)
OF_NOW = re.compile(r"\b(?:now|nowadays|currently|at the moment|these days|at present)\b", re.IGNORECASE)


@dataclass(frozen=True)
class Reach:
    """How many memories are read for sentences, and how many sentences of them."""

    memories: int
    pieces: int


TELLING, COUNTING = Reach(24, 48), Reach(64, 96)


@dataclass(frozen=True)
class Chosen:
    """In the order of their scores. `unlisted` match as well; `unread` memories were not looked at.

    `is_unsure`: they are the nearest, and nothing that had the time to read them tells whether they answer.
    """

    evidence: tuple[Piece, ...] = ()
    beliefs: tuple[Piece, ...] = ()
    unlisted: int = 0
    unread: int = 0
    was_short: bool = False
    is_unsure: bool = False
    nearness: Nearness = field(default_factory=Nearness)

    @property
    def pieces(self) -> tuple[Piece, ...]:
        return self.evidence + self.beliefs

    @property
    def is_sure(self) -> bool:
        return bool(self.pieces) and not self.is_unsure


def choose_near(asker: Asker, memories: Sequence[Labelled], scorer: Scorer) -> Chosen:
    """Where nothing is near to the question as it is asked, what is near to it in other words, the latest first. Who is
    meant by whose he is, of him more is told by his name.
    """
    found = choose_nearest(asker, memories, scorer, is_of_now=OF_NOW.search(asker.question) is not None)
    by_name = "" if scorer.counts else ask_by_name(asker.question, memories)
    if by_name:
        named = choose_nearest(replace(asker, question=by_name), memories, scorer, is_of_now=False)
        found = unite(found, named)
    for other in [ask_otherwise(asker.question), *ask_in_other_words(asker.question)]:
        if found.is_sure:
            break
        asked_otherwise = (
            choose_nearest(replace(asker, question=other), memories, scorer, is_of_now=True) if other else found
        )
        found = found if asked_otherwise.is_unsure else asked_otherwise
    return found


def unite(found: Chosen, named: Chosen) -> Chosen:
    """The nearer first, each memory once."""
    if not named.is_sure:
        return found
    if not found.is_sure:
        return named
    first, second = sorted((found, named), key=lambda one: -one.nearness.best)
    told = {piece.memory.label for piece in first.pieces}
    return replace(first, evidence=(*first.evidence, *(one for one in second.evidence if one.memory.label not in told)))


def choose_nearest(asker: Asker, memories: Sequence[Labelled], scorer: Scorer, *, is_of_now: bool) -> Chosen:
    reach = COUNTING if scorer.counts else TELLING
    if scorer.counts:
        memories = leave_out_summaries(memories)
    told = (piece for memory in memories[: reach.memories] for piece in cut(memory))
    pieces = leave_out_repeats([piece for piece in told if not is_of_another(asker, piece)])
    scored = scorer.score(asker, pieces[: reach.pieces])
    read = {piece.memory.label for piece, _ in scored.pieces}
    found = Chosen(
        unread=len(memories[reach.memories :]) + len({piece.memory.label for piece in pieces} - read),
        was_short=scored.was_short,
        nearness=Nearness({piece.memory.label: score for score, piece in scored.list_best()}, scored.scale),
    )
    if not scored.holds_answer(asker):
        return tell_nearest(found, scored) if scored.was_short else found
    best = scored.list_best()
    near = [piece for score, piece in best if score >= best[0][0] * scored.scale.share]
    if is_of_now:
        near = put_latest_first(near, found.nearness)
    chosen = narrow(asker, divide(near), scorer)
    if scorer.counts:
        chosen = replace(chosen, evidence=tuple(leave_out_uncounted(asker, chosen.evidence)))
    return replace(
        found,
        evidence=chosen.evidence[:MOST_LISTED],
        beliefs=chosen.beliefs,
        unlisted=len(chosen.evidence[MOST_LISTED:]),
    )


def divide(pieces: Sequence[Piece]) -> Chosen:
    beliefs = islice(filter(is_belief, pieces), MOST_BELIEFS)
    return Chosen(tuple(piece for piece in pieces if not is_belief(piece)), tuple(beliefs))


def tell_nearest(found: Chosen, scored: Scored) -> Chosen:
    """What is not in memory must not hang on how busy the machine is: rather too much is told."""
    telling = [piece for _, piece in scored.list_best() if not is_all_idle(piece)]
    nearest = divide(telling[:MOST_UNSURE])
    return replace(found, evidence=nearest.evidence, beliefs=nearest.beliefs, is_unsure=True)


def put_latest_first(pieces: Sequence[Piece], nearness: Nearness) -> list[Piece]:
    """Of those that are as near as the best: the question is how things are now."""
    leading = [piece for piece in pieces if nearness.get(piece) >= nearness.best * AS_NEAR]
    leading.sort(key=lambda piece: get_happened_at(piece.memory.item.candidate), reverse=True)
    return [*leading, *(piece for piece in pieces if piece not in leading)]


def narrow(asker: Asker, chosen: Chosen, scorer: Scorer) -> Chosen:
    """Of each piece its best sentence. One that no sentence of is scored stays whole. What the agent was asked, or
    asks, is near to the question and answers nothing: what is said beside it may.
    """
    told = [sentence for piece in chosen.pieces for sentence in cut_statements(piece.memory, piece.text)]
    sentences = [sentence for sentence in told if not is_idle(sentence)]
    if [sentence.text for sentence in sentences] == [piece.text for piece in chosen.pieces]:
        return chosen
    idle = {piece.memory.label for piece in told} - {piece.memory.label for piece in sentences}
    best = {piece.memory.label: piece for _, piece in scorer.score(asker, sentences).list_best()}
    telling = [best.get(piece.memory.label, piece) for piece in chosen.evidence if piece.memory.label not in idle]
    evidence = leave_out_repeats(telling or [heard for piece in chosen.evidence if (heard := find_told(piece))])
    return Chosen(tuple(evidence), tuple(best.get(piece.memory.label, piece) for piece in chosen.beliefs))


def asks_for_count(question: str) -> bool:
    """One amount that somebody told is no count, however much is found: what the rent is, what a van cost."""
    is_of_many = find_type(question, has_window=False) is QuestionType.COUNTING
    return is_of_many and (ONE_AMOUNT.search(question) is None or SUMMED_UP.search(question) is not None)


def is_belief(piece: Piece) -> bool:
    return piece.memory.item.candidate.network is Network.OPINION
