# ruff: noqa: INP001, T201  # an example is no package, and it prints
"""A PydanticAI agent that remembers.

Set MEMORYPLATFORM_URL and MEMORYPLATFORM_API_KEY. The model here is a stand-in that calls both tools; give the agent
one of PydanticAI's in its place.
"""

import asyncio
import os

from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from memoryplatform_client import AsyncMemoryClient
from memoryplatform_client.adapters.pydantic_ai import build_toolset


def stand_in(messages: list[ModelMessage], _info: AgentInfo) -> ModelResponse:
    returned = [part for message in messages for part in message.parts if isinstance(part, ToolReturnPart)]
    if not returned:
        return ModelResponse([ToolCallPart("memory_retain", {"content": "Alice lives in Lisbon."})])
    if len(returned) == 1:
        return ModelResponse([ToolCallPart("memory_recall", {"query": "Where does Alice live?"})])
    return ModelResponse([TextPart(str(returned[-1].content))])


async def main() -> None:
    url, key = os.environ["MEMORYPLATFORM_URL"], os.environ["MEMORYPLATFORM_API_KEY"]
    async with AsyncMemoryClient(url, key) as client:
        agent = Agent(FunctionModel(stand_in), toolsets=[build_toolset(client, "agent")])
        print((await agent.run("Where does Alice live?")).output)


if __name__ == "__main__":
    asyncio.run(main())
