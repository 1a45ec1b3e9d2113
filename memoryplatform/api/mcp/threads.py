"""The threads that tools run in: use-cases are synchronous, and their connections live in threads.

The door has threads of its own, so that slow tools keep nobody from being told who he is.
"""

import asyncio
import contextvars
from collections.abc import Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from functools import partial
from typing import TypeVar
from uuid import UUID

from django.db import connections

from memoryplatform.api.mcp.places import Places
from providers.once import Once

T = TypeVar("T")
MOST_AT_THE_DOOR = 8  # a look-up of a key takes a millisecond
MOST_CALLS = 32  # at the same time in one process; the others wait for their turn
MOST_OF_A_TENANT = 8  # of them, so that others find a thread, and a connection in the pool of 20

DOOR: Once[Executor] = Once(lambda: ThreadPoolExecutor(MOST_AT_THE_DOOR, thread_name_prefix="mcp-door"))
TOOLS: Once[Executor] = Once(lambda: ThreadPoolExecutor(MOST_CALLS, thread_name_prefix="mcp-tool"))
PLACES = Places(MOST_OF_A_TENANT)


async def run_in_thread(threads: Once[Executor], work: Callable[[], T]) -> T:
    """Who is cancelled while he waits leaves at once; work that has begun ends by itself, in its thread."""
    return await asyncio.wrap_future(begin(threads, work))


async def run_in_turn(tenant_id: UUID, work: Callable[[], T]) -> T:
    """The same, of a tool: its tenant's place is taken until the work ends, also where nobody waits for it."""
    await PLACES.take(tenant_id)
    running = begin(TOOLS, work)
    running.add_done_callback(lambda _done: PLACES.leave(tenant_id))
    return await asyncio.wrap_future(running)


def begin(threads: Once[Executor], work: Callable[[], T]) -> Future[T]:
    return threads.get().submit(contextvars.copy_context().run, partial(work_and_let_go, work))


def work_and_let_go(work: Callable[[], T]) -> T:
    """A thread lives on, so it keeps no connection: the next work gets one that the pool has checked."""
    try:
        return work()
    finally:
        connections.close_all()
