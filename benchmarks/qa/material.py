"""The material that the reader sees in each mode: memories, chunks or the whole conversation, in the order of time."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

import numpy as np

from banks.enums import Network
from benchmarks.qa.prompts import write_day
from benchmarks.recall.cases import Case, SpokenTurn
from providers.embedding.vector import Vector
from providers.registry import get_embedder
from reflection.reflect.dates import describe_occurrence
from retrieval.types import BUDGETS, RecallItem, RecallQuery

CHUNK_CHARACTERS = 1_600  # as in the archive


@dataclass(frozen=True)
class Passage:
    """A text under the day on which it was said."""

    said_at: datetime
    text: str


def write_passages(passages: Iterable[Passage]) -> list[str]:
    lines, day = [], ""
    for one in sorted(passages, key=lambda passage: passage.said_at):
        if (said := write_day(one.said_at)) != day:
            day = said
            lines.append(f"Said on {day}:")
        lines.append(one.text)
    return lines


def build_recall_query(text: str, asked_at: datetime, *, tokens: int, budget: str) -> RecallQuery:
    """Without the reranker's time box, so that each run gives the same result. The results fill the tokens."""
    unhurried = replace(BUDGETS[budget], rerank_seconds=None)
    return RecallQuery(text, asked_at, max_tokens=tokens, budget=unhurried, fills=True)


def write_memories(items: Sequence[RecallItem]) -> list[str]:
    return write_passages(Passage(one.candidate.mentioned_at, write_memory(one)) for one in items)


def write_memory(item: RecallItem) -> str:
    candidate = item.candidate
    notes = []
    if candidate.network is Network.OBSERVATION:
        notes.append("a summary")
    if candidate.confidence is not None:
        notes.append(f"an opinion, confidence {candidate.confidence:.1f}")
    if when := describe_occurrence(candidate, UTC):
        notes.append(f"about {when}")
    if candidate.valid_until is not None:
        notes.append(f"true until {write_day(candidate.valid_until)}")
    name = candidate.speaker or candidate.role
    speaker = "" if not name or item.text.startswith(f"{name}:") else f"{name}: "  # a passage amid a text has no name
    return f"- {speaker}{item.text}" + (f" ({'; '.join(notes)})" if notes else "")


def write_conversation(case: Case) -> list[str]:
    return write_passages(Passage(turn.said_at, write_turn(turn)) for turn in case.turns)


def write_turn(turn: SpokenTurn) -> str:
    return f"{turn.name or turn.role}: {turn.text}"


class Chunks:
    """Plain retrieval as a baseline: pieces of the sessions and their vectors, without any memory of ours."""

    def __init__(self, case: Case) -> None:
        self._passages = cut_sessions(case.turns)
        self._vectors: list[Vector] = get_embedder().embed_documents([one.text for one in self._passages]).vectors

    def find_nearest(self, text: str, count: int) -> list[Passage]:
        scores = np.asarray(self._vectors) @ get_embedder().embed_query(text).vector
        return [self._passages[place] for place in np.argsort(-scores, kind="stable")[:count]]


def cut_sessions(turns: Sequence[SpokenTurn]) -> list[Passage]:
    """Whole turns up to the length of a chunk. A longer turn is cut."""
    passages: list[Passage] = []
    session, held = "", list[str]()
    began = turns[0].said_at if turns else datetime.now(UTC)
    for turn in turns:
        written = write_turn(turn)
        for start in range(0, len(written), CHUNK_CHARACTERS):
            piece = written[start : start + CHUNK_CHARACTERS]
            if held and (turn.session != session or sum(map(len, held)) + len(piece) > CHUNK_CHARACTERS):
                passages.append(Passage(began, "\n".join(held)))
                held = []
            if not held:
                session, began = turn.session, turn.said_at
            held.append(piece)
    return [*passages, Passage(began, "\n".join(held))] if held else passages
