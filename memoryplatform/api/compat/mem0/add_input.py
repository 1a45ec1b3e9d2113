"""What comes in at add, as items of our retain."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rest_framework import serializers

from banks.retain.input import RetainItem
from memoryplatform.api.compat.hindsight.tolerance import drop_unknown, read_body
from memoryplatform.api.compat.mem0.metadata import EXPIRATION, IMMUTABLE, write_metadata
from memoryplatform.api.compat.mem0.moments import read_extent
from memoryplatform.api.compat.mem0.owners import KINDS, Owners, read_owners
from memoryplatform.api.v1.retain_shapes import MessageInput, read_items

MESSAGE = MessageInput()


class AddInput(serializers.Serializer[Any]):
    messages = serializers.JSONField()
    filters = serializers.DictField(required=False, default=dict)
    metadata = serializers.JSONField(required=False, default=dict)
    infer = serializers.BooleanField(default=True)
    immutable = serializers.BooleanField(default=False)
    expiration_date = serializers.DateField(required=False)
    timestamp = serializers.JSONField(required=False, default=None)
    async_mode = serializers.BooleanField(default=True)
    output_format = serializers.CharField(required=False, default="", allow_blank=True)


@dataclass(frozen=True)
class Addition:
    owners: Owners
    item: RetainItem
    waits: bool
    is_wrapped: bool  # in an object with `results`, where older clients get a list otherwise


def read_addition(given: Any) -> Addition:
    """The ids stand at the top or among the filters, as the client's versions have it."""
    body = read_body(AddInput, given).validated_data
    owners = read_owners({name: given.get(name, body["filters"].get(name)) for name in KINDS})
    content = read_content(body["messages"], infer=body["infer"])
    if "messages" in content:
        content["thread"] = owners.name_of("run")
    item = {
        **content,
        "tags": list(owners.tags),
        "metadata": write_metadata(body["metadata"]) | write_own(body),
    }
    if body["timestamp"] is not None:
        item["timestamp"] = read_extent(body["timestamp"]).start
    read = read_items([item])
    if read.faults:
        raise serializers.ValidationError(as_given(read.faults[0].faults.detail))
    waits = not (body["infer"] and body["async_mode"])
    return Addition(owners, read.good[0], waits=waits, is_wrapped=body["output_format"] == "v1.1")


def write_own(body: Mapping[str, Any]) -> dict[str, str]:
    own = {EXPIRATION: body["expiration_date"].isoformat()} if "expiration_date" in body else {}
    return own | ({IMMUTABLE: "true"} if body["immutable"] else {})


def read_content(given: Any, *, infer: bool) -> dict[str, Any]:
    """A conversation to take facts from; else each message is a memory as it is, but for instructions."""
    messages = [read_message(message) for message in given] if isinstance(given, list) else [read_message(given)]
    if infer:
        return {"messages": messages}
    read = [MESSAGE.run_validation(message) for message in messages]
    told = [{"text": message["content"]} for message in read if message["role"] != "system"]
    if not told:
        raise serializers.ValidationError({"messages": ["Must have one that is no instruction (role system)."]})
    return {"facts": told}


def as_given(faults: Any) -> Any:
    """What we store as facts came as messages."""
    if not isinstance(faults, Mapping):
        return faults
    return {"messages" if name == "facts" else name: fault for name, fault in faults.items()}


def read_message(given: Any) -> dict[str, Any]:
    if isinstance(given, str):
        return {"role": "user", "content": given}
    if not isinstance(given, Mapping):
        raise serializers.ValidationError({"messages": ["Each is a text or an object with role and content."]})
    known: dict[str, Any] = drop_unknown(given, MESSAGE)
    return known | {"content": join_blocks(known.get("content"))}


def join_blocks(content: Any) -> Any:
    """A message may be a list of blocks. Images and files can't be read here."""
    blocks = [content] if isinstance(content, Mapping) else content
    if not isinstance(blocks, list):
        return content
    texts = [block.get("text") for block in blocks if isinstance(block, Mapping) and block.get("type") == "text"]
    if len(texts) < len(blocks) or not all(isinstance(text, str) for text in texts):
        raise serializers.ValidationError({"messages": ["Only text can be added: neither images nor files are read."]})
    return "\n".join(str(text) for text in texts)
