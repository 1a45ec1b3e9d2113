"""LongMemEval-S in its published format. Each question has its own haystack."""

import json
import lzma
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from benchmarks.recall.cases import Asked, Case, SpokenTurn

BETWEEN_TURNS = timedelta(seconds=30)
WRITTEN = "%Y/%m/%d (%a) %H:%M"


def read_longmemeval(path: Path) -> list[Case]:
    """Questions without an evidence turn are left out: abstentions, and questions without gold annotation."""
    content = lzma.decompress(path.read_bytes()) if path.suffix == ".xz" else path.read_bytes()
    cases = (build_case(row) for row in json.loads(content) if not row["question_id"].endswith("_abs"))
    return [case for case in cases if case.questions[0].evidence]


def build_case(row: Mapping[str, Any]) -> Case:
    marked = list(read_turns(row))
    evidence = frozenset(turn.key for turn, is_evidence in marked if is_evidence)
    question = Asked(
        id=row["question_id"],
        text=row["question"],
        type=row["question_type"],
        asked_at=read_moment(row["question_date"]),
        evidence=evidence,
        audited=evidence,
    )
    return Case(row["question_id"], tuple(turn for turn, _ in marked), (question,))


def read_turns(row: Mapping[str, Any]) -> Iterator[tuple[SpokenTurn, bool]]:
    """The place in a turn's key distinguishes the copies of a session that occurs twice in a haystack."""
    sessions = zip(row["haystack_session_ids"], row["haystack_dates"], row["haystack_sessions"], strict=True)
    for place, (session, began, turns) in enumerate(sessions):
        for number, turn in enumerate(turns):
            spoken = SpokenTurn(
                key=f"{place}:{number}",
                session=f"{place}:{session}"[:200],
                role=turn["role"],
                name="",
                text=turn["content"],
                said_at=read_moment(began) + number * BETWEEN_TURNS,
            )
            if turn["content"].strip():
                yield spoken, bool(turn.get("has_answer"))


def read_moment(text: str) -> datetime:
    return datetime.strptime(text, WRITTEN).replace(tzinfo=UTC)
