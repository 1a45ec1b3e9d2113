"""Conversations for the tests of the built-in engine."""

from datetime import UTC, datetime

from banks.retain.engines.builtin.engine import BuiltinEngine
from banks.retain.types import ExtractedFact, Passage, Role, Turn
from banks.words import Mode

MONDAY = datetime(2023, 5, 8, 13, 56, tzinfo=UTC)


def make_passage(*lines: str, is_document: bool = False) -> Passage:
    """A line is "Name: text"; the names Agent, System and Tool are those of their roles."""
    roles: dict[str, Role] = {"Agent": "assistant", "System": "system", "Tool": "tool"}
    turns = []
    for line in lines:
        speaker, _, text = line.partition(": ")
        role = roles.get(speaker, "user")
        turns.append(Turn(role=role, speaker=speaker, text=text, said_at=MONDAY))
    return Passage(turns=tuple(turns), is_document=is_document)


def told(*lines: str, mode: Mode = Mode.NARRATIVE, is_document: bool = False) -> tuple[ExtractedFact, ...]:
    return BuiltinEngine().extract(make_passage(*lines, is_document=is_document), mode=mode).facts
