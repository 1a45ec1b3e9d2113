"""Plans carried out either way. A client is opened when it is first used, and never again once it was closed."""

from dataclasses import dataclass, field
from typing import TypeVar

import httpx

from memoryplatform_client.client import AsyncMemoryClient, MemoryClient
from memoryplatform_client.plans import Plan
from memoryplatform_client.retries import RetryPolicy

T = TypeVar("T")


@dataclass
class Runner:
    base_url: str
    api_key: str = field(repr=False)
    timeout: float | httpx.Timeout
    retry: RetryPolicy
    _blocking: MemoryClient | None = None
    _awaited: AsyncMemoryClient | None = None
    _is_closed: bool = False

    def run_sync(self, plan: Plan[T]) -> T:
        self._check_open()
        if self._blocking is None:
            self._blocking = MemoryClient(self.base_url, self.api_key, timeout=self.timeout, retry=self.retry)
        return self._blocking.run(plan)

    async def run(self, plan: Plan[T]) -> T:
        self._check_open()
        if self._awaited is None:
            self._awaited = AsyncMemoryClient(self.base_url, self.api_key, timeout=self.timeout, retry=self.retry)
        return await self._awaited.run(plan)

    def _check_open(self) -> None:
        if self._is_closed:
            raise RuntimeError("This memory is closed: make a new one.")

    def close_sync(self) -> None:
        self._is_closed = True
        if self._blocking is not None:
            self._blocking.close()
            self._blocking = None

    async def close(self) -> None:
        self.close_sync()
        if self._awaited is not None:
            await self._awaited.close()
            self._awaited = None
