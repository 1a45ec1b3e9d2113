"""LoCoMo in its published format. Pitfalls: several evidence ids in one string, and leading zeros in the ids."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from benchmarks.recall.cases import Asked, Case, SpokenTurn

EVIDENCE = re.compile(r"D(\d+):(\d+)")
BETWEEN_TURNS = timedelta(seconds=30)  # sessions are dated, turns are not
CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}
AUDIT = "locomo*audit*.json"  # corrections of the published evidence, in a file beside the conversations
APART = "adversarial"  # these questions have no answer, so the overall figures leave them out

Audit = Mapping[tuple[str, int], frozenset[str]]


def read_locomo(path: Path, audit: Path | None) -> list[Case]:
    corrections = read_audit(audit) if audit else {}
    return [build_case(sample, corrections) for sample in json.loads(path.read_text(encoding="utf-8"))]


def read_audit(path: Path) -> Audit:
    rows = json.loads(path.read_text(encoding="utf-8"))
    return {(row["sample_id"], row["qa_index"]): read_evidence(row["correct_evidence"]) for row in rows}


def build_case(sample: Mapping[str, Any], audit: Audit) -> Case:
    turns = tuple(read_turns(sample["conversation"]))
    asked_at = max(turn.said_at for turn in turns) + timedelta(days=1)
    keys = {turn.key for turn in turns}
    questions = [
        build_question(sample["sample_id"], place, row, asked_at, audit) for place, row in enumerate(sample["qa"])
    ]
    return Case(sample["sample_id"], turns, tuple(one for one in questions if one.evidence & keys))


def read_turns(conversation: Mapping[str, Any]) -> Iterator[SpokenTurn]:
    for number in range(1, len(conversation)):
        began = conversation.get(f"session_{number}_date_time")
        for place, turn in enumerate(conversation.get(f"session_{number}", [])):
            yield SpokenTurn(
                key=turn["dia_id"],
                session=f"D{number}",
                role="user",
                name=turn["speaker"],
                text=build_text(turn),
                said_at=read_moment(began or "") + place * BETWEEN_TURNS,
            )


def read_moment(text: str) -> datetime:
    return datetime.strptime(text, "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)


def build_text(turn: Mapping[str, Any]) -> str:
    caption = turn.get("blip_caption")
    return f"{turn['text']} [shares a photo: {caption}]" if caption else str(turn["text"])


def build_question(sample: str, place: int, row: Mapping[str, Any], asked_at: datetime, audit: Audit) -> Asked:
    evidence = read_evidence(row["evidence"])
    return Asked(
        id=f"{sample}-{place}",
        text=row["question"],
        type=CATEGORIES[row["category"]],
        asked_at=asked_at,
        evidence=evidence,
        audited=audit.get((sample, place)) or evidence,
    )


def read_evidence(written: Sequence[str]) -> frozenset[str]:
    found = (match for text in written for match in EVIDENCE.finditer(text))
    return frozenset(f"D{int(match[1])}:{int(match[2])}" for match in found)
