"""Retaining whole conversations through the configured engine."""

import json
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

from banks.models import MemoryUnit
from banks.retain.input import GivenMessage, RetainItem
from benchmarks.options import Options
from benchmarks.report import Goal
from benchmarks.retain.names import find_locomo
from benchmarks.tenant import make_access, make_bank, retain_now
from tenants.transactions import tenant_transaction

LONGEST_SECONDS = 60.0
BETWEEN_TURNS = timedelta(seconds=30)


def measure_conversations(options: Options) -> tuple[dict[str, Any], list[Goal]] | None:
    path = find_locomo(options)
    if path is None:
        return None
    access = make_access()
    rows = []
    for sample in options.progress.over(json.loads(path.read_text(encoding="utf-8")), "conversations"):
        bank = make_bank(access, sample["sample_id"])
        items = list(read_sessions(sample["conversation"], options.limit))
        began = time.monotonic()
        operation = retain_now(access, bank.bank_id, items)
        seconds = time.monotonic() - began
        with tenant_transaction(access.tenant_id):
            units = MemoryUnit.objects.of_bank(bank)
            counts = {"units": units.count(), "superseded": units.exclude(expired_at=None).count()}
        turns = sum(len(item.messages) for item in items)
        engine = (operation.result or {})["engine"]
        rows.append(
            {"conversation": sample["sample_id"], "turns": turns, "seconds": seconds, **counts, "engine": engine}
        )
    slowest = max(row["seconds"] for row in rows)
    goal = Goal("a conversation of 400 to 690 turns: seconds", slowest, at_most=LONGEST_SECONDS)
    return {"slowest_seconds": slowest, "conversations": rows}, [goal]


def read_sessions(conversation: dict[str, Any], limit: int | None) -> Iterator[RetainItem]:
    """One item per session, up to `limit` turns in total. LoCoMo dates only sessions; turns get made-up times."""
    left = limit
    for number in range(1, len(conversation)):
        turns = conversation.get(f"session_{number}", [])[:left]
        if turns:
            began = read_moment(conversation[f"session_{number}_date_time"])
            yield RetainItem(began, messages=build_messages(turns, began), thread="conversation")
            left = None if left is None else left - len(turns)


def read_moment(text: str) -> datetime:
    return datetime.strptime(text, "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)


def build_messages(turns: list[dict[str, Any]], began: datetime) -> tuple[GivenMessage, ...]:
    return tuple(
        GivenMessage("user", build_text(turn), began + place * BETWEEN_TURNS, name=turn["speaker"])
        for place, turn in enumerate(turns)
    )


def build_text(turn: dict[str, Any]) -> str:
    caption = turn.get("blip_caption")
    return f"{turn['text']} [shares a photo: {caption}]" if caption else turn["text"]
