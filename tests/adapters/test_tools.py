"""Memory as tools of a model."""

import asyncio
import json

import pytest
from pydantic_ai import Agent, ModelRetry
from pydantic_ai.models.test import TestModel

from memoryplatform_client import AsyncMemoryClient, MemoryClient, RetryPolicy
from memoryplatform_client.adapters.openai_tools import MemoryTools
from memoryplatform_client.adapters.pydantic_ai import build_toolset, corrected
from tests.sdk.conftest import Service


def test_a_model_stores_and_finds(client: MemoryClient) -> None:
    tools = MemoryTools(client, "chat")
    stored = json.loads(tools.call("memory_retain", '{"content": "Alice lives in Lisbon."}'))
    assert stored == {"stored": True, "memories": 1}
    assert "Alice lives in Lisbon." in tools.call("memory_recall", '{"query": "Where does Alice live?"}')
    assert "Lisbon" in asyncio.run(tools.acall("memory_reflect", '{"query": "Where does Alice live?"}'))


def test_an_empty_memory_says_so(client: MemoryClient) -> None:
    nothing = "Nothing is remembered about this."
    assert MemoryTools(client, "chat").call("memory_recall", '{"query": "x"}') == nothing
    client.banks.create("chat")
    assert MemoryTools(client, "chat").call("memory_recall", '{"query": "x"}') == nothing


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("memory_erase", "{}"),
        ("memory_recall", "nonsense"),
        ("memory_recall", "{}"),
        ("memory_recall", '{"query": "x", "bank_id": "other"}'),
        ("memory_retain", '{"content": "   "}'),
    ],
)
def test_what_a_model_does_wrong_is_told_to_it(client: MemoryClient, name: str, arguments: str) -> None:
    assert json.loads(MemoryTools(client, "chat").call(name, arguments))["error"]


def test_a_service_that_is_away_is_told_to_the_model() -> None:
    with MemoryClient("http://127.0.0.1:9", "mpk_x", retry=RetryPolicy(attempts=1)) as client:
        assert json.loads(MemoryTools(client, "chat").call("memory_recall", '{"query": "x"}'))["error"]


def test_schemas_are_strict_and_have_both_shapes(client: MemoryClient) -> None:
    tools = MemoryTools(client, "chat", only={"memory_recall"})
    (chat,), (flat,) = tools.for_chat, tools.for_responses
    assert chat == {"type": "function", "function": {name: flat[name] for name in flat if name != "type"}}
    assert flat["strict"] is True
    assert flat["parameters"]["required"] == ["query"]
    assert flat["parameters"]["additionalProperties"] is False
    assert json.loads(tools.call("memory_retain", '{"content": "x"}'))["error"]


def test_an_agent_of_pydantic_ai_calls_every_tool(service: Service) -> None:
    async def run() -> str:
        async with AsyncMemoryClient(service.url, service.key) as client:
            return (await Agent(TestModel(), toolsets=[build_toolset(client, "agent")]).run("Remember.")).output

    answered = json.loads(asyncio.run(run()))
    assert set(answered) == {"memory_retain", "memory_recall", "memory_reflect"}


def test_a_reader_gets_no_retain() -> None:
    client = AsyncMemoryClient("http://service", "mpk_x")
    assert set(build_toolset(client, "agent", may_write=False).tools) == {"memory_recall", "memory_reflect"}
    asyncio.run(client.close())


def test_what_the_service_refuses_may_be_asked_again(service: Service) -> None:
    async def run() -> None:
        async with AsyncMemoryClient(service.url, service.key) as client:
            await corrected(client.retain("agent", " "))

    with pytest.raises(ModelRetry):
        asyncio.run(run())
