"""Access counts of memory units: counted in memory and written in batches, off the path of requests."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from threading import Lock
from typing import Any
from uuid import UUID

from django.db import connection

from retrieval.periodic import Periodic
from tenants.transactions import tenant_transaction

MOST_UNITS = 50_000  # waiting to be written; further ones are not counted
SECONDS_BETWEEN = 5.0

# A row that a writer holds is skipped and its count is lost: better than a wait or a deadlock.
WRITE = """
WITH free AS (
    SELECT id FROM banks_memoryunit WHERE tenant_id = %(tenant_id)s AND id = ANY(%(ids)s)
    ORDER BY id FOR UPDATE SKIP LOCKED
)
UPDATE banks_memoryunit AS unit SET access_count = unit.access_count + accessed.count
FROM free JOIN unnest(%(ids)s::uuid[], %(counts)s::int[]) AS accessed (id, count) ON accessed.id = free.id
WHERE unit.tenant_id = %(tenant_id)s AND unit.id = free.id
"""


class AccessCounts:
    """One per process. The server starts and stops the thread that writes."""

    def __init__(self, *, most_units: int = MOST_UNITS, seconds_between: float = SECONDS_BETWEEN) -> None:
        self._most_units = most_units
        self._counts: defaultdict[UUID, Counter[UUID]] = defaultdict(Counter)
        self._lock = Lock()
        self._writer = Periodic(self.write, name="access-counts", seconds_between=seconds_between)

    def note(self, tenant_id: UUID, unit_ids: Sequence[UUID]) -> None:
        """Never waits for the database."""
        with self._lock:
            if sum(map(len, self._counts.values())) + len(unit_ids) <= self._most_units:
                self._counts[tenant_id].update(unit_ids)

    def write(self) -> None:
        """Everything that waits, one transaction a tenant."""
        with self._lock:
            counts, self._counts = self._counts, defaultdict(Counter)
        for tenant_id, units in counts.items():
            write_counts(tenant_id, units)

    def start(self) -> None:
        self._writer.start()

    def stop(self) -> None:
        """Writes what is left."""
        self._writer.stop()


def write_counts(tenant_id: UUID, units: Mapping[UUID, int]) -> None:
    parameters: dict[str, Any] = {"tenant_id": tenant_id, "ids": list(units), "counts": list(units.values())}
    with tenant_transaction(tenant_id), connection.cursor() as cursor:
        cursor.execute(WRITE, parameters)


ACCESS_COUNTS = AccessCounts()
