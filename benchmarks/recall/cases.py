"""The cases of a recall benchmark: haystacks of turns, and questions with known evidence."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal

from banks.retain.input import GivenMessage, RetainItem
from banks.types import Role


@dataclass(frozen=True)
class SpokenTurn:
    """`key` is the turn's id in the gold annotation; `session` is its part of the haystack."""

    key: str
    session: str
    role: Role
    name: str
    text: str
    said_at: datetime


@dataclass(frozen=True)
class Asked:
    """`audited` is the evidence after an audit of the gold annotation; without an audit it is the published one."""

    id: str
    text: str
    type: str
    asked_at: datetime
    evidence: frozenset[str]
    audited: frozenset[str]


@dataclass(frozen=True)
class Case:
    """One haystack, stored in its own bank."""

    name: str
    turns: tuple[SpokenTurn, ...]
    questions: tuple[Asked, ...]

    @property
    def by_key(self) -> dict[str, SpokenTurn]:
        return {turn.key: turn for turn in self.turns}


Shape = Literal["messages", "documents", "transcript"]


def name_shape(case: Case, shape: Shape) -> Case:
    """Each shape of a case has a bank of its own."""
    return case if shape == "messages" else replace(case, name=f"{case.name}-{shape}")


def group_sessions(case: Case) -> dict[str, list[SpokenTurn]]:
    sessions: dict[str, list[SpokenTurn]] = {}
    for turn in case.turns:
        sessions.setdefault(turn.session, []).append(turn)
    return sessions


@dataclass(frozen=True)
class WrittenTurn:
    """Characters `start` to `end` of a document are the words of the turn."""

    key: str
    start: int
    end: int


def write_document(turns: Sequence[SpokenTurn]) -> tuple[str, list[WrittenTurn]]:
    """One line "Name: text" for each turn."""
    text, places = "", []
    for turn in turns:
        label = f"{turn.name or turn.role}: "
        start = len(text) + len(label)
        places.append(WrittenTurn(turn.key, start, start + len(turn.text)))
        text += f"{label}{turn.text}\n"
    return text.rstrip("\n"), places


def write_documents(case: Case, shape: Shape) -> dict[str, list[SpokenTurn]]:
    """The turns of each document by its id: one turn, or one session."""
    return group_sessions(case) if shape == "transcript" else {turn.key: [turn] for turn in case.turns}


def build_items(case: Case, shape: Shape = "messages") -> list[RetainItem]:
    """Messages: one item per session, and the message's actor, which no engine reads, holds the turn's key. Documents
    and transcripts are what the items of Hindsight's clients become: a text, its date and its id.
    """
    if shape != "messages":
        return [
            RetainItem(turns[0].said_at, text=write_document(turns)[0], document_id=document_id)
            for document_id, turns in write_documents(case, shape).items()
        ]
    return [
        RetainItem(
            turns[0].said_at,
            messages=tuple(
                GivenMessage(one.role, one.text, one.said_at, name=one.name, actor=one.key) for one in turns
            ),
            thread=session,
        )
        for session, turns in group_sessions(case).items()
    ]
