"""A queue for recalls. More of them at once would only wait for each other, each with its clock running."""

from collections import OrderedDict, deque
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Lock
from uuid import UUID

from retrieval.errors import Overloaded
from retrieval.threads import THREADS

PATIENCE_SECONDS = 10.0


class Turns:
    """A number of `places` and a queue for them. Tenants take turns, so a tenant that sends much delays only itself."""

    def __init__(self, places: int, *, patience: float) -> None:
        self._lock = Lock()
        self._free = places
        self._patience = patience
        self._waiting: OrderedDict[UUID, deque[Event]] = OrderedDict()

    @contextmanager
    def take(self, tenant_id: UUID) -> Iterator[None]:
        """Raises Overloaded if no place is free in time."""
        called = self._ask(tenant_id)
        if not called.wait(self._patience) and not self._give_up(tenant_id, called):
            raise Overloaded
        try:
            yield
        finally:
            self._pass_on()

    def _ask(self, tenant_id: UUID) -> Event:
        called = Event()
        with self._lock:
            if self._free:
                self._free -= 1
                called.set()
            else:
                self._waiting.setdefault(tenant_id, deque()).append(called)
        return called

    def _give_up(self, tenant_id: UUID, called: Event) -> bool:
        """True if the turn came after all, between the timeout and the lock."""
        with self._lock:
            if called.is_set():
                return True
            own = self._waiting[tenant_id]
            own.remove(called)
            if not own:
                del self._waiting[tenant_id]
            return False

    def _pass_on(self) -> None:
        """The place goes to the first caller of the next tenant, which then moves to the end of the queue."""
        with self._lock:
            if not self._waiting:
                self._free += 1
                return
            tenant_id, own = self._waiting.popitem(last=False)
            own.popleft().set()
            if own:
                self._waiting[tenant_id] = own


TURNS = Turns(THREADS, patience=PATIENCE_SECONDS)
