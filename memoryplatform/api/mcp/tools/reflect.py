"""The tool `reflect`."""

from typing import Annotated, Any
from uuid import UUID

from pydantic import Field, StrictBool, StrictInt
from rest_framework import exceptions

from memoryplatform.api.mcp.tools import tool
from memoryplatform.api.serializers import check_input
from memoryplatform.api.v1.reflect_input import ReflectInput
from memoryplatform.operations.reflect import open_reflection
from reflection.reflect.types import Done, ReflectQuery, ReflectResult


class HungUp(exceptions.APIException):
    """Ends work for a client that has disconnected. No one reads the error."""

    status_code = 499
    default_detail = "The client has disconnected."
    default_code = "hung_up"


class ReflectArguments(tool.SearchArguments):
    context: Annotated[str, Field(description="Anything that the answer should consider besides memory.")] = ""
    max_tokens: Annotated[StrictInt, Field(ge=1, description="The longest answer, in tokens.")] = 2048
    budget: Annotated[
        tool.Effort, Field(description="mid and high search again before they answer, and take longer.")
    ] = "low"
    response_schema: Annotated[
        dict[str, Any] | None, Field(description="A JSON schema; structured_output then has the answer in this form.")
    ] = None
    form_opinions: Annotated[StrictBool, Field(description="False: store nothing.")] = True


class Citation(tool.Answer):
    mark: str = Field(description="As in the text, such as [3].")
    memory_id: UUID
    type: str


class FormedOpinion(tool.Answer):
    id: UUID
    text: str
    confidence: float
    confidence_before: float | None = None
    outcome: str = Field(description="formed, restated, revised or pinned.")


class ReflectAnswer(tool.Answer):
    text: str
    engine: str = Field(description="llm; or builtin: quoted memories, because no language model is configured.")
    citations: tuple[Citation, ...] = ()
    opinions: tuple[FormedOpinion, ...] = Field(
        default=(), description="The opinions that the answer formed or changed."
    )
    not_in_memory: bool = False
    truncated: bool = False
    structured_output: Any = None
    structured_output_error: str | None = None


@tool.define_tool("reflect", "Reflect", scopes="write read", effect=tool.Effect.ADDS)
def run(call: tool.Call, arguments: ReflectArguments) -> ReflectAnswer:
    """Answer a question from memory, in the agent's own character, with citations. New opinions are stored with their
    evidence. Slower than recall: use it for judgements, comparisons and summaries, and recall for facts.
    """
    query = check_input(ReflectInput, {**arguments.given(), "fill": False}).reflect_query()
    return describe_reflection(reflect_while_wanted(call, query))


def reflect_while_wanted(call: tool.Call, query: ReflectQuery) -> ReflectResult:
    """Stops between steps if the client has disconnected, so that an unread answer forms no opinion."""
    events = open_reflection(call.access, call.bank_id, query)
    try:
        for event in events:
            if isinstance(event, Done):
                return event.result
            if call.hung_up.is_set():
                break
    finally:
        events.close()
    raise HungUp


def describe_reflection(result: ReflectResult) -> ReflectAnswer:
    return ReflectAnswer.read(
        result,
        citations=[
            Citation(mark=memory.mark, memory_id=memory.id, type=tool.name_type(memory.item.candidate))
            for memory in result.cited
        ],
        opinions=[FormedOpinion.read(opinion) for opinion in result.opinions],
        structured_output=result.structured.value,
        structured_output_error=result.structured.error,
    )
