from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import Field

from banks.models import Entity
from memoryplatform.api.mcp.caller import Call
from memoryplatform.api.mcp.checked import check
from memoryplatform.api.mcp.shapes import BriefMemory, PageAnswer, PageArguments, describe_briefly
from memoryplatform.api.mcp.tool import Answer, Arguments, Tool
from memoryplatform.api.v1.entities import EntityListInput
from memoryplatform.api.v1.lists import list_rows
from memoryplatform.operations.banks.profile import get_bank
from memoryplatform.operations.entities.curating import find_entities, show_entity
from tenants.transactions import tenant_transaction

MOST_MEMORIES = 10
Kind = Literal["PERSON", "ORGANIZATION", "LOCATION", "PRODUCT", "CONCEPT", "OTHER"]


class ListArguments(PageArguments):
    q: Annotated[str, Field(description="How a word of a name begins, e.g. 'ali'.")] = ""
    kind: Annotated[Kind | None, Field(description="Only this kind.")] = None


class EntityAnswer(Answer):
    id: UUID
    name: str
    kind: str
    mention_count: int
    last_seen: datetime | None = None


class ListAnswer(PageAnswer):
    entities: list[EntityAnswer]


class GetArguments(Arguments):
    entity_id: UUID


class Relation(Answer):
    text: str
    relation: str
    subject_id: UUID
    object_id: UUID | None = None
    valid_from: datetime | None = None


class ShownEntity(EntityAnswer):
    aliases: tuple[str, ...] = ()
    summary: str = ""
    attributes: Any = None
    first_seen: datetime | None = None
    observations: tuple[BriefMemory, ...] = Field(default=(), description="Summaries of what is known about it.")
    memories: tuple[BriefMemory, ...] = Field(default=(), description="The newest that mention it.")
    relationships: tuple[Relation, ...] = Field(default=(), description="The newest that hold.")


def run_list(call: Call, arguments: ListArguments) -> ListAnswer:
    wanted = check(EntityListInput, arguments.given()).validated_data
    with tenant_transaction(call.access.tenant_id):
        bank = get_bank(call.access, call.bank_id)
        rows = find_entities(bank, kind=wanted["kind"], name=wanted["q"]).defer("embedding")
        page = list_rows(rows, wanted, of=bank.id)
    return ListAnswer(
        entities=[EntityAnswer(**describe(entity)) for entity in page.items],
        total=page.total,
        next_cursor=page.next_cursor,
    )


def describe(entity: Entity) -> dict[str, Any]:
    return {
        "id": entity.id,
        "name": entity.name,
        "kind": entity.kind,
        "mention_count": entity.mention_count,
        "last_seen": entity.last_seen_at,
    }


def run_get(call: Call, arguments: GetArguments) -> ShownEntity:
    shown = show_entity(call.access, call.bank_id, arguments.entity_id)
    return ShownEntity(
        **describe(shown.entity),
        aliases=list(shown.aliases),
        summary=shown.entity.summary,
        attributes=shown.entity.attributes or None,
        first_seen=shown.entity.first_seen_at,
        observations=[describe_briefly(unit) for unit in shown.observations[:MOST_MEMORIES]],
        memories=[describe_briefly(unit) for unit in shown.memories[:MOST_MEMORIES]],
        relationships=[
            Relation(
                text=row.text,
                relation=row.relation,
                subject_id=row.subject_id,
                object_id=row.object_id,
                valid_from=row.valid_from,
            )
            for row in shown.relationships[:MOST_MEMORIES]
        ],
    )


LIST_ENTITIES = Tool(
    name="list_entities",
    title="List entities",
    description="The people, places, organisations and things that memory knows, newest first.",
    arguments=ListArguments,
    answer=ListAnswer,
    run=run_list,
)
GET_ENTITY = Tool(
    name="get_entity",
    title="Get an entity",
    description="What memory knows about one person, place or thing: summary, relationships, newest memories.",
    arguments=GetArguments,
    answer=ShownEntity,
    run=run_get,
)
