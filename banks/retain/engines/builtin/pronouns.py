"""Writes names in place of "I" and "you", sentence by sentence, where that is certain; else the sentence stays."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from banks.english.edits import Edit
from banks.english.parsed import Parsed
from banks.retain.engines.builtin.agreement import agree
from banks.retain.engines.builtin.second_person import is_addressed

OTHER_VOICES = re.compile(r'"[^"\n]*"|\u201c[^\u201d\n]*\u201d|\[[^\]\n]*\]')  # quoted speech, captions
SUBJECTS = frozenset({"nsubj", "nsubjpass"})


@dataclass(frozen=True)
class Voices:
    """Who is "I" and who is "you"; None where that can't be told, and nothing is rewritten then."""

    speaker: str | None
    listener: str | None = None


@dataclass(frozen=True)
class _Person:
    subject: str
    object: str
    possessive: str
    standing_alone: str
    reflexive: str

    def is_named_by(self, word: str) -> bool:
        return word in {self.subject, self.object, self.possessive, self.standing_alone, self.reflexive}


FIRST = _Person("i", "me", "my", "mine", "myself")
SECOND = _Person("you", "you", "your", "yours", "yourself")


def name_voices(parsed: Parsed, voices: Voices) -> list[Edit]:
    foreign = [match.span() for match in OTHER_VOICES.finditer(parsed.text)]
    edits: list[Edit] = []
    for sentence in parsed.sentences:
        own = [place for place in sentence if not _lies_in(parsed, place, foreign)]
        if voices.speaker:
            edits += _rewrite(parsed, own, FIRST, voices.speaker)
        if voices.listener and is_addressed(parsed, own):
            edits += _rewrite(parsed, own, SECOND, voices.listener)
    return edits


def _lies_in(parsed: Parsed, place: int, spans: list[tuple[int, int]]) -> bool:
    return any(start <= parsed.words[place].start < end for start, end in spans)


def _rewrite(parsed: Parsed, places: list[int], person: _Person, name: str) -> list[Edit]:
    """A reflexive would need a gender, and a subject without a verb is no sentence: both leave all as it was."""
    found = [place for place in places if person.is_named_by(parsed.words[place].lower) and _stands_free(parsed, place)]
    if any(not _is_clear(parsed, place, person) for place in found):
        return []
    return [edit for place in found for edit in _edits_at(parsed, place, person, name)]


def _is_clear(parsed: Parsed, place: int, person: _Person) -> bool:
    word = parsed.words[place]
    if word.lower == person.reflexive or not word.tag.startswith("PRP"):
        return False
    is_nominative = word.lower == person.subject != person.object
    return not is_nominative or word.dep in SUBJECTS or word.dep == "conj"


def _edits_at(parsed: Parsed, place: int, person: _Person, name: str) -> Iterator[Edit]:
    word = parsed.words[place]
    opens = place == 0 or parsed.words[place - 1].text in {".", "!", "?"}
    shown = name[:1].upper() + name[1:] if opens else name
    owned = word.lower in {person.possessive, person.standing_alone}
    yield Edit(word.start, word.end, f"{shown}'s" if owned else shown)
    if word.lower == person.subject and word.dep in SUBJECTS:
        yield from agree(parsed, place, keeps_were=person is FIRST)


def _stands_free(parsed: Parsed, place: int) -> bool:
    """Not a part of "me-time"."""
    word = parsed.words[place]
    return "-" not in (parsed.text[word.start - 1 : word.start], parsed.text[word.end : word.end + 1])
