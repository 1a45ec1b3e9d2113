"""Memory as a toolset of PydanticAI. Needs the extra `pydantic-ai`."""

from collections.abc import Coroutine
from typing import Any, TypeVar

from pydantic_ai import FunctionToolset, ModelRetry

from memoryplatform_client.adapters.tool_words import KEPT, LATER, NOTHING, PATIENCE, RECALL, REFLECT, RETAIN
from memoryplatform_client.client import AsyncMemoryClient
from memoryplatform_client.errors import BadRequest, BankNotFound, Invalid, WaitTimedOut
from memoryplatform_client.facade.context import FOR_PROMPTS, Context
from memoryplatform_client.models.retain import Retained

T = TypeVar("T")


def build_toolset(client: AsyncMemoryClient, bank_id: str, *, may_write: bool = True) -> FunctionToolset[Any]:
    """The tools `memory_retain`, `memory_recall` and `memory_reflect`; with `may_write=False` without the first."""

    async def memory_retain(content: str) -> str:
        try:
            stored = await corrected(client.retain(bank_id, content, timeout=PATIENCE))
        except WaitTimedOut:
            return LATER
        return tell_stored(stored)

    async def memory_recall(query: str) -> str:
        found = await remembered(client.recall(bank_id, query, include=FOR_PROMPTS))
        return Context(query, tuple(found.results)).to_prompt() or NOTHING if found else NOTHING

    async def memory_reflect(query: str) -> str:
        answer = await remembered(client.reflect(bank_id, query))
        return answer.text if answer else NOTHING

    toolset: FunctionToolset[Any] = FunctionToolset(id=f"memory-{bank_id}")
    if may_write:
        toolset.add_function(memory_retain, description=RETAIN)
    toolset.add_function(memory_recall, description=RECALL)
    toolset.add_function(memory_reflect, description=REFLECT)
    return toolset


def tell_stored(stored: Retained) -> str:
    if stored.status != "completed":
        return f"No memories were made: {'; '.join(stored.errors) or stored.status}."
    return f"Stored as {len(stored.unit_ids)} memories." if stored.unit_ids else KEPT


async def remembered(asked: Coroutine[Any, Any, T]) -> T | None:
    """The first retain creates the bank. A missing bank therefore means an empty memory, not an error."""
    try:
        return await corrected(asked)
    except BankNotFound:
        return None


async def corrected(asked: Coroutine[Any, Any, T]) -> T:
    """A call with invalid arguments goes back to the model for another try. Other errors reach the caller."""
    try:
        return await asked
    except (Invalid, BadRequest) as refusal:
        raise ModelRetry(refusal.detail) from refusal
