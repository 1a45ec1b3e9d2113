"""The tools `list_entities` and `get_entity`."""

from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import Field

from memoryplatform.api.mcp.tools import tool
from memoryplatform.api.serializers import check_input
from memoryplatform.api.v1.entities import EntityListInput
from memoryplatform.api.v1.lists import list_rows
from memoryplatform.operations.banks.profile import bank_transaction
from memoryplatform.operations.entities import find_entities, show_entity

MOST_MEMORIES = 10
Kind = Literal["PERSON", "ORGANIZATION", "LOCATION", "PRODUCT", "CONCEPT", "OTHER"]


class ListArguments(tool.PageArguments):
    q: Annotated[str, Field(description="The beginning of a word of the name, e.g. 'ali'.")] = ""
    kind: Annotated[Kind | None, Field(description="Only this kind.")] = None


class EntityAnswer(tool.Answer):
    id: UUID
    name: str
    kind: str
    mention_count: int
    last_seen: datetime | None = None


class ListAnswer(tool.PageAnswer):
    entities: list[EntityAnswer]


class GetArguments(tool.Arguments):
    entity_id: UUID


class Relation(tool.Answer):
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
    observations: tuple[tool.BriefMemory, ...] = Field(default=(), description="Summaries of what is known about it.")
    memories: tuple[tool.BriefMemory, ...] = Field(default=(), description="The newest memories that mention it.")
    relationships: tuple[Relation, ...] = Field(default=(), description="The newest current relationships.")


@tool.define_tool("list_entities", "List entities")
def run_list(call: tool.Call, arguments: ListArguments) -> ListAnswer:
    """The people, places, organisations and things that memory knows, newest first."""
    wanted = check_input(EntityListInput, arguments.given()).validated_data
    with bank_transaction(call.access, call.bank_id) as bank:
        rows = find_entities(bank, kind=wanted["kind"], name=wanted["q"]).defer("embedding", "second_embedding")
        page = list_rows(rows, wanted, of=bank.id)
    entities = [EntityAnswer.read(entity, last_seen=entity.last_seen_at) for entity in page.items]
    return ListAnswer.read(page, entities=entities)


@tool.define_tool("get_entity", "Get an entity")
def run_get(call: tool.Call, arguments: GetArguments) -> ShownEntity:
    """Everything known about one person, place or thing: summary, relationships, newest memories."""
    shown = show_entity(call.access, call.bank_id, arguments.entity_id)
    return ShownEntity.read(
        shown.entity,
        last_seen=shown.entity.last_seen_at,
        aliases=shown.aliases,
        attributes=shown.entity.attributes or None,
        first_seen=shown.entity.first_seen_at,
        observations=[tool.describe_briefly(unit, tool.BriefMemory) for unit in shown.observations[:MOST_MEMORIES]],
        memories=[tool.describe_briefly(unit, tool.BriefMemory) for unit in shown.memories[:MOST_MEMORIES]],
        relationships=[Relation.read(row) for row in shown.relationships[:MOST_MEMORIES]],
    )
