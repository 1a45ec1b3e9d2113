"""Memory as tools of a model."""

import asyncio
import json
from typing import Any

import httpx
import pytest
from pydantic_ai import Agent, ModelRetry
from pydantic_ai.models.test import TestModel

from memoryplatform_client import AsyncMemoryClient, MemoryClient, RetryPolicy
from memoryplatform_client.adapters import openai_tools, pydantic_ai
from memoryplatform_client.adapters.openai_tools import MemoryTools
from memoryplatform_client.adapters.pydantic_ai import build_toolset, corrected, tell_stored
from memoryplatform_client.models.retain import Retained
from tests.clock import holds_to_a_time
from tests.sdk.conftest import Service
from tests.sdk.scripted import RETAINED, make_client


def test_a_model_stores_and_finds(client: MemoryClient) -> None:
    tools = MemoryTools(client, "chat")
    stored = json.loads(tools.call("memory_retain", '{"content": "Alice lives in Lisbon."}'))
    assert stored == {"stored": True, "memories": 1}
    assert "Alice lives in Lisbon." in tools.call("memory_recall", '{"query": "Where does Alice live?"}')
    assert "Lisbon" in asyncio.run(tools.acall("memory_reflect", '{"query": "Where does Alice live?"}'))


LARGE = "Alice sails to Rome. " * 5_000


def test_a_large_text_is_reported_with_its_memories(client: MemoryClient, worker: None) -> None:
    told = json.loads(MemoryTools(client, "chat").call("memory_retain", json.dumps({"content": LARGE})))
    assert (told["stored"], told["memories"] > 0) == (True, True)


@holds_to_a_time
def test_memories_that_are_not_there_yet_are_not_counted(
    client: MemoryClient, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (openai_tools, pydantic_ai):
        monkeypatch.setattr(module, "PATIENCE", 0.1)
    told = json.loads(MemoryTools(client, "chat").call("memory_retain", json.dumps({"content": LARGE})))
    assert told == {"stored": True, "note": "The text is kept. Its memories are still being made."}

    async def run() -> object:
        async with AsyncMemoryClient(service.url, service.key) as aclient:
            retain: Any = build_toolset(aclient, "agent").tools["memory_retain"].function
            return await retain(LARGE)

    assert asyncio.run(run()) == told["note"]


def test_a_text_without_memories_is_not_counted_as_stored() -> None:
    def serve(request: httpx.Request) -> httpx.Response:
        return httpx.Response(200, json=RETAINED | outcomes.pop(0))

    outcomes: list[dict[str, object]] = [{"status": "completed"}, {"status": "failed", "errors": ["No model."]}]
    tools = MemoryTools(make_client(httpx.MockTransport(serve)), "chat")
    assert "memories" not in json.loads(tools.call("memory_retain", '{"content": "Hm."}'))
    assert json.loads(tools.call("memory_retain", '{"content": "Hm."}')) == {"error": "No model."}
    assert tell_stored(Retained.model_validate(RETAINED | {"status": "failed", "errors": ["No model"]})) == (
        "No memories were made: No model."
    )


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
def test_the_model_receives_its_own_errors(client: MemoryClient, name: str, arguments: str) -> None:
    assert json.loads(MemoryTools(client, "chat").call(name, arguments))["error"]


def test_the_model_receives_the_error_of_an_unreachable_service() -> None:
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


def test_the_model_may_retry_a_refused_request(service: Service) -> None:
    async def run() -> None:
        async with AsyncMemoryClient(service.url, service.key) as client:
            await corrected(client.retain("agent", " "))

    with pytest.raises(ModelRetry):
        asyncio.run(run())
