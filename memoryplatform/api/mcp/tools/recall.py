from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from pydantic import Field, StrictInt

from memoryplatform.api.mcp.caller import Call
from memoryplatform.api.mcp.checked import check
from memoryplatform.api.mcp.filters import Effort, SearchArguments
from memoryplatform.api.mcp.shapes import name_type
from memoryplatform.api.mcp.tool import Answer, Tool
from memoryplatform.api.v1.recall_input import RecallInput
from memoryplatform.operations.recall import Recalled, recall
from retrieval.types import RecallItem


class RecallArguments(SearchArguments):
    max_tokens: Annotated[StrictInt, Field(ge=0, description="The most tokens of memory to return.")] = 2048
    max_results: Annotated[StrictInt, Field(ge=1, le=100, description="The most memories to return.")] = 20
    budget: Annotated[Effort, Field(description="How far to search; high is slower and finds more.")] = "mid"

    def given(self) -> dict[str, Any]:
        """Without what is ours: ids and dates of many short memories take more tokens than their texts."""
        return {name: value for name, value in super().given().items() if name != "max_results"}


class RecalledMemory(Answer):
    id: UUID
    type: str = Field(description="world, experience, opinion, observation; or chunk: raw text, as it was retained.")
    text: str
    mentioned_at: datetime = Field(description="When it was told.")
    occurred_start: datetime | None = Field(default=None, description="When it happened.")
    occurred_end: datetime | None = None
    confidence: float | None = Field(default=None, description="Of an opinion, 0 to 1.")
    tags: tuple[str, ...] = ()
    valid_until: datetime | None = Field(default=None, description="It is no longer so.")
    superseded_by: UUID | None = Field(default=None, description="The memory that took its place.")


class RecallAnswer(Answer):
    recall_id: UUID
    results: list[RecalledMemory] = Field(description="The best first.")
    tokens: int = Field(description="Of their texts.")
    left_out: tuple[str, ...] = Field(default=(), description="Parts of the search that failed this time.")


def run(call: Call, arguments: RecallArguments) -> RecallAnswer:
    query = check(RecallInput, arguments.given() | {"include": {"entities": None}}).recall_query()
    return describe(recall(call.access, [call.bank_id], query), most=arguments.max_results)


def describe(recalled: Recalled, *, most: int) -> RecallAnswer:
    items = recalled.result.items[:most]
    return RecallAnswer(
        recall_id=recalled.id,
        results=[describe_item(item) for item in items],
        tokens=sum(item.tokens for item in items),
        left_out=[one.channel.value for one in recalled.result.left_out],
    )


def describe_item(item: RecallItem) -> RecalledMemory:
    candidate = item.candidate
    return RecalledMemory(
        id=candidate.id,
        type=name_type(candidate),
        text=item.text,
        mentioned_at=candidate.mentioned_at,
        occurred_start=candidate.occurred_start,
        occurred_end=candidate.occurred_end,
        confidence=candidate.confidence,
        tags=list(candidate.tags),
        valid_until=candidate.valid_until,
        superseded_by=candidate.superseded_by,
    )


RECALL = Tool(
    name="recall",
    title="Recall",
    description="Search memory by meaning, words, time and relations. Returns the memories that answer the query, the "
    "best first, as many as max_tokens and max_results allow. Use it before answering from memory; ask one thing at a "
    "time.",
    arguments=RecallArguments,
    answer=RecallAnswer,
    run=run,
)
