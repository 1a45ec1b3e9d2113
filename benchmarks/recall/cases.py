"""The cases of a recall benchmark: haystacks of turns, and questions with known evidence."""

from dataclasses import dataclass
from datetime import datetime

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


def build_items(case: Case) -> list[RetainItem]:
    """One item per session. The message's actor, which no engine reads, holds the turn's key."""
    sessions: dict[str, list[SpokenTurn]] = {}
    for turn in case.turns:
        sessions.setdefault(turn.session, []).append(turn)
    return [
        RetainItem(
            turns[0].said_at,
            messages=tuple(
                GivenMessage(one.role, one.text, one.said_at, name=one.name, actor=one.key) for one in turns
            ),
            thread=session,
        )
        for session, turns in sessions.items()
    ]
