from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from pydantic import Field

from banks.lifecycle.invalidate import Invalidation
from banks.models import UnitSource
from memoryplatform.api.mcp.caller import Call
from memoryplatform.api.mcp.checked import check
from memoryplatform.api.mcp.filters import Network
from memoryplatform.api.mcp.shapes import BriefMemory, PageAnswer, PageArguments, describe_briefly, shorten
from memoryplatform.api.mcp.tool import Answer, Arguments, Effect, Tool
from memoryplatform.api.v1.lists import list_rows
from memoryplatform.api.v1.memory_input import InvalidateInput, UnitListInput
from memoryplatform.operations.access import name_of
from memoryplatform.operations.banks.profile import get_bank
from memoryplatform.operations.memories.described_units import DescribedUnit, describe_units, document_of, quote
from memoryplatform.operations.memories.memory_filter import find_units
from memoryplatform.operations.memories.single import delete_memory, invalidate_memory, show_memory
from tenants.transactions import tenant_transaction

MOST_SHOWN = 10  # sources and links of one memory
REASONS = {"outdated": "update", "wrong": "correction"}


class ListArguments(PageArguments):
    q: Annotated[str, Field(description="Words that a memory must have. For questions use recall.")] = ""
    type: Annotated[Network | None, Field(description="Only this kind of memory.")] = None
    tags: Annotated[tuple[str, ...], Field(description="Only memories with one of these tags, or with none.")] = ()
    entity_id: Annotated[UUID | None, Field(description="Only what mentions this entity, see list_entities.")] = None
    mentioned_after: Annotated[datetime | None, Field(description="Told from then on, ISO 8601.")] = None
    mentioned_before: Annotated[datetime | None, Field(description="Told before then, ISO 8601.")] = None
    state: Annotated[
        Literal["current", "superseded", "all"], Field(description="superseded: what is no longer so.")
    ] = "current"


class ListedMemory(BriefMemory):
    text: str = Field(description="Cut where it is long; get_memory has the whole.")
    occurred_start: datetime | None = None
    confidence: float | None = None
    tags: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    expired_at: datetime | None = Field(default=None, description="Since when it is known to be no longer so.")


class ListAnswer(PageAnswer):
    memories: list[ListedMemory]


class GetArguments(Arguments):
    memory_id: UUID


class Source(Answer):
    """Where a memory comes from."""

    role: str
    text: str = Field(default="", description="As it was said or written.")
    speaker: str | None = None
    document_id: str | None = None
    memory_id: UUID | None = None


class LinkedMemory(BriefMemory):
    link: str = Field(description="semantic, causes, caused_by, enables or prevents.")
    direction: str = Field(description="out: from this memory; in: to it.")


class ShownMemory(ListedMemory):
    text: str
    context: str = ""
    occurred_end: datetime | None = None
    metadata: dict[str, str] | None = None
    proof_count: int = Field(description="How often it was told.")
    valid_from: datetime | None = None
    valid_until: datetime | None = None
    superseded_by: UUID | None = None
    sources: tuple[Source, ...] = ()
    links: tuple[LinkedMemory, ...] = ()


class ForgetArguments(GetArguments):
    how: Annotated[
        Literal["delete", "outdated", "wrong"],
        Field(
            description="delete: gone for good. outdated: it was so and is no more. wrong: it never was so. The last "
            "two close the memory, which stays in the history."
        ),
    ] = "delete"
    reason: Annotated[str, Field(description="Why, for the history of a memory that is closed.")] = ""


class ForgetAnswer(Answer):
    memory_id: UUID
    outcome: Literal["deleted", "closed"]
    memories_deleted: int = Field(default=0, description="With those that rested on it alone.")


def list_memories(call: Call, arguments: ListArguments) -> ListAnswer:
    wanted = check(UnitListInput, arguments.given())
    with tenant_transaction(call.access.tenant_id):
        bank = get_bank(call.access, call.bank_id)
        units = find_units(bank, wanted.memory_filter()).defer("embedding")
        page = list_rows(units, wanted.validated_data, of=bank.id)
        shown = describe_units(bank, page.items)
    return ListAnswer(
        memories=[ListedMemory(**describe_listed(one), text=shorten(one.unit.text)) for one in shown],
        total=page.total,
        next_cursor=page.next_cursor,
    )


def describe_listed(described: DescribedUnit) -> dict[str, object]:
    unit = described.unit
    return {
        "id": unit.id,
        "type": unit.network,
        "mentioned_at": unit.mentioned_at,
        "occurred_start": unit.occurred_start,
        "confidence": unit.confidence,
        "tags": list(described.tags),
        "entities": [entity.name for entity in described.entities],
        "expired_at": unit.expired_at,
    }


def get_memory(call: Call, arguments: GetArguments) -> ShownMemory:
    described = show_memory(call.access, call.bank_id, arguments.memory_id).described
    unit = described.unit
    return ShownMemory(
        **describe_listed(described),
        text=unit.text,
        context=unit.context,
        occurred_end=unit.occurred_end,
        metadata=described.metadata or None,
        proof_count=unit.proof_count,
        valid_from=unit.valid_from,
        valid_until=unit.valid_until,
        superseded_by=unit.superseded_by_id,
        sources=[describe_source(source) for source in described.sources[:MOST_SHOWN]],
        links=[
            LinkedMemory(**describe_briefly(link.unit).model_dump(), link=link.type, direction=link.direction)
            for link in described.links[:MOST_SHOWN]
        ],
    )


def describe_source(source: UnitSource) -> Source:
    return Source(
        role=source.role,
        text=shorten(quote(source)),
        speaker=source.message.speaker if source.message else None,
        document_id=document_of(source) or None,
        memory_id=source.other_unit_id,
    )


def forget_memory(call: Call, arguments: ForgetArguments) -> ForgetAnswer:
    memory_id = arguments.memory_id
    if arguments.how == "delete":
        removed = delete_memory(call.access, call.bank_id, memory_id)
        return ForgetAnswer(memory_id=memory_id, outcome="deleted", memories_deleted=removed.units)
    closing = read_closing(call, arguments)
    invalidate_memory(call.access, call.bank_id, memory_id, closing)
    return ForgetAnswer(memory_id=memory_id, outcome="closed")


def read_closing(call: Call, arguments: ForgetArguments) -> Invalidation:
    given = {"reason": REASONS[arguments.how], "explanation": arguments.reason}
    return check(InvalidateInput, given).invalidation(name_of(call.access))


LIST_MEMORIES = Tool(
    name="list_memories",
    title="List memories",
    description="Page through memories, newest first, by filters. To find what answers a question, use recall.",
    arguments=ListArguments,
    answer=ListAnswer,
    run=list_memories,
)
GET_MEMORY = Tool(
    name="get_memory",
    title="Get a memory",
    description="One memory with where it comes from, what it is linked to and how long it was true.",
    arguments=GetArguments,
    answer=ShownMemory,
    run=get_memory,
)
FORGET_MEMORY = Tool(
    name="forget_memory",
    title="Forget a memory",
    description="Remove one memory by its id: delete it for good, or close it as outdated or wrong. To replace a fact "
    "by a newer one, retain the newer one instead.",
    arguments=ForgetArguments,
    answer=ForgetAnswer,
    run=forget_memory,
    scopes="write",
    effect=Effect.REMOVES,
)
