"""The tools `list_memories`, `get_memory` and `forget_memory`."""

from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import Field

from banks.models import UnitSource
from memoryplatform.api.mcp.tools import tool
from memoryplatform.api.serializers import check_input
from memoryplatform.api.v1.lists import list_rows
from memoryplatform.api.v1.memories import UnitListInput, build_memory_filter
from memoryplatform.api.v1.memory import InvalidateInput
from memoryplatform.operations.access import name_of
from memoryplatform.operations.banks.profile import bank_transaction
from memoryplatform.operations.memories.described_units import DescribedUnit, describe_units, document_of, quote
from memoryplatform.operations.memories.memory_filter import find_units
from memoryplatform.operations.memories.single import delete_memory, invalidate_memory, show_memory

MOST_SHOWN = 10  # sources and links of one memory
REASONS = {"outdated": "update", "wrong": "correction"}


class ListArguments(tool.PageArguments):
    q: Annotated[str, Field(description="Words that a memory must contain. For questions use recall.")] = ""
    type: Annotated[tool.Network | None, Field(description="Only this kind of memory.")] = None
    tags: Annotated[tuple[str, ...], Field(description="Only memories with one of these tags, or with none.")] = ()
    entity_id: Annotated[
        UUID | None, Field(description="Only memories that mention this entity, see list_entities.")
    ] = None
    mentioned_after: Annotated[datetime | None, Field(description="Mentioned at or after this time, ISO 8601.")] = None
    mentioned_before: Annotated[datetime | None, Field(description="Mentioned before this time, ISO 8601.")] = None
    state: Annotated[Literal["current", "superseded", "all"], Field(description="superseded: no longer true.")] = (
        "current"
    )


class ListedMemory(tool.BriefMemory):
    text: str = Field(description="A long text is cut; get_memory has all of it.")
    occurred_start: datetime | None = None
    confidence: float | None = None
    tags: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    expired_at: datetime | None = Field(default=None, description="When the memory was closed.")


class ListAnswer(tool.PageAnswer):
    memories: list[ListedMemory]


class GetArguments(tool.Arguments):
    memory_id: UUID


class Source(tool.Answer):
    """The message, document or memory that a memory rests on."""

    role: str
    text: str = Field(default="", description="As it was said or written.")
    speaker: str | None = None
    document_id: str | None = None
    memory_id: UUID | None = None


class LinkedMemory(tool.BriefMemory):
    link: str = Field(description="semantic, causes, caused_by, enables or prevents.")
    direction: str = Field(description="out: from this memory; in: to it.")


class ShownMemory(ListedMemory):
    text: str
    context: str = ""
    occurred_end: datetime | None = None
    metadata: dict[str, str] | None = None
    proof_count: int = Field(description="How often it was said.")
    valid_from: datetime | None = None
    valid_until: datetime | None = None
    superseded_by: UUID | None = None
    sources: tuple[Source, ...] = ()
    links: tuple[LinkedMemory, ...] = ()


class ForgetArguments(GetArguments):
    how: Annotated[
        Literal["delete", "outdated", "wrong"],
        Field(
            description="delete: removed for good. outdated: it was true and is no longer. wrong: it was never "
            "true. The last two close the memory and keep it in the history."
        ),
    ] = "delete"
    reason: Annotated[str, Field(description="The reason, for the history of a closed memory.")] = ""


class ForgetAnswer(tool.Answer):
    memory_id: UUID
    outcome: Literal["deleted", "closed"]
    memories_deleted: int = Field(default=0, description="Including memories that rested on it alone.")


@tool.define_tool("list_memories", "List memories")
def list_memories(call: tool.Call, arguments: ListArguments) -> ListAnswer:
    """Page through memories, newest first, by filters. To find what answers a question, use recall."""
    wanted = check_input(UnitListInput, arguments.given()).validated_data
    with bank_transaction(call.access, call.bank_id) as bank:
        units = find_units(bank, build_memory_filter(wanted)).defer("embedding", "second_embedding")
        page = list_rows(units, wanted, of=bank.id)
        shown = describe_units(bank, page.items)
    return ListAnswer.read(
        page, memories=[tool.describe_briefly(one.unit, ListedMemory, **list_labels(one)) for one in shown]
    )


def list_labels(described: DescribedUnit) -> dict[str, Any]:
    return {"tags": described.tags, "entities": [entity.name for entity in described.entities]}


@tool.define_tool("get_memory", "Get a memory")
def get_memory(call: tool.Call, arguments: GetArguments) -> ShownMemory:
    """One memory with its sources, its links and its validity."""
    described = show_memory(call.access, call.bank_id, arguments.memory_id).described
    unit = described.unit
    return ShownMemory.read(
        unit,
        **list_labels(described),
        type=unit.network,
        text=unit.rendered_text,
        metadata=described.metadata or None,
        superseded_by=unit.superseded_by_id,
        sources=[describe_source(source) for source in described.sources[:MOST_SHOWN]],
        links=[
            tool.describe_briefly(link.unit, LinkedMemory, link=link.type, direction=link.direction)
            for link in described.links[:MOST_SHOWN]
        ],
    )


def describe_source(source: UnitSource) -> Source:
    return Source(
        role=source.role,
        text=tool.shorten(quote(source)),
        speaker=source.message.speaker if source.message else None,
        document_id=document_of(source) or None,
        memory_id=source.other_unit_id,
    )


@tool.define_tool("forget_memory", "Forget a memory", scopes="write", effect=tool.Effect.REMOVES)
def forget_memory(call: tool.Call, arguments: ForgetArguments) -> ForgetAnswer:
    """Remove one memory by its id: delete it for good, or close it as outdated or wrong. To replace a fact by a newer
    one, retain the newer one instead.
    """
    memory_id = arguments.memory_id
    if arguments.how == "delete":
        removed = delete_memory(call.access, call.bank_id, memory_id)
        return ForgetAnswer(memory_id=memory_id, outcome="deleted", memories_deleted=removed.units)
    given = {"reason": REASONS[arguments.how], "explanation": arguments.reason}
    closing = check_input(InvalidateInput, given).invalidation(name_of(call.access))
    invalidate_memory(call.access, call.bank_id, memory_id, closing)
    return ForgetAnswer(memory_id=memory_id, outcome="closed")
