"""LoCoMo: conversations of two people over many sessions. Each becomes a bank, each session a thread."""

import re
from collections.abc import Iterator, Mapping
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

SESSION = re.compile(r"session_(\d+)")
BETWEEN_TURNS = timedelta(seconds=30)  # sessions are dated, turns are not
WRITTEN = "%I:%M %p on %d %B, %Y"


def read(wanted: Wanted) -> Iterator[Found]:
    data = read_json(wanted.path)
    samples = data if isinstance(data, list) else [data]
    for place, sample in enumerate(samples, 1):
        where = f"Conversation {place}"
        yield from spare_others(where, read_sample(wanted, sample, where, is_single=len(samples) == 1))


def read_sample(wanted: Wanted, sample: Any, where: str, *, is_single: bool) -> Iterator[Found]:
    id_ = str(take(sample, "sample_id", where))
    if not wanted.only or id_ in wanted.only:
        bank = bank_of(wanted, id_, is_single=is_single)
        yield from read_sessions(bank, id_, check_kind(dict, take(sample, "conversation", id_), "conversation"))


def read_sessions(bank: str, id_: str, conversation: Mapping[str, Any]) -> Iterator[Found]:
    numbers = sorted(int(match[1]) for match in map(SESSION.fullmatch, conversation) if match)
    for number in numbers:
        name = f"session_{number}"
        yield from spare_others(f"{id_} {name}", read_session(bank, id_, name, conversation))


def read_session(bank: str, id_: str, name: str, conversation: Mapping[str, Any]) -> Iterator[Entry]:
    began = find_start(str(take(conversation, f"{name}_date_time", f"{id_} {name}")))
    turns = enumerate(check_kind(list, conversation[name], name))
    messages = [build_message(turn, began + place * BETWEEN_TURNS, id_) for place, turn in turns]
    spoken = [message for message in messages if message["content"].strip()]
    if spoken:
        yield Entry(bank, f"{id_} {name}", Item(messages=spoken, thread=name, timestamp=began))


def find_start(text: str) -> datetime:
    try:
        return datetime.strptime(text, WRITTEN).replace(tzinfo=UTC)
    except ValueError as fault:
        raise NotThisFormat(f"{text!r} is no time such as '1:56 pm on 8 May, 2023'.") from fault


def build_message(turn: Any, said_at: datetime, where: str) -> MessageFields:
    text, caption = str(take(turn, "text", where)), turn.get("blip_caption")
    content = f"{text} [shares a photo: {caption}]" if caption else text
    return MessageFields(role="user", name=str(take(turn, "speaker", where)), content=content, timestamp=said_at)
