"""The asynchronous client, called like the synchronous one, so that one test serves both."""

import asyncio
import inspect
from collections.abc import AsyncIterator, Iterator
from types import TracebackType
from typing import Any, Self

from memoryplatform_client import AsyncMemoryClient, AsyncPages


class Blocking:
    def __init__(self, client: AsyncMemoryClient) -> None:
        self._client = client
        self._runner = asyncio.Runner()

    def __enter__(self) -> Self:
        self._runner.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._runner.run(self._client.close())
        self._runner.__exit__(kind, error, traceback)

    def __getattr__(self, name: str) -> Any:
        return Wrapped(getattr(self._client, name), self._runner)


class Wrapped:
    """A resource, a method, or a list."""

    def __init__(self, wrapped: Any, runner: asyncio.Runner) -> None:
        self._wrapped = wrapped
        self._runner = runner

    def __getattr__(self, name: str) -> Any:
        return Wrapped(getattr(self._wrapped, name), self._runner)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        result = self._wrapped(*args, **kwargs)
        if inspect.iscoroutine(result):
            return self._runner.run(result)
        return Wrapped(result, self._runner) if isinstance(result, AsyncPages) else self._iterate(aiter(result))

    def __iter__(self) -> Iterator[Any]:
        return self._iterate(aiter(self._wrapped))

    def _iterate(self, rows: AsyncIterator[Any]) -> Iterator[Any]:
        try:
            while True:
                try:
                    yield self._runner.run(step(rows))
                except StopAsyncIteration:
                    return
        finally:
            if inspect.isasyncgen(rows):
                self._runner.run(rows.aclose())


async def step(rows: AsyncIterator[Any]) -> Any:
    return await anext(rows)
