"""A passage as pieces to tell facts from: each with its parse, who speaks in it, and the question it answers."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import accumulate

from banks.english.detection import LETTER_OR_DIGIT, is_english
from banks.english.edits import apply_edits
from banks.english.parsed import Parsed
from banks.english.parser import parse
from banks.retain.engines.builtin.cutting import LONGEST, cut
from banks.retain.engines.builtin.dating import Dating, find_dating
from banks.retain.engines.builtin.pronouns import SUBJECTS, Voices, name_voices
from banks.retain.engines.builtin.questions import asks, last_question, opens_a_question, request_gist
from banks.retain.engines.builtin.readable import readable
from banks.retain.engines.builtin.second_person import is_imperative
from banks.retain.types import Passage, Quote, Turn

MOST_READ = 100_000  # characters of a passage; what goes on beyond is a pasted book, kept without a closer look
SAMPLE = 40  # pieces that tell the language of those too short to tell it themselves


@dataclass(frozen=True)
class Question:
    """`is_told`: an agent was told something and answered it; nothing was asked for."""

    asker: str
    text: str
    is_told: bool = False


@dataclass(frozen=True)
class Reading:
    """`parsed` has the text; in another language than English it has nothing else."""

    turn: Turn
    quote: Quote
    parsed: Parsed
    voices: Voices
    is_document: bool
    is_read: bool = True  # False beyond the limit: no grammar, no dates
    question: Question | None = None

    @property
    def text(self) -> str:
        return self.parsed.text

    @property
    def is_agents(self) -> bool:
        return self.turn.role == "assistant" and not self.is_document


def read(passage: Passage, *, longest: int = LONGEST) -> list[Reading]:
    plain = [reading for place in range(len(passage.turns)) for reading in _pieces(passage, place, longest)]
    parsed = _with_parses(_within_limit(plain))
    asked = _asked_before(passage, longest) | _questions(parsed)
    return [replace(reading, question=_question(reading, asked.get(reading.quote.turn - 1))) for reading in parsed]


def _asked_before(passage: Passage, longest: int) -> dict[int, "_Asked"]:
    """What the turn before the passage asked, at the place before the first.

    A conversation that is sent again stands before itself: what is in the passage was not said before it.
    """
    spoken = {_identify(turn) for turn in passage.turns}
    before = [turn for turn in passage.before if _identify(turn) not in spoken]
    if not before:
        return {}
    whole = replace(passage, turns=(before[-1], *passage.turns), before=())
    asked = _questions(_with_parses(list(_pieces(whole, 0, longest))))
    return {place - 1: each for place, each in asked.items()}


def _identify(turn: Turn) -> tuple[str, str, datetime, int]:
    """By the length of its text: a memory that comes back in it is blanked out."""
    return turn.role, turn.speaker, turn.said_at, len(turn.text)


def date_reading(reading: Reading) -> Dating:
    if not reading.is_read:
        return Dating()
    return find_dating(reading.text, said_at=reading.turn.said_at, only_relative=reading.is_agents)


def _pieces(passage: Passage, place: int, longest: int) -> Iterator[Reading]:
    turn = passage.turns[place]
    if turn.role == "system" and not passage.is_document:
        return  # how an agent is to behave is no fact about the world
    text = readable(turn.text)
    opening = f"{turn.speaker}:"
    said_from = len(opening) if text.startswith(opening) else 0
    voices = _voices(passage, turn)
    for piece in cut(text[said_from:], longest=longest):
        start, end = piece.start + said_from, piece.end + said_from
        if not LETTER_OR_DIGIT.search(text, start, end):
            continue
        yield Reading(
            turn=turn,
            quote=Quote(place, start, end),
            parsed=Parsed(text[start:end]),
            voices=voices,
            is_document=passage.is_document,
        )


def _with_parses(readings: Sequence[Reading]) -> list[Reading]:
    usually = is_english(" ".join(reading.text for reading in readings[:SAMPLE]), otherwise=True)
    chosen = [at for at, each in enumerate(readings) if each.is_read and is_english(each.text, otherwise=usually)]
    found = dict(zip(chosen, parse([readings[place].text for place in chosen]), strict=True))
    return [replace(reading, parsed=found.get(place, reading.parsed)) for place, reading in enumerate(readings)]


def _within_limit(readings: Sequence[Reading]) -> list[Reading]:
    before = accumulate((len(reading.text) for reading in readings), initial=0)
    return [replace(each, is_read=start < MOST_READ) for each, start in zip(readings, before, strict=False)]


@dataclass(frozen=True)
class _Asked:
    """`question` is the turn's last, `request` all of it that an agent is told with its answer."""

    turn: Turn
    question: str
    request: str
    is_told: bool


def _questions(readings: Sequence[Reading]) -> dict[int, _Asked]:
    """By turn: the last question in it, with names in place of "you", as its answer is found by it."""
    last = {reading.quote.turn: reading for reading in readings}
    return {place: _asked(reading) for place, reading in last.items()}


def _asked(reading: Reading) -> _Asked:
    request = request_gist(readable(reading.turn.text))
    is_told = not asks(request) and _is_statement(reading, request)
    return _Asked(reading.turn, last_question(_with_names(reading)), request, is_told)


def _is_statement(reading: Reading, request: str) -> bool:
    """It ends with a sentence that has a subject and is no order. What the parser can't read is known by its words."""
    parsed = reading.parsed
    if not parsed.sentences:
        return not opens_a_question(request)
    ending = list(parsed.sentences[-1])
    has_subject = any(
        parsed.words[at].dep in SUBJECTS and parsed.words[parsed.words[at].head].dep == "ROOT" for at in ending
    )
    return has_subject and not is_imperative(parsed, ending)


def _with_names(reading: Reading) -> str:
    return apply_edits(reading.text, name_voices(reading.parsed, reading.voices))


def _question(reading: Reading, before: _Asked | None) -> Question | None:
    """What the turn just before asked, if another spoke it. Of an agent anything said to it is a request."""
    if before is None or before.turn.speaker == reading.turn.speaker:
        return None
    is_request = reading.is_agents and before.turn.role == "user"
    text = f'"{before.request}"' if is_request else before.question
    is_told = is_request and before.is_told
    return Question(before.turn.speaker, text, is_told=is_told) if LETTER_OR_DIGIT.search(text) else None


def _voices(passage: Passage, turn: Turn) -> Voices:
    """The "you" of two people is the other one. An agent's "I" stays: its memories are in the first person."""
    if passage.is_document or turn.role != "user":
        return Voices(speaker=None)
    others = {(other.speaker, other.role) for other in passage.turns if other.speaker != turn.speaker}
    listener = next(iter(others)) if len(others) == 1 else None
    return Voices(turn.speaker, listener[0] if listener and listener[1] == "user" else None)
