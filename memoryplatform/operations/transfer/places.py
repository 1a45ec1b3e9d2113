"""How many exports may be under way at once in one process, and for how long.

A file that nobody fetches costs room on the disk, one that is being written a connection to the database: a tenant has
few of the former, the process few of the latter.
"""

from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import BoundedSemaphore, Event, Lock
from time import monotonic
from uuid import UUID

from django.conf import settings

from memoryplatform.operations.transfer.errors import ExportLeft, ExportTooSlow, TooManyExports

MOST_OF_A_TENANT = 2
MOST_WRITTEN = 4  # at once, of all tenants: a fifth of the connections that a process has by default


@dataclass(frozen=True)
class Place:
    ends: float = field(default_factory=lambda: monotonic() + settings.EXPORT_SECONDS)
    _left: Event = field(default_factory=Event)

    @property
    def seconds_left(self) -> float:
        return max(0.0, self.ends - monotonic())

    @property
    def is_taken(self) -> bool:
        return not self._left.is_set() and self.seconds_left > 0

    def leave(self) -> None:
        self._left.set()

    def check(self) -> None:
        if self._left.is_set():
            raise ExportLeft
        if not self.is_taken:
            raise ExportTooSlow

    @contextmanager
    def turn_to_write(self) -> Iterator[None]:
        """Wait until few enough others write. No connection may be held meanwhile."""
        if not WRITERS.acquire(timeout=self.seconds_left):
            raise ExportTooSlow
        try:
            yield
        finally:
            WRITERS.release()


class Places:
    def __init__(self) -> None:
        self._lock = Lock()
        self._of_tenants: dict[UUID, list[Place]] = defaultdict(list)

    def take(self, tenant_id: UUID) -> Place:
        """A place whose time is over is free again, whoever has forgotten to leave it."""
        with self._lock:
            taken = [place for place in self._of_tenants.pop(tenant_id, []) if place.is_taken]
            if len(taken) < MOST_OF_A_TENANT:
                taken.append(Place())
                self._of_tenants[tenant_id] = taken
                return taken[-1]
            self._of_tenants[tenant_id] = taken
        raise TooManyExports(MOST_OF_A_TENANT)


PLACES = Places()
WRITERS = BoundedSemaphore(MOST_WRITTEN)
