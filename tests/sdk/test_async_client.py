"""The asynchronous client's own features, and its types under mypy."""

import asyncio
from contextlib import aclosing

import httpx

from memoryplatform_client import AsyncMemoryClient, Delta, MemoryClient, Started
from memoryplatform_client.models.banks import Bank
from memoryplatform_client.models.recall import Recalled
from tests.sdk.conftest import Service
from tests.sdk.scripted import make_client


def test_calls_run_beside_each_other(service: Service) -> None:
    async def live() -> tuple[list[Recalled], list[Bank]]:
        async with AsyncMemoryClient(service.url, service.key) as client:
            for name in ("a", "b", "c"):
                await client.retain(name, facts=[{"text": f"Alice lives in {name}."}])
            recalled = await asyncio.gather(
                *(client.recall(name, "Where does Alice live?", include={"details": {}}) for name in ("a", "b", "c"))
            )
            return list(recalled), [bank async for bank in client.banks.list(limit=2)]

    recalled, banks = asyncio.run(live())
    assert [one.results[0].bank_id for one in recalled] == ["a", "b", "c"]
    assert [bank.bank_id for bank in banks] == ["c", "b", "a"]


def test_a_stream_is_left_in_the_middle(service: Service) -> None:
    async def live() -> list[type]:
        async with AsyncMemoryClient(service.url, service.key) as client:
            await client.retain("a", facts=[{"text": "Alice lives in Lisbon."}])
            seen: list[type] = []
            async with aclosing(client.stream_reflect("a", "Where does Alice live?")) as events:
                async for event in events:
                    seen.append(type(event))
                    if isinstance(event, Delta):
                        break
            assert (await client.banks.get("a")).bank_id == "a"
            return seen

    seen = asyncio.run(live())
    assert (seen[0], seen[-1]) == (Started, Delta)


def test_a_method_read_from_its_class_is_undecorated() -> None:
    assert MemoryClient.retain_batch.__doc__ == AsyncMemoryClient.retain_batch.__doc__
    built = MemoryClient.recall(None, "b", "who?")
    assert (built.method, built.path, built.repeatable) == ("POST", "/banks/b/memories/recall", True)


def test_the_timeout_is_that_of_every_request() -> None:
    seen: list[object] = []

    def serve(request: httpx.Request) -> httpx.Response:
        seen.append(request.extensions["timeout"])
        return httpx.Response(200, json={"bank_id": "b", "config": {}, "overrides": {}})

    make_client(httpx.MockTransport(serve)).banks.config("b")
    with MemoryClient("http://service", "mpk", timeout=2.5, transport=httpx.MockTransport(serve)) as client:
        client.banks.config("b")
    assert seen == [
        {"connect": 5.0, "read": 120.0, "write": 120.0, "pool": 120.0},
        {"connect": 2.5, "read": 2.5, "write": 2.5, "pool": 2.5},
    ]
