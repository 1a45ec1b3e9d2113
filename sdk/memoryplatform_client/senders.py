"""The synchronous and the asynchronous sender of plans. No other module knows which of the two is in use."""

import asyncio
import math
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Generator, Iterator
from contextlib import aclosing, asynccontextmanager, closing, contextmanager
from functools import partial
from typing import Any, TypeVar

import httpx

from memoryplatform_client.calls import Call
from memoryplatform_client.events import EventReader, ReflectEvent
from memoryplatform_client.lines import LineReader
from memoryplatform_client.plans import Outcome, Pause, Plan, Step, no_answer, tellable, without_credentials
from memoryplatform_client.refusals import build_error, read_refusal
from memoryplatform_client.retries import RetryPolicy

T = TypeVar("T")
Advance = Callable[[], Step]


class Sender:
    def __init__(self, address: httpx.URL, retry: RetryPolicy) -> None:
        self.address = without_credentials(address)
        self.retry = retry


def build_request(client: httpx.Client | httpx.AsyncClient, call: Call[Any]) -> httpx.Request:
    return client.build_request(
        call.method,
        call.path,
        params=call.query or None,
        content=call.content,
        headers=call.headers,
        timeout=cut(client.timeout, call.longest),
    )


def cut(timeout: httpx.Timeout, longest: float) -> httpx.Timeout:
    """Shorten each bound of the timeout to at most `longest` seconds. A bound of None means unlimited."""
    if longest == math.inf:
        return timeout
    bounds = {name: seconds for name, seconds in timeout.as_dict().items() if seconds is not None}
    return httpx.Timeout(longest, **{name: min(seconds, longest) for name, seconds in bounds.items()})


class SyncSender(Sender):
    def __init__(self, client: httpx.Client, retry: RetryPolicy) -> None:
        super().__init__(client.base_url, retry)
        self.client = client

    def run(self, plan: Plan[T]) -> T:
        advance: Advance = partial(next, plan)
        while True:
            try:
                step = advance()
            except StopIteration as end:
                result: T = end.value
                return result
            advance = partial(plan.send, self.take(step))

    def take(self, step: Step) -> Outcome:
        if isinstance(step, Pause):
            time.sleep(step.seconds)
            return None
        try:
            return self.client.send(build_request(self.client, step))
        except httpx.RequestError as failure:
            return failure

    def stream(self, call: Call[Any]) -> Generator[ReflectEvent, None, None]:
        with self.open(call) as response:
            events = EventReader(response)
            for line in response.iter_lines():
                yield from events.read(line)
            events.check_end()

    def read_lines(self, call: Call[Any]) -> Generator[bytes, None, None]:
        """Yields whole lines without their line breaks."""
        with self.open(call) as response:
            lines = LineReader()
            for piece in response.iter_bytes():
                yield from lines.read(piece)
            lines.check_end()

    @contextmanager
    def open(self, call: Call[Any]) -> Iterator[httpx.Response]:
        """Open a streamed response. Leaving the block closes the connection, which also stops the service's work."""
        try:
            response = self.client.send(build_request(self.client, call), stream=True)
            with closing(response):
                if not response.is_success:
                    response.read()
                    raise build_error(read_refusal(response))
                yield response
        except httpx.RequestError as failure:
            raise no_answer(call, failure) from tellable(failure)


class AsyncSender(Sender):
    def __init__(self, client: httpx.AsyncClient, retry: RetryPolicy) -> None:
        super().__init__(client.base_url, retry)
        self.client = client

    async def run(self, plan: Plan[T]) -> T:
        advance: Advance = partial(next, plan)
        while True:
            try:
                step = advance()
            except StopIteration as end:
                result: T = end.value
                return result
            advance = partial(plan.send, await self.take(step))

    async def take(self, step: Step) -> Outcome:
        if isinstance(step, Pause):
            await asyncio.sleep(step.seconds)
            return None
        try:
            return await self.client.send(build_request(self.client, step))
        except httpx.RequestError as failure:
            return failure

    async def stream(self, call: Call[Any]) -> AsyncGenerator[ReflectEvent, None]:
        async with self.open(call) as response:
            events = EventReader(response)
            async for line in response.aiter_lines():
                for event in events.read(line):
                    yield event
            events.check_end()

    async def read_lines(self, call: Call[Any]) -> AsyncGenerator[bytes, None]:
        async with self.open(call) as response:
            lines = LineReader()
            async for piece in response.aiter_bytes():
                for line in lines.read(piece):
                    yield line
            lines.check_end()

    @asynccontextmanager
    async def open(self, call: Call[Any]) -> AsyncIterator[httpx.Response]:
        try:
            response = await self.client.send(build_request(self.client, call), stream=True)
            async with aclosing(response):
                if not response.is_success:
                    await response.aread()
                    raise build_error(read_refusal(response))
                yield response
        except httpx.RequestError as failure:
            raise no_answer(call, failure) from tellable(failure)
