"""Recalled items without a database."""

from datetime import datetime
from typing import Any
from uuid import UUID

from banks.enums import Network
from reflection.reflect.found_memories import FoundMemories
from retrieval.types import Candidate, RecallItem, Scores
from tests.retrieval.memory import NOW


def make_item(number: int, text: str = "Alice moved to Lisbon.", **fields: Any) -> RecallItem:
    usual: dict[str, Any] = {
        "kind": "unit",
        "id": UUID(int=number),
        "text": text,
        "context": "",
        "network": Network.WORLD,
        **dict.fromkeys(("occurred_start", "occurred_end", "valid_from", "valid_until", "expired_at")),
        **dict.fromkeys(("superseded_by", "confidence")),
        "mentioned_at": NOW,
        "recorded_at": NOW,
        "close_reason": "",
        "importance": 0.5,
        "proof_count": 1,
        "access_count": 0,
    }
    return RecallItem(Candidate(**usual | fields), text, 5, Scores(1.0, 1.0), "support")


def gather(*items: RecallItem) -> FoundMemories:
    found = FoundMemories()
    found.note_shown(found.add(items))
    return found


def day(number: int, *, month: int = 5) -> datetime:
    return NOW.replace(month=month, day=number)
