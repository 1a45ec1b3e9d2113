"""The tool `retain`."""

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import Field, StrictBool
from rest_framework import serializers

from memoryplatform.api.errors import list_faults
from memoryplatform.api.mcp.tools.tool import Answer, Arguments, Call, Effect, define_tool
from memoryplatform.api.v1.banks import check_bank_id
from memoryplatform.api.v1.retain_items import ReadItems, read_items
from memoryplatform.operations.models import Operation
from memoryplatform.operations.retain import retain


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


class RetainAnswer(Answer):
    status: str = Field(description="completed, or pending: stored durably, with memories still being extracted.")
    operation_id: UUID
    memory_ids: tuple[UUID, ...] = ()
    problems: tuple[str, ...] = Field(default=(), description="Anything that could not be read or stored, and why.")


@define_tool("retain", "Remember", scopes="write", effect=Effect.ADDS)
def run(call: Call, arguments: RetainArguments) -> RetainAnswer:
    """Store a text or a conversation that is worth knowing later. Facts, people, dates and relations are extracted from
    it; a new fact closes an older one that it contradicts. The source is stored too.
    """
    check_bank_id(call.bank_id)
    item = {name: value for name, value in arguments.given().items() if name != "wait"}
    check_form(item)
    read = read_items([item])
    if not read.good:
        raise read.faults[0].faults
    operation = retain(call.access, call.bank_id, read.good, wait=arguments.wait)
    return describe_retained(operation, read)


def check_form(item: Mapping[str, Any]) -> None:
    """Own messages, because the API's name fields that this tool does not have."""
    if ("content" in item) == ("messages" in item):
        raise serializers.ValidationError("Give either content or messages.")
    if "thread" in item and "messages" not in item:
        raise serializers.ValidationError({"thread": ["Needs messages."]})


def describe_retained(operation: Operation, read: ReadItems) -> RetainAnswer:
    result = operation.result or {}
    errors = result.get("errors", [operation.error_detail] if operation.error_detail else [])
    left_out = [fault for item in read.faults for fault in list_faults(item.faults)]  # messages of the conversation
    return RetainAnswer(
        status=operation.status,
        operation_id=operation.id,
        memory_ids=result.get("unit_ids", []),
        problems=[*errors, *result.get("notes", []), *(f"{fault['field']}: {fault['message']}" for fault in left_out)],
    )
