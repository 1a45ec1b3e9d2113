"""The turns of a passage: persons, the name that an unnamed speaker gives, and the question that a turn answers."""

import re

from banks.types import Passage, Turn
from rules.parser import ParsedText

LONGEST_QUESTION = 240
QUESTION = re.compile(r"[^.!?\n\u3002\uff01\uff1f]*[?\uff1f]")
LAST_PART = 2_000  # characters in which a question is looked for
SELF_INTRODUCTION = re.compile(
    r"(?:^|[.!?,]\s+|\b(?i:hi|hey|hello),?\s+)"
    r"(?:(?P<states>(?i:my name is|my name's|call me))|I'm|I am|(?i:this is))\s+"
    r"(?P<name>[A-Z][\w'-]+(?: [A-Z][\w'-]+)?)(?=\s*(?:[.,!;(]|$|and\b|from\b|by the way))",
    re.MULTILINE,
)
NO_NAMES = frozenset({"NORP", "DATE", "TIME"})  # spaCy's labels of "Irish" and "Monday"
UNNAMED = "User"


def find_introduction(parsed: ParsedText) -> str:
    """The name that a speaker gives as their own. After "I'm" it must be a proper noun: "OK" and "Irish" are none."""
    nouns = {word.start: word for word in parsed.words if word.tag.startswith("NNP")}
    others = {name.start for name in parsed.names if name.label in NO_NAMES}
    for found in SELF_INTRODUCTION.finditer(parsed.text):
        word = nouns.get(found.start("name"))
        is_name = word is not None and word.start not in others and found["name"].startswith(word.text)
        if found["states"] or is_name:
            return found["name"]
    return ""


def is_unnamed(turn: Turn, passage: Passage) -> bool:
    return turn.speaker == UNNAMED and is_person(turn, passage)


def is_person(turn: Turn, passage: Passage) -> bool:
    return turn.role == "user" and not passage.is_document


def find_questions(passage: Passage) -> dict[int, str]:
    """By turn, the question or request that it answers: without it "5 years already!" can't be found."""
    before: Turn | None = passage.before[-1] if passage.before else None
    questions = {}
    for place, turn in enumerate(passage.turns):
        if before is not None and before.speaker != turn.speaker and not passage.is_document:
            asked = find_request(before) if turn.role == "assistant" else find_last_question(before.text)
            if asked:
                questions[place] = f"{before.speaker}: {asked}"
        before = turn
    return questions


def find_request(turn: Turn) -> str:
    """An agent is asked in imperatives as well, so the whole of a short message counts."""
    flat = " ".join(turn.text.split())
    return flat if len(flat) <= LONGEST_QUESTION else find_last_question(turn.text) or shorten(flat)


def find_last_question(text: str) -> str:
    found: list[str] = QUESTION.findall(text[-LAST_PART:])
    return shorten(" ".join(found[-1].split())) if found else ""


def shorten(text: str) -> str:
    return text if len(text) <= LONGEST_QUESTION else text[-LONGEST_QUESTION:].partition(" ")[2]
