"""How many calls of one tenant run at the same time, so that one who calls much waits for itself."""

import asyncio
from collections import Counter, deque
from concurrent.futures import Future
from threading import Lock
from uuid import UUID


class Places:
    """So many for `each` tenant, given in the order in which it asked. Nothing is kept of a tenant that has none.

    A place is left by the thread that the work ends in, which may be later than the caller's leaving.
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
            if not called.cancel():  # it came after all
                self.leave(tenant_id)
            raise

    def leave(self, tenant_id: UUID) -> None:
        """The place goes to the tenant's next who still waits."""
        with self._lock:
            own = self._waiting.get(tenant_id, deque())
            called = next_in(own)
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


def next_in(waiting: deque[Future[None]]) -> Future[None] | None:
    """Who was cancelled is passed over."""
    while waiting:
        called = waiting.popleft()
        if called.set_running_or_notify_cancel():
            return called
    return None
