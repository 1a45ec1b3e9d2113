"""Runs plans synchronously and asynchronously. A client is opened at its first use; a closed runner stays closed."""

import asyncio
from dataclasses import dataclass, field
from typing import TypeVar

import httpx

from memoryplatform_client.client import AsyncMemoryClient, MemoryClient
from memoryplatform_client.plans import Plan
from memoryplatform_client.retries import RetryPolicy

T = TypeVar("T")


@dataclass
class Runner:
    """Connections belong to the event loop that opened them, so each loop has its own client."""

    base_url: str
    api_key: str = field(repr=False)
    timeout: float | httpx.Timeout
    retry: RetryPolicy
    _blocking: MemoryClient | None = None
    _awaited: dict[asyncio.AbstractEventLoop, AsyncMemoryClient] = field(default_factory=dict)
    _is_closed: bool = False

    def run_sync(self, plan: Plan[T]) -> T:
        self._check_open()
        if self._blocking is None:
            self._blocking = MemoryClient(self.base_url, self.api_key, timeout=self.timeout, retry=self.retry)
        return self._blocking.run(plan)

    async def run(self, plan: Plan[T]) -> T:
        self._check_open()
        return await self._client_here().run(plan)

    def _client_here(self) -> AsyncMemoryClient:
        """Clients of closed loops are dropped without closing: their connections ended with their loop."""
        here = asyncio.get_running_loop()
        if here not in self._awaited:
            kept = {loop: client for loop, client in self._awaited.items() if not loop.is_closed()}
            opened = AsyncMemoryClient(self.base_url, self.api_key, timeout=self.timeout, retry=self.retry)
            self._awaited = {**kept, here: opened}
        return self._awaited[here]

    def _check_open(self) -> None:
        if self._is_closed:
            raise RuntimeError("This memory is closed. Create a new one.")

    def close_sync(self) -> None:
        self._is_closed = True
        if self._blocking is not None:
            self._blocking.close()
            self._blocking = None

    async def close(self) -> None:
        """Close the client of this loop. Clients of other loops can't be closed from here and are dropped."""
        self.close_sync()
        client = self._awaited.pop(asyncio.get_running_loop(), None)
        self._awaited = {}
        if client is not None:
            await client.close()
