"""Threads for the synchronous use-cases, and the number of calls that one tenant may run at once.

Authentication has threads of its own, so that slow tools never delay it.
"""

import asyncio
import contextvars
from collections import Counter, deque
from collections.abc import Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from functools import partial
from threading import Lock
from typing import TypeVar
from uuid import UUID

from django.db import connections

from providers.once import Once

T = TypeVar("T")
MOST_AUTHENTICATIONS = 8  # looking up a key takes a millisecond
MOST_CALLS = 32  # at once in one process; further calls wait
MOST_CALLS_OF_TENANT = 8  # so that other tenants find a thread, and a connection in the pool of 20
AUTHENTICATION_THREADS: Once[Executor] = Once(
    lambda: ThreadPoolExecutor(MOST_AUTHENTICATIONS, thread_name_prefix="mcp-authentication")
)
TOOL_THREADS: Once[Executor] = Once(lambda: ThreadPoolExecutor(MOST_CALLS, thread_name_prefix="mcp-tool"))


class TenantSlots:
    """Each tenant may hold `each` slots at once; further calls of the tenant wait in order.

    The thread that ends the work frees the slot, which may happen after the caller has disconnected. A tenant without
    calls takes no memory.
    """

    def __init__(self, each: int) -> None:
        self._lock = Lock()
        self._each = each
        self._taken: Counter[UUID] = Counter()
        self._waiting: dict[UUID, deque[Future[None]]] = {}

    async def take(self, tenant_id: UUID) -> None:
        called = self._ask(tenant_id)
        try:
            await asyncio.wrap_future(called)
        except asyncio.CancelledError:
            if not called.cancel():  # the slot was assigned meanwhile
                self.leave(tenant_id)
            raise

    def leave(self, tenant_id: UUID) -> None:
        """Frees the slot, or passes it to the tenant's next waiting call."""
        with self._lock:
            own = self._waiting.get(tenant_id, deque())
            called = pop_waiting(own)
            if not own:
                self._waiting.pop(tenant_id, None)
            if called is None:
                self._taken[tenant_id] -= 1
                if not self._taken[tenant_id]:
                    del self._taken[tenant_id]
        if called is not None:
            called.set_result(None)

    def _ask(self, tenant_id: UUID) -> Future[None]:
        called: Future[None] = Future()
        with self._lock:
            if self._taken[tenant_id] < self._each:
                self._taken[tenant_id] += 1
                called.set_result(None)
            else:
                self._waiting.setdefault(tenant_id, deque()).append(called)
        return called


def pop_waiting(waiting: deque[Future[None]]) -> Future[None] | None:
    """Skips cancelled calls."""
    while waiting:
        called = waiting.popleft()
        if called.set_running_or_notify_cancel():
            return called
    return None


TENANT_SLOTS = TenantSlots(MOST_CALLS_OF_TENANT)


async def run_in_thread(threads: Once[Executor], work: Callable[[], T]) -> T:
    """A cancelled caller returns at once; work that has begun still ends in its thread."""
    return await asyncio.wrap_future(submit_work(threads, work))


async def run_in_tenant_slot(tenant_id: UUID, work: Callable[[], T]) -> T:
    """Runs a tool's work in a slot of its tenant, which stays taken until the work ends."""
    await TENANT_SLOTS.take(tenant_id)
    running = submit_work(TOOL_THREADS, work)
    running.add_done_callback(lambda _done: TENANT_SLOTS.leave(tenant_id))
    return await asyncio.wrap_future(running)


def submit_work(threads: Once[Executor], work: Callable[[], T]) -> Future[T]:
    return threads.get().submit(contextvars.copy_context().run, partial(run_and_close_connections, work))


def run_and_close_connections(work: Callable[[], T]) -> T:
    """Returns the database connection to the pool after the work, because the thread lives on."""
    try:
        return work()
    finally:
        connections.close_all()
