"""What comes in at add, as items of our retain."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rest_framework import serializers

from banks.retain.input import RetainItem
from memoryplatform.api.compat.hindsight.tolerance import drop_unknown, read_body
from memoryplatform.api.compat.mem0.errors import naming
from memoryplatform.api.compat.mem0.metadata import EXPIRATION, IMMUTABLE, ROLE, USUAL_ROLE, write_metadata
from memoryplatform.api.compat.mem0.moments import read_extent
from memoryplatform.api.compat.mem0.owners import KINDS, Owners, read_owners
from memoryplatform.api.v1.fact_shapes import FactInput
from memoryplatform.api.v1.retain_shapes import MessageInput, read_items

MESSAGE = MessageInput()
FACT_TEXT = FactInput().fields["text"]


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
    items: tuple[RetainItem, ...]
    waits: bool
    is_wrapped: bool  # in an object with `results`, where older clients get a list otherwise


def read_addition(given: Any) -> Addition:
    """The ids stand at the top or among the filters, as the client's versions have it."""
    body = read_body(AddInput, given).validated_data
    owners = read_owners(join_ids(given, body["filters"]))
    contents = read_contents(body["messages"], infer=body["infer"], thread=owners.name_of("run"))
    labels: dict[str, Any] = {"tags": list(owners.tags)}
    if body["timestamp"] is not None:
        with naming("timestamp"):
            labels["timestamp"] = read_extent(body["timestamp"]).start
    metadata = write_metadata(body["metadata"]) | write_own(body)
    read = read_items([labels | one | {"metadata": metadata | one.get("metadata", {})} for one in contents])
    if read.faults:
        raise serializers.ValidationError(as_given(read.faults[0].faults.detail))
    waits = not (body["infer"] and body["async_mode"])
    return Addition(owners, read.good, waits=waits, is_wrapped=body["output_format"] == "v1.1")


def join_ids(beside: Mapping[str, Any], filters: Mapping[str, Any]) -> dict[str, Any]:
    """An id that stands in both places must be the same: else nobody could tell whose the memory is."""
    for name in KINDS:
        both = [place[name] for place in (beside, filters) if place.get(name) is not None]
        if len(both) > 1 and both[0] != both[1]:
            raise serializers.ValidationError({name: ["Is another one than that of the filters."]})
    return {name: filters.get(name) if beside.get(name) is None else beside[name] for name in KINDS}


def write_own(body: Mapping[str, Any]) -> dict[str, str]:
    own = {EXPIRATION: body["expiration_date"].isoformat()} if "expiration_date" in body else {}
    return own | ({IMMUTABLE: "true"} if body["immutable"] else {})


def read_contents(given: Any, *, infer: bool, thread: str) -> list[dict[str, Any]]:
    """A conversation to take facts from; else each message is a memory as it is, but for instructions."""
    messages = given if isinstance(given, list) else [given]
    if infer:
        return [
            {"messages": [read_message(message, place) for place, message in enumerate(messages)], "thread": thread}
        ]
    told: dict[str, list[dict[str, str]]] = {}
    for place, message in enumerate(messages):
        said = read_said(message, place)
        if said["role"] != "system":
            told.setdefault(said["role"], []).append(read_fact(said, place))
    if not told:
        raise serializers.ValidationError({"messages": ["Must have one that is no instruction (role system)."]})
    return [{"facts": facts, "metadata": write_role(role)} for role, facts in told.items()]


def write_role(role: str) -> dict[str, str]:
    """Facts have no message that says whose they are: those of one role are a source, and the source tells it."""
    return {} if role == USUAL_ROLE else {ROLE: role}


def as_given(faults: Any) -> Any:
    """What we store as facts came as messages."""
    if not isinstance(faults, Mapping):
        return faults
    return {"messages" if name == "facts" else name: fault for name, fault in faults.items()}


def read_said(given: Any, place: int) -> dict[str, Any]:
    message = read_message(given, place)
    with naming(f"messages.{place}"):
        read: dict[str, Any] = MESSAGE.run_validation(message)
    return read


def read_fact(said: Mapping[str, Any], place: int) -> dict[str, str]:
    with naming(f"messages.{place}.content"):
        return {"text": FACT_TEXT.run_validation(said["content"])}


def read_message(given: Any, place: int) -> dict[str, Any]:
    if isinstance(given, str):
        return {"role": USUAL_ROLE, "content": given}
    with naming(f"messages.{place}"):
        if not isinstance(given, Mapping):
            raise serializers.ValidationError("Must be a text or an object with role and content.")
        known: dict[str, Any] = drop_unknown(given, MESSAGE)
        return known | {"content": join_blocks(known.get("content"))}


def join_blocks(content: Any) -> Any:
    """A message may be a list of blocks. Images and files can't be read here."""
    blocks = [content] if isinstance(content, Mapping) else content
    if not isinstance(blocks, list):
        return content
    texts = [block.get("text") for block in blocks if isinstance(block, Mapping) and block.get("type") == "text"]
    if len(texts) < len(blocks) or not all(isinstance(text, str) for text in texts):
        raise serializers.ValidationError("Only text can be added: neither images nor files are read.")
    return "\n".join(str(text) for text in texts)
