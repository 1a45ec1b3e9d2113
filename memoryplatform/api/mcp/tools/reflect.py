from typing import Annotated, Any
from uuid import UUID

from pydantic import Field, StrictBool, StrictInt

from memoryplatform.api.mcp.caller import Call
from memoryplatform.api.mcp.checked import check
from memoryplatform.api.mcp.errors import HungUp
from memoryplatform.api.mcp.filters import Effort, SearchArguments
from memoryplatform.api.mcp.shapes import name_type
from memoryplatform.api.mcp.tool import Answer, Effect, Tool
from memoryplatform.api.v1.reflect_input import ReflectInput
from memoryplatform.operations.reflect import open_reflection
from reflection.reflect.events import Done
from reflection.reflect.types import ReflectQuery, ReflectResult


class ReflectArguments(SearchArguments):
    context: Annotated[str, Field(description="What the answer should take into account beside memory.")] = ""
    max_tokens: Annotated[StrictInt, Field(ge=1, description="The longest answer, in tokens.")] = 2048
    budget: Annotated[Effort, Field(description="mid and high look again before answering, and take longer.")] = "low"
    response_schema: Annotated[
        dict[str, Any] | None, Field(description="A JSON schema; the answer comes in structured_output too.")
    ] = None
    form_opinions: Annotated[StrictBool, Field(description="False: store nothing.")] = True


class Citation(Answer):
    mark: str = Field(description="As it stands in the text, such as [3].")
    memory_id: UUID
    type: str


class FormedOpinion(Answer):
    id: UUID
    text: str
    confidence: float
    confidence_before: float | None = None
    outcome: str = Field(description="formed, restated, revised or pinned.")


class ReflectAnswer(Answer):
    text: str
    engine: str = Field(description="llm; or builtin: sentences of memory, since no language model is configured.")
    citations: tuple[Citation, ...] = ()
    opinions: tuple[FormedOpinion, ...] = Field(default=(), description="What the answer made of the agent's opinions.")
    not_in_memory: bool = False
    truncated: bool = False
    structured_output: Any = None
    structured_output_error: str | None = None


def run(call: Call, arguments: ReflectArguments) -> ReflectAnswer:
    query = check(ReflectInput, arguments.given()).reflect_query()
    return describe(reflect_while_wanted(call, query))


def reflect_while_wanted(call: Call, query: ReflectQuery) -> ReflectResult:
    """Step by step, so that an answer that nobody waits for costs no more than its last step, and forms no opinion."""
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


def describe(result: ReflectResult) -> ReflectAnswer:
    return ReflectAnswer(
        text=result.text,
        engine=result.engine,
        citations=[
            Citation(mark=memory.mark, memory_id=memory.id, type=name_type(memory.item.candidate))
            for memory in result.cited
        ],
        opinions=[
            FormedOpinion(
                id=opinion.id,
                text=opinion.text,
                confidence=opinion.confidence,
                confidence_before=opinion.confidence_before,
                outcome=opinion.outcome,
            )
            for opinion in result.opinions
        ],
        not_in_memory=result.not_in_memory,
        truncated=result.truncated,
        structured_output=result.structured.value,
        structured_output_error=result.structured.error,
    )


REFLECT = Tool(
    name="reflect",
    title="Reflect",
    description="Answer a question out of memory, in the agent's own character, with citations. Opinions that the "
    "answer forms are stored with their evidence. Slower than recall: use it for judgements, comparisons and "
    "summaries, and recall for facts.",
    arguments=ReflectArguments,
    answer=ReflectAnswer,
    run=run,
    scopes="write read",
    effect=Effect.ADDS,
)
