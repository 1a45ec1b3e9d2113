"""Fairness between tenants: workers take the operations of a queue by turns of tenants.

A message in the broker allows a worker to perform one operation of its queue. The choice is made here: first the
tenant with the fewest operations under way in all processes, then the tenant whose last turn in this process is the
longest ago. Within a tenant the oldest operation comes first.
"""

import threading
from collections.abc import Iterator
from datetime import timedelta
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import connection

from memoryplatform.operations.errors import QueueFull

BATCH = 20
MAX_REMEMBERED = 1_000  # tenants

# A dispatch waits if a message was sent for it (`wakes`) or if it is due. It is under way, or about to be tried again,
# if it is due within the time of a lease.
NEXT = """
WITH waiting AS (
    SELECT operation_id, tenant_id, created_at,
           row_number() OVER (PARTITION BY tenant_id ORDER BY created_at, operation_id) AS place
    FROM operations_dispatch
    WHERE queue = %(queue)s AND (wakes > 0 OR due_at <= statement_timestamp()) AND operation_id <> ALL(%(tried)s)
), under_way AS (
    SELECT tenant_id, count(*) AS operations
    FROM operations_dispatch
    WHERE queue = %(queue)s AND wakes = 0 AND due_at > statement_timestamp()
      AND due_at <= statement_timestamp() + %(lease)s
    GROUP BY tenant_id
)
SELECT tenant_id, operation_id
FROM waiting LEFT JOIN under_way USING (tenant_id)
ORDER BY place + coalesce(operations, 0), array_position(%(turns)s, tenant_id) NULLS FIRST, created_at, operation_id
LIMIT %(batch)s
"""


FIRST_BEYOND = "SELECT 1 FROM operations_dispatch WHERE queue = %s AND tenant_id = %s OFFSET %s LIMIT 1"
SECONDS_FOR_ROOM = 5


class Turns:
    """The tenants that this process served, the most recent last."""

    def __init__(self) -> None:
        self._tenants: dict[UUID, None] = {}
        self._lock = threading.Lock()

    def note(self, tenant_id: UUID) -> None:
        with self._lock:
            self._tenants.pop(tenant_id, None)
            self._tenants[tenant_id] = None
            if len(self._tenants) > MAX_REMEMBERED:
                self._tenants.pop(next(iter(self._tenants)))

    def list(self) -> list[UUID]:
        with self._lock:
            return list(self._tenants)


TURNS = {queue: Turns() for queues in settings.QUEUE_GROUPS.values() for queue in queues}


def check_queue_room(tenant_id: UUID, queue: str) -> None:
    """Refuse further work of a tenant that has QUEUE_MOST_WAITING operations in the queue. Others are not affected.

    The statement reads one index, and no more rows than may wait.
    """
    with connection.cursor() as cursor:
        cursor.execute(FIRST_BEYOND, [queue, tenant_id, settings.QUEUE_MOST_WAITING - 1])
        if cursor.fetchone():
            raise QueueFull(settings.QUEUE_MOST_WAITING, SECONDS_FOR_ROOM)


def find_waiting(queue: str) -> Iterator[tuple[UUID, UUID]]:
    """Tenant and id of the waiting operations in the order of turns. Another worker may claim one of them meanwhile."""
    tried: list[UUID] = []
    while batch := fetch_batch(queue, tried):
        for tenant_id, operation_id in batch:
            yield tenant_id, operation_id
            tried.append(operation_id)


def fetch_batch(queue: str, tried: list[UUID]) -> list[tuple[UUID, UUID]]:
    values: dict[str, Any] = {
        "queue": queue,
        "lease": timedelta(seconds=settings.OPERATION_LEASE_SECONDS),
        "tried": tried,
        "turns": TURNS[queue].list(),
        "batch": BATCH,
    }
    with connection.cursor() as cursor:
        cursor.execute(NEXT, values)
        rows: list[tuple[UUID, UUID]] = cursor.fetchall()
    return rows
