from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import Field, StrictBool
from rest_framework import serializers

from banks.retain.input import RetainItem
from memoryplatform.api.errors import list_faults
from memoryplatform.api.mcp.caller import Call
from memoryplatform.api.mcp.tool import Answer, Arguments, Effect, Tool
from memoryplatform.api.v1.banks import check_bank_id
from memoryplatform.api.v1.retain_shapes import ReadItems, read_items
from memoryplatform.operations.models import Operation
from memoryplatform.operations.retain import retain


class Said(Arguments):
    role: Literal["user", "assistant", "system", "tool"]
    content: str
    name: Annotated[str, Field(description="Who said it, so that the memory can name them.")] = ""
    timestamp: Annotated[datetime | None, Field(description="When, ISO 8601.")] = None


class RetainArguments(Arguments):
    content: Annotated[
        str | None,
        Field(description="A text in full sentences that name people and things. Either this or messages."),
    ] = None
    messages: Annotated[list[Said] | None, Field(description="A conversation, as it was said.")] = None
    timestamp: Annotated[
        datetime | None,
        Field(description="When it was said or written, ISO 8601; now if left out. 'Yesterday' counts from it."),
    ] = None
    context: Annotated[str, Field(description="What the situation was, e.g. 'planning a trip'.")] = ""
    tags: Annotated[tuple[str, ...], Field(description="Labels that recall can filter by.")] = ()
    metadata: Annotated[dict[str, str] | None, Field(description="Names with values, kept with the memories.")] = None
    thread: Annotated[
        str, Field(description="With messages: the conversation's own id, so that its parts stay together.")
    ] = ""
    wait: Annotated[StrictBool, Field(description="False: do not wait until the memories are made.")] = True


class RetainAnswer(Answer):
    status: str = Field(description="completed, or pending: accepted for good, and being worked on.")
    operation_id: UUID
    memory_ids: tuple[UUID, ...] = ()
    problems: tuple[str, ...] = Field(default=(), description="What could not be read or kept, and why.")


def run(call: Call, arguments: RetainArguments) -> RetainAnswer:
    check_bank_id(call.bank_id)
    item = {name: value for name, value in arguments.given().items() if name != "wait"}
    check_form(item)
    read = read_items([item])
    operation = retain(call.access, call.bank_id, check(read), wait=arguments.wait)
    return describe(operation, read)


def check_form(item: Mapping[str, Any]) -> None:
    """What the API says of it names fields that this tool does not have."""
    if ("content" in item) == ("messages" in item):
        raise serializers.ValidationError("Give either content or messages.")
    if "thread" in item and "messages" not in item:
        raise serializers.ValidationError({"thread": ["Goes with messages."]})


def check(read: ReadItems) -> tuple[RetainItem, ...]:
    if not read.good:
        raise read.faults[0].faults
    return read.good


def describe(operation: Operation, read: ReadItems) -> RetainAnswer:
    result = operation.result or {}
    told = result.get("errors", [operation.error_detail] if operation.error_detail else [])
    return RetainAnswer(
        status=operation.status,
        operation_id=operation.id,
        memory_ids=result.get("unit_ids", []),
        problems=[*told, *result.get("notes", []), *describe_faults(read)],
    )


def describe_faults(read: ReadItems) -> list[str]:
    """Messages that were left out of a conversation that was kept."""
    faults: list[serializers.ValidationError] = [item.faults for item in read.faults]
    return [f"{fault['field']}: {fault['message']}" for error in faults for fault in list_faults(error)]


RETAIN = Tool(
    name="retain",
    title="Remember",
    description="Store what is worth knowing later: a text or a conversation. Facts, people, dates and relations are "
    "taken from it; a fact that contradicts an older one closes that. The source is kept too.",
    arguments=RetainArguments,
    answer=RetainAnswer,
    run=run,
    scopes="write",
    effect=Effect.ADDS,
)
