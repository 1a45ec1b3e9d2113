"""The threads that tools run in: use-cases are synchronous, and their connections live in threads.

The door has threads of its own, so that slow tools keep nobody from being told who he is.
"""

import asyncio
import contextvars
from collections.abc import Callable
from concurrent.futures import Executor, ThreadPoolExecutor
from typing import TypeVar

from django.db import connections

from providers.once import Once

T = TypeVar("T")
MOST_AT_THE_DOOR = 8  # a look-up of a key takes a millisecond
MOST_CALLS = 32  # at the same time in one process; the others wait for their turn

DOOR: Once[Executor] = Once(lambda: ThreadPoolExecutor(MOST_AT_THE_DOOR, thread_name_prefix="mcp-door"))
TOOLS: Once[Executor] = Once(lambda: ThreadPoolExecutor(MOST_CALLS, thread_name_prefix="mcp-tool"))


async def run_in_thread(threads: Once[Executor], work: Callable[[], T]) -> T:
    """Who is cancelled while he waits leaves at once; work that has begun ends by itself, in its thread."""
    context = contextvars.copy_context()
    loop = asyncio.get_running_loop()
    return await loop.run_in_executor(threads.get(), context.run, work_and_let_go, work)


def work_and_let_go(work: Callable[[], T]) -> T:
    """A thread lives on, so it keeps no connection: the next work gets one that the pool has checked."""
    try:
        return work()
    finally:
        connections.close_all()
