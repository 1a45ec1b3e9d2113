"""The answer of the built-in engine: the sentences of memory that come nearest to the question, dated and cited."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, tzinfo
from itertools import islice

from banks.words import Network
from providers.embedding.protocol import Embedder
from providers.reranking.protocol import Reranker
from reflection.reflect.asker import Asker, find_asker
from reflection.reflect.counted import leave_out_uncounted
from reflection.reflect.dates import describe_day, describe_occurrence
from reflection.reflect.elapsed import ask_when, tell_elapsed
from reflection.reflect.liking import asks_for_taste, find_likes
from reflection.reflect.others_doings import is_of_another
from reflection.reflect.pieces import Piece, cut, cut_sentences
from reflection.reflect.repeats import leave_out_repeats, leave_out_summaries
from reflection.reflect.scoring import Nearness, Scorer
from reflection.reflect.tastes import ask_what_is_liked, choose_likes, leave_out_parts
from reflection.reflect.types import Labelled
from retrieval.query.question_type import find_type
from retrieval.types import QuestionType

NOT_IN_MEMORY = "Memory does not hold an answer to this."
MOST_SENTENCES, MOST_LISTED, MOST_BELIEFS = 5, 20, 2  # of an answer; items of a list; beliefs among the sentences

WAS_ASKED = re.compile(r'^[^"\n]{1,80} (?:asked|told) me: "[^"\n]*"\W*$')  # as retain tells of a request


@dataclass(frozen=True)
class Reach:
    """How many memories are read for sentences, and how many sentences of them."""

    memories: int
    pieces: int


TELLING, COUNTING = Reach(24, 48), Reach(64, 96)


@dataclass(frozen=True)
class Chosen:
    """In the order of their scores. `unlisted` match as well; `unread` memories were not looked at."""

    evidence: tuple[Piece, ...] = ()
    beliefs: tuple[Piece, ...] = ()
    unlisted: int = 0
    unread: int = 0
    was_short: bool = False
    nearness: Nearness = field(default_factory=Nearness)

    @property
    def pieces(self) -> tuple[Piece, ...]:
        return self.evidence + self.beliefs


@dataclass(frozen=True)
class Line:
    text: str
    memory: Labelled | None = None


def choose(question: str, memories: Sequence[Labelled], reranker: Reranker, embedder: Embedder) -> Chosen:
    """The best piece of each memory that comes near enough. Where taste is asked for, what is liked comes first."""
    scorer = Scorer(reranker, embedder, counts=asks_for_count(question))
    if not asks_for_taste(question):
        return choose_near(find_asker(ask_when(question), memories), memories, scorer)
    likes = find_likes(question, memories)
    first = [piece.memory for piece in likes]  # so that they are read, wherever recall found them
    read = [*first, *(memory for memory in memories if memory not in first)]
    near = choose_near(ask_what_is_liked(question, memories), read, scorer)
    liked = choose_likes(question, likes, near.nearness)
    told = {piece.memory.label for piece in liked}
    others = (piece for piece in near.evidence if piece.memory.label not in told)
    return replace(near, evidence=tuple(leave_out_parts(leave_out_repeats([*liked, *others]))))


def choose_near(asker: Asker, memories: Sequence[Labelled], scorer: Scorer) -> Chosen:
    reach = COUNTING if scorer.counts else TELLING
    if scorer.counts:
        memories = leave_out_summaries(memories)
    told = (piece for memory in memories[: reach.memories] for piece in cut(memory))
    pieces = leave_out_repeats([piece for piece in told if not is_of_another(asker, piece)])
    scored = scorer.score(asker, pieces[: reach.pieces])
    read = {piece.memory.label for piece, _ in scored.pieces}
    unread = len(memories[reach.memories :]) + len({piece.memory.label for piece in pieces[reach.pieces :]} - read)
    ranked = scored.list_best()
    found = Chosen(
        unread=unread,
        was_short=scored.was_short,
        nearness=Nearness({piece.memory.label: score for score, piece in ranked}, scored.scale),
    )
    if not ranked or ranked[0][0] < scored.scale.least:
        return found
    near = [piece for score, piece in ranked if score >= ranked[0][0] * scored.scale.share]
    evidence = tuple(piece for piece in near if not is_belief(piece))
    beliefs = tuple(islice(filter(is_belief, near), MOST_BELIEFS))
    chosen = narrow(asker, Chosen(evidence, beliefs), scorer)
    if scorer.counts:
        chosen = replace(chosen, evidence=tuple(leave_out_uncounted(asker, chosen.evidence)))
    return replace(
        found,
        evidence=chosen.evidence[:MOST_LISTED],
        beliefs=chosen.beliefs,
        unlisted=len(chosen.evidence[MOST_LISTED:]),
    )


def narrow(asker: Asker, chosen: Chosen, scorer: Scorer) -> Chosen:
    """Of each piece its best sentence. One that no sentence of is scored stays whole. What the agent was asked is near
    to the question and answers nothing.
    """
    told = (sentence for piece in chosen.pieces for sentence in cut_sentences(piece.memory, piece.text))
    sentences = [sentence for sentence in told if not WAS_ASKED.match(sentence.text)]
    if [sentence.text for sentence in sentences] == [piece.text for piece in chosen.pieces]:
        return chosen
    best = {piece.memory.label: piece for _, piece in scorer.score(asker, sentences).list_best()}
    evidence = leave_out_repeats([best.get(piece.memory.label, piece) for piece in chosen.evidence])
    return Chosen(tuple(evidence), tuple(best.get(piece.memory.label, piece) for piece in chosen.beliefs))


def asks_for_count(question: str) -> bool:
    return find_type(question, has_window=False) is QuestionType.COUNTING


def is_belief(piece: Piece) -> bool:
    return piece.memory.item.candidate.network is Network.OPINION


def tell_extract(question: str, chosen: Chosen, asked_at: datetime) -> list[Line]:
    """At most five sentences. A count is the dated list of what matches; a date comes before what happened then, with
    how long ago that was where that is asked for.
    """
    zone, kind = asked_at.tzinfo, find_type(question, has_window=False)
    beliefs = [Line(tell_belief(piece), piece.memory) for piece in chosen.beliefs[:MOST_BELIEFS]]
    if kind is QuestionType.COUNTING and chosen.evidence:
        return [*list_items(chosen, zone), *beliefs]
    if kind is QuestionType.TEMPORAL:
        told = [Line(tell_time(question, piece, asked_at), piece.memory) for piece in chosen.evidence]
    else:
        told = [Line(f"{piece.shown} ({tell_date(piece, zone)})", piece.memory) for piece in chosen.evidence]
    return [*told[: MOST_SENTENCES - len(beliefs)], *beliefs]


def list_items(chosen: Chosen, zone: tzinfo | None) -> list[Line]:
    items = (Line(f"- {tell_date_first(piece, zone)}", piece.memory) for piece in chosen.evidence)
    return [Line(head_list(chosen)), *items]


def head_list(chosen: Chosen) -> str:
    listed = len(chosen.evidence)
    count = listed + chosen.unlisted
    told = "1 memory matches" if count == 1 else f"{count} memories match"
    if chosen.unread:
        told = f"At least {told}"
    return f"{told}, of which the nearest {listed}:" if chosen.unlisted else f"{told}:"


def list_shortcomings(question: str, chosen: Chosen) -> list[str]:
    """Why the number of a count may be off, for the trace."""
    if not asks_for_count(question):
        return []
    notes = []
    if chosen.was_short:
        notes.append("The reranker had no time for all that was found: vectors alone decided what is counted.")
    if chosen.unread:
        notes.append(f"{chosen.unread} of the memories that were found were not looked at for the count.")
    if chosen.unlisted:
        notes.append(f"{chosen.unlisted} memories that match are counted and not listed.")
    return notes


def tell_date(piece: Piece, zone: tzinfo | None) -> str:
    candidate = piece.memory.item.candidate
    return describe_occurrence(candidate, zone) or f"told {describe_day(candidate.mentioned_at, zone)}"


def tell_date_first(piece: Piece, zone: tzinfo | None) -> str:
    when = tell_date(piece, zone)
    return f"{when[0].upper()}{when[1:]}: {piece.shown}"


def tell_time(question: str, piece: Piece, asked_at: datetime) -> str:
    elapsed = tell_elapsed(question, piece.memory.item.candidate, asked_at)
    when = tell_date(piece, asked_at.tzinfo)
    return f"{when} ({elapsed}): {piece.shown}" if elapsed else tell_date_first(piece, asked_at.tzinfo)


def tell_belief(piece: Piece) -> str:
    confidence = piece.memory.item.candidate.confidence
    return f"A belief, held with confidence {confidence:.2f}: {piece.shown}"
