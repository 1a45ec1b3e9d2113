from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

from banks.enums import Network
from retrieval.types import Candidate, Ranked, Scores

ASKED_AT = datetime(2025, 11, 15, 12, tzinfo=UTC)


def make_candidate(text: str = "Alice works at Google.", **values: Any) -> Candidate:
    told: dict[str, Any] = {
        "kind": "unit",
        "id": uuid4(),
        "text": text,
        "context": "",
        "network": Network.WORLD,
        "occurred_start": None,
        "occurred_end": None,
        "mentioned_at": ASKED_AT,
        "valid_from": None,
        "valid_until": None,
        "recorded_at": ASKED_AT,
        "expired_at": None,
        "close_reason": "",
        "superseded_by": None,
        "confidence": None,
        "importance": 0.5,
        "proof_count": 1,
        "access_count": 0,
    }
    return Candidate(**(told | values))


def make_ranked(text: str = "Alice works at Google.", *, final: float = 1.0, **values: Any) -> Ranked:
    return Ranked(make_candidate(text, **values), text, Scores(fused=0.0, final=final), bank_id="bank")


def make_id(number: int) -> UUID:
    return UUID(int=number)
