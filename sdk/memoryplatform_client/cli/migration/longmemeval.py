"""LongMemEval: questions, each with its own haystack of sessions. Each haystack becomes a bank."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

from memoryplatform_client.cli.batches import Entry
from memoryplatform_client.cli.migration.source import (
    Found,
    NotThisFormat,
    Wanted,
    bank_of,
    check_kind,
    read_json,
    spare_others,
    take,
)
from memoryplatform_client.options.retain import Item, MessageFields

BETWEEN_TURNS = timedelta(seconds=30)
WRITTEN = "%Y/%m/%d (%a) %H:%M"
PARTS = ("haystack_session_ids", "haystack_dates", "haystack_sessions")
LONGEST_THREAD = 200


def read(wanted: Wanted) -> Iterator[Found]:
    data = read_json(wanted.path)
    rows = data if isinstance(data, list) else [data]
    for place, row in enumerate(rows, 1):
        where = f"Question {place}"
        yield from spare_others(where, read_question(wanted, row, where, is_single=len(rows) == 1))


def read_question(wanted: Wanted, row: Any, where: str, *, is_single: bool) -> Iterator[Found]:
    id_ = str(take(row, "question_id", where))
    if not wanted.only or id_ in wanted.only:
        yield from read_haystack(bank_of(wanted, id_, is_single=is_single), id_, row)


def read_haystack(bank: str, id_: str, row: Any) -> Iterator[Found]:
    """The place in a thread's id distinguishes the copies of a session that occurs twice."""
    parts = [check_kind(list, take(row, name, id_), name) for name in PARTS]
    if len({len(part) for part in parts}) != 1:
        raise NotThisFormat(f"{id_} has different numbers of dates, sessions and session ids.")
    for place, (session, date, turns) in enumerate(zip(*parts, strict=True)):
        thread = f"{place}:{session}"[:LONGEST_THREAD]
        yield from spare_others(f"{id_} {session}", read_session(bank, f"{id_} {session}", thread, str(date), turns))


def read_session(bank: str, name: str, thread: str, date: str, turns: Any) -> Iterator[Entry]:
    began = find_start(date)
    placed = enumerate(check_kind(list, turns, "haystack_sessions"))
    messages = [build_message(turn, began + number * BETWEEN_TURNS, name) for number, turn in placed]
    spoken = [message for message in messages if message["content"].strip()]
    if spoken:
        yield Entry(bank, name, Item(messages=spoken, thread=thread, timestamp=began))


def find_start(text: str) -> datetime:
    try:
        return datetime.strptime(text, WRITTEN).replace(tzinfo=UTC)
    except ValueError as fault:
        raise NotThisFormat(f"{text!r} is no time such as '2023/05/20 (Sat) 02:21'.") from fault


def build_message(turn: Any, said_at: datetime, where: str) -> MessageFields:
    role, content = take(turn, "role", where), str(take(turn, "content", where))
    return MessageFields(role="assistant" if role == "assistant" else "user", content=content, timestamp=said_at)
