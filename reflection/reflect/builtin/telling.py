"""What was chosen of memory, in words: dated, cited, and counted where that is asked for."""

import re
from dataclasses import dataclass
from datetime import datetime, tzinfo

from reflection.reflect.builtin.elapsed import tell_elapsed
from reflection.reflect.builtin.extracting import MOST_BELIEFS, Chosen, asks_for_count
from reflection.reflect.builtin.own_times import date_piece
from reflection.reflect.builtin.pieces import SHORT, Piece
from reflection.reflect.dates import describe_day, describe_occurrence
from reflection.reflect.types import Labelled
from retrieval.query.question_type import find_type
from retrieval.types import QuestionType

NOT_IN_MEMORY = "Memory does not hold an answer to this."
UNSURE = "There was no time to read all that was found. What comes nearest, and may not answer this:"
MOST_SENTENCES = 5
OF_AGE = re.compile(r"\bhow old\b", re.IGNORECASE)  # told in years, not by a day


@dataclass(frozen=True)
class Line:
    text: str
    memory: Labelled | None = None


def tell_extract(question: str, chosen: Chosen, asked_at: datetime) -> list[Line]:
    """At most five sentences. A count is the dated list of what matches; a date comes before what happened then, with
    how long ago that was where that is asked for.
    """
    zone = asked_at.tzinfo
    beliefs = [Line(tell_belief(piece), piece.memory) for piece in chosen.beliefs[:MOST_BELIEFS]]
    if chosen.is_unsure:
        return [Line(UNSURE), *(Line(tell_dated(piece, zone), piece.memory) for piece in chosen.evidence), *beliefs]
    if asks_for_count(question) and chosen.evidence:
        return [*list_items(chosen, zone), *beliefs]
    if asks_for_date(question):
        told = [Line(tell_time(question, piece, asked_at), piece.memory) for piece in chosen.evidence]
    else:
        told = [Line(tell_dated(piece, zone), piece.memory) for piece in chosen.evidence]
    return [*told[: MOST_SENTENCES - len(beliefs)], *beliefs]


def asks_for_date(question: str) -> bool:
    return find_type(question, has_window=False) is QuestionType.TEMPORAL and not OF_AGE.search(question)


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
    """Why the number of a count may be off, or nothing is sure, for the trace."""
    if chosen.is_unsure:
        return ["The reranker had no time for what was found: the nearest by vectors and words are told."]
    if not asks_for_count(question):
        return []
    notes = []
    if chosen.was_short:
        notes.append("The reranker had no time for all that was found: vectors and words decided what is counted.")
    if chosen.unread:
        notes.append(f"{chosen.unread} of the memories that were found were not looked at for the count.")
    if chosen.unlisted:
        notes.append(f"{chosen.unlisted} memories that match are counted and not listed.")
    return notes


def tell_date(piece: Piece, zone: tzinfo | None) -> str:
    candidate = date_piece(piece, zone)
    return describe_occurrence(candidate, zone) or f"told {describe_day(candidate.mentioned_at, zone)}"


def tell_dated(piece: Piece, zone: tzinfo | None) -> str:
    return f"{piece.shown} ({tell_date(piece, zone)})"


def tell_date_first(piece: Piece, zone: tzinfo | None) -> str:
    when = tell_date(piece, zone)
    return f"{when[0].upper()}{when[1:]}: {piece.shown}"


def tell_time(question: str, piece: Piece, asked_at: datetime) -> str:
    """Where another sentence of a short memory has the date, that is told too: it may be of the same."""
    dated, whole = date_piece(piece, asked_at.tzinfo), piece.memory.item.text.strip()
    if elapsed := tell_elapsed(question, dated, asked_at):
        return f"{tell_date(piece, asked_at.tzinfo)} ({elapsed}): {piece.shown}"
    when = tell_date_first(piece, asked_at.tzinfo)
    is_dated_beside = dated.occurred_start is None and piece.memory.item.candidate.occurred_start is not None
    if is_dated_beside and len(whole) <= SHORT:
        return when.removesuffix(piece.shown) + Piece(piece.memory, whole).shown
    return when


def tell_belief(piece: Piece) -> str:
    confidence = piece.memory.item.candidate.confidence
    return f"A belief, held with confidence {confidence:.2f}: {piece.shown}"
