"""The tool `retain`."""

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import Field, StrictBool
from rest_framework import serializers
from rest_framework.exceptions import PermissionDenied

from memoryplatform.api.errors import list_faults
from memoryplatform.api.mcp.tools.tool import Answer, Arguments, Call, Effect, define_tool
from memoryplatform.api.v1.banks import check_bank_id
from memoryplatform.api.v1.retain_items import ReadItems, read_items
from memoryplatform.operations.dry_run import dry_run
from memoryplatform.operations.models import Operation
from memoryplatform.operations.retain import retain
from tenants.models import ApiKey


class MessageArguments(Arguments):
    role: Literal["user", "assistant", "system", "tool"]
    content: str
    name: Annotated[str, Field(description="Who said it, so that the memory can name them.")] = ""
    timestamp: Annotated[datetime | None, Field(description="When, ISO 8601.")] = None


class RetainArguments(Arguments):
    content: Annotated[
        str | None,
        Field(description="A text in full sentences that name people and things. Either this or messages."),
    ] = None
    messages: Annotated[list[MessageArguments] | None, Field(description="A conversation, as it was said.")] = None
    timestamp: Annotated[
        datetime | None,
        Field(description="When it was said or written, ISO 8601; now if left out. 'Yesterday' counts from it."),
    ] = None
    context: Annotated[str, Field(description="The situation, e.g. 'planning a trip'.")] = ""
    tags: Annotated[tuple[str, ...], Field(description="Labels that recall can filter by.")] = ()
    metadata: Annotated[dict[str, str] | None, Field(description="Names with values, stored with the memories.")] = None
    thread: Annotated[
        str, Field(description="With messages: the conversation's own id, so that its parts stay together.")
    ] = ""
    wait: Annotated[StrictBool, Field(description="False: do not wait for the memories.")] = True
    dry_run: Annotated[StrictBool, Field(description="Store nothing: only show the facts that would be stored.")] = (
        False
    )


class TriedFact(Answer):
    text: str
    type: str
    entities: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    outcome: str = Field(description="add; or what it does with the memories in targets: merge, update, repeat.")
    targets: tuple[UUID, ...] = ()


class RetainAnswer(Answer):
    status: str = Field(
        description="completed; pending: stored durably, with memories still being extracted; dry_run: nothing stored."
    )
    operation_id: UUID | None = None
    memory_ids: tuple[UUID, ...] = ()
    facts: tuple[TriedFact, ...] = Field(default=(), description="Of a dry run: what would be stored.")
    problems: tuple[str, ...] = Field(default=(), description="Anything that could not be read or stored, and why.")


@define_tool("retain", "Remember", scopes="write", effect=Effect.ADDS)
def run(call: Call, arguments: RetainArguments) -> RetainAnswer:
    """Store a text or a conversation that is worth knowing later. Facts, people, dates and relations are extracted from
    it; a new fact closes an older one that it contradicts. The source is stored too.
    """
    check_bank_id(call.bank_id)
    item = {name: value for name, value in arguments.given().items() if name not in {"wait", "dry_run"}}
    check_form(item)
    read = read_items([item])
    if not read.good:
        raise read.faults[0].faults
    if arguments.dry_run:
        return try_item(call, read)
    operation = retain(call.access, call.bank_id, read.good, wait=arguments.wait)
    return describe_retained(operation, read)


def try_item(call: Call, read: ReadItems) -> RetainAnswer:
    if not call.caller.identity.allows(ApiKey.Scope.READ):
        raise PermissionDenied("A dry run shows memories, so it needs the scope 'read' too.")
    (tried,) = dry_run(call.access, call.bank_id, read.good).items
    facts = tuple(
        TriedFact(
            text=one.text,
            type=one.fact.network.value,
            entities=tuple(entity.name for entity in one.fact.entities),
            categories=one.fact.categories,
            outcome=one.outcome,
            targets=one.targets,
        )
        for one in tried.run.facts
    )
    problems = (*tried.run.errors, *tried.notes, *describe_left_out(read))
    return RetainAnswer(status="dry_run", facts=facts, problems=problems)


def describe_left_out(read: ReadItems) -> list[str]:
    """The messages of the conversation that were refused."""
    faults = (fault for item in read.faults for fault in list_faults(item.faults))
    return [f"{fault['field']}: {fault['message']}" for fault in faults]


def check_form(item: Mapping[str, Any]) -> None:
    """Own messages, because the API's name fields that this tool does not have."""
    if ("content" in item) == ("messages" in item):
        raise serializers.ValidationError("Give either content or messages.")
    if "thread" in item and "messages" not in item:
        raise serializers.ValidationError({"thread": ["Needs messages."]})


def describe_retained(operation: Operation, read: ReadItems) -> RetainAnswer:
    result = operation.result or {}
    errors = result.get("errors", [operation.error_detail] if operation.error_detail else [])
    return RetainAnswer(
        status=operation.status,
        operation_id=operation.id,
        memory_ids=result.get("unit_ids", []),
        problems=[*errors, *result.get("notes", []), *describe_left_out(read)],
    )
