"""A sign of life beside the work: a long model call must not look like a dead worker."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import structlog
from django.conf import settings
from django.db import DatabaseError, connections

from memoryplatform.operations.errors import LeaseLost
from memoryplatform.operations.running.lease import Lease

log = structlog.get_logger(__name__)
BEATS_PER_LEASE = 3


@contextmanager
def heartbeat(lease: Lease) -> Iterator[None]:
    stop = threading.Event()
    thread = threading.Thread(target=beat, args=(lease, stop), name=f"lease-{lease.operation_id}", daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


def beat(lease: Lease, stop: threading.Event) -> None:
    try:
        while not stop.wait(settings.OPERATION_LEASE_SECONDS / BEATS_PER_LEASE):
            try:
                lease.renew()
            except LeaseLost:
                return  # the next fenced transaction of the work itself will find out
            except DatabaseError:
                log.warning("lease.renewal_failed", operation_id=str(lease.operation_id))
    finally:
        connections.close_all()
