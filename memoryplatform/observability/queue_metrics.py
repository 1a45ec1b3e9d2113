"""Depth and age of the queues, read from the dispatch table: it holds every unfinished operation of every tenant."""

from collections.abc import Iterable

import structlog
from django.conf import settings
from django.db import DatabaseError, InterfaceError
from django.db.models import Count, Min
from django.utils import timezone
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from memoryplatform.observability.health import has_database
from memoryplatform.operations.models import Dispatch

log = structlog.get_logger(__name__)


class QueueCollector(Collector):
    """While the database is away the queues are left out, and nobody waits: the other figures are wanted then most."""

    def describe(self) -> Iterable[Metric]:
        """Nothing: else whoever registers it reads the table once more."""
        return []

    def collect(self) -> Iterable[Metric]:
        try:
            return read_queues() if has_database() else []
        except (DatabaseError, InterfaceError) as error:
            log.warning("metrics.queues_left_out", error=type(error).__name__)
            return []


def read_queues() -> list[Metric]:
    depth = GaugeMetricFamily("memoryplatform_queue_depth", "Unfinished operations.", labels=["queue"])
    age = GaugeMetricFamily("memoryplatform_queue_age_seconds", "Age of the oldest of them.", labels=["queue"])
    counted = Dispatch.objects.values("queue").annotate(n=Count("*"), oldest=Min("created_at"))
    rows = {row["queue"]: row for row in counted}
    for queue in (name for names in settings.QUEUE_GROUPS.values() for name in names):
        row = rows.get(queue)
        depth.add_metric([queue], row["n"] if row else 0)
        age.add_metric([queue], (timezone.now() - row["oldest"]).total_seconds() if row else 0.0)
    return [depth, age]
