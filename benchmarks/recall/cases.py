"""What a recall benchmark asks: haystacks of turns, and questions whose evidence is known."""

from dataclasses import dataclass
from datetime import datetime

from banks.retain.input import GivenMessage, RetainItem
from banks.retain.types import Role


@dataclass(frozen=True)
class SpokenTurn:
    """`key` names it in the gold; `session` is the part of the haystack that it belongs to."""

    key: str
    session: str
    role: Role
    name: str
    text: str
    said_at: datetime


@dataclass(frozen=True)
class Asked:
    """`audited` is the evidence after an audit of the gold; the published where there was none."""

    id: str
    text: str
    type: str
    asked_at: datetime
    evidence: frozenset[str]
    audited: frozenset[str]


@dataclass(frozen=True)
class Case:
    """One haystack, a bank of its own."""

    name: str
    turns: tuple[SpokenTurn, ...]
    questions: tuple[Asked, ...]

    @property
    def by_key(self) -> dict[str, SpokenTurn]:
        return {turn.key: turn for turn in self.turns}


def build_items(case: Case) -> list[RetainItem]:
    """One item a session. A turn's key travels as the message's actor, which no engine reads."""
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
