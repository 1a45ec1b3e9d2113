"""Hindsight's tools for memories: retain, recall, reflect, list, edit and clear."""

from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import BeforeValidator, Field

from banks.errors import BankNotFound
from memoryplatform.api.compat.hindsight.memories import HindsightMemoriesView, HindsightMemoryListView
from memoryplatform.api.compat.hindsight.memory import HindsightMemoryView
from memoryplatform.api.compat.hindsight.recall import HindsightRecallView
from memoryplatform.api.compat.hindsight.reflect import HindsightReflectView
from memoryplatform.api.mcp.hindsight.tool import (
    HindsightArguments,
    HindsightCall,
    Metadata,
    Names,
    Object,
    Objects,
    PageArguments,
    define_tool,
    lower,
)
from memoryplatform.api.mcp.tools.tool import Effect

# A model reads the answer of a recall. So the answer has relevant memories only, and the fields that help a model.
RELEVANT: dict[str, Any] = {"fill": False, "include": {"entities": None}}
SHOWN = (
    "id", "text", "type", "entities", "context", "occurred_start", "occurred_end", "mentioned_at", "document_id",
    "tags", "metadata",
)  # fmt: skip

Time = Annotated[str | None, Field(description="ISO 8601.")]
Match = Literal["any", "all", "any_strict", "all_strict", "exact"]
FactType = Literal["world", "experience", "observation"]
State = Literal["valid", "invalidated"]
Effort = Annotated[Literal["low", "mid", "high"], BeforeValidator(lower)]


class RetainArguments(HindsightArguments):
    content: Annotated[str, Field(description="What to remember, in full sentences that name people and things.")]
    context: Annotated[str, Field(description="The situation or the subject.")] = "general"
    timestamp: Time = None
    tags: Names = None
    metadata: Metadata = None
    document_id: str | None = None
    strategy: str | None = None
    update_mode: Literal["replace", "append"] | None = None


class TagArguments(HindsightArguments):
    tags: Names = None
    tags_match: Match | None = None


class RecallArguments(TagArguments):
    query: Annotated[str, Field(description="The question in plain words, with names and times.")]
    max_tokens: int | None = None
    budget: Effort = "high"
    types: Annotated[Names, Field(description="world, experience, observation. Default: all.")] = None
    prefer_observations: bool | None = None
    tag_groups: Objects = None
    query_timestamp: Time = None
    min_scores: Object = None
    temporal_window: Annotated[Object, Field(description="start and end; memories within rank higher.")] = None


class ReflectArguments(TagArguments):
    query: str
    context: Annotated[str | None, Field(description="What the answer should consider besides memory.")] = None
    budget: Effort = "low"
    max_tokens: int | None = None
    response_schema: Annotated[Object, Field(description="A JSON schema for structured_output.")] = None
    include_trace: bool = False


class ListArguments(TagArguments, PageArguments):
    type: FactType | None = None
    q: Annotated[str | None, Field(description="Words that the text contains.")] = None
    state: State | None = None
    document_id: str | None = None


class MemoryArguments(HindsightArguments):
    memory_id: UUID

    def given(self) -> dict[str, Any]:
        return {name: value for name, value in super().given().items() if name != "memory_id"}


class EditArguments(MemoryArguments):
    text: str | None = None
    context: str | None = None
    occurred_start: Time = None
    occurred_end: Time = None
    mentioned_at: Time = None
    fact_type: Literal["world", "experience"] | None = None
    entities: Names = None
    state: State | None = None
    reason: str | None = None


class InvalidateArguments(MemoryArguments):
    reason: str | None = None


class ClearArguments(HindsightArguments):
    type: FactType | None = None


def send_item(call: HindsightCall, arguments: RetainArguments, *, is_async: bool) -> dict[str, Any]:
    answer = call.send_in_bank(HindsightMemoriesView, "POST", {"items": [arguments.given()], "async": is_async})
    done = "accepted" if answer["async"] else "completed"
    return {"status": done if answer["success"] else "failed", **answer}


@define_tool("Remember", scopes="write", effect=Effect.ADDS)
def retain(call: HindsightCall, arguments: RetainArguments) -> dict[str, Any]:
    """Store information in long-term memory. Returns at once; the facts are extracted in the background."""
    return send_item(call, arguments, is_async=True)


@define_tool("Remember and wait", scopes="write", effect=Effect.ADDS)
def sync_retain(call: HindsightCall, arguments: RetainArguments) -> dict[str, Any]:
    """Store information and wait until it can be recalled."""
    return send_item(call, arguments, is_async=False)


@define_tool("Recall")
def recall(call: HindsightCall, arguments: RecallArguments) -> dict[str, Any]:
    """Search long-term memory. Call it before you answer anything that may depend on earlier conversations."""
    try:
        answer = call.send_in_bank(HindsightRecallView, "POST", RELEVANT | arguments.given())
    except BankNotFound:
        if not call.caller.access.reaches(call.bank_id):
            raise
        return {"results": [], "notes": [f"There is no bank '{call.bank_id}' yet: the first retain makes it."]}
    results = [{name: one[name] for name in SHOWN if one.get(name)} for one in answer["results"]]
    return {name: value for name, value in answer.items() if value is not None} | {"results": results}


@define_tool("Reflect", scopes="write read", effect=Effect.ADDS)
def reflect(call: HindsightCall, arguments: ReflectArguments) -> dict[str, Any]:
    """Answer a question from memory, in the agent's own character. Slower than recall: use it for judgements."""
    given = arguments.given()
    if given.pop("include_trace"):
        given["include"] = {"tool_calls": {}}
    if arguments.tags is None:
        given.pop("tags_match", None)
    return call.send_in_bank(HindsightReflectView, "POST", given)


@define_tool("List memories")
def list_memories(call: HindsightCall, arguments: ListArguments) -> dict[str, Any]:
    """Browse stored memories, newest first."""
    answer = call.send_in_bank(HindsightMemoryListView, "GET", arguments.given())
    items = [{name: value for name, value in one.items() if value not in (None, "", [], {})} for one in answer["items"]]
    return answer | {"items": items}


@define_tool("Get a memory")
def get_memory(call: HindsightCall, arguments: MemoryArguments) -> dict[str, Any]:
    """One memory by its id."""
    return call.send_in_bank(HindsightMemoryView, "GET", memory_id=arguments.memory_id)


@define_tool("Edit a memory", scopes="write read", effect=Effect.ADDS)
def update_memory(call: HindsightCall, arguments: EditArguments) -> dict[str, Any]:
    """Correct a world or experience fact, or restore an invalidated one with the state valid."""
    return call.send_in_bank(HindsightMemoryView, "PATCH", arguments.given(), memory_id=arguments.memory_id)


@define_tool("Invalidate a memory", scopes="write read", effect=Effect.REMOVES)
def invalidate_memory(call: HindsightCall, arguments: InvalidateArguments) -> dict[str, Any]:
    """Close a memory that is wrong, so that recall no longer finds it. It can be restored."""
    given = {"state": "invalidated", **arguments.given()}
    return call.send_in_bank(HindsightMemoryView, "PATCH", given, memory_id=arguments.memory_id)


@define_tool("Clear memories", scopes="write", effect=Effect.REMOVES)
def clear_memories(call: HindsightCall, arguments: ClearArguments) -> dict[str, Any]:
    """Delete all memories of the bank for good, or those of one type. The bank stays."""
    return call.send_in_bank(HindsightMemoriesView, "DELETE", arguments.given())


TOOLS = (
    retain,
    sync_retain,
    recall,
    reflect,
    list_memories,
    get_memory,
    update_memory,
    invalidate_memory,
    clear_memories,
)
