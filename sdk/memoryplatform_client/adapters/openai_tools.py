"""Memory as tools of the OpenAI API: schemas for the request, and a dispatcher for the model's tool calls.

Needs nothing but the client. Works with Chat Completions, with Responses, and with the OpenAI Agents SDK.
"""

import asyncio
import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ValidationError

from memoryplatform_client.adapters.tool_words import (
    KEPT,
    LATER,
    NOTHING,
    PATIENCE,
    RECALL,
    REFLECT,
    RETAIN,
    Asked,
    Remembered,
)
from memoryplatform_client.client import MemoryClient
from memoryplatform_client.errors import BankNotFound, MemoryPlatformError, WaitTimedOut
from memoryplatform_client.facade.context import FOR_PROMPTS, Context


@dataclass(frozen=True)
class Tool:
    name: str
    description: str
    arguments: type[BaseModel]
    call: Callable[[MemoryClient, str, Any], str]

    @property
    def parameters(self) -> dict[str, Any]:
        """Strict mode requires every property and forbids others."""
        schema = self.arguments.model_json_schema()
        properties = {
            name: {"type": one["type"], "description": one["description"]} for name, one in schema["properties"].items()
        }
        return {
            "type": "object",
            "properties": properties,
            "required": list(properties),
            "additionalProperties": False,
        }


def retain(client: MemoryClient, bank_id: str, given: Remembered) -> str:
    try:
        stored = client.retain(bank_id, given.content, timeout=PATIENCE)
    except WaitTimedOut:
        return json.dumps({"stored": True, "note": LATER})
    if stored.status != "completed":
        return fault("; ".join(stored.errors) or f"The operation {stored.operation_id} is {stored.status}.")
    told = {"memories": len(stored.unit_ids)} if stored.unit_ids else {"note": KEPT}
    return json.dumps({"stored": True, **told})


def recall(client: MemoryClient, bank_id: str, given: Asked) -> str:
    found = client.recall(bank_id, given.query, include=FOR_PROMPTS)
    return Context(given.query, tuple(found.results)).to_prompt() or NOTHING


def reflect(client: MemoryClient, bank_id: str, given: Asked) -> str:
    return client.reflect(bank_id, given.query).text


EVERY = (
    Tool("memory_retain", RETAIN, Remembered, retain),
    Tool("memory_recall", RECALL, Asked, recall),
    Tool("memory_reflect", REFLECT, Asked, reflect),
)


class MemoryTools:
    """`only`: the names of the tools to offer, such as `["memory_recall"]`. By default all are offered."""

    def __init__(self, client: MemoryClient, bank_id: str, *, only: Collection[str] | None = None) -> None:
        self._client = client
        self._bank_id = bank_id
        self.tools: Mapping[str, Tool] = {one.name: one for one in EVERY if only is None or one.name in only}

    @property
    def for_chat(self) -> list[dict[str, Any]]:
        """`tools` of Chat Completions."""
        return [{"type": "function", "function": describe(one)} for one in self.tools.values()]

    @property
    def for_responses(self) -> list[dict[str, Any]]:
        """`tools` of Responses."""
        return [{"type": "function", **describe(one)} for one in self.tools.values()]

    def call(self, name: str, arguments: str) -> str:
        """Carry out a tool call of the model and return the text of the result. An error is returned as text, too.

        The first retain creates the bank. Before that nothing is found, which is no error.
        """
        tool = self.tools.get(name)
        if tool is None:
            return fault(f"There is no tool {name}.")
        try:
            given = tool.arguments.model_validate_json(arguments)
        except ValidationError as error:
            return fault("; ".join(": ".join([*name_place(one["loc"]), one["msg"]]) for one in error.errors()))
        try:
            return tool.call(self._client, self._bank_id, given)
        except BankNotFound:
            return NOTHING
        except MemoryPlatformError as error:
            return fault(str(error))

    async def acall(self, name: str, arguments: str) -> str:
        return await asyncio.to_thread(self.call, name, arguments)


def describe(tool: Tool) -> dict[str, Any]:
    return {"name": tool.name, "description": tool.description, "parameters": tool.parameters, "strict": True}


def name_place(places: Sequence[str | int]) -> list[str]:
    """Empty if the fault concerns the arguments as a whole."""
    return [".".join(map(str, places))] if places else []


def fault(sentence: str) -> str:
    return json.dumps({"error": sentence})
