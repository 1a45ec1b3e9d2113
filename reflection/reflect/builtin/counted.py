"""Which of the memories that come near to a count tell of one of the things that are counted."""

import re
from collections.abc import Sequence

from banks.dates.fold import fold_word
from reflection.reflect.builtin.asker import Asker
from reflection.reflect.builtin.others_doings import find_asked_verb, list_forms
from reflection.reflect.builtin.pieces import Piece
from retrieval.query.stop_words import ALL_STOP_WORDS

OVER = re.compile(
    r"\b(?:cancell?ed|called off|died|gave (?:\w+ ){1,3}(?:away|back)|gave (?:away|up)|got rid of|sold"
    r"|threw (?:\w+ ){0,3}away)\b",
    re.IGNORECASE,
)
ASKS_FOR_THAT = re.compile(
    r"\b(?:cancel\w*|call(?:ed)? off|die|died|dead|g[ai]ven? (?:\w+ ){0,3}(?:away|back|up)|(?:get|got) rid|sell|sold"
    r"|thr[eo]wn? (?:\w+ ){0,3}away)\b",
    re.IGNORECASE,
)
INTENDED = re.compile(
    r"\b(?:plan(?:s|ned|ning)?|wants?|wanted|hopes?|hoped|hoping|intends?|intended|going|would like|thinks? about)"
    r" (?:to|\w+ing)\b",
    re.IGNORECASE,
)
UNDER_WAY = re.compile(
    r"\bin the middle of\b|\bhalf[ -]?way through\b|(?:\b(?:am|is|are)|['\u2019][ms]) (?:still|currently|now) \w+ing\b"
    r"|(?:\b(?:am|is|are)|['\u2019][ms]) \w+ing\b[^.!?]*\b(?:now|currently|at the moment)\b",
    re.IGNORECASE,
)
ASKS_FOR_DONE = re.compile(r"\b(?:have|has|had|did)\b", re.IGNORECASE)
HOME = re.compile(r"\b(?:live|lives|lived|living|reside|resides|moved|am based|is based) (?:in|to)\b", re.IGNORECASE)
ASKS_FOR_VISITS = re.compile(r"\b(?:visit(?:ed|ing)?|been to|travell?ed to|trips?)\b", re.IGNORECASE)
EVERY_TIME = re.compile(r"\b(?:times|how often|occasions|how much|total)\b", re.IGNORECASE)
WORD = re.compile(r"\w+")
SAID_AGAIN = {"again", "also", "too"}


def leave_out_uncounted(asker: Asker, pieces: Sequence[Piece]) -> list[Piece]:
    """What is over, under way or only meant to be is none of them, unless that is asked for; what is told again is one.
    Where somebody lives is no visit.
    """
    asked = asker.question
    counted = [piece for piece in pieces if not is_undone(asked, piece) and not is_home(asked, piece)]
    return counted if EVERY_TIME.search(asked) else leave_out_told_again(asked, counted)


def is_undone(question: str, piece: Piece) -> bool:
    if ASKS_FOR_THAT.search(question) or INTENDED.search(question):
        return False
    if INTENDED.search(piece.text) or (ASKS_FOR_DONE.search(question) and UNDER_WAY.search(piece.text)):
        return True
    verb = find_asked_verb(question)
    is_done = verb and re.search(rf"\b(?:{'|'.join(list_forms(verb))})\b", piece.text)
    return OVER.search(piece.text) is not None and not is_done


def is_home(question: str, piece: Piece) -> bool:
    if not ASKS_FOR_VISITS.search(question) or HOME.search(question):
        return False
    return HOME.search(piece.text) is not None and not ASKS_FOR_VISITS.search(piece.text)


def leave_out_told_again(question: str, pieces: Sequence[Piece]) -> list[Piece]:
    """Two that have a date of their own are two; so are those that say nothing beyond the question."""
    known = read_stems(question)
    kept: dict[object, Piece] = {}
    for piece in pieces:
        said = read_stems(piece.shown) - known
        is_dated = piece.memory.item.candidate.occurred_start is not None
        kept.setdefault(piece.memory.label if is_dated or not said else said, piece)
    return list(kept.values())


def read_stems(text: str) -> frozenset[str]:
    """The words that carry meaning, without the ending of a plural."""
    words = (fold_word(word) for word in WORD.findall(text))
    return frozenset(word.removesuffix("s") for word in words if word not in ALL_STOP_WORDS | SAID_AGAIN)
