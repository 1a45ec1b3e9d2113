"""Readers of conversations: ChatGPT's export, LoCoMo, LongMemEval, and plain lists of messages."""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from django.utils import timezone

from banks.retain.input import GivenMessage, RetainItem
from banks.types import Role
from memoryplatform.operations.conversations import CHATGPT
from memoryplatform.operations.imports.upload import (
    BETWEEN_TURNS,
    Upload,
    build_conversation,
    clean,
    cut,
    read_moment,
)

ROLES: dict[str, Role] = {
    "user": "user",
    "human": "user",
    "assistant": "assistant",
    "ai": "assistant",
    "system": "system",
    "tool": "tool",
}
LONGEST_SPEAKER = 200
LOCOMO_TIME = "%I:%M %p on %d %B, %Y"
LONGMEMEVAL_TIME = "%Y/%m/%d (%a) %H:%M"


def warn_of(number: int, one: str, many: str) -> list[str]:
    """`{}` is the number."""
    return [] if not number else [one if number == 1 else many.format(f"{number:,}")]


def read_chatgpt(data: list[Mapping[str, Any]]) -> Upload:
    """`conversations.json`: each conversation is a tree, whose shown branch ends at `current_node`."""
    items, media, empty = [], 0, 0
    for conversation in data:
        messages = []
        usual = read_moment(conversation.get("create_time")) or timezone.now()
        for message in walk_chatgpt(conversation):
            text, left_out = read_parts(message.get("content"))
            media += left_out
            role = str((message.get("author") or {}).get("role"))
            is_said = role in {"user", "assistant"} and message.get("recipient") in {None, "all"}  # else to a tool
            if is_said and text.strip():
                usual = read_moment(message.get("create_time")) or usual
                messages.append(GivenMessage(ROLES[role], text, usual))
        name = conversation.get("conversation_id") or conversation.get("id") or conversation.get("title")
        item = build_conversation(f"{CHATGPT}{name}", messages, context=str(conversation.get("title") or ""))
        if item:
            items.append(item)
        else:
            empty += 1
    warnings = [
        *warn_of(media, "1 image or file is left out.", "{} images and files are left out."),
        *warn_of(empty, "1 conversation has no text.", "{} conversations have no text."),
    ]
    return Upload("chatgpt", tuple(items), tuple(warnings))


def walk_chatgpt(conversation: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The messages of the shown branch, the oldest first. A tree that runs in a circle ends where it closes."""
    mapping = conversation.get("mapping")
    nodes: Mapping[str, Any] = mapping if isinstance(mapping, Mapping) else {}
    found: list[Mapping[str, Any]] = []
    seen: set[str] = set()
    name = conversation.get("current_node") or next(reversed(list(nodes)), None)
    while isinstance(name, str) and name in nodes and name not in seen:
        seen.add(name)
        node = nodes[name] if isinstance(nodes[name], Mapping) else {}
        message = node.get("message")
        if isinstance(message, Mapping) and not (message.get("metadata") or {}).get(
            "is_visually_hidden_from_conversation"
        ):
            found.append(message)
        name = node.get("parent")
    return found[::-1]


def read_parts(content: object) -> tuple[str, int]:
    """The text of a message, and the number of its other parts: images, files, sound."""
    if not isinstance(content, Mapping) or content.get("content_type") not in {"text", "multimodal_text", "code"}:
        return "", 0
    given = content.get("parts")
    parts = given if isinstance(given, list) else [content.get("text") or ""]
    texts = [clean(part) for part in parts if isinstance(part, str)]
    return "\n".join(text for text in texts if text), len(parts) - len(texts)


def read_locomo(data: list[Mapping[str, Any]]) -> Upload:
    """Each session is a conversation of its own. Only the talk is read, not the questions about it."""
    items, undated = [], 0
    for place, sample in enumerate(data):
        conversation = sample["conversation"]
        for number in range(1, len(conversation) + 1):
            began = parse(conversation.get(f"session_{number}_date_time"), LOCOMO_TIME)
            turns = conversation.get(f"session_{number}")
            if not isinstance(turns, list):
                continue
            undated += began is None
            messages = list(read_locomo_turns(turns, began or timezone.now()))
            item = build_conversation(f"{sample.get('sample_id', place)}:session_{number}", messages)
            items += [item] if item else []
    return Upload(
        "locomo", tuple(items), tuple(warn_of(undated, "1 session has no date.", "{} sessions have no date."))
    )


def read_locomo_turns(turns: list[Any], began: datetime) -> Iterator[GivenMessage]:
    for place, turn in enumerate(turns):
        if isinstance(turn, Mapping) and clean(turn.get("text")).strip():
            caption = turn.get("blip_caption")
            text = clean(turn["text"]) + (f" [shares a photo: {clean(caption)}]" if caption else "")
            speaker = cut(turn.get("speaker"), LONGEST_SPEAKER)
            yield GivenMessage("user", text, began + place * BETWEEN_TURNS, name=speaker)


def read_longmemeval(data: list[Mapping[str, Any]]) -> Upload:
    """The sessions of all haystacks. A session that several questions share is read once."""
    items: dict[str, RetainItem] = {}
    repeated = 0
    for row in data:
        names, dates = row.get("haystack_session_ids") or [], row.get("haystack_dates") or []
        sessions = zip(names, dates, row["haystack_sessions"], strict=False)
        for name, began, turns in sessions:
            start = parse(began, LONGMEMEVAL_TIME) or timezone.now()
            item = build_conversation(str(name), read_turns(turns, start))
            repeated += str(name) in items
            if item:
                items.setdefault(str(name), item)
    warnings = warn_of(
        repeated, "1 session occurs twice and is read once.", "{} sessions occur again and are read once."
    )
    return Upload("longmemeval", tuple(items.values()), tuple(warnings))


def read_messages(data: list[Mapping[str, Any]], *, name: str) -> Upload:
    """A list of objects with `role` and `content`, and maybe `name` and `timestamp`."""
    messages = read_turns(data, None)
    item = build_conversation(name, messages)
    left_out = len(data) - len(messages)
    warnings = warn_of(left_out, "1 message without text is left out.", "{} messages without text are left out.")
    if item and not any(read_moment(find_time(turn)) for turn in data):
        item = RetainItem(item.said_at, messages=item.messages, thread=item.thread, is_dated=False)
        warnings.append("The messages have no dates, so they count as said now.")
    return Upload("messages", (item,) if item else (), tuple(warnings))


def read_turns(turns: object, began: datetime | None) -> list[GivenMessage]:
    """Turns without a time of their own follow each other from the beginning."""
    usual, found = began or timezone.now(), []
    for turn in turns if isinstance(turns, list) else []:
        if not isinstance(turn, Mapping) or not (text := read_content(turn.get("content"))).strip():
            continue
        usual = read_moment(find_time(turn)) or usual
        role = ROLES.get(str(turn.get("role")).lower(), "user")
        found.append(GivenMessage(role, text, usual, name=cut(turn.get("name"), LONGEST_SPEAKER)))
        usual += BETWEEN_TURNS if began else BETWEEN_TURNS * 0
    return found


def read_content(content: object) -> str:
    """A text, or a list of parts as OpenAI and Anthropic write them."""
    if isinstance(content, list):
        return "\n".join(clean(part.get("text")) for part in content if isinstance(part, Mapping) and part.get("text"))
    return clean(content) if isinstance(content, str) else ""


def find_time(turn: object) -> object:
    names = ("timestamp", "created_at", "create_time", "said_at", "date")
    return next((turn[name] for name in names if turn.get(name)), None) if isinstance(turn, Mapping) else None


def parse(written: object, form: str) -> datetime | None:
    try:
        return datetime.strptime(str(written), form).replace(tzinfo=UTC)
    except ValueError:
        return None
