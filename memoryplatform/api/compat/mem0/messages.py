"""Messages as OpenAI's protocol and mem0's client write them: texts, blocks, tool calls, images.

Only text becomes a memory. An image or a file beside a text is named in it. A message without any text, such as a tool
call or an image alone, is left out.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from rest_framework import serializers

from memoryplatform.api.compat.hindsight.hindsight_view import drop_unknown
from memoryplatform.api.compat.mem0.metadata import USUAL_ROLE
from memoryplatform.api.serializers import prefix_faults
from memoryplatform.api.v1.retain_items import MessageInput

MESSAGE = MessageInput()
ROLES = {"developer": "system", "function": "tool"}  # OpenAI's newer and older names
CALLS = ("tool_calls", "function_call")
TEXT_FIELDS = ("text", "refusal")
ATTACHMENTS = {"image": "image", "audio": "audio", "video": "video", "file": "file", "pdf": "file", "mdx": "file"}
LONGEST_ADDRESS = 300  # characters of an address that a text names


def read_messages(given: Any) -> list[tuple[int, dict[str, Any]]]:
    """The messages that have text, with their places in the given list. Raises a ValidationError.

    The list is empty if no message has text, for example if an agent only called tools.
    """
    messages = given if isinstance(given, list) else [given]
    if not messages or (isinstance(given, str) and not given.strip()):
        raise serializers.ValidationError({"messages": ["Must be a list of at least one message."]})
    read = ((place, read_message(message, place)) for place, message in enumerate(messages))
    return [(place, message) for place, message in read if message is not None]


def read_message(given: Any, place: int) -> dict[str, Any] | None:
    """None for a message without text. A text alone is a message of the user."""
    message = {"role": USUAL_ROLE, "content": given} if isinstance(given, str) else given
    with prefix_faults(f"messages.{place}"):
        if not isinstance(message, Mapping):
            raise serializers.ValidationError("Must be a text or an object with role and content.")
        content = read_content(message)
        role = message.get("role")
        known: dict[str, Any] = drop_unknown(message, MESSAGE)
        known |= {"content": content, "role": ROLES.get(role, role) if isinstance(role, str) else role}
        has_text = content is not None and not (isinstance(content, str) and not content.strip())
        MESSAGE.run_validation(known if has_text else known | {"content": "-"})
        return known if has_text else None


def read_content(message: Mapping[str, Any]) -> Any:
    """The text of a message; None if it has none. A value of another kind is returned as it is, and refused later."""
    if "content" not in message and not any(message.get(name) for name in CALLS):
        raise serializers.ValidationError({"content": ["This field is required."]})
    content = message.get("content")
    blocks = [content] if isinstance(content, Mapping) else content
    return join_blocks(blocks) if isinstance(blocks, list) else content


def join_blocks(blocks: Sequence[Any]) -> str | None:
    """The text blocks, then the names of images and files. None without a text. Other blocks, such as the use of a
    tool, are left out.
    """
    texts = [text for block in blocks if (text := read_text(block)).strip()]
    if not texts:
        return None
    names = (name_attachment(block) for block in blocks if isinstance(block, Mapping) and not read_text(block))
    return "\n".join([*texts, *filter(None, names)])


def read_text(block: Any) -> str:
    """Empty for a block that is no text."""
    if isinstance(block, str):
        return block
    if not isinstance(block, Mapping):
        return ""
    return next((block[name] for name in TEXT_FIELDS if isinstance(block.get(name), str)), "")


def name_attachment(block: Mapping[str, Any]) -> str:
    """Such as `[image: https://example.com/cat.jpg]`. An embedded image has no address: `[image]`.

    Empty for a block that is neither an image nor a file.
    """
    kind = str(block.get("type") or "")
    word = next((word for part, word in ATTACHMENTS.items() if part in kind), "")
    address = find_address(block.get(kind))
    return f"[{word}: {address}]" if word and address else f"[{word}]" if word else ""


def find_address(given: Any) -> str:
    """The web address or the file name of an attachment, if it is short: an embedded file is no address."""
    named = given if isinstance(given, Mapping) else {"url": given}
    found = next((named[name] for name in ("url", "filename") if isinstance(named.get(name), str)), "")
    is_short = len(found) <= LONGEST_ADDRESS and found.isprintable() and not found.startswith("data:")
    return found if is_short else ""
